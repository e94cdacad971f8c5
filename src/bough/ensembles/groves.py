"""Additive Groves (Sorokina, Caruana and Riedewald 2007): bagged sums of a few large trees.

A grove is a sum of N trees, each fitted to what the others leave until the sum no longer improves. The least
share of the rows in a leaf, alpha, is lowered in layers: the trees of a layer start from those of the layer
before, so that no tree takes all of y before the others have a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.bins import Bins
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.engines.weight_range import weights_as_cases
from bough.ensembles.boosting import boost_rows
from bough.ensembles.boosting_rows import BoostingRows
from bough.errors import TargetError
from bough.growing.draws import Ensemble, RowSampling
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.learners.reading import resolved
from bough.models.gradient_boosted import GradientBoosted, joined_trees
from bough.progress import Progress, unwatched
from bough.types import Floats

_FIRST_FRACTION = 0.5
# Below this many rows, starting threads takes longer than growing a tree.
_ROWS_FOR_THREADS = 10_000


class GrovesFit(NamedTuple):
    """The model, the shares of rows and the mean squared out-of-bag errors by share and number of trees."""

    model: GradientBoosted
    leaf_fractions: Floats
    errors: Floats


class _FittedTree(NamedTuple):
    arrays: Mapping[str, npt.NDArray[Any]]
    answers: Floats  # of all rows, in the bag or not


_Grove = tuple[_FittedTree, ...]


def layers(least: float) -> list[float]:
    """Return the shares of rows of the layers: 0.5, 0.2, 0.1, 0.05 and so on, down to the least one.

    >>> layers(0.03)
    [0.5, 0.2, 0.1, 0.05, 0.03]
    """
    shares = [step / 10**power for power in range(1, 20) for step in (5, 2, 1)]
    return [share for share in shares if least < share <= _FIRST_FRACTION] + [least]


def fit_groves(
    recipe: Recipe, training: Training, *, n_jobs: int | None = None, report: Progress = unwatched
) -> GrovesFit:
    """Fit bagged groves of all sizes to training rows, and keep those of the lowest out-of-bag error.

    >>> from bough import AdditiveGrovesRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = AdditiveGrovesRegressor(n_estimators=3, max_grove_size=2, min_leaf_fraction=0.2).recipe()
    >>> training = read_training(recipe, [[i] for i in range(40)], [float(i) for i in range(40)])
    >>> fit_groves(replace(recipe, seed=0), training).errors.round(1)
    array([[131.6, 131.6],
           [ 16.4,   9.1]])
    """
    recipe = resolved(recipe, training)
    training = replace(training, weights=weights_as_cases(training.weights))
    y, classes = _numbers(training)
    assert recipe.ensemble is not None
    n_rows, n_bags = training.table.n_rows, recipe.ensemble.n_estimators
    fractions = layers(recipe.settings["min_leaf_fraction"])
    sampling, seed = RowSampling("with_replacement", (n_rows,)), recipe.seed or 0
    groves, times = list[dict[tuple[int, int], _Grove]](), np.zeros(n_rows)
    sums = np.zeros((len(fractions), recipe.settings["max_grove_size"], n_rows))
    for number, rows in enumerate(sampling.rows(n_rows, seed, n_bags)):
        bag = _Bag.of(recipe, training, y, rows, n_jobs)
        groves.append(_grid(bag, recipe, fractions))
        times += bag.outside
        for (layer, size), grove in groves[-1].items():
            sums[layer, size - 1] += np.where(bag.outside, _answers(grove, n_rows), 0.0)
        report((number + 1) / n_bags)
    errors = _errors(sums, times, y, training.weights.weight)
    best = divmod(int(errors.argmin()), errors.shape[1])
    trees = [tree.arrays for bag in groves for tree in bag[best[0], best[1] + 1]]
    model = GradientBoosted(
        schema=training.table.schema,
        task=recipe.task,
        classes=classes,
        target_name=training.target_name,
        # A number from -1 to 1, for the two classes.
        link="hinge" if classes else "identity",
        start=np.zeros(1),
        arrays=reduce(joined_trees, [{**tree, "value": tree["value"] / n_bags} for tree in trees]),
        recipe=recipe.to_json(),
    )
    return GrovesFit(model, np.array(fractions), errors)


def _numbers(training: Training) -> tuple[Floats, tuple[Any, ...]]:
    """Return what trees are fitted to, and the classes: -1 and 1 stand for two classes."""
    target = training.target
    if not isinstance(target, ClassTarget):
        return np.asarray(target, np.float64), ()
    if len(target.classes) != 2:
        raise TargetError(
            f"y has {len(target.classes)} classes. Only binary classification is supported here; use "
            "scikit-learn's OneVsRestClassifier, or another learner."
        )
    return np.where(target.codes == 1, 1.0, -1.0), target.classes


@dataclass(frozen=True, eq=False)
class _Bag:
    """A bootstrap sample of the rows, to which trees are fitted."""

    table: Table
    y: Floats
    rows: npt.NDArray[np.intp]
    outside: npt.NDArray[np.bool_]
    sampled: BoostingRows
    bins: Bins
    recipe: Recipe
    n_jobs: int | None

    @classmethod
    def of(
        cls, recipe: Recipe, training: Training, y: Floats, rows: npt.NDArray[np.intp], n_jobs: int | None
    ) -> _Bag:
        weight, table = training.weights.weight, training.table
        drawn = None if weight is None else weight[rows]
        sampled = BoostingRows(table.take(rows), y[rows], 0, drawn, None, None)
        own = replace(recipe, ensemble=Ensemble("gradient_boosting", 1))
        outside = np.bincount(rows, minlength=table.n_rows) == 0
        n_jobs = n_jobs if table.n_rows >= _ROWS_FOR_THREADS else 1
        assert recipe.max_bins is not None
        return cls(table, y, rows, outside, sampled, sampled.bins(recipe.max_bins, n_jobs), own, n_jobs)

    def at(self, fraction: float) -> Recipe:
        """Return the recipe of trees whose leaves have at least a share of the rows."""
        least = max(1, math.ceil(fraction * len(self.rows)))
        return replace(self.recipe, limits=replace(self.recipe.limits, min_samples_leaf=least))

    def fit(self, recipe: Recipe, numbers: Floats) -> _FittedTree:
        """Fit a tree to numbers of all rows, of which it uses those in the bag."""
        rows = replace(self.sampled, values=np.ascontiguousarray(numbers[self.rows]))
        start, trees = boost_rows(recipe, rows, self.bins, self.n_jobs)
        arrays = {**trees, "value": trees["value"] + start[0]}
        levels = [len(column.levels) for column in self.table.schema.columns]
        tree, n = _core.TreeSum(arrays, 1, False, levels, None), self.table.n_rows
        answers = tree.add(self.table.native(), n, np.zeros((n, 1)), 0, 1, n_threads(self.n_jobs))
        return _FittedTree(arrays, answers[:, 0])

    def error(self, grove: _Grove, rows: npt.NDArray[Any]) -> float:
        """Return the root mean squared error of a grove on some rows."""
        off = (self.y - _answers(grove, len(self.y)))[rows]
        weight = None if self.sampled.weight is None else self._weight[rows]
        return float(np.sqrt(np.average(off**2, weights=weight)))

    @property
    def _weight(self) -> Floats:
        weight = np.ones(len(self.y))
        assert self.sampled.weight is not None
        weight[self.rows] = self.sampled.weight
        return weight


def _answers(grove: _Grove, n_rows: int) -> Floats:
    return np.sum([tree.answers for tree in grove], axis=0) if grove else np.zeros(n_rows)


def _converged(bag: _Bag, recipe: Recipe, grove: _Grove, size: int, tol: float) -> _Grove:
    """Fit each tree to what the others leave, over and over, until the error in the bag falls by little."""
    trees, last = list(grove), np.inf
    total = _answers(grove, len(bag.y))
    while True:
        for place in range(size):
            others = total - trees[place].answers if place < len(trees) else total
            tree = bag.fit(recipe, bag.y - others)
            trees[place : place + 1] = [tree]
            total = others + tree.answers
        error = bag.error(tuple(trees), bag.rows)
        if size == 1 or not error < last * (1 - tol):
            return tuple(trees)
        last = error


def _grid(bag: _Bag, recipe: Recipe, fractions: list[float]) -> dict[tuple[int, int], _Grove]:
    """Return the groves of a bag by the number of the layer and the number of trees."""
    settings, grid = recipe.settings, dict[tuple[int, int], _Grove]()
    for layer, fraction in enumerate(fractions):
        own = bag.at(fraction)
        for size in range(1, settings["max_grove_size"] + 1):
            starts = [grid.get((layer - 1, size), ())]
            if settings["variant"] == "dynamic":
                # From the grove with a tree less, and from that of the layer before.
                starts = [grid.get((layer, size - 1), ()), *(starts if starts[0] and size > 1 else [])]
            attempts = [_converged(bag, own, start, size, settings["tol"]) for start in starts]
            rows = bag.outside if bag.outside.any() else bag.rows
            grid[layer, size] = min(attempts, key=lambda grove: bag.error(grove, rows))
    return grid


def _errors(sums: Floats, times: Floats, y: Floats, weight: Floats | None) -> Floats:
    """Return the mean squared errors of the means of all bags without a row, by layer and number of trees."""
    seen = times > 0
    if not seen.any():
        return np.zeros(sums.shape[:2])
    off = (sums[:, :, seen] / times[seen] - y[seen]) ** 2
    return np.asarray(np.average(off, axis=2, weights=None if weight is None else weight[seen]))
