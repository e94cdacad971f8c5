"""The test of a column in a node of a tree."""

from __future__ import annotations

from typing import NamedTuple


class ColumnTest(NamedTuple):
    """The test of one column in one node; `p_value` is adjusted as the learner does it.

    The statistic is NaN if the tree keeps p-values alone.

    >>> ColumnTest(column=2, statistic=3.84, p_value=0.05).statistic
    3.84
    """

    column: int
    statistic: float
    p_value: float
