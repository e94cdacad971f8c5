"""The protocol of engines: an engine holds the rows and fills contingency tables for the growth loop.

Leaves are identified by numbers. The rows of a leaf may be in memory, in a database or on several machines:
an engine only has to compute sums grouped by leaf and value. The growth loop sees the records below only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.growing.criterion import Reads
from bough.growing.grid import Grid
from bough.tree.alternatives import AlternativeSplit
from bough.tree.split import Branches, Split
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class NodeStatistics:
    """Weight, cases, target statistics and risk of a node, in real units.

    >>> node = NodeStatistics(8.0, 8.0, np.array([6.0, 2.0]), risk=2.0, events=2.0)
    >>> node.is_pure(), node.is_pure(purity=0.7)
    (False, True)
    """

    weight: float
    cases: float
    statistics: Floats
    """The class weights or, in regression, the mean of y (the median for absolute error)."""
    risk: float
    """The misclassified weight or the sum of errors."""
    events: float
    """The weight of all classes but the first or, for Poisson, the sum of y."""
    lowest: float | None = None
    """The least y in regression; None in classification."""
    highest: float | None = None
    """The greatest y in regression; None in classification."""

    def is_pure(self, purity: float = 1.0) -> bool:
        """Whether the node is pure: one class has at least the fraction `purity`, or all y are equal.

        >>> NodeStatistics(2.0, 2.0, np.array([3.5]), 0.0, 7.0, lowest=3.5, highest=3.5).is_pure()
        True
        """
        if self.lowest is not None:
            return self.lowest == self.highest
        return bool(self.statistics.max() >= purity * self.weight)


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """The statistics of the target for each distinct value of one column in one node.

    `values` holds the known values (codes of levels) in ascending order; each has a row of `statistics` and a
    number of `cases`. `missing` and `missing_cases` are those of the rows whose value is missing. Statistics
    are whole numbers on the node's `grid`: class weights; (weight, sum, sum of squares) of y; or the weights
    of the distinct values of y, which `targets` lists in ascending order. A table by the branches of a split
    holds the weights of the branches, and their cases in `branch_cases`. A row of a table of bins stands for
    all values of a bin: `values` then holds the highest value of each, and `lowest` the lowest.

    >>> table = ContingencyTable(
    ...     column=0,
    ...     values=np.array([5.0, 10.0]),
    ...     statistics=np.array([[1.0, 2.0], [3.0, 2.0]]),
    ...     cases=np.array([3.0, 5.0]),
    ...     missing=np.array([0.0, 1.0]),
    ...     missing_cases=1.0,
    ...     reads="classes",
    ... )
    >>> len(table), table.weight, table.weights(table.statistics)
    (2, 9.0, array([3., 5.]))
    """

    column: int
    values: Floats
    statistics: Floats
    cases: Floats
    missing: Floats
    missing_cases: float
    reads: Reads
    grid: Grid = field(default_factory=Grid)
    targets: Floats | None = None
    branch_cases: Floats | None = None
    lowest: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def weight(self) -> float:
        """The weight of the node on the grid, including the rows whose value is missing.

        >>> ContingencyTable(0, np.array([1.0]), np.array([[2.0, 1.0, 1.0]]), np.array([2.0]),
        ...                  np.array([1.0, 0.0, 0.0]), 1.0, "moments").weight
        3.0
        """
        return float(self.weights(self.statistics).sum() + self.weights(self.missing))

    def beside(self, row: int) -> tuple[float, float]:
        """Return the values on both sides of a threshold above a row of the table.

        >>> ContingencyTable(0, np.array([2.0, 9.0]), np.eye(2), np.ones(2), np.zeros(2), 0.0, "classes",
        ...                  lowest=np.array([1.0, 5.0])).beside(0)
        (2.0, 5.0)
        """
        lowest = self.values if self.lowest is None else self.lowest
        return float(self.values[row]), float(lowest[row + 1])

    def weights(self, statistics: Floats) -> Floats:
        """Return the total weight of one row of statistics, or of each of many rows.

        >>> ContingencyTable(0, np.array([1.0]), np.array([[2.0, 1.0, 1.0]]), np.array([2.0]),
        ...                  np.zeros(3), 0.0, "moments").weights(np.array([[4.0, 9.0, 1.0]]))
        array([4.])
        """
        if self.reads in ("moments", "rates"):
            return np.asarray(statistics[..., 0])
        return np.asarray(statistics.sum(axis=-1))


@dataclass(frozen=True)
class Routing:
    """How the rows of a leaf are routed: rows of branch b go to leaf `first_child` + b.

    A row that the split cannot route follows the first of the `surrogates` that can, and otherwise goes to
    `default_branch`; if that is −1, it stays in the node.
    """

    split: Split
    default_branch: int
    first_child: int
    surrogates: tuple[AlternativeSplit, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the split and of the surrogates.

        >>> from bough.tree.split import Threshold
        >>> Routing(Threshold(3, 0.5), default_branch=0, first_child=1).columns
        (3,)
        """
        return (self.split.column, *(surrogate.split.column for surrogate in self.surrogates))

    def branch(self, values: Sequence[npt.NDArray[Any]]) -> tuple[Branches, npt.NDArray[np.intp]]:
        """Return the branch of each row, and what routed it: 0 the split, s the s-th surrogate, −1 neither.

        `values` holds the values of each of the `columns`.

        >>> from bough.tree.split import Threshold
        >>> twin = AlternativeSplit(Threshold(1, 5.0), turned=False, value=1.0, adjusted=1.0, cases=0.0)
        >>> routing = Routing(Threshold(0, 0.5), default_branch=1, first_child=1, surrogates=(twin,))
        >>> values = np.array([0.0, np.nan, np.nan]), np.array([9.0, 4.0, np.nan])
        >>> branch, decided_by = routing.branch(values)
        >>> branch.tolist(), decided_by.tolist()
        ([0, 0, 1], [0, 1, -1])
        """
        branch = self.split.branch(values[0])
        decided_by = np.where(branch >= 0, 0, -1)
        for number, surrogate in enumerate(self.surrogates, start=1):
            alternative = surrogate.branch(values[number])
            routed = (branch < 0) & (alternative >= 0)
            branch[routed], decided_by[routed] = alternative[routed], number
        branch[branch < 0] = self.default_branch
        return branch, decided_by


class Engine(Protocol):
    """Protocol of objects that summarize and tabulate leaves and route their rows to new leaves.

    Leaf 0 initially holds all rows. Sums are exact, so every engine gives the same contingency tables and
    therefore the same tree.
    """

    @property
    def schema(self) -> Schema:
        """The columns that can be split on."""

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes of the target; empty in regression."""

    @property
    def reads(self) -> Reads:
        """The statistics that this engine sums."""

    def summarize(self, leaves: Sequence[int]) -> Sequence[NodeStatistics]:
        """Return the statistics of each leaf; a leaf without rows has statistics of 0."""

    def tabulate(
        self, leaves: Sequence[int], against: Mapping[int, Split] | None = None
    ) -> Iterable[Sequence[ContingencyTable]]:
        """Yield for each leaf the contingency tables of all columns, in the order of the schema.

        A table counts y or, if `against` gives a split for each leaf, the branch that the split routes a row
        to: it then holds the weight and the cases of each branch. Rows that the split cannot route add
        nothing to it, but their values are listed.
        """

    def route(self, routings: Mapping[int, Routing]) -> Mapping[int, Floats]:
        """Route the rows of each leaf to its children.

        Returns for each leaf the number of cases that each of its surrogates routed.
        """
