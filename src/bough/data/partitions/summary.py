"""What the rows of a partition tell of a column: its kind, its levels, and the counts of its values.

Summaries of partitions add up to that of the table, whatever their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from bough.data.readers.source import Coded, LevelOrder, Numbers, Raw, Times
from bough.data.schema import Level, kind_of
from bough.data.times import UNIT_WORDS, Unit, converted
from bough.errors import ColumnTypeError
from bough.types import Floats, Longs

MOST_VALUES = 2**17
"""Up to so many distinct values of a column are collected."""

N_PIVOTS = 2**11
"""Of a column of more values so many are collected from each partition."""


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """The kind of a column, and its levels or distinct numbers with the rows and the weight of each.

    `known` tells whether any row has a value. `values` is None if they are more than `MOST_VALUES`; `pivots`
    are then some of them in ascending order.
    """

    name: str
    kind: Literal["numbers", "levels"] | Unit
    known: bool
    whole: bool = True
    levels: tuple[Level, ...] = ()
    order: LevelOrder = "sorted"
    values: Floats | None = None
    counts: Longs = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    pivots: Floats = field(default_factory=lambda: np.empty(0))
    n_pivots: int = N_PIVOTS

    @classmethod
    def of(
        cls, name: str, raw: Raw, weight: Floats | None = None, *, n_pivots: int = N_PIVOTS
    ) -> ColumnSummary:
        """Return the summary of the values of some rows.

        >>> summary = ColumnSummary.of("age", Numbers(np.array([31.0, np.nan, 31.0])))
        >>> summary.values, summary.counts
        (array([31.]), array([[2, 2]]))
        """
        if isinstance(raw, Coded):
            known, n = raw.codes >= 0, len(raw.levels)
            codes = raw.codes[known]
            sums = [np.bincount(codes, None if each is None else each[known], n) for each in (None, weight)]
            of_level = np.column_stack(sums).astype(np.int64)
            return cls(name, "levels", len(codes) > 0, levels=raw.levels, order=raw.order, counts=of_level)
        present = ~np.isnan(raw.values)
        # Adding 0 turns −0 into 0.
        values = raw.values[present].astype(np.float64) + 0.0
        kind: Literal["numbers"] | Unit = raw.unit if isinstance(raw, Times) else "numbers"
        whole = isinstance(raw, Numbers) and raw.whole
        summary = cls(name, kind, bool(present.any()), whole=whole, n_pivots=n_pivots)
        if weight is None:
            distinct, counts = np.unique(values, return_counts=True)
            return summary._limited(distinct, np.column_stack([counts, counts]))
        distinct, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        weights = np.bincount(place, weight[present], len(distinct)).astype(np.int64)
        return summary._limited(distinct, np.column_stack([counts, weights]))

    def _limited(self, values: Floats, counts: Longs) -> ColumnSummary:
        if len(values) <= MOST_VALUES:
            return replace(self, values=values, counts=counts)
        return replace(self, pivots=thinned(values, self.n_pivots))

    @staticmethod
    def joined(parts: Sequence[ColumnSummary]) -> ColumnSummary:
        """Return the summary of the rows of several partitions.

        >>> first = ColumnSummary.of("size", Coded(("s",), np.zeros(1, np.int32)))
        >>> second = ColumnSummary.of("size", Coded(("l",), np.zeros(1, np.int32)))
        >>> ColumnSummary.joined([first, second]).levels
        ('l', 's')
        """
        decisive = [part for part in parts if part.known] or [parts[0]]
        kinds = {part.kind for part in decisive}
        if kinds == {"date", "datetime"}:
            decisive, kinds = [part._as_datetime() for part in decisive], {"datetime"}
        if len(kinds) > 1:
            raise _mixed(decisive[0].name, [_words(part) for part in decisive])
        if kinds == {"levels"}:
            return _joined_levels(decisive)
        first = replace(decisive[0], whole=all(part.whole for part in decisive))
        if any(part.values is None for part in decisive):
            distinct: Floats = np.unique(np.concatenate([part.known_values for part in decisive]))
            limited = ColumnSummary(first.name, first.kind, True, first.whole, n_pivots=first.n_pivots)
            return replace(limited, pivots=thinned(distinct, 8 * first.n_pivots))
        values = np.concatenate([part.known_values for part in decisive])
        counts = np.concatenate([part.counts for part in decisive])
        return first._limited(*added_counts(values, counts))

    def _as_datetime(self) -> ColumnSummary:
        if self.kind != "date":
            return self
        values = None if self.values is None else converted(self.values, "date", "datetime")
        pivots = converted(self.pivots, "date", "datetime")
        assert pivots is not None
        return replace(self, kind="datetime", values=values, pivots=pivots)

    @property
    def known_values(self) -> Floats:
        """All distinct numbers, or some of them if they are many."""
        return self.pivots if self.values is None else self.values

    def raw(self) -> Raw:
        """Return the distinct values as if they were the rows of the column."""
        if self.kind == "levels":
            return Coded(self.levels, np.arange(len(self.levels), dtype=np.int32), self.order)
        numbers = self.known_values if self.known else np.array([np.nan])
        return Numbers(numbers, self.whole) if self.kind == "numbers" else Times(numbers, self.kind)


def added_counts(values: Floats, counts: Longs) -> tuple[Floats, Longs]:
    """Return the distinct values, ascending, and the sums of their counts.

    >>> added_counts(np.array([2.0, 1.0, 2.0]), np.array([[1, 1], [1, 1], [3, 3]]))
    (array([1., 2.]), array([[1, 1], [4, 4]]))
    """
    distinct, place = np.unique(values, return_inverse=True)
    sums = np.zeros((len(distinct), 2), dtype=np.int64)
    np.add.at(sums, place, counts)
    return distinct, sums


def thinned(values: Floats, most: int) -> Floats:
    """Return at most so many of ascending values, at equally spaced positions, the last one included.

    >>> thinned(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    array([2., 4.])
    """
    if len(values) <= most:
        return values
    return values[(np.arange(1, most + 1) * len(values)) // most - 1]


def _joined_levels(parts: Sequence[ColumnSummary]) -> ColumnSummary:
    first = parts[0]
    if all(part.levels == first.levels and part.order == first.order for part in parts):
        return replace(first, counts=np.sum([part.counts for part in parts], axis=0))
    kinds = {kind for part in parts if (kind := kind_of(part.levels[:1])) is not None}
    if len(kinds) > 1:
        raise _mixed(first.name, sorted(kinds))
    # Categories that differ between partitions have no common order, as where frames are joined.
    levels = sorted({level for part in parts for level in part.levels})
    place = {level: code for code, level in enumerate(levels)}
    counts = np.zeros((len(levels), 2), dtype=np.int64)
    for part in parts:
        counts[[place[level] for level in part.levels]] += part.counts
    return replace(first, levels=tuple(levels), order="sorted", counts=counts)


def _words(part: ColumnSummary) -> str:
    if part.kind == "numbers":
        return "numbers"
    return kind_of(part.levels[:1]) or "text" if part.kind == "levels" else UNIT_WORDS[part.kind]


def _mixed(name: str, kinds: Sequence[str]) -> ColumnTypeError:
    words = " and ".join(dict.fromkeys(kinds))
    return ColumnTypeError(
        f"Column {name!r} holds {words} in different partitions; give it one type, such as by astype."
    )
