"""An engine fills contingency tables: it knows the rows, and growth knows only it.

Leaves are numbers. The rows of a leaf may lie in memory, in a database or on many machines: what an engine
needs are sums, grouped by leaf and value. All that growth sees are the records below.
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
    """What a node is, in real units: its weight, its cases, what it answers by and how wrong that is.

    `statistics` are the class weights or, for numbers, the mean (the median under absolute error); `risk`
    is the weight misclassified or the sum of errors. `events` is the weight of all classes but the first
    or, where y counts events (Poisson), their sum. For numbers, `lowest` and `highest` bound y; for classes
    they are None.

    >>> node = NodeStatistics(8.0, 8.0, np.array([6.0, 2.0]), risk=2.0, events=2.0)
    >>> node.settled(), node.settled(purity=0.7)
    (False, True)
    """

    weight: float
    cases: float
    statistics: Floats
    risk: float
    events: float
    lowest: float | None = None
    highest: float | None = None

    def settled(self, purity: float = 1.0) -> bool:
        """Whether there is nothing left to tell apart: a class has the share `purity`, or all y are equal.

        >>> NodeStatistics(2.0, 2.0, np.array([3.5]), 0.0, 7.0, lowest=3.5, highest=3.5).settled()
        True
        """
        if self.lowest is not None:
            return self.lowest == self.highest
        return bool(self.statistics.max() >= purity * self.weight)


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """The statistics of the target for each distinct value of one column in one node.

    `values` are the known values (for levels their codes) in ascending order, with a row of `statistics` and
    a number of `cases` each; `missing` and `missing_cases` are those of the rows whose value is missing.
    Statistics are whole numbers of the node's `grid`: class weights, (weight, sum, sum of squares) of y, or
    the weights of the distinct values of y, which `targets` then gives in ascending order. A table against
    the branches of a split has the weights of the branches, and their cases in `branch_cases`.

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

    def __len__(self) -> int:
        return len(self.values)

    @property
    def weight(self) -> float:
        """The weight of the node, its missing cases included, on the grid.

        >>> ContingencyTable(0, np.array([1.0]), np.array([[2.0, 1.0, 1.0]]), np.array([2.0]),
        ...                  np.array([1.0, 0.0, 0.0]), 1.0, "moments").weight
        3.0
        """
        return float(self.weights(self.statistics).sum() + self.weights(self.missing))

    def weights(self, statistics: Floats) -> Floats:
        """Return the weight that statistics, a row or many, stand for.

        >>> ContingencyTable(0, np.array([1.0]), np.array([[2.0, 1.0, 1.0]]), np.array([2.0]),
        ...                  np.zeros(3), 0.0, "moments").weights(np.array([[4.0, 9.0, 1.0]]))
        array([4.])
        """
        if self.reads in ("moments", "rates"):
            return np.asarray(statistics[..., 0])
        return np.asarray(statistics.sum(axis=-1))


@dataclass(frozen=True)
class Routing:
    """Where the rows of a split leaf go: those of branch b to leaf `first_child` + b.

    Rows the split cannot place go where the first of the `surrogates` that can place them sends them, and
    else to `default_branch`; where that is −1 they stay.
    """

    split: Split
    default_branch: int
    first_child: int
    surrogates: tuple[AlternativeSplit, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """The column of the split and of each surrogate.

        >>> from bough.tree.split import Threshold
        >>> Routing(Threshold(3, 0.5), default_branch=0, first_child=1).columns
        (3,)
        """
        return (self.split.column, *(surrogate.split.column for surrogate in self.surrogates))

    def branch(self, values: Sequence[npt.NDArray[Any]]) -> tuple[Branches, npt.NDArray[np.intp]]:
        """Return the branch of each row, and what decided it: 0 the split, s the s-th surrogate, −1 neither.

        `values` are those of each of the `columns`.

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
        for place, surrogate in enumerate(self.surrogates, start=1):
            said = surrogate.branch(values[place])
            helped = (branch < 0) & (said >= 0)
            branch[helped], decided_by[helped] = said[helped], place
        branch[branch < 0] = self.default_branch
        return branch, decided_by


class Engine(Protocol):
    """Anything that can summarize leaves, tabulate them, and route their rows to new leaves.

    Leaf 0 holds all rows at first. `reads` says which statistics it sums. Sums are exact, so
    every engine gives the same tables, and so the same tree.
    """

    @property
    def schema(self) -> Schema:
        """The columns splits are sought in."""

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes of the target; none if it is a number."""

    @property
    def reads(self) -> Reads:
        """The statistics this engine sums."""

    def summarize(self, leaves: Sequence[int]) -> Sequence[NodeStatistics]:
        """Return what each leaf is; one without rows has statistics of 0."""

    def tabulate(
        self, leaves: Sequence[int], against: Mapping[int, Split] | None = None
    ) -> Iterable[Sequence[ContingencyTable]]:
        """Give, for each leaf, the contingency table of each column in the order of the schema.

        The tables are those of y or, with `against`, of the branch that the split of each leaf sends a row
        to: weights and cases of each branch. Rows that the split cannot place then add nothing, but their
        values are listed.
        """

    def route(self, routings: Mapping[int, Routing]) -> Mapping[int, Floats]:
        """Send the rows of each leaf named to the leaves its routing names.

        Returns for each leaf how many cases each of its surrogates sent.
        """
