"""How nominal columns are split: one vocabulary for all learners, each of which accepts what it can do."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bough.errors import ParameterError

Nominal: TypeAlias = Literal["subset", "complete", "one_vs_rest", "ordered"]
"""How the levels of a nominal column are divided.

| word            | a split                                                                            |
|-----------------|------------------------------------------------------------------------------------|
| `"subset"`      | has two sets of levels, the best there are; in C4.5 and C5.0 any number of sets    |
| `"complete"`    | has a branch for each level                                                        |
| `"one_vs_rest"` | has one level against all others                                                   |
| `"ordered"`     | cuts the levels in an order that is drawn for each tree of a forest                |
"""

BY_LOOP: tuple[Nominal, ...] = ("subset", "complete", "one_vs_rest")
"""What trees can do that are grown from contingency tables."""

BY_FOREST: tuple[Nominal, ...] = ("ordered", "subset")
"""What the trees of forests can do."""


def check_nominal(nominal: object, learner: str, able: tuple[str, ...]) -> None:
    """Refuse a way of splitting levels that a learner does not have; name those that it has.

    >>> check_nominal("ordered", "TreeClassifier", BY_LOOP)
    Traceback (most recent call last):
    bough.errors.ParameterError: nominal is 'ordered'; TreeClassifier supports 'subset', 'complete',
    'one_vs_rest'.
    """
    if not (isinstance(nominal, str) and nominal in able):
        raise ParameterError.cannot("nominal", nominal, learner, able)
