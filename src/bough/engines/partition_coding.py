"""Coding the rows of partitions: summaries of their columns, bins, and weights and y on the grid of the fit.

The functions whose first argument is a frame are tasks, which run where the partition is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.bins import last_of_bins
from bough.data.partitions.partitions import Partitions
from bough.data.partitions.summary import N_PIVOTS, ColumnSummary
from bough.data.readers import plain_column, source_of, take
from bough.data.readers.scale import fitted
from bough.data.readers.source import Coded, Numbers, Raw
from bough.data.schema import Column, Level, Schema
from bough.engines.binned import Coding, RowsInMemory
from bough.engines.partitioned import CodedPartition, PartitionedRows
from bough.errors import TableError
from bough.growing.coded import BinEdges
from bough.growing.fit_grid import FitGrid
from bough.growing.hashed_draws import row_keys
from bough.types import Floats

_Bounds = Mapping[int, Floats]
"""Ascending values of some columns, by the position of the column."""


@dataclass(frozen=True)
class ColumnRoles:
    """The names of the columns that are split on, and of the target, the weights and the key of a row."""

    features: tuple[str, ...]
    target: str
    sample_weight: str | None = None
    row_key: str | None = None


class Hashing(NamedTuple):
    """What the hash of a row is for: its fold or, if there are no folds, how often trees draw it.

    `repeats` is the greatest number of times that a row is drawn.
    """

    seed: int
    n_folds: int = 0
    repeats: int = 1


@dataclass(frozen=True, eq=False)
class TrainingInPartitions:
    """The columns, the target and the weights of a fit in partitions; tasks know all but the partitions.

    `weighs_cases` tells whether weights are numbers of cases, and `class_weight` holds the factor of each
    class. Rows without any value are left out if `needs_value`.
    """

    roles: ColumnRoles
    schema: Schema
    classes: tuple[Level, ...]
    weighs_cases: bool = False
    needs_value: bool = False
    class_weight: tuple[float, ...] | None = None


class _ReadRows:
    """The rows of a partition as they are read, those of weight 0 left out."""

    def __init__(self, frame: Any, roles: ColumnRoles) -> None:
        self.n_invalid, self.weight, self.keys = 0, None, None
        self.features: list[Raw] = []
        self.target: Numbers | Coded = Numbers(np.empty(0))
        self.n_rows = len(frame)
        if self.n_rows == 0:
            return
        if roles.sample_weight is not None:
            weight = _numbers(source_of(frame), roles.sample_weight)
            usable = np.isfinite(weight) & (weight >= 0)
            self.n_invalid = int((~usable).sum())
            rows = np.flatnonzero(usable & (weight > 0))
            self.n_rows, self.weight = len(rows), weight[rows]
            if len(rows) < len(frame):
                frame = take(frame, rows)
            if len(rows) == 0:
                return
        source = source_of(frame)
        place = {name: position for position, name in enumerate(source.names)}
        self.features = [source.read(place[name]) for name in roles.features]
        self.target = plain_column(roles.target, source.read(place[roles.target]))
        if roles.row_key is not None:
            self.keys = np.asarray(frame[roles.row_key]).tolist()

    def empty(self) -> npt.NDArray[np.bool_]:
        """Return which rows have no value in any column."""
        if self.n_rows == 0:
            return np.zeros(0, dtype=np.bool_)
        empty: npt.NDArray[np.bool_] = np.all([_missing(raw) for raw in self.features], axis=0)
        return empty


def _numbers(source: Any, name: str) -> Floats:
    raw = source.read(source.names.index(name))
    numbers = np.where(raw.codes < 0, np.nan, raw.codes) if isinstance(raw, Coded) else raw.values
    return np.asarray(numbers, dtype=np.float64)


def _missing(raw: Raw) -> npt.NDArray[np.bool_]:
    return raw.codes < 0 if isinstance(raw, Coded) else np.isnan(raw.values)


@dataclass(frozen=True, eq=False)
class PartitionSummary:
    """What the rows of positive weight tell: their number, and what is known of their values.

    `n_invalid` rows have a weight that is no number of at least 0, `n_fractions` one that is not whole,
    `n_empty` no value in any column, and `n_unlabeled` no target.
    """

    n_rows: int
    n_invalid: int
    n_fractions: int
    total_weight: float
    n_empty: int
    n_unlabeled: int
    columns: tuple[ColumnSummary, ...] = ()
    target: ColumnSummary | None = None


def summarized(frame: Any, roles: ColumnRoles) -> PartitionSummary:
    """Return the summary of a partition."""
    rows = _ReadRows(frame, roles)
    weight = rows.weight
    summary = PartitionSummary(
        rows.n_rows,
        rows.n_invalid,
        0 if weight is None else int((weight != np.floor(weight)).sum()),
        float(rows.n_rows if weight is None else weight.sum()),
        int(rows.empty().sum()),
        int(_missing(rows.target).sum()),
    )
    if rows.n_rows == 0:
        return summary
    columns = [
        ColumnSummary.of(name, raw, weight) for name, raw in zip(roles.features, rows.features, strict=True)
    ]
    target = ColumnSummary.of(roles.target, rows.target, weight)
    return replace(summary, columns=tuple(columns), target=target)


def joined_summaries(parts: Sequence[PartitionSummary]) -> PartitionSummary:
    """Return the summary of the rows of several partitions."""
    names = ("n_rows", "n_invalid", "n_fractions", "total_weight", "n_empty", "n_unlabeled")
    sums = {name: sum(getattr(part, name) for part in parts) for name in names}
    joined = replace(parts[0], **sums, columns=(), target=None)
    filled = [part for part in parts if part.target is not None]
    if not filled:
        return joined
    columns = [ColumnSummary.joined(each) for each in zip(*(part.columns for part in filled), strict=True)]
    targets = [part.target for part in filled if part.target is not None]
    return replace(joined, columns=tuple(columns), target=ColumnSummary.joined(targets))


def highest_of_bins(
    partitions: Partitions, training: TrainingInPartitions, columns: Sequence[ColumnSummary], max_bins: int
) -> list[Floats]:
    """Return the highest value of each bin of each numeric column, by the rule of `bough.data.bins`.

    Of a column of few values all are known. Of another one the cases between pivots are counted, and then
    only the values near the ranks at which bins end are collected, from closer pivots where these are many.
    """
    which = int(training.weighs_cases)
    found: list[Floats] = [np.empty(0)] * len(columns)
    pivots: dict[int, Floats] = {}
    for place, column in enumerate(columns):
        if training.schema[place].scale == "numeric" and column.known:
            if column.values is None:
                pivots[place] = column.pivots
            else:
                found[place] = column.values[last_of_bins(column.counts[:, which], max_bins)]
    n_pivots = N_PIVOTS
    while pivots:
        # Their number grows, so that some of them are new ones at last.
        n_pivots *= 2
        counts = partitions.reduced(_added, cases_between, training, pivots)
        within = {}
        for place in pivots:
            ranks = _ranks_of_bins(counts[place], max_bins)
            within[place] = pivots[place], np.unique(np.searchsorted(np.cumsum(counts[place]), ranks))
        near = partitions.reduced(_joined_columns, summarized_within, training, within, n_pivots)
        for place, column in near.items():
            if column.values is None:
                pivots[place] = np.union1d(pivots[place], column.pivots)
                continue
            reached = _reached(column.values, column.counts[:, which], pivots.pop(place), counts[place])
            ranks = _ranks_of_bins(counts[place], max_bins)
            found[place] = column.values[np.unique(np.searchsorted(reached, ranks))]
    return found


def _ranks_of_bins(counts: npt.NDArray[np.int64], max_bins: int) -> list[int]:
    total = int(counts.sum())
    return [-(-k * total // max_bins) for k in range(1, max_bins + 1)]


def _reached(
    values: Floats, cases: npt.NDArray[np.int64], pivots: Floats, counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the cases up to each collected value, those between others included."""
    interval = np.searchsorted(pivots, values)
    before = np.append(0, np.cumsum(counts))[interval]
    within = np.cumsum(cases)
    first = np.searchsorted(interval, interval)
    reached: npt.NDArray[np.int64] = before + within - np.append(0, within)[first]
    return reached


