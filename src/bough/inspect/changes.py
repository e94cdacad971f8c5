"""Changes of one column of a row that change the prediction of a model, found by asking the model.

A column is divided into the regions that the model can tell apart: the ranges between its thresholds, or the
levels. The model predicts the row with a value of each region in turn, so that a change that is listed is
always one that the model makes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.times import Unit
from bough.data.words import level_set_words, level_words, name_words
from bough.ensembles.forest import Forest
from bough.ensembles.forest_sum import summed_trees
from bough.rules.condition import Interval
from bough.tree import Tree
from bough.tree.split import AtMost, Intervals, Neighbours, Threshold
from bough.types import Floats

MOST_REGIONS = 4096
"""The most regions of a column that are tried: those next to the value of the row."""

_INSIDE = 0.05
"""How far a bound may be written inside its region, as a share of the region's width."""


class Change(NamedTuple):
    """What another value of one column would have made of a row.

    `condition` is the condition on the column, `answer` the prediction for a row that meets it and is
    otherwise the same, and `probability` the least that the answer has then; None in regression.
    """

    column: str
    condition: str
    answer: Any
    probability: float | None


@dataclass(frozen=True)
class Axis:
    """A column, divided into the regions that a model can tell apart.

    `cuts` are the least values of the regions of a numeric column but the first, and None for levels. Those
    in `closed` follow a threshold of the test `x <= threshold`; the others are thresholds of `x < threshold`.
    `beside` holds the training values next to thresholds, where they are known.
    """

    schema: Schema
    position: int
    cuts: Floats | None = None
    closed: frozenset[float] = frozenset()
    beside: Mapping[float, Neighbours] = field(default_factory=dict)

    def values(self) -> npt.NDArray[Any]:
        """Return a value of each region.

        >>> from bough.example_models import iris_tree
        >>> Axis(iris_tree().schema, 0, np.array([2.0, 4.0])).values()
        array([1., 3., 5.])
        """
        if self.cuts is None:
            return np.arange(len(self.schema[self.position].levels), dtype=np.int32)
        if not len(self.cuts):
            return np.empty(0)
        between = _middle(self.cuts[:-1], self.cuts[1:])
        if self._unit is not None:
            between = np.floor(between)
        return np.concatenate([[_beyond(self.cuts[0], -1.0)], between, [_beyond(self.cuts[-1], 1.0)]])

    def region(self, value: Any) -> int | None:
        """Return the region of a value; None if it is missing.

        >>> from bough.example_models import iris_tree
        >>> Axis(iris_tree().schema, 0, np.array([2.0, 4.0])).region(2.0)
        1
        """
        if self.cuts is None:
            return int(value) if value >= 0 else None
        if math.isnan(value):
            return None
        return int(np.searchsorted(self.cuts, value, side="right"))

    def words(self, regions: list[int]) -> str:
        """Return the condition that a value is in one of these regions, which are neighbours of each other.

        >>> from bough.example_models import iris_tree
        >>> Axis(iris_tree().schema, 0, np.array([2.0, 4.0])).words([1, 2])
        'Petal.Length >= 2'
        """
        column = self.schema.shown[self.position]
        if self.cuts is None:
            levels = [column.levels[code] for code in regions]
            if len(levels) == 1:
                return f"{name_words(column.name)} = {level_words(levels[0])}"
            return f"{name_words(column.name)} in {level_set_words(levels)}"
        least = None if regions[0] == 0 else float(self.cuts[regions[0] - 1])
        end = None if regions[-1] == len(self.cuts) else float(self.cuts[regions[-1]])
        low, high = self._threshold(least), self._threshold(end)
        by_low, by_high = self._beside(low, is_low=True), self._beside(high, is_low=False)
        if by_low is not None and by_high is not None:
            # Neither bound may be written beyond the middle, so that some value meets both.
            middle = float(_middle(np.array(least), np.array(end)))
            by_low = by_low[0], min(by_low[1], middle)
            by_high = max(by_high[0], middle), by_high[1]
        return Interval(
            self.position,
            low,
            high,
            above=least in self.closed,
            up_to=end in self.closed,
            low_neighbours=by_low,
            high_neighbours=by_high,
        ).words(self.schema)

    def _threshold(self, cut: float | None) -> float | None:
        """Return the threshold that a region begins with or after."""
        return cut if cut is None or cut not in self.closed else _value_before(self._unit, cut)

    @property
    def _unit(self) -> Unit | None:
        return self.schema[self.position].unit

    def _beside(self, cut: float | None, *, is_low: bool) -> Neighbours | None:
        """Return two numbers between which a bound may be written, so that all values within it are meant.

        A number between the threshold and the training value inside says no more than the model does.
        """
        if cut is None:
            return None
        below, above = cut - 2 * math.ulp(cut), cut + 2 * math.ulp(cut)
        known = self.beside.get(cut)
        if known is None:
            return below, above
        return (below, max(above, known[1])) if is_low else (min(below, known[0]), above)


