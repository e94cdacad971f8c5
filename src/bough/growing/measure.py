"""The terms that each row adds to the statistics of a node, on the grid where sums are exact.

All engines share this module. An engine groups rows by leaf and value and sums the columns of
`RowTerms.by_row`; this module defines how these columns are computed and what their sums mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Level
from bough.data.target import ClassTarget, Weights, check_events, classes_of
from bough.errors import ParameterError, TargetError
from bough.growing.criterion import Reads
from bough.growing.engine import ContingencyTable, NodeStatistics
from bough.growing.grid import Grid, grid_weights, scaled, target_exponent
from bough.types import Floats, Rows

_MOST_ROWS = 2.0**32
"""A table has fewer rows."""


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """The target, weight and cases of every row; weights are whole numbers in units of 2**-weight_exponent.

    `y` holds class codes or numbers. If all input weights were whole numbers, the weights are unchanged, and
    `whole` is True if a table may have as many rows as they sum to, or y holds classes.

    >>> from bough.data.target import read_classes
    >>> rows = MeasuredRows.of(read_classes(["yes", "no", "no"]), None, 3)
    >>> rows.reads, rows.summary(rows.present).statistics
    ('classes', array([2., 1.]))
    """

    reads: Reads
    classes: tuple[Level, ...]
    y: npt.NDArray[Any]
    weight: Floats
    weight_exponent: int
    whole: bool
    cases: Floats

    @classmethod
    def of(
        cls, target: ClassTarget | Floats, weights: Weights | None, n_rows: int, reads: Reads | None = None
    ) -> MeasuredRows:
        """Put the weights of rows on the grid; raise if the target does not provide the statistics to read.

        >>> MeasuredRows.of(np.array([1.0, 2.0]), None, 2, "classes")
        Traceback (most recent call last):
        bough.errors.ParameterError: reads is 'classes', but the target holds numbers.
        """
        by_class = isinstance(target, ClassTarget)
        chosen: Reads = reads or ("classes" if by_class else "moments")
        if by_class != (chosen == "classes"):
            got = "classes" if by_class else "numbers"
            raise ParameterError(f"reads is {reads!r}, but the target holds {got}.")
        y = cast("npt.NDArray[Any]", target.codes if isinstance(target, ClassTarget) else target)
        if len(y) != n_rows:
            raise TargetError(f"y has {len(y)} rows and X has {n_rows}; give one y for each row.")
        weights = weights or Weights(None, None, whole=True)
        grid = grid_weights(weights, n_rows)
        cases = weights.cases_of_each(n_rows)
        classes = classes_of(target)
        whole = grid.whole and (by_class or float(np.sum(grid.weight)) < _MOST_ROWS)
        measured = cls(chosen, classes, y, grid.weight, grid.exponent, whole, cases)
        if chosen == "rates":
            check_events(y[measured.present])
        return measured

    @property
    def present(self) -> Rows:
        """The positions of the rows of positive weight, ascending.

        >>> from bough.data.target import read_weights
        >>> MeasuredRows.of(np.array([1.0, 2.0, 3.0]), read_weights([1, 0, 2], 3), 3).present
        array([0, 2])
        """
        return np.flatnonzero(self.weight > 0)

    def terms(self, rows: Rows) -> RowTerms:
        """Return the terms that each row of a nonempty node adds to the statistics of the target.

        >>> rows = MeasuredRows.of(np.array([1.0, 2.0, 3.0]), None, 3)
        >>> terms = rows.terms(np.array([0, 2]))
        >>> terms.grid.moments(terms.by_row()[:, :3])
        array([[1., 1., 1.], [1., 3., 9.]])
        """
        weight, cases = self.weight[rows], self.cases[rows]
        if self.reads == "classes":
            grid = Grid(self.weight_exponent)
            terms = RowTerms(self.reads, grid, weight, cases)
            return replace(terms, codes=self.y[rows], width=len(self.classes))
        y = self.y[rows]
        grid = self._grid(y, weight)
        terms = RowTerms(self.reads, grid, weight, cases)
        offset = y - grid.origin
        if self.reads == "values":
            targets, codes = np.unique(np.rint(scaled(offset, grid.exponent)), return_inverse=True)
            return replace(terms, codes=codes, width=len(targets), targets=targets)
        if self.whole:
            step = np.rint(scaled(offset, grid.exponent))
            return replace(terms, sums=weight * step, squares=weight * step * step)
        sums = np.rint(scaled(weight * offset, grid.exponent))
        return replace(terms, sums=sums, squares=sums * sums / weight)

    def branch_terms(self, rows: Rows, branch: npt.NDArray[np.int32], n_branches: int) -> RowTerms:
        """Return the terms that each row adds to the weight and cases of its branch; branch −1 adds nothing.

        >>> rows = MeasuredRows.of(np.array([1.0, 2.0, 3.0]), None, 3)
        >>> rows.branch_terms(rows.present, np.array([1, -1, 0], np.int32), 2).by_row()
        array([[0., 1., 0., 1.], [0., 0., 0., 0.], [1., 0., 1., 0.]])
        """
        routed = branch >= 0
        weight, cases = (np.where(routed, each[rows], 0.0) for each in (self.weight, self.cases))
        codes = np.maximum(branch, 0)
        grid = Grid(self.weight_exponent)
        return RowTerms("classes", grid, weight, cases, codes, n_branches, by_branch=True)

    def _grid(self, y: Floats, weight: Floats) -> Grid:
        lowest, highest = float(y.min()), float(y.max())
        if self.reads == "rates":
            origin, radius = 0.0, highest
        else:
            origin, radius = lowest / 2 + highest / 2, highest / 2 - lowest / 2
        # For "values", weights are summed without being multiplied by y. If the weights use all bits of the
        # grid, the exponent of y must not reserve bits for them.
        ignores_weight = self.reads == "values" and not self.whole
        exponent = target_exponent(1.0 if ignores_weight else float(weight.sum()), radius)
        return Grid(self.weight_exponent, origin, exponent)

    def summary(self, rows: Rows) -> NodeStatistics:
        """Return the statistics of the node that consists of these rows.

        >>> rows = MeasuredRows.of(np.array([1.0, 2.0, 3.0]), None, 3)
        >>> node = rows.summary(rows.present)
        >>> node.statistics, node.risk, node.highest
        (array([2.]), 2.0, 3.0)
        """
        cases = float(self.cases[rows].sum())
        if self.reads == "classes":
            counts = _sum_by(self.y[rows], self.weight[rows], len(self.classes))
            return class_summary(counts, cases, Grid(self.weight_exponent))
        if len(rows) == 0:
            return NodeStatistics(0.0, 0.0, np.zeros(1), 0.0, 0.0, lowest=0.0, highest=0.0)
        y, terms = self.y[rows], self.terms(rows)
        total = 0.0 if terms.sums is None else float(terms.sums.sum())
        sums = NumberSums(float(terms.weight.sum()), total, cases, float(y.min()), float(y.max()))
        median = weighted_median(y, terms.weight) if self.reads == "values" else None
        answer = sums.mean(terms.grid) if median is None else median
        risk = _RISKS[self.reads](y, terms.grid.weight(terms.weight), answer)
        return sums.summary(terms.grid, self.reads, answer, risk)


@dataclass(frozen=True, eq=False)
class RowTerms:
    """The terms that each row of a node adds to the statistics of its group, on the node's grid.

    With `codes` (of classes, values of y or branches), a row adds its weight to the entry of its code;
    without, it adds its weight, its term of the sum of y and its term of the sum of squares. It also adds its
    cases: to one entry, or if `by_branch` to the entry of its code.
    """

    reads: Reads
    grid: Grid
    weight: Floats
    cases: Floats
    codes: npt.NDArray[np.integer[Any]] | None = None
    width: int = 3
    targets: Floats | None = None
    sums: Floats | None = None
    squares: Floats | None = None
    by_branch: bool = False

    def by_row(self) -> Floats:
        """Return the terms that an engine sums, one row for each input row: statistics, then cases.

        >>> from bough.data.target import read_classes
        >>> rows = MeasuredRows.of(read_classes(["yes", "no"]), None, 2)
        >>> rows.terms(rows.present).by_row()
        array([[0., 1., 1.], [1., 0., 1.]])
        """
        return self.summed(np.arange(len(self.weight)), len(self.weight))

    def summed(self, group: npt.NDArray[np.intp], n_groups: int) -> Floats:
        """Return the sums of `by_row` over the rows of each group.

        >>> from bough.data.target import read_classes
        >>> rows = MeasuredRows.of(read_classes(["yes", "no", "no"]), None, 3)
        >>> rows.terms(rows.present).summed(np.array([0, 0, 1]), 2)
        array([[1., 1., 2.], [1., 0., 1.]])
        """
        if self.codes is None:
            added = [each for each in (self.weight, self.sums, self.squares) if each is not None]
            statistics = np.stack([_sum_by(group, each, n_groups) for each in added], axis=1)
        else:
            entry, size = group * self.width + self.codes, n_groups * self.width
            statistics = _sum_by(entry, self.weight, size).reshape(n_groups, self.width)
            if self.by_branch:
                cases = _sum_by(entry, self.cases, size).reshape(n_groups, self.width)
                return np.concatenate([statistics, cases], axis=1)
        return np.column_stack([statistics, _sum_by(group, self.cases, n_groups)])

    def by_level(self, column: npt.NDArray[np.int32], rows: Rows, n_levels: int) -> tuple[Floats, Floats]:
        """Return the codes of a column that the rows have, and the sums of each and, last, of missing values.

        `column` holds the codes of all rows of the table. The sums are those of `summed`, but in one pass.

        >>> from bough.data.target import read_classes
        >>> measured = MeasuredRows.of(read_classes(["yes", "no", "no"]), None, 3)
        >>> codes, sums = measured.terms(measured.present).by_level(
        ...     np.array([2, 2, -1], dtype=np.int32), measured.present, n_levels=3)
        >>> codes, sums
        (array([2.]), array([[1., 1., 2.], [1., 0., 1.]]))
        """
        entry = None if self.codes is None else self.codes.astype(np.int32, copy=False)
        sums, count = _core.sums_by_code(
            column,
            rows.astype(np.int64, copy=False),
            n_levels,
            entry,
            self.width,
            self.weight,
            self.cases,
            self.sums,
            self.squares,
        )
        present = np.append(np.asarray(count)[:-1] > 0, True)
        return np.flatnonzero(present[:-1]).astype(np.float64), np.asarray(sums)[present]

    def table(self, column: int, values: Floats, sums: Floats) -> ContingencyTable:
        """Return the contingency table of a column from the sums of each value and, last, of missing values.

        >>> from bough.data.target import read_classes
        >>> rows = MeasuredRows.of(read_classes(["yes", "no", "no"]), None, 3)
        >>> sums = np.array([[1.0, 1.0, 2.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
        >>> rows.terms(rows.present).table(0, np.array([5.0, 10.0]), sums).cases
        array([2., 1.])
        """
        statistics, cases = np.ascontiguousarray(sums[:, : self.width]), sums[:, self.width :]
        return ContingencyTable(
            column,
            values=values.astype(np.float64),
            statistics=statistics[:-1],
            cases=cases[:-1].sum(axis=1),
            missing=statistics[-1],
            missing_cases=float(cases[-1].sum()),
            reads=self.reads,
            grid=self.grid,
            targets=self.targets,
            branch_cases=cases[:-1] if self.by_branch else None,
        )


@dataclass(frozen=True)
class NumberSums:
    """Weight and sum of y of a node on its grid, its cases, and the lowest and highest y.

    >>> sums = NumberSums(weight=4.0, total=6.0, cases=4.0, lowest=1.0, highest=3.0)
    >>> sums.mean(Grid(origin=1.0, exponent=1))
    1.75
    """

    weight: float
    total: float
    cases: float
    lowest: float
    highest: float

    def mean(self, grid: Grid) -> float:
        """Return the mean of y; if all y are equal, their exact value, which the grid might round.

        >>> NumberSums(weight=3.0, total=1.0, cases=3.0, lowest=0.1, highest=0.1).mean(Grid())
        0.1
        """
        if self.lowest == self.highest:
            return self.lowest
        return float(grid.target(self.total / self.weight))

    def summary(self, grid: Grid, reads: Reads, answer: float, risk: float) -> NodeStatistics:
        """Return the statistics of a node with this prediction and this risk, in real units.

        >>> sums = NumberSums(weight=4.0, total=6.0, cases=4.0, lowest=0.0, highest=3.0)
        >>> sums.summary(Grid(exponent=1), "rates", answer=0.75, risk=2.5).events
        3.0
        """
        events = grid.weight(scaled(self.total, -grid.exponent)) if reads == "rates" else 0.0
        return NodeStatistics(
            weight=grid.weight(self.weight),
            cases=self.cases,
            statistics=np.array([answer]),
            risk=risk,
            events=events,
            lowest=self.lowest,
            highest=self.highest,
        )


def class_summary(counts: Floats, cases: float, grid: Grid) -> NodeStatistics:
    """Return the statistics of a node whose classes have these weights on the grid.

    >>> class_summary(np.array([6.0, 2.0]), 8.0, Grid()).risk
    2.0
    """
    statistics = np.asarray(grid.weight(counts))
    total = float(statistics.sum())
    return NodeStatistics(
        weight=total,
        cases=cases,
        statistics=statistics,
        risk=total - float(statistics.max()),
        events=float(statistics[1:].sum()),
    )


def weighted_median(y: Floats, weight: Floats) -> float:
    """Return the weighted median of y: the midpoint of the lower and the upper median if they differ.

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
    # A sequential sum in the order of the rows, because np.sum adds pairwise.
    return float(np.cumsum(terms)[-1])
