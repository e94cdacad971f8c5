"""Conditions of rules: a condition merges all splits on one column along a path."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.formula import column_words
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.words import level_set_words, level_words, name_words, threshold_words
from bough.tree.split import Intervals, Levels, Neighbours, Split, Threshold, takes_only_missing
from bough.types import Mask


@dataclass(frozen=True, slots=True)
class Interval:
    """The condition low <= value < high on a numeric column; a bound of None is absent.

    With `above` the lower bound is low < value, and with `up_to` the upper bound is value <= high. With
    `missing` a missing value meets the condition too; with an upper bound of −infinity only a missing value.
    `low_neighbours` and `high_neighbours` are the training values beside each bound, if they are known; the
    text uses them to be short. With `says_missing` the text says whether a missing value meets the condition.

    >>> both = Interval(0, low=2.0).merged(Interval(0, low=3.0)).merged(Interval(0, high=5.0))
    >>> both.words(Schema((Column("x", "numeric"),)))
    '3 <= x < 5'
    >>> both.covers(np.array([2.5, 3.0, 5.0, np.nan]))
    array([False,  True, False, False])
    """

    column: int
    low: float | None = None
    high: float | None = None
    missing: bool = False
    above: bool = False
    up_to: bool = False
    low_neighbours: Neighbours | None = field(default=None, compare=False, repr=False)
    high_neighbours: Neighbours | None = field(default=None, compare=False, repr=False)
    says_missing: bool = field(default=False, compare=False, repr=False)

    def merged(self, other: Interval) -> Interval:
        """Return the intersection of two intervals.

        >>> Interval(0, low=2.0, missing=True).merged(Interval(0, low=3.0))
        Interval(column=0, low=3.0, high=None, missing=False, above=False, up_to=False)
        """
        both = (self, other)
        lows = [(one.low, one.above, one.low_neighbours) for one in both if one.low is not None]
        highs = [(one.high, one.up_to, one.high_neighbours) for one in both if one.high is not None]
        low, above, by_low = max(lows, default=(None, False, None), key=lambda bound: bound[:2])
        high, up_to, by_high = min(highs, default=(None, False, None), key=lambda bound: bound[:2])
        missing, says = self.missing and other.missing, self.says_missing or other.says_missing
        return Interval(self.column, low, high, missing, above, up_to, by_low, by_high, says)

    def covers(self, values: npt.NDArray[np.floating[Any]]) -> Mask:
        """Return a mask of the values that meet the condition.

        >>> Interval(0, high=2.45, missing=True).covers(np.array([1.4, 2.45, np.nan]))
        array([ True, False,  True])
        """
        exact = values.astype(np.float64, copy=False)
        inside = ~np.isnan(exact)
        if self.low is not None:
            inside &= exact > self.low if self.above else exact >= self.low
        if self.high is not None:
            inside &= exact <= self.high if self.up_to else exact < self.high
        return inside | np.isnan(exact) if self.missing else inside

    def words(self, schema: Schema, most: int | None = None) -> str:
        """Return the condition as text; `most` has no effect here.

        >>> Interval(0, high=2.45).words(Schema((Column("Petal.Length", "numeric"),)))
        'Petal.Length < 2.45'
        >>> Interval(0).words(Schema((Column("Petal.Length", "numeric"),)))
        'Petal.Length is known'
        """
        if self.high == -math.inf and self.missing:
            return f"{column_words(schema.shown[self.column])} is missing"
        is_unbounded = self.low is None and self.high is None
        says_missing = self.missing and (self.says_missing or is_unbounded)
        return self._known_words(schema) + (" or missing" if says_missing else "")

    def _known_words(self, schema: Schema) -> str:
        column = schema.shown[self.column]
        name, below = column_words(column), "<=" if self.up_to else "<"
        least = None if self.low == -math.inf and not self.missing else self.low
        if least is None and self.high is None:
            return f"{name} is known"
        upper = math.inf if self.high is None else self.high
        high = threshold_words(column, upper, self.high_neighbours, closed=self.up_to)
        if least is None:
            return f"{name} {below} {high}"
        low = threshold_words(column, least, self.low_neighbours, closed=self.above)
        if self.high is None:
            return f"{name} {'>' if self.above else '>='} {low}"
        return f"{low} {'<' if self.above else '<='} {name} {below} {high}"


@dataclass(frozen=True, slots=True)
class LevelSet:
    """The condition that the level is one of a set.

    `admitted` are the codes that meet the condition, and `codes` are those that its text lists. They differ
    by the levels that a split does not list, because no training row of its node had them, and that follow
    its default branch. If `excluded` is not empty, the text lists these levels as excluded instead. With
    `missing` a missing value meets the condition too, and with `says_missing` the text says so.

    >>> schema = Schema((Column("size", "ordinal", ("S", "M", "L", "XL")),))
    >>> LevelSet(0, codes=(1, 2), admitted=(1, 2)).words(schema)
    'S < size <= L'
    """

    column: int
    codes: tuple[int, ...]
    admitted: tuple[int, ...]
    excluded: tuple[int, ...] = ()
    missing: bool = False
    says_missing: bool = field(default=False, compare=False, repr=False)

    def merged(self, other: LevelSet) -> LevelSet:
        """Return the intersection of two sets of levels.

        >>> LevelSet(0, (0, 1), (0, 1)).merged(LevelSet(0, (1, 2), (1, 2))).codes
        (1,)
        """
        excluded: set[int] = set()
        if self.excluded and other.excluded:
            excluded = {*self.excluded, *other.excluded}
        return LevelSet(
            self.column,
            tuple(sorted({*self.codes} & {*other.codes})),
            tuple(sorted({*self.admitted} & {*other.admitted})),
            tuple(sorted(excluded)),
            self.missing and other.missing,
            self.says_missing or other.says_missing,
        )

    def covers(self, values: npt.NDArray[np.integer[Any]]) -> Mask:
        """Return a mask of the codes that meet the condition.

        >>> LevelSet(0, (0,), admitted=(0, 3)).covers(np.array([0, 1, 3, -1]))
        array([ True, False,  True, False])
        """
        return np.isin(values, self.admitted) | ((values < 0) & self.missing)

    def words(self, schema: Schema, most: int | None = None) -> str:
        """Return the condition as text; a set shows at most `most` levels.

        >>> schema = Schema((Column("referrer", "nominal", ("s", "a", "o")),))
        >>> LevelSet(0, (2,), (2,), excluded=(0, 1)).words(schema)
        'referrer not in {s, a}'
        """
        if self.missing and not self.codes:
            return f"{name_words(schema.shown[self.column].name)} is missing"
        return self._known_words(schema, most) + (" or missing" if self.missing and self.says_missing else "")

    def _known_words(self, schema: Schema, most: int | None) -> str:
        column = schema.shown[self.column]
        name = name_words(column.name)
        if len(self.excluded) == 1:
            return f"{name} is not {level_words(column.levels[self.excluded[0]])}"
        if self.excluded:
            return f"{name} not in {level_set_words([column.levels[code] for code in self.excluded], most)}"
        if len(self.codes) == 1:
            return f"{name} = {level_words(column.levels[self.codes[0]])}"
        return self._range_words(column) or (
            f"{name} in {level_set_words([column.levels[code] for code in self.codes], most)}"
        )

    def _range_words(self, column: Column) -> str | None:
        low, high = min(self.codes, default=0), max(self.codes, default=-1)
        whole = len(self.codes) in (0, len(column.levels))
        if column.scale != "ordinal" or whole or high - low + 1 != len(self.codes):
            return None
        name, top = name_words(column.name), level_words(column.levels[high])
        if low == 0:
            return f"{name} <= {top}"
        below = level_words(column.levels[low - 1])
        return f"{name} > {below}" if high == len(column.levels) - 1 else f"{below} < {name} <= {top}"


Condition: TypeAlias = Interval | LevelSet


NO_DEFAULT_BRANCH = -2
"""As `default_branch` of `condition_of`: a row that the split cannot route meets no branch's condition."""