def changes_of(model: Any, table: Table, most: int, axes: list[Axis] | None = None) -> list[Change]:
    """Return the changes of one column of the row of a table that change the prediction.

    In classification these are the nearest such changes of each column, the most probable new answers first;
    in regression the change of each column that makes the greatest difference. `axes` are those of the model.

    >>> from bough.example_models import iris_tree
    >>> row = Table.fit_to([[5.1, 1.9]], iris_tree().schema)
    >>> [change.condition for change in changes_of(iris_tree(), row, most=5)]
    ['Petal.Length < 2.45', 'Petal.Width < 1.75']
    """
    now = model.predict(table)[0]
    found = [pair for axis in axes or axes_of(model) for pair in _changes(model, table, axis, now)]
    found.sort(key=lambda pair: -pair[0])
    return [change for _, change in found[:most]]


def axes_of(model: Any) -> list[Axis]:
    """Return the columns of a model with the regions that it tells apart.

    >>> from bough.example_models import iris_tree
    >>> [axis.cuts.tolist() for axis in axes_of(iris_tree())]
    [[2.45], [1.75]]
    """
    in_terms = columns_of_terms(model)
    cuts: dict[int, set[float]] = {}
    closed: dict[int, set[float]] = {}
    beside: dict[int, dict[float, Neighbours]] = {}
    for column, value, is_closed, neighbours in _bounds(model):
        # Members of a chain also cut what the members before them predict.
        if math.isfinite(value) and column < len(model.schema):
            threshold, cut = _least_above(model.schema[column].unit, value, closed=is_closed)
            cuts.setdefault(column, set()).add(cut)
            if is_closed:
                closed.setdefault(column, set()).add(cut)
            if neighbours is not None:
                of_column = beside.setdefault(column, {})
                below, above = of_column.get(threshold, neighbours)
                of_column[threshold] = max(below, neighbours[0]), min(above, neighbours[1])
    return [
        Axis(
            model.schema,
            position,
            np.array(sorted(cuts.get(position, ()))),
            frozenset(closed.get(position, ())),
            beside.get(position, {}),
        )
        if column.scale == "numeric"
        else Axis(model.schema, position)
        for position, column in enumerate(model.schema.columns)
        if column.scale != "numeric" or position not in in_terms
    ]


def columns_of_terms(model: Any) -> set[int]:
    """Return the columns of linear terms and formulas; predictions change continuously with such a number.

    >>> from bough.example_models import iris_tree
    >>> columns_of_terms(iris_tree())
    set()
    """
    if model.model_kind == "linear_rules":
        if model.neighbours is not None:
            return set(range(len(model.schema)))
        return {term.column for rule in model for term in rule.model.terms}
    if model.model_kind == "estimator_tree":
        return {term.column for term in model.inputs}
    if model.model_kind in ("boosted", "bagging"):
        members = zip(model.members, _columns_of_members(model), strict=True)
        return {
            columns[column]
            for member, columns in members
            for column in columns_of_terms(member)
            if column < len(columns)
        }
    models = getattr(model, "leaf_models", None)
    in_formulas = {column for formula in getattr(model, "formulas", ()) for column in formula.columns}
    return in_formulas | (set() if models is None else set(models.column.tolist()))


