"""What is done with a row whose value a split needs and does not have: one vocabulary for all learners.

A learner accepts the words that it can do and refuses the others by name.
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
    "refuse",
]
"""What is done with a row whose value a split needs and does not have.

| word                         | the row                                                                     |
|------------------------------|-----------------------------------------------------------------------------|
| `"majority"`                 | follows the branch of most weight                                           |
| `"learned"`                  | follows the branch that served the criterion best while the tree grew       |
| `"surrogates_then_majority"` | follows the first that can say, else the majority (`usesurrogate = 2`)      |
| `"surrogates_then_stop"`     | follows the first surrogate that can say, else stops (`usesurrogate = 1`)   |
| `"stop"`                     | goes no further, surrogates are kept but not followed (`usesurrogate = 0`)  |
| `"fractional"`               | goes down every branch, with the share of the cases that took it            |
| `"own_level"`                | has a level of its own, which splits treat like any other; no learner yet   |
| `"floating_level"`           | has a level of its own, which joins any other; no learner yet               |
| `"refuse"`                   | is an error: the table is refused                                           |

The names in brackets are those of rpart, and so is the majority after surrogates: while the tree grows the
side of more weight, at prediction the child with more cases; between equals the row stays.
"""

BY_SURROGATES: tuple[Missing, ...] = ("surrogates_then_majority", "surrogates_then_stop", "stop")
"""The policies of R's rpart, which keep surrogates."""

BY_LOOP: tuple[Missing, ...] = ("majority", *BY_SURROGATES, "refuse")
"""What trees can do that are grown from contingency tables."""

BY_FOREST: tuple[Missing, ...] = ("learned", "majority", "refuse")
"""What the trees of forests can do."""

BY_PARTS: tuple[Missing, ...] = ("fractional", "refuse")
"""What Quinlan's line can do."""

WITHOUT_SURROGATES: tuple[Missing, ...] = ("majority", "refuse")
"""What trees can do that know no surrogates."""


def check_missing(missing: object, learner: str, able: tuple[str, ...]) -> None:
    """Refuse a word for missing values that a learner cannot do; name those that it can.

    >>> check_missing("floating_level", "C45Classifier", BY_PARTS)
    Traceback (most recent call last):
    bough.errors.ParameterError: missing is 'floating_level'; C45Classifier supports 'fractional', 'refuse'.
    """
    if not (isinstance(missing, str) and missing in able):
        raise ParameterError.cannot("missing", missing, learner, able)