def condition_of(split: Split, branch: int, default_branch: int, schema: Schema) -> Condition:
    """Return the condition of one branch of a split, including the rows that follow the default branch.

    >>> schema = Schema((Column("referrer", "nominal", ("s", "a", "o")),))
    >>> condition_of(Levels(0, "complete", (0, 1), (0, 1), 2), 0, 0, schema)
    LevelSet(column=0, codes=(0,), admitted=(0, 2), excluded=(), missing=True)
    """
    column = schema[split.column]
    missing = default_branch == branch
    if column.scale == "numeric" and takes_only_missing(split, branch):
        return Interval(split.column, None, -math.inf, missing)
    if column.scale == "numeric" and isinstance(split, Threshold):
        return interval_of(split, branch, missing=missing)
    if column.scale == "numeric" and isinstance(split, Intervals):
        bounds = (None, *split.cuts, None)
        beside = (None, *(split.neighbours or (None,) * len(split.cuts)), None)
        return Interval(
            split.column,
            bounds[branch],
            bounds[branch + 1],
            missing,
            low_neighbours=beside[branch],
            high_neighbours=beside[branch + 1],
        )
    taken = split.branch(np.arange(len(column.levels), dtype=np.int32))
    codes = tuple(np.flatnonzero(taken == branch).tolist())
    admitted = tuple(np.flatnonzero((taken == branch) | ((taken < 0) & missing)).tolist())
    excluded: tuple[int, ...] = ()
    if isinstance(split, Levels) and split.kind == "one_vs_rest" and branch == 1:
        excluded = tuple(np.flatnonzero(taken == 0).tolist())
    return LevelSet(split.column, codes, admitted, excluded, missing)


