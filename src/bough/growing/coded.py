"""Columns, splits and routes in terms of the codes of bins, and the sums of a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.schema import Schema
from bough.tree.split import Branches, Split
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class BinEdges:
    """The lowest and the highest value of each bin of a column; the levels of a column are numbered from 0.

    The code of a missing value is the number of bins.
    """

    lowest: Floats
    highest: Floats
    is_numeric: bool = True

    @classmethod
    def of_levels(cls, n_levels: int) -> BinEdges:
        """Return the bins of a column of levels: one for each level.

        >>> BinEdges.of_levels(3).n_codes
        4
        """
        codes = np.arange(n_levels, dtype=np.float64)
        return cls(codes, codes, is_numeric=False)

    @classmethod
    def of_schema(
        cls, schema: Schema, lowest: Callable[[int], Floats], highest: Callable[[int], Floats]
    ) -> tuple[BinEdges, ...]:
        """Return the bins of each column, given those of the numeric columns by position.

        >>> from bough.example_models import iris_tree
        >>> [edges.n_codes for edges in BinEdges.of_schema(iris_tree().schema, np.arange, np.arange)]
        [1, 2]
        """
        return tuple(
            [
                cls(lowest(place), highest(place))
                if column.scale == "numeric"
                else cls.of_levels(len(column.levels))
                for place, column in enumerate(schema)
            ]
        )

    @property
    def n_codes(self) -> int:
        """The number of codes, that of missing values included."""
        return len(self.highest) + 1

    def branches(self, split: Split) -> Branches:
        """Return the branch that a split sends each code to, −1 where it cannot route it.

        >>> from bough.tree.split import Threshold
        >>> BinEdges(np.array([1.0, 5.0]), np.array([3.0, 8.0])).branches(Threshold(0, 4.0))
        array([ 0,  1, -1], dtype=int32)
        """
        values: Any = np.append(self.highest, np.nan)
        if not self.is_numeric:
            values = np.append(self.highest, -1.0).astype(np.int32)
        return split.branch(values)


@dataclass(frozen=True, eq=False)
class CodedSplit:
    """A split as the branch of each code of its column, −1 where it cannot route a row."""

    column: int
    branches: Branches
    n_branches: int


@dataclass(frozen=True, eq=False)
class CodedRoute:
    """How the rows of a leaf are routed: by the first split that can, in the terms of `Routing`."""

    splits: tuple[CodedSplit, ...]
    default_branch: int
    first_child: int

    @property
    def n_branches(self) -> int:
        """The number of children."""
        return self.splits[0].n_branches


@dataclass(frozen=True, eq=False)
class NodeTotals:
    """The sums of a node: statistics and cases and, of numbers, squares and the extremes of y."""

    statistics: Floats
    cases: float
    squares: float = 0.0
    lowest: float = 0.0
    highest: float = 0.0