def cases_between(
    frame: Any, training: TrainingInPartitions, pivots: _Bounds
) -> dict[int, npt.NDArray[np.int64]]:
    """Return the cases up to each pivot of a column and above the one before, then those above the last."""
    counts = {}
    for place, values, weight in _known_values(frame, training, pivots):
        interval = np.searchsorted(pivots[place], values)
        counts[place] = np.bincount(interval, weight, len(pivots[place]) + 1).astype(np.int64)
    return counts


def _known_values(
    frame: Any, training: TrainingInPartitions, places: Mapping[int, Any]
) -> list[tuple[int, Floats, Floats | None]]:
    """Return the known values of some columns, with their weights if these are cases."""
    rows = _ReadRows(frame, training.roles)
    found = []
    for place in places if rows.n_rows else ():
        values = fitted(training.schema[place], rows.features[place]).astype(np.float64) + 0.0
        known = ~np.isnan(values)
        weight = rows.weight[known] if training.weighs_cases and rows.weight is not None else None
        found.append((place, values[known], weight))
    return found


def summarized_within(
    frame: Any,
    training: TrainingInPartitions,
    within: Mapping[int, tuple[Floats, npt.NDArray[np.intp]]],
    n_pivots: int,
) -> dict[int, ColumnSummary]:
    """Return the summaries of the values of columns that lie in some of the intervals between pivots."""
    found = {}
    for place, values, weight in _known_values(frame, training, within):
        pivots, intervals = within[place]
        chosen = np.zeros(len(pivots) + 1, dtype=np.bool_)
        chosen[intervals] = True
        kept = chosen[np.searchsorted(pivots, values)]
        own = None if weight is None else weight[kept]
        name = training.schema[place].name
        found[place] = ColumnSummary.of(name, Numbers(values[kept]), own, n_pivots=n_pivots)
    return found