def interval_of(split: Threshold, branch: int, *, missing: bool = False) -> Interval:
    """Return the condition of one branch of a threshold on a numeric column.

    >>> from bough.tree.split import AtMost
    >>> interval_of(AtMost(0, 2.5), 0)
    Interval(column=0, low=None, high=2.5, missing=False, above=False, up_to=True)
    """
    bound: dict[str, Any] = {"low": split.cut, "above": split.closed, "low_neighbours": split.neighbours}
    if branch == 0:
        bound = {"high": split.cut, "up_to": split.closed, "high_neighbours": split.neighbours}
    return Interval(split.column, missing=missing, **bound)


def merged(conditions: list[Condition]) -> tuple[Condition, ...]:
    """Return one condition per column, in the order in which the columns first occur.

    >>> merged([Interval(0, low=2.0), Interval(1, high=1.0), Interval(0, low=3.0)])
    (Interval(column=0, low=3.0, high=None, missing=False, above=False, up_to=False),
     Interval(column=1, low=None, high=1.0, missing=False, above=False, up_to=False))
    """
    by_column: dict[int, Any] = {}
    for condition in conditions:
        known = by_column.get(condition.column)
        by_column[condition.column] = condition if known is None else known.merged(condition)
    return tuple(by_column.values())


class ConditionalStatement:
    """The part of a rule that writes it: if all of its conditions hold, then its conclusion."""

    __slots__ = ()

    def premise(self: Any, most: int | None = None) -> str:
        """Return the conditions as text, joined by "and"; a set shows at most `most` levels.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[2].premise()
        'Petal.Length >= 2.45 and Petal.Width >= 1.75'
        """
        return premise(self.conditions, self.schema, most)

    def __str__(self: Any) -> str:
        return f"{self.premise()} -> {self.conclusion()}"


def premise(conditions: Iterable[Condition], schema: Schema, most: int | None = None) -> str:
    """Return all conditions as text, joined by "and"; a set shows at most `most` levels.

    >>> schema = Schema((Column("x", "numeric"),))
    >>> premise([Interval(0, low=2.0), Interval(0, high=5.0)], schema)
    'x >= 2 and x < 5'
    >>> premise([Interval(0, low=2.0, missing=True, says_missing=True), Interval(0, high=5.0)], schema)
    '(x >= 2 or missing) and x < 5'
    """
    words = [condition.words(schema, most) for condition in conditions]
    if len(words) > 1:
        words = [f"({each})" if each.endswith(" or missing") else each for each in words]
    return " and ".join(words) or "always"


def covering(conditions: Iterable[Condition], table: Table) -> Mask:
    """Return a mask of the rows that meet all conditions.

    >>> covering([Interval(0, low=2.0)], Table.read([[1.0], [3.0]]))
    array([False,  True])
    """
    inside = np.ones(table.n_rows, dtype=np.bool_)
    for condition in conditions:
        inside &= condition.covers(table.columns[condition.column])
    return inside