def _changes(model: Any, table: Table, axis: Axis, now: Any) -> Iterator[tuple[float, Change]]:
    """Yield the changes of one column with their ranks."""
    values = axis.values()
    if len(values) < 2:
        return
    here = axis.region(table.columns[axis.position][0])
    first, last = window(len(values), here)
    rows = _varied(table, axis.position, values[first:last])
    answers = model.predict(rows)
    name = axis.schema[axis.position].name
    runs = [run for run in _runs(answers, axis) if answers[run[0]] != now]
    if model.task == "regression":
        far = max(runs, key=lambda run: abs(answers[run[0]] - now), default=None)
        if far is not None:
            answer = answers[far[0]].item()
            words = axis.words([first + region for region in far])
            yield abs(answer - float(now)), Change(name, words, answer, None)
        return
    shares = model.predict_proba(rows)
    for run in _nearest(runs, None if here is None else here - first) if axis.cuts is not None else runs:
        answer = answers[run[0]].item()
        share = float(shares[run, model.classes.index(answer)].min())
        yield share, Change(name, axis.words([first + region for region in run]), answer, share)


def every_region_is_tried(axes: list[Axis]) -> bool:
    """Return whether `changes_of` tries every region of these columns, not only those near the row's value.

    >>> from bough.example_models import iris_tree
    >>> every_region_is_tried(axes_of(iris_tree()))
    True
    """
    return all(len(axis.values()) <= MOST_REGIONS for axis in axes)


