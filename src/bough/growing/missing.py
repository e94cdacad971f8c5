"""Policies for missing values: how a row is routed at a split whose value it lacks.

All learners use the same names. Each learner accepts the policies that it supports and names them otherwise.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from bough.errors import ParameterError

Missing: TypeAlias = Literal[
    "majority",
    "learned",
    "surrogates_then_majority",
    "surrogates_then_stop",
    "stop",
    "fractional",
    "own_level",
    "floating_level",
    "imputed",
    "refuse",
]
"""How a row is routed at a split whose value it lacks.

| policy                       | the row                                                                     |
|------------------------------|-----------------------------------------------------------------------------|
| `"majority"`                 | goes to the branch of greatest weight                                       |
| `"learned"`                  | goes to the branch that gave the better criterion value during growth; a    |
|                              | split may also separate missing from known values                           |
| `"surrogates_then_majority"` | follows the first surrogate that can route it, else the majority            |
| `"surrogates_then_stop"`     | follows the first surrogate that can route it, else stops at the node       |
| `"stop"`                     | stops at the node; surrogates are recorded but not used                     |
| `"fractional"`               | goes down every branch, weighted by the fraction of cases that took it      |
| `"own_level"`                | goes to a branch that only missing values take                              |
| `"floating_level"`           | is a level that may join any group of levels, as in CHAID                   |
| `"imputed"`                  | has the mean of the column, or its most frequent level, as in M5            |
| `"refuse"`                   | raises an error                                                             |

The three policies with surrogates and "stop" are rpart's `usesurrogate` = 2, 1 and 0. As in rpart, the
majority after surrogates is the branch of greater weight during growth and the child with more cases at
prediction; in a tie the row stops at the node.

Under "learned", missing values are one more level of a nominal column. Under "own_level" a split of the known
values has one more branch, unless the missing values are fewer than a leaf may have: then they follow the
branch of greatest weight. Under both policies they also do so at a node where no value was missing during
growth.
"""

BY_SURROGATES: tuple[Missing, ...] = ("surrogates_then_majority", "surrogates_then_stop", "stop")
"""The policies of R's rpart, which record surrogates."""

BY_VALUE: tuple[Missing, ...] = ("learned", "own_level")
"""The policies under which the search for a split chooses the branch of missing values."""

BY_LOOP: tuple[Missing, ...] = ("majority", *BY_VALUE, *BY_SURROGATES, "refuse")
"""The policies of trees that are grown from contingency tables."""

MERGED: tuple[Missing, ...] = ("floating_level", "majority", "refuse")
"""The policies of trees whose splits group levels by tests."""

BY_FOREST: tuple[Missing, ...] = ("learned", "majority", "refuse")
"""The policies of the trees of forests."""

NATIVE_ON_BINS = BY_FOREST
"""The policies of trees that native code grows from histograms of bins."""

BY_FRACTIONS: tuple[Missing, ...] = ("fractional", "refuse")
"""The policies of C4.5, C5.0 and REPTree."""

IMPUTED: tuple[Missing, ...] = ("imputed", "refuse")
"""The policies of M5."""

COMPLETE: tuple[Missing, ...] = ("majority", *BY_VALUE, "refuse")
"""The policies of trees with a branch for each level, which have no surrogates."""

WITHOUT_SURROGATES: tuple[Missing, ...] = ("majority", "refuse")
"""The policies of trees whose splits are found by a user's method, or over several columns."""


def check_missing(missing: object, learner: str, able: tuple[str, ...]) -> None:
    """Raise if a learner does not support a policy; the error names those that it supports.

    >>> check_missing("floating_level", "C45Classifier", BY_FRACTIONS)
    Traceback (most recent call last):
    bough.errors.ParameterError: missing is 'floating_level'; C45Classifier supports 'fractional', 'refuse'.
    """
    if not (isinstance(missing, str) and missing in able):
        raise ParameterError.cannot("missing", missing, learner, able)
