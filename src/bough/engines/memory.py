"""The plain engine: rows in memory, summed by numpy; the definition other engines are checked against."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, check_events
from bough.errors import ParameterError, TargetError
from bough.growing.criterion import Reads
from bough.growing.engine import ContingencyTable, NodeStatistics, Routing
from bough.growing.grid import Grid, grid_weights, scaled, target_exponent
from bough.types import Floats

Rows: TypeAlias = npt.NDArray[np.intp]


class MemoryEngine:
    """An engine over a table in memory; see `bough.growing.engine.Engine`.

    `reads` says which statistics are summed where y is a number: "moments" for squared error and criteria
    the user wrote, "rates" for Poisson, "values" for absolute error.

    >>> from bough.data.target import read_classes
    >>> engine = MemoryEngine(Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"]))
    >>> engine.summarize([0])[0].statistics
    array([2., 1.])
    >>> [[duration]] = list(engine.tabulate([0]))
    >>> duration.values, duration.statistics
    (array([ 5., 10., 15.]), array([[1., 0.], [1., 0.], [0., 1.]]))
    """

    def __init__(
        self,
        table: Table,
        target: ClassTarget | Floats,
        weights: Weights | None = None,
        *,
        reads: Reads | None = None,
    ) -> None:
        by_class = isinstance(target, ClassTarget)
        self._reads: Reads = reads or ("classes" if by_class else "moments")
        if by_class != (self._reads == "classes"):
            got = "classes" if by_class else "numbers"
            raise ParameterError(f"reads is {reads!r}, but the target holds {got}.")
        self._table = table
        self._classes = target.classes if isinstance(target, ClassTarget) else ()
        self._y = cast("npt.NDArray[Any]", target.codes if isinstance(target, ClassTarget) else target)
        if len(self._y) != table.n_rows:
            raise TargetError(f"y has {len(self._y)} rows and X has {table.n_rows}; give one y for each row.")
        weights = weights or Weights(None, None, whole=True)
        grid = grid_weights(weights, table.n_rows)
        self._weight, self._weight_exponent, self._whole = grid.weight, grid.exponent, grid.whole
        self._cases = np.ones(table.n_rows) if weights.cases is None else weights.cases
        self._rows: dict[int, Rows] = {0: np.flatnonzero(self._weight > 0)}
        if self._reads == "rates":
            check_events(self._y[self._rows[0]])

    @property
    def schema(self) -> Schema:
        """The columns splits are sought in."""
        return self._table.schema

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes of the target; none if it is a number."""
        return self._classes

    @property
    def reads(self) -> Reads:
        """The statistics this engine sums."""
        return self._reads

    def rows(self, leaf: int) -> Rows:
        """Return the positions of the rows in a leaf, ascending; rows without weight are in none.

        >>> from bough.data.target import read_numbers
        >>> MemoryEngine(Table.read([[1.0], [2.0]]), read_numbers([3, 4])).rows(0)
        array([0, 1])
        """
        return self._rows[leaf]

    def summarize(self, leaves: Sequence[int]) -> list[NodeStatistics]:
        """Return what each leaf is; one without rows has statistics of 0."""
        summary = self._summary_of_classes if self._reads == "classes" else self._summary_of_numbers
        return [summary(self._rows[leaf]) for leaf in leaves]

    def tabulate(self, leaves: Sequence[int]) -> Iterator[list[ContingencyTable]]:
        """Give, for each leaf, the contingency table of each column in the order of the schema."""
        for leaf in leaves:
            rows = self._rows[leaf]
            measure = self._measure(rows)
            yield [self._table_of(column, rows, measure) for column in range(len(self.schema))]

    def route(self, routings: Mapping[int, Routing]) -> None:
        """Send the rows of each leaf named to the leaves its routing names."""
        for leaf, routing in routings.items():
            rows = self._rows[leaf]
            branch = routing.split.branch(self._values(routing.split.column, rows))
            branch[branch < 0] = routing.default_branch
            order = np.argsort(branch, kind="stable")
            starts = np.searchsorted(branch[order], np.arange(routing.split.n_branches))
            self._rows[leaf], *parts = np.split(rows[order], starts)
            self._rows.update(enumerate(parts, start=routing.first_child))

    def _table_of(self, column: int, rows: Rows, measure: "_Measure") -> ContingencyTable:
        return self._grouped(column, self._values(column, rows), rows, measure)

    def _values(self, column: int, rows: Rows) -> npt.NDArray[Any]:
        return self._table.columns[column][rows]

    def _grouped(
        self, column: int, values: npt.NDArray[Any], rows: Rows, measure: "_Measure"
    ) -> ContingencyTable:
        known = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0
        distinct, place = np.unique(values[known], return_inverse=True)
        group = np.full(len(rows), len(distinct))
        group[known] = place
        statistics = measure.summed(group, len(distinct) + 1)
        cases = _sum_by(group, self._cases[rows], len(distinct) + 1)
        return ContingencyTable(
            column,
            values=distinct.astype(np.float64),
            statistics=statistics[:-1],
            cases=cases[:-1],
            missing=statistics[-1],
            missing_cases=float(cases[-1]),
            reads=self._reads,
            grid=measure.grid,
            targets=measure.targets,
        )

    def _measure(self, rows: Rows) -> "_Measure":
        weight = self._weight[rows]
        if self._reads == "classes":
            grid = Grid(self._weight_exponent)
            return _Measure(grid, weight, codes=self._y[rows], width=len(self._classes))
        y = self._y[rows]
        grid = self._grid_of(y, weight)
        offset = y - grid.origin
        if self._reads == "values":
            targets, codes = np.unique(np.rint(scaled(offset, grid.exponent)), return_inverse=True)
            return _Measure(grid, weight, codes=codes, width=len(targets), targets=targets)
        if self._whole:
            step = np.rint(scaled(offset, grid.exponent))
            return _Measure(grid, weight, sums=weight * step, squares=weight * step * step)
        sums = np.rint(scaled(weight * offset, grid.exponent))
        return _Measure(grid, weight, sums=sums, squares=sums * sums / weight)

    def _grid_of(self, y: Floats, weight: Floats) -> Grid:
        """Return the node's own grid; its rows must not be none."""
        lowest, highest = float(y.min()), float(y.max())
        if self._reads == "rates":
            origin, radius = 0.0, highest
        else:
            origin, radius = lowest / 2 + highest / 2, highest / 2 - lowest / 2
        # The weights of values are never multiplied by them before they are summed: the values need no room
        # for weights that fill the grid themselves.
        fills = self._reads == "values" and not self._whole
        exponent = target_exponent(1.0 if fills else float(weight.sum()), radius)
        return Grid(self._weight_exponent, origin, exponent)

    def _summary_of_classes(self, rows: Rows) -> NodeStatistics:
        weight = self._weight[rows]
        counts = _sum_by(self._y[rows], weight, len(self._classes))
        statistics = scaled(counts, -self._weight_exponent)
        total = float(statistics.sum())
        return NodeStatistics(
            weight=total,
            cases=float(self._cases[rows].sum()),
            statistics=statistics,
            risk=total - float(statistics.max()),
            events=float(statistics[1:].sum()),
        )

    def _summary_of_numbers(self, rows: Rows) -> NodeStatistics:
        if len(rows) == 0:
            return NodeStatistics(0.0, 0.0, np.zeros(1), 0.0, 0.0, lowest=0.0, highest=0.0)
        y, weight = self._y[rows], self._weight[rows]
        measure = self._measure(rows)
        grid, lowest, highest = measure.grid, float(y.min()), float(y.max())
        total = 0.0 if measure.sums is None else float(measure.sums.sum())
        if lowest == highest:
            # One value is its own mean, which the grid might round.
            answer = lowest
        elif self._reads == "values":
            answer = weighted_median(y, weight)
        else:
            answer = grid.target(total / float(weight.sum()))
        return NodeStatistics(
            weight=grid.weight(float(weight.sum())),
            cases=float(self._cases[rows].sum()),
            statistics=np.array([answer]),
            risk=_RISKS[self._reads](y, grid.weight(weight), answer),
            events=grid.weight(scaled(total, -grid.exponent)) if self._reads == "rates" else 0.0,
            lowest=lowest,
            highest=highest,
        )


@dataclass(frozen=True, eq=False)
class _Measure:
    """What each row of a node adds to the statistics of its group, on the node's grid.

    Either the weight of the row in the place of its code (a class, a value of y), or its weight, its share
    of the sum of y and of the sum of squares.
    """

    grid: Grid
    weight: Floats
    codes: npt.NDArray[np.integer[Any]] | None = None
    width: int = 3
    targets: Floats | None = None
    sums: Floats | None = None
    squares: Floats | None = None

    def summed(self, group: npt.NDArray[np.intp], n_groups: int) -> Floats:
        if self.codes is not None:
            place, size = group * self.width + self.codes, n_groups * self.width
            return _sum_by(place, self.weight, size).reshape(n_groups, self.width)
        added = (self.weight, self.sums, self.squares)
        return np.stack([_sum_by(group, each, n_groups) for each in added if each is not None], axis=1)

    def by_row(self) -> Floats:
        """Return what each row adds by itself."""
        return self.summed(np.arange(len(self.weight)), len(self.weight))


def weighted_median(y: Floats, weight: Floats) -> float:
    """Return the median of y, halfway between the lower and the upper one where half the weight lies below.

    >>> weighted_median(np.array([5.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]))
    3.5
    """
    order = np.argsort(y, kind="stable")
    twice = 2 * np.cumsum(weight[order])
    total = twice[-1] / 2
    lower, upper = (float(y[order[np.searchsorted(twice, total, side)]]) for side in ("left", "right"))
    return lower / 2 + upper / 2 if lower != upper else lower


def squared_error(y: Floats, weight: Floats, mean: float) -> float:
    """Return the sum of w (y − mean)².

    >>> squared_error(np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0]), 2.0)
    33.0
    """
    with np.errstate(over="ignore"):
        return _sum(weight * (y - mean) ** 2)


def absolute_error(y: Floats, weight: Floats, median: float) -> float:
    """Return the sum of w · abs(y − median).

    >>> absolute_error(np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 2.0]), 2.0)
    7.0
    """
    with np.errstate(over="ignore"):
        return _sum(weight * np.abs(y - median))


def poisson_deviance(y: Floats, weight: Floats, mean: float) -> float:
    """Return the sum of w · 2 (y ln(y / mean) − (y − mean)), where 0 ln 0 is 0.

    >>> round(poisson_deviance(np.array([0.0, 2.0]), np.ones(2), 1.0), 6)
    2.772589
    """
    if mean == 0:
        return 0.0
    terms = y * np.log(np.where(y > 0, y, mean) / mean) - (y - mean)
    return max(0.0, 2 * _sum(weight * terms))


_RISKS = {"moments": squared_error, "rates": poisson_deviance, "values": absolute_error}


def _sum_by(group: npt.NDArray[np.integer[Any]], terms: Floats, n_groups: int) -> Floats:
    return np.asarray(np.bincount(group, weights=terms, minlength=n_groups), dtype=np.float64)


def _sum(terms: Floats) -> float:
    # One after the other in the order of the rows; numpy's own sum takes an order of its own.
    return float(np.cumsum(terms)[-1])
