"""Decision stumps as in Weka: one split, with a branch of its own for missing values.

The split has the least entropy or squared error over its three branches; the first column wins a tie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.data.table import Table, is_missing
from bough.data.target import ClassTarget
from bough.growing.job import GrowingJob
from bough.growing.measure import MeasuredRows
from bough.growing.search import value_of_branches
from bough.growing.weighted_target import WeightedTarget
from bough.tree import Tree
from bough.tree.split import Levels, Split, ThresholdWithMissing
from bough.types import Floats

# Weka takes numbers this close for equal.
_SMALL = 1e-6


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a stump on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.learners.stump import DecisionStumpClassifier
    >>> table, y = Table.read([[1.0], [2.0], [None]]), read_classes(["a", "b", "b"])
    >>> target, recipe = WeightedTarget(y, read_weights(None, 3)), DecisionStumpClassifier().recipe()
    >>> [tree] = grow_folds(GrowingJob(table, target, recipe))
    >>> [tree.condition(node) for node in (1, 2, 3)]
    ['x0 < 1.5', 'x0 >= 1.5', 'x0 is missing']
    """
    return [_stump(part) for part in job.parts()]


@dataclass(frozen=True, eq=False)
class _Best:
    value: float
    split: Split


def _stump(job: GrowingJob) -> Tree:
    table, target, recipe = job.table, job.target, job.recipe
    statistics = _row_statistics(target, target.weights.each(table.n_rows))
    best: _Best | None = None
    for column in range(len(table.schema)):
        found = _best_of_column(table, column, statistics, is_classes=bool(target.classes))
        if found is not None and (best is None or found.value < best.value):
            best = found
    measured = MeasuredRows.of(target.single, target.weights, table.n_rows)
    rows = [measured.present]
    splits: list[Split | None] = [None]
    gain = [math.nan]
    if best is not None:
        branch = best.split.branch(table.columns[best.split.column])
        group = np.where(branch < 0, 2, branch).astype(np.intp)
        splits = [best.split, None, None, None]
        rows += [measured.present[group[measured.present] == side] for side in range(3)]
        gain = [value_of_branches(recipe.criterion_name, measured, rows[0], group[rows[0]], 3)[0]] + [
            math.nan
        ] * 3
    nodes = [measured.summary(each) for each in rows]
    return Tree.from_splits(
        splits,
        default_branch=[2 if split is not None else -1 for split in splits],
        gain=gain,
        weight=[node.weight for node in nodes],
        cases=[node.cases for node in nodes],
        statistics=[node.statistics for node in nodes],
        risk=[node.risk for node in nodes],
        **recipe.head(table.schema, target.classes, job.target_name),
    )


def _row_statistics(target: WeightedTarget, weight: Floats) -> Floats:
    """Return what each row adds to its branch: class weights, or weight, sum and sum of squares of y."""
    if isinstance(target.single, ClassTarget):
        is_class = target.single.codes[:, None] == np.arange(len(target.classes))
        return np.asarray(weight[:, None] * is_class, dtype=np.float64)
    y = target.single
    middle = float(y.min() / 2 + y.max() / 2)
    half = float(y.max() / 2 - y.min() / 2) or 1.0
    scaled = (y - middle) / half
    return np.column_stack([weight, weight * scaled, weight * scaled**2])


def _best_of_column(table: Table, column: int, statistics: Floats, *, is_classes: bool) -> _Best | None:
    values, scale = table.columns[column], table.schema[column].scale
    missing = is_missing(values)
    known = ~missing
    if not known.any() or (scale != "numeric" and len(table.schema[column].levels) < 2):
        return None
    distinct, place = np.unique(values[known], return_inverse=True)
    sums = np.stack([np.bincount(place, each) for each in statistics[known].T], axis=1)
    total, of_missing = sums.sum(axis=0), statistics[missing].sum(axis=0)
    if scale == "nominal":
        first, usable = sums, np.ones(len(distinct), dtype=np.bool_)
    else:
        first, usable = np.cumsum(sums, axis=0)[:-1], np.diff(distinct) > _SMALL
    if not usable.any():
        return None
    branches = np.stack([first, total - first, np.broadcast_to(of_missing, first.shape)], axis=1)
    measure = _entropies(branches) if is_classes else _squared_errors(branches)
    at = int(np.where(usable, measure, np.inf).argmin())
    return _Best(float(measure[at]), _split(table, column, distinct, at))


def _split(table: Table, column: int, distinct: npt.NDArray[np.generic], at: int) -> Split:
    described = table.schema[column]
    if described.scale == "nominal":
        level = int(distinct[at])
        codes = tuple(range(len(described.levels)))
        return Levels(column, "one_vs_rest", codes, tuple(int(code != level) for code in codes), 3)
    below, above = float(distinct[at]), float(distinct[at + 1])
    if described.scale == "ordinal":
        return ThresholdWithMissing(column, math.floor((below + above) / 2) + 0.5)
    middle = below / 2 + above / 2
    # Weka sends values up to the middle to the first branch.
    cut = math.nextafter(middle, math.inf)
    return ThresholdWithMissing(column, cut if below < cut <= above else above, (below, above))


def _entropies(branches: Floats) -> Floats:
    """Return the entropy of the class, given the branch, of each candidate."""

    def term(n: Floats) -> Floats:
        return np.where(n < _SMALL, 0.0, n * np.log(np.where(n < _SMALL, 1.0, n)))

    inside, totals = term(branches).sum(axis=(1, 2)), term(branches.sum(axis=2)).sum(axis=1)
    entropies = (totals - inside) / (branches.sum(axis=(1, 2)) * math.log(2.0))
    return np.asarray(entropies, dtype=np.float64)


def _squared_errors(branches: Floats) -> Floats:
    weight, total, squares = np.moveaxis(branches, 2, 0)
    mean_part = np.divide(total**2, weight, out=np.zeros_like(total), where=weight > 0)
    return np.asarray(np.where(weight > 0, squares - mean_part, 0.0).sum(axis=1), dtype=np.float64)
