"""Gradient boosting of rows in partitions: gradients, sums by bin and scores are computed beside the rows.

A task is a function of a coded partition and of a `BoostingPosition`: the trees so far and the splits of the
tree that is growing. A partition keeps its scores and the leaves of its rows from task to task. Where it has
lost them, because its worker is another one, it asks for all trees and computes its scores again.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.partitions.partitions import Partitions
from bough.data.schema import Schema
from bough.engines.partition_coding import (
    PartitionSummary,
    PresentRows,
    TrainingInPartitions,
    codes_and_lowest,
    highest_of_bins,
)
from bough.engines.selection import counted_digits, selected
from bough.errors import ParameterError, TableError
from bough.growing.coded import BinEdges
from bough.growing.column_split import midpoint
from bough.jobs import n_threads
from bough.progress import watcher
from bough.types import Floats, Keys

OF_QUANTILES = ("absolute_error", "quantile")
"""The losses whose leaves answer by a quantile of their residuals."""

_Grid: TypeAlias = tuple[bool, float, float]
_Range: TypeAlias = tuple[int, float, float, float]
_Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
_Histogram: TypeAlias = npt.NDArray[Any]


class _Request(NamedTuple):
    """A leaf to divide by the branch of each code of a column, and whether the left child is counted.

    Leaves are numbered by request: the n-th request of a tree, from 0, makes the leaves 2n + 1 and 2n + 2.
    """

    leaf: int
    column: int
    counts_left: bool
    branch: npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class _Fit:
    """What all tasks of a fit know: its settings, and the number of the first row of each partition."""

    settings: dict[str, Any]
    n_classes: int
    n_bins: tuple[int, ...]
    first_row: Mapping[int, int]
    unit_weights: bool
    start: tuple[float, ...]
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def n_scores(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class BoostingPosition:
    """How far a fit has come: the trees from the `first`, their number, and the tree that is growing."""

    fit: _Fit
    n_trees: int = 0
    first: int = 0
    trees: tuple[_Arrays, ...] = ()
    grid: _Grid | None = None
    requests: tuple[_Request, ...] = ()

    @property
    def round(self) -> int:
        """The round of the growing tree."""
        return self.n_trees // self.fit.n_scores

    @property
    def which(self) -> int:
        """The score that the growing tree adds to."""
        return self.n_trees % self.fit.n_scores


@dataclass(eq=False)
class _Scores:
    """The scores of a partition after some trees, and the round and the tree that have begun."""

    rows: _core.GradientPartition
    fit: str
    n_trees: int = 0
    round: int = -1
    tree: int = -1
    sums: tuple[int, int, int] = (0, 0, 0)

    def advance(self, position: BoostingPosition) -> bool:
        """Add the trees that are missing; return False if the position does not hold all of them."""
        if self.n_trees > position.n_trees:
            self.rows.restart()
            self.n_trees, self.round, self.tree = 0, -1, -1
        if self.n_trees < position.first:
            return False
        n_scores = position.fit.n_scores
        for number in range(self.n_trees, position.n_trees + 1):
            if number % n_scores == 0 and number // n_scores == position.round != self.round:
                self.rows.begin_round(position.round)
                self.round = position.round
            if number < position.n_trees:
                self.rows.add(number % n_scores, position.trees[number - position.first])
        self.n_trees = position.n_trees
        if position.grid is not None:
            if self.tree != self.n_trees:
                self.sums = self.rows.begin_tree(position.round, position.which, position.grid)
                self.tree = self.n_trees
            for request in position.requests[self.rows.n_parted :]:
                self.rows.part(request.leaf, request.column, request.branch)
        return True


@dataclass(eq=False)
class BoostedPartition:
    """The rows of a partition as codes of bins, with y and weights; and their scores, once they are known."""

    number: int
    codes: list[npt.NDArray[np.unsignedinteger]]
    y: npt.NDArray[Any]
    weight: Floats | None
    lowest: list[Floats]
    _scores: _Scores | None = None
    _lock: Any = field(default_factory=Lock)

    def at(self, position: BoostingPosition) -> _Scores | None:
        """Return the scores at a position, None if it does not hold the trees that are missing here."""
        with self._lock:
            if self._scores is None or self._scores.fit != position.fit.key:
                self._scores = _Scores(self._native(position.fit), position.fit.key)
            return self._scores if self._scores.advance(position) else None

    def target(self, n_classes: int) -> dict[str, Any]:
        """Return the target as an argument of the native code."""
        return {
            "label": self.y if n_classes else None,
            "y": None if n_classes else self.y,
            "weight": self.weight,
        }

    def _native(self, fit: _Fit) -> _core.GradientPartition:
        columns: list[tuple[Any, str, int]] = []
        for codes, n_bins in zip(self.codes, fit.n_bins, strict=True):
            known = codes.astype(np.int32)
            columns.append((np.where(known == n_bins, np.int32(-1), known), "ordinal", n_bins))
        bins = _core.bin_table(columns, len(self.y), None, None, 2, 1, None)
        return _core.GradientPartition(
            bins,
            fit.n_classes,
            self.target(fit.n_classes),
            fit.settings,
            fit.first_row[self.number],
            fit.unit_weights,
            fit.start,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return BoostedPartition, (self.number, self.codes, self.y, self.weight, self.lowest)

    def __sizeof__(self) -> int:
        arrays = [*self.codes, self.y] if self.weight is None else [*self.codes, self.y, self.weight]
        return sum(each.nbytes for each in arrays)


def coded_for_boosting(
    frame: Any, number: int, training: TrainingInPartitions, highest: Sequence[Floats]
) -> BoostedPartition:
    """Code the rows of a partition."""
    present = PresentRows(frame, training)
    codes, lowest = codes_and_lowest(present, training, highest)
    y = present.y.astype(np.int32 if training.classes else np.float64)
    weighs = training.roles.sample_weight is not None or training.class_weight is not None
    return BoostedPartition(number, codes, y, present.weight if weighs else None, lowest)


class _Described(NamedTuple):
    """What the client knows of a partition: rows, lowest values, codes that occur, and weights."""

    number: int
    n_rows: int
    lowest: list[Floats]
    held: list[npt.NDArray[np.bool_]]
    unit_weights: bool


def _described(partition: BoostedPartition, n_bins: Sequence[int]) -> list[_Described]:
    held = [
        np.bincount(codes, minlength=many + 1)[:many] > 0
        for codes, many in zip(partition.codes, n_bins, strict=True)
    ]
    unit = partition.weight is None or bool((partition.weight == 1).all())
    return [_Described(partition.number, len(partition.y), partition.lowest, held, unit)]


def _listed(parts: Sequence[list[_Described]]) -> list[_Described]:
    return [each for part in parts for each in part]


def _start_sums(partition: BoostedPartition, sums: Floats, n_classes: int) -> Floats:
    return _core.add_start_sums(n_classes, len(partition.y), partition.target(n_classes), sums)


def _scored(partition: BoostedPartition, task: Any, position: BoostingPosition, *arguments: Any) -> Any:
    """Return the result of a task on the scores of a partition, None if it has lost them."""
    scores = partition.at(position)
    return None if scores is None else task(partition, scores, position, *arguments)


def _unless_lost(combine: Any, parts: Sequence[Any]) -> Any:
    """Combine the results of partitions; return None if one of them has lost its scores."""
    return None if any(part is None for part in parts) else combine(parts)


def _range(partition: BoostedPartition, scores: _Scores, position: BoostingPosition) -> _Range:
    return scores.rows.range(position.which)


def _joined_ranges(parts: Sequence[_Range]) -> _Range:
    n_rows, gradient, hessian, total = zip(*parts, strict=True)
    return sum(n_rows), max(gradient), max(hessian), sum(total)


def _counted(scores: _Scores, position: BoostingPosition, leaf: int) -> _Histogram:
    histogram = scores.rows.histogram(leaf)
    assert position.grid is not None
    return histogram.view(np.float64) if position.grid[0] else histogram


def _root(
    partition: BoostedPartition, scores: _Scores, position: BoostingPosition
) -> tuple[int, int, int, _Histogram]:
    return (*scores.sums, _counted(scores, position, 0))


def _residual_counts(
    partition: BoostedPartition,
    scores: _Scores,
    position: BoostingPosition,
    which: int,
    leaves: Sequence[int],
    prefix: Keys,
    left: int,
    bits: int,
) -> Floats:
    counts = []
    for leaf, own in zip(leaves, prefix.tolist(), strict=True):
        rows, residual = scores.rows.residuals(which, leaf)
        weight = None if partition.weight is None else partition.weight[rows]
        counts.append(counted_digits(residual, weight, own, left, bits))
    return np.array(counts)


def _target_counts(partition: BoostedPartition, prefix: Keys, left: int, bits: int) -> Floats:
    return counted_digits(partition.y, partition.weight, int(prefix[0]), left, bits)[None]


def _joined_counts(parts: Sequence[Floats]) -> Floats:
    return np.asarray(np.sum(parts, axis=0))


def _joined_roots(
    parts: Sequence[tuple[int, int, int, _Histogram]],
) -> tuple[int, int, int, _Histogram]:
    gradients, hessians, squares, histograms = zip(*parts, strict=True)
    return sum(gradients), sum(hessians), sum(squares), np.sum(histograms, axis=0)


def _children(
    partition: BoostedPartition, scores: _Scores, position: BoostingPosition, first: int
) -> list[tuple[int, _Histogram]]:
    return [
        (
            scores.rows.count(2 * number + 1),
            _counted(scores, position, 2 * number + (1 if request.counts_left else 2)),
        )
        for number, request in enumerate(position.requests[first:], first)
    ]


def _joined_children(parts: Sequence[list[tuple[int, _Histogram]]]) -> list[tuple[int, _Histogram]]:
    return [
        (sum(count for count, _ in each), np.sum([histogram for _, histogram in each], axis=0))
        for each in zip(*parts, strict=True)
    ]


class _AskedRows:
    """The rows of a fit, as the native growth of trees asks them."""

    def __init__(self, parts: Partitions, fit: _Fit) -> None:
        self._parts, self._position, self._n_sent = parts, BoostingPosition(fit), 0
        self._trees: list[_Arrays] = []

    def range(self, round: int, which: int) -> _Range:
        """Return the rows drawn for a tree, and the range of their gradients."""
        found: _Range = self._asked(_joined_ranges, _range)
        if found[0] == 0:
            share = self._position.fit.settings["row_share"]
            raise ParameterError.of("max_samples", share, "greater: no row was drawn for a tree")
        return found

    def begin(self, round: int, which: int, grid: _Grid) -> tuple[int, int, int, _Histogram]:
        """Return the sums of all rows drawn on the grid of a tree, and their histogram."""
        self._position = replace(self._position, grid=grid, requests=())
        gradient, hessian, squares, histogram = self._asked(_joined_roots, _root)
        return gradient, hessian, squares, histogram.view(np.uint64)

    def part(
        self, requests: list[tuple[int, int, bool, npt.NDArray[np.uint8]]]
    ) -> list[tuple[int, _Histogram]]:
        """Divide leaves, and return the rows of each left child and the histogram of one child."""
        first = len(self._position.requests)
        asked = (*self._position.requests, *(_Request(*each) for each in requests))
        self._position = replace(self._position, requests=asked)
        found = self._asked(_joined_children, _children, first)
        return [(count, histogram.view(np.uint64)) for count, histogram in found]

    def quantiles(self, which: int, leaves: list[int], share: float) -> list[float]:
        """Return for each leaf the residual that at least this share of its weight does not exceed."""

        def counts(prefix: Keys, left: int, bits: int) -> Floats:
            found: Floats = self._asked(_joined_counts, _residual_counts, which, leaves, prefix, left, bits)
            return found

        return [float(each) for each in selected(counts, len(leaves), share)]

    def add(self, which: int, tree: _Arrays) -> None:
        """Note a finished tree; the partitions add it to their scores when they are asked next."""
        self._trees.append(tree)
        self._position = BoostingPosition(self._position.fit, len(self._trees))

    def _asked(self, combine: Any, task: Any, *arguments: Any) -> Any:
        for first in (self._n_sent, 0):
            # A partition that was moved or computed again needs the trees from the first.
            position = replace(self._position, first=first, trees=tuple(self._trees[first:]))
            found = self._parts.reduced(partial(_unless_lost, combine), _scored, task, position, *arguments)
            if found is not None:
                self._n_sent = len(self._trees)
                return found
        raise TableError("A partition has lost its scores; fit again.")


class BoostedInPartitions(NamedTuple):
    """The scores before the first tree, and the arrays of all trees."""

    start: Floats
    trees: _Arrays


def boost_partitions(
    partitions: Partitions,
    training: TrainingInPartitions,
    summary: PartitionSummary,
    max_bins: int,
    settings: dict[str, Any],
    n_jobs: int | None = None,
) -> BoostedInPartitions:
    """Boost the rows of partitions by the settings of the native code."""
    highest = highest_of_bins(partitions, training, summary.columns, max_bins)
    n_classes = len(training.classes)
    n_bins = tuple(
        [
            len(highest[place]) if column.scale == "numeric" else len(column.levels)
            for place, column in enumerate(training.schema)
        ]
    )
    parts = partitions.kept_numbered(coded_for_boosting, training, highest)
    try:
        described = sorted(parts.reduced(_listed, _described, n_bins), key=lambda each: each.number)
        if sum(each.n_rows for each in described) != summary.n_rows:
            raise TableError("The table was changed during the fit; fit again when nobody writes to it.")
        start = _start_of(parts, n_classes, len(n_bins), settings)
        ends = np.cumsum([0, *(each.n_rows for each in described)]).tolist()
        first_row = {each.number: first for each, first in zip(described, ends, strict=False)}
        unit = all(each.unit_weights for each in described)
        fit = _Fit(settings, n_classes, n_bins, first_row, unit, tuple(start))
        held = [np.logical_or.reduce(each) for each in zip(*(part.held for part in described), strict=True)]
        trees = _grown(_AskedRows(parts, fit), training.schema, fit, held, n_jobs)
    finally:
        parts.release()
    lowest = [np.minimum.reduce(each) for each in zip(*(part.lowest for part in described), strict=True)]
    edges = [BinEdges(low, high) for low, high in zip(lowest, highest, strict=True)]
    return BoostedInPartitions(np.array(start), _with_cuts(trees, training.schema, edges))


def _start_of(parts: Partitions, n_classes: int, n_columns: int, settings: dict[str, Any]) -> list[float]:
    """Return the scores before the first tree."""
    if settings["loss"] not in OF_QUANTILES:
        sums = parts.folded(_start_sums, np.zeros(n_classes + 2), n_classes)
        return _core.start_scores(n_classes, n_columns, settings, sums)
    shares = [0.5] if settings["loss"] == "absolute_error" else settings["quantiles"]

    def counts(prefix: Keys, left: int, bits: int) -> Floats:
        found: Floats = parts.reduced(_joined_counts, _target_counts, prefix, left, bits)
        return found

    return [float(selected(counts, 1, share)[0]) for share in shares]


def _grown(
    rows: _AskedRows, schema: Schema, fit: _Fit, held: Sequence[npt.NDArray[np.bool_]], n_jobs: int | None
) -> _Arrays:
    """Grow the trees on a table that has a row for each code, so that cuts lie between codes."""
    n_rows = max(1, *fit.n_bins)
    columns: list[tuple[Any, str, int]] = []
    for column, n_bins, is_held in zip(schema, fit.n_bins, held, strict=True):
        codes = np.full(n_rows, -1, dtype=np.int32)
        codes[:n_bins] = np.where(is_held, np.arange(n_bins), -1)
        columns.append((codes, "nominal" if column.scale == "nominal" else "ordinal", n_bins))
    bins = _core.bin_table(columns, n_rows, None, None, 2, 1, None)
    return _core.boost_elsewhere(
        columns,
        n_rows,
        fit.n_classes,
        fit.settings,
        bins,
        fit.unit_weights,
        rows,
        n_threads(n_jobs),
        watcher(),
    )


def _with_cuts(trees: _Arrays, schema: Schema, edges: Sequence[BinEdges]) -> _Arrays:
    """Return trees whose cuts of numeric columns lie between values instead of codes."""
    numeric = np.array([column.scale == "numeric" for column in schema])
    cut, below, above = (trees[name].copy() for name in ("cut", "cut_below", "cut_above"))
    column = trees["column"]
    for node in np.flatnonzero(~np.isnan(below)):
        place = column[node]
        if numeric[place]:
            below[node] = edges[place].highest[int(below[node])]
            above[node] = edges[place].lowest[int(above[node])]
            cut[node] = midpoint(below[node], above[node])
    return trees | {"cut": cut, "cut_below": below, "cut_above": above}
