"""Kinds of nominal splits. All learners use the same names; each accepts the kinds that it supports."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bough.errors import ParameterError

Nominal: TypeAlias = Literal["subset", "complete", "one_vs_rest", "ordered", "randomforest"]
"""How a split divides the levels of a nominal column.

| kind             | a split                                                                              |
|------------------|--------------------------------------------------------------------------------------|
| `"subset"`       | divides the levels into the two best sets; in C4.5 and C5.0 into any number of sets |
| `"complete"`     | has one branch for each level                                                        |
| `"one_vs_rest"`  | separates one level from all others                                                  |
| `"ordered"`      | is a threshold on an ordering of the levels, computed for each tree of a forest      |
| `"randomforest"` | is as `"subset"`, but levels absent from the node go where R's randomForest sends them |

Under the other kinds, levels absent from the node follow the branch with the largest weight.
"""

BY_LOOP: tuple[Nominal, ...] = ("subset", "complete", "one_vs_rest")
"""The kinds of trees that are grown from contingency tables."""

BY_FOREST: tuple[Nominal, ...] = ("ordered", "subset", "randomforest")
"""The kinds of the trees of forests."""


def check_nominal(nominal: object, learner: str, able: tuple[str, ...]) -> None:
    """Raise if a learner does not support a kind; the error names those that it supports.

    >>> check_nominal("ordered", "TreeClassifier", BY_LOOP)
    Traceback (most recent call last):
    bough.errors.ParameterError: nominal is 'ordered'; TreeClassifier supports 'subset', 'complete',
    'one_vs_rest'.
    """
    if not (isinstance(nominal, str) and nominal in able):
        raise ParameterError.cannot("nominal", nominal, learner, able)