def _added(parts: Sequence[Mapping[int, npt.NDArray[np.int64]]]) -> dict[int, npt.NDArray[np.int64]]:
    places = {place for part in parts for place in part}
    return {place: np.sum([part[place] for part in parts if place in part], axis=0) for place in places}


def _joined_columns(parts: Sequence[Mapping[int, ColumnSummary]]) -> dict[int, ColumnSummary]:
    places = {place for part in parts for place in part}
    return {place: ColumnSummary.joined([part[place] for part in parts if place in part]) for place in places}


@dataclass(frozen=True)
class Measures:
    """The number of rows of a fit, their weights, and the extremes of a numeric target."""

    n_rows: int = 0
    total: float = 0.0
    greatest: float = 0.0
    n_fractions: int = 0
    lowest: float = np.inf
    highest: float = -np.inf

    @staticmethod
    def joined(parts: Sequence[Measures]) -> Measures:
        """Return the measures of the rows of several partitions."""
        return Measures(
            sum(part.n_rows for part in parts),
            sum(part.total for part in parts),
            max(part.greatest for part in parts),
            sum(part.n_fractions for part in parts),
            min(part.lowest for part in parts),
            max(part.highest for part in parts),
        )


def measured(frame: Any, training: TrainingInPartitions, grid: FitGrid | None = None) -> Measures:
    """Return the measures of a partition; with a grid, of its weights as whole numbers."""
    present = PresentRows(frame, training)
    if present.n_rows == 0:
        return Measures()
    weight = present.weight if grid is None else grid.whole_weights(present.weight)
    y = present.y
    return Measures(
        present.n_rows,
        float(weight.sum()),
        float(weight.max()),
        int((weight != np.floor(weight)).sum()),
        float(y.min()),
        float(y.max()),
    )


class PresentRows:
    """The rows of a partition that are in the tree: their target as codes or numbers, and their weights."""

    def __init__(self, frame: Any, training: TrainingInPartitions) -> None:
        rows = _ReadRows(frame, training.roles)
        kept = ~rows.empty() if training.needs_value else np.ones(rows.n_rows, dtype=np.bool_)
        self.n_rows = int(kept.sum())
        weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        self.cases = weight[kept] if training.weighs_cases else None
        if rows.n_rows == 0:
            self.y: npt.NDArray[Any] = np.empty(0)
        elif training.classes:
            column = Column(training.roles.target, "nominal", training.classes)
            self.y = fitted(column, rows.target)[kept]
        else:
            assert isinstance(rows.target, Numbers)
            self.y = np.asarray(rows.target.values, dtype=np.float64)[kept]
        self.weight = weight[kept]
        if training.class_weight is not None:
            self.weight = np.array(training.class_weight)[self.y.astype(np.intp)] * self.weight
        self.keys = None
        if rows.keys is not None:
            self.keys = [key for key, is_kept in zip(rows.keys, kept, strict=True) if is_kept]
        self.values: list[npt.NDArray[Any]] = [
            fitted(column, raw)[kept] for column, raw in zip(training.schema, rows.features, strict=False)
        ]


