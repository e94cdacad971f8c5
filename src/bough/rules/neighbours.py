"""The values of a whole table beside a threshold.

A rule may keep only some conditions of a path, so it meets rows that never reached the node of a threshold.
Its text must be true of those rows too.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bough.data.table import Table
from bough.rules.condition import Condition, Interval
from bough.tree.split import Neighbours, Split, Threshold, known_neighbours
from bough.types import Floats


class TableNeighbours:
    """The sorted values of the numeric columns of a table, to find those beside a threshold.

    >>> neighbours = TableNeighbours(Table.read([[1.0], [2.0], [5.0]]))
    >>> neighbours.noted(Threshold(0, 1.75, neighbours=(1.0, 5.0))).neighbours
    (1.0, 2.0)
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sorted: dict[int, Floats] = {}

    def values(self, column: int) -> Floats:
        """Return the distinct known values of a numeric column, ascending.

        >>> TableNeighbours(Table.read([[3.0], [1.0], [3.0]])).values(0)
        array([1., 3.])
        """
        if column not in self._sorted:
            values = self._table.columns[column]
            self._sorted[column] = np.unique(values[~np.isnan(values)]).astype(np.float64)
        return self._sorted[column]

    def noted(self, split: Split) -> Split:
        """Return the split with its neighbours among all rows, if it is a threshold on a numeric column.

        >>> TableNeighbours(Table.read([[3.0], [1.0]])).noted(Threshold(0, 2.5)).neighbours
        (1.0, 3.0)
        """
        if not isinstance(split, Threshold) or self._table.schema[split.column].scale != "numeric":
            return split
        return dataclasses.replace(
            split, neighbours=self._beside(split.column, split.cut, closed=split.closed)
        )

    def noted_condition(self, condition: Condition) -> Condition:
        """Return the condition with the neighbours of its bounds among all rows, if it is an interval.

        >>> neighbours = TableNeighbours(Table.read([[0.1], [0.2], [0.7]]))
        >>> neighbours.noted_condition(Interval(0, low=0.1 + 0.05)).low_neighbours
        (0.1, 0.2)
        """
        if not isinstance(condition, Interval):
            return condition
        low, high, column = condition.low, condition.high, condition.column
        by_low = None if low is None else self._beside(column, low, closed=condition.above)
        by_high = None if high is None else self._beside(column, high, closed=condition.up_to)
        return dataclasses.replace(condition, low_neighbours=by_low, high_neighbours=by_high)

    def _beside(self, column: int, cut: float, *, closed: bool) -> Neighbours | None:
        values = np.concatenate([[math.nan], self.values(column), [math.nan]])
        at = int(np.searchsorted(values[1:-1], cut, side="right" if closed else "left"))
        return known_neighbours(values[at], values[at + 1])