def window(n_regions: int, here: int | None) -> tuple[int, int]:
    """Return the first region that is tried and the one after the last: all, or as many around that of a row.

    >>> window(5, 2), window(100_000, 3000), window(100_000, 99_999)
    ((0, 5), (952, 5048), (95904, 100000))
    """
    middle = n_regions // 2 if here is None else here
    first = max(0, min(middle - MOST_REGIONS // 2, n_regions - MOST_REGIONS))
    return first, min(n_regions, first + MOST_REGIONS)


def _runs(answers: npt.NDArray[Any], axis: Axis) -> list[list[int]]:
    """Return regions of the same answer together: neighbours, or any levels of a nominal column."""
    runs: list[list[int]] = []
    by_answer: dict[Any, list[int]] = {}
    is_nominal = axis.schema[axis.position].scale == "nominal"
    for region, answer in enumerate(answers.tolist()):
        if is_nominal:
            if answer not in by_answer:
                runs.append(by_answer.setdefault(answer, []))
            by_answer[answer].append(region)
        elif runs and answers[runs[-1][-1]] == answer:
            runs[-1].append(region)
        else:
            runs.append([region])
    return runs


def _nearest(runs: list[list[int]], here: int | None) -> list[list[int]]:
    """Return the nearest run on each side of a region; all of them if there is none."""
    if here is None:
        return runs
    below, above = [run for run in runs if run[-1] < here], [run for run in runs if run[0] > here]
    return below[-1:] + above[:1]


def _varied(table: Table, position: int, values: npt.NDArray[Any]) -> Table:
    """Return the row of a table once for each value of a column."""
    repeated = [np.repeat(column[:1], len(values)) for column in table.columns]
    repeated[position] = values.astype(repeated[position].dtype, copy=False)
    return replace(table, columns=tuple(repeated), n_rows=len(values))


def _value_before(unit: Unit | None, value: float) -> float:
    """Return the greatest number below another one; of a unit, the greatest whole number.

    >>> _value_before("date", 19724.0), _value_before(None, 1.0)
    (19723.0, 0.9999999999999999)
    """
    return value - 1.0 if unit is not None else math.nextafter(value, -math.inf)


def _least_above(unit: Unit | None, threshold: float, *, closed: bool) -> tuple[float, float]:
    """Return a threshold and the least value that is not below it.

    Values of a unit are whole numbers, so that thresholds between the same two of them are one.
    """
    if unit is not None:
        whole = float(math.floor(threshold) if closed else math.ceil(threshold))
        return whole, whole + 1.0 if closed else whole
    return threshold, math.nextafter(threshold, math.inf) if closed else threshold


def _middle(low: Floats, high: Floats) -> Floats:
    """Return a number of the region that begins at `low` and ends before `high`.

    Of two numbers with none in between, the mean is rounded to the one or the other.
    """
    middle = low / 2 + high / 2
    return np.asarray(np.where(middle >= high, low, middle))


def _beyond(cut: float, step: float) -> float:
    moved = cut + step * max(1.0, abs(cut) / 1024)
    return float(moved) if math.isfinite(moved) else float(cut)


def _bounds(model: Any) -> Iterator[tuple[int, float, bool, Neighbours | None]]:
    """Yield the column and value of each threshold of a model, whether it is closed, and its neighbours."""
    kind = model.model_kind
    if kind in ("boosted", "bagging"):
        for member, columns in zip(model.members, _columns_of_members(model), strict=True):
            for column, cut, closed, neighbours in _bounds(member):
                if column < len(columns):
                    yield columns[column], cut, closed, neighbours
    elif kind in ("forest", "gradient_boosted"):
        yield from _packed_bounds(model)
    elif kind == "estimator_tree":
        yield from _tree_bounds(model.tree)
    elif isinstance(model, Tree):
        yield from _tree_bounds(model)
    else:
        yield from _rule_bounds(model)


def _columns_of_members(model: Any) -> tuple[tuple[int, ...], ...]:
    """Return the positions in the schema of the columns that each member reads."""
    every = tuple(range(len(model.schema)))
    return getattr(model, "columns", (every,) * len(model.members))


def _packed_bounds(model: Any) -> Iterator[tuple[int, float, bool, Neighbours | None]]:
    """Yield the distinct thresholds of the trees of a forest or sum.

    A bound may be written as a short number a little inside its region, which says no more than the model.
    """
    arrays = summed_trees(model).arrays if isinstance(model, Forest) else model.arrays
    split = (arrays["n_children"] > 0) & np.isfinite(arrays["cut"])
    for column in np.unique(arrays["column"][split]).tolist():
        cuts = np.unique(arrays["cut"][split & (arrays["column"] == column)])
        room = np.diff(cuts) * _INSIDE
        ends = np.abs(cuts[[0, -1]]) * _INSIDE / 10
        below = np.concatenate([cuts[:1] - ends[0], cuts[1:] - room])
        above = np.concatenate([cuts[:-1] + room, cuts[-1:] + ends[1]])
        yield from (
            (column, cut, False, (low, high))
            for cut, low, high in zip(cuts.tolist(), below.tolist(), above.tolist(), strict=True)
        )


def _rule_bounds(rules: Any) -> Iterator[tuple[int, float, bool, Neighbours | None]]:
    for condition in (condition for rule in rules for condition in rule.conditions):
        if isinstance(condition, Interval):
            if condition.low is not None:
                yield condition.column, condition.low, condition.above, condition.low_neighbours
            if condition.high is not None:
                yield condition.column, condition.high, condition.up_to, condition.high_neighbours


def _tree_bounds(tree: Tree) -> Iterator[tuple[int, float, bool, Neighbours | None]]:
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        surrogates = tree.surrogates_of(node) if tree.follows_surrogates else []
        for split in (tree.split(node), *(each.split for each in surrogates)):
            if isinstance(split, Threshold):
                yield split.column, split.cut, isinstance(split, AtMost), split.neighbours
            elif isinstance(split, Intervals):
                pairs = split.neighbours or (None,) * len(split.cuts)
                cuts = zip(split.cuts, pairs, strict=True)
                yield from ((split.column, cut, False, pair) for cut, pair in cuts)