def grid_of(partitions: Partitions, training: TrainingInPartitions, repeats: int = 1) -> FitGrid:
    """Return the grid of a fit, from measures of all rows; a row is drawn `repeats` times at most."""
    found = partitions.reduced(Measures.joined, measured, training)
    total, greatest = repeats * found.total, repeats * found.greatest
    grid = FitGrid.of_weights(found.n_rows, whole=found.n_fractions == 0, total=total, greatest=greatest)
    if training.classes:
        return grid
    total = found.total
    if not grid.whole:
        total = partitions.reduced(Measures.joined, measured, training, grid).total
    return grid.with_target(repeats * total, found.lowest, found.highest)


def coded(
    frame: Any,
    training: TrainingInPartitions,
    highest: Sequence[Floats],
    grid: FitGrid,
    hashing: Hashing | None,
) -> CodedPartition:
    """Code the rows of a partition."""
    present = PresentRows(frame, training)
    codes, lowest = codes_and_lowest(present, training, highest)
    edges = BinEdges.of_schema(training.schema, highest.__getitem__, highest.__getitem__)
    y: npt.NDArray[np.int32] | Floats = present.y.astype(np.float64, copy=False)
    if training.classes:
        y = present.y.astype(np.int32, copy=False)
    coding = Coding(training.schema, training.classes, edges, grid)
    rows = RowsInMemory.coded(coding, codes, y, present.weight, present.cases)
    if hashing is not None and hashing.n_folds:
        rows = rows.in_folds(hashing.n_folds, hashing.seed, present.keys)
    elif hashing is not None:
        rows = rows.keyed(row_keys(present.keys or (), hashing.seed))
    return CodedPartition(rows, lowest)


def codes_and_lowest(
    present: PresentRows, training: TrainingInPartitions, highest: Sequence[Floats]
) -> tuple[list[npt.NDArray[np.unsignedinteger]], list[Floats]]:
    """Return the codes of each column, and the lowest value of each bin among these rows."""
    codes: list[npt.NDArray[np.unsignedinteger]] = []
    lowest = []
    for place, column in enumerate(training.schema):
        values = present.values[place] if present.values else np.empty(0)
        n_bins = len(highest[place]) if column.scale == "numeric" else len(column.levels)
        if column.scale == "numeric":
            values = values.astype(np.float64) + 0.0
            code = np.searchsorted(highest[place][:-1], values)
            code = np.where(np.isnan(values), n_bins, code)
            least = np.full(n_bins + 1, np.inf)
            known = ~np.isnan(values)
            np.minimum.at(least, code[known], values[known])
            lowest.append(least[:-1])
        else:
            code = np.where(values < 0, n_bins, values)
            lowest.append(np.arange(n_bins, dtype=np.float64))
        codes.append(code.astype(np.uint8 if n_bins < 256 else np.uint16))
    return codes, lowest


def _lowest(partition: CodedPartition) -> tuple[int, list[Floats]]:
    return partition.rows.n_rows, partition.lowest


def _least(parts: Sequence[tuple[int, list[Floats]]]) -> tuple[int, list[Floats]]:
    lowest = [np.minimum.reduce(each) for each in zip(*(part[1] for part in parts), strict=True)]
    return sum(part[0] for part in parts), lowest


def coded_rows(
    partitions: Partitions,
    training: TrainingInPartitions,
    summary: PartitionSummary,
    max_bins: int,
    hashing: Hashing | None = None,
) -> PartitionedRows:
    """Return the rows of a fit, coded, where they are."""
    highest = highest_of_bins(partitions, training, summary.columns, max_bins)
    grid = grid_of(partitions, training, 1 if hashing is None else hashing.repeats)
    parts = partitions.kept(coded, training, highest, grid, hashing)
    n_rows, lowest = parts.reduced(_least, _lowest)
    if n_rows != summary.n_rows - (summary.n_empty if training.needs_value else 0):
        raise TableError("The table was changed during the fit; fit again when nobody writes to it.")
    edges = BinEdges.of_schema(training.schema, lowest.__getitem__, highest.__getitem__)
    return PartitionedRows(parts, training.schema, training.classes, edges, grid)
