"""Isolation trees (Liu, Ting and Zhou 2008): random splits of small samples, and the lengths of paths."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.target import Weights
from bough.data.training import Training
from bough.ensembles.forest import Forest
from bough.ensembles.forest_sum import SummedTrees, summed_trees
from bough.ensembles.growing import grow_forest
from bough.growing.draws import ColumnSampling, Ensemble, GivenDraws
from bough.growing.recipe import Recipe
from bough.models.gradient_boosted import GradientBoosted
from bough.types import Floats

_EULER = 0.5772156649015329


def average_path_length(n_rows: npt.ArrayLike) -> Floats:
    """Return the mean length of the paths of unsuccessful searches in binary search trees of n rows, c(n).

    It is the length that is added for the rows of a leaf that was not divided further.

    >>> average_path_length([1, 2, 256]).round(4)
    array([ 0.    ,  1.    , 10.2448])
    """
    n = np.asarray(n_rows, dtype=np.float64)
    at_least_3 = np.maximum(n, 3.0)
    harmonic = np.log(at_least_3 - 1.0) + _EULER
    long = 2.0 * harmonic - 2.0 * (at_least_3 - 1.0) / at_least_3
    return np.where(n > 2, long, np.where(n == 2, 1.0, 0.0))


def path_lengths(trees: SummedTrees) -> Floats:
    """Return the length of the path to each leaf, with what is expected below it.

    >>> from bough import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(1, max_depth=1).fit([[1.0], [2.0], [2.0]], [0.0, 1.0, 2.0]).forest_
    >>> path_lengths(summed_trees(forest))
    array([1., 2.])
    """
    leaf = trees.is_leaf
    return np.asarray(trees.depth[leaf] + average_path_length(trees.arrays["cases"][leaf]))


def sum_of_path_lengths(forest: Forest) -> GradientBoosted:
    """Return a model that predicts the sum of the lengths of a row's paths in all trees of a forest.

    >>> from bough import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(2, max_depth=1).fit([[1.0], [2.0], [2.0]], [0.0, 1.0, 2.0]).forest_
    >>> sum_of_path_lengths(forest).predict([[1.0], [2.0]])
    array([2., 4.])
    """
    trees = summed_trees(forest)
    return GradientBoosted(
        schema=forest.schema,
        task="regression",
        classes=(),
        target_name=None,
        link="identity",
        start=np.zeros(1),
        arrays=trees.with_values(path_lengths(trees)),
    )


def drawn_rows(n_rows: int, size: int, n_trees: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the rows of each tree (trees × size), drawn without replacement.

    >>> np.sort(drawn_rows(3, 3, 2, seed=0))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    random = np.random.RandomState(seed)
    if 2 * size > n_rows:
        return np.array([random.permutation(n_rows)[:size] for _ in range(n_trees)], dtype=np.int64)
    return np.array([_distinct(random, n_rows, size) for _ in range(n_trees)], dtype=np.int64)


def _distinct(random: np.random.RandomState, n_rows: int, size: int) -> npt.NDArray[np.int64]:
    """Return the first different numbers of a series of draws; they take no time for rows not drawn."""
    drawn = np.empty(0, dtype=np.int64)
    while True:
        drawn = np.append(drawn, random.randint(n_rows, size=2 * size))
        first = np.unique(drawn, return_index=True)[1]
        if len(first) >= size:
            return np.asarray(drawn[np.sort(first)[:size]])


def grown_isolation_trees(recipe: Recipe, table: Table, n_jobs: int | None = None) -> GradientBoosted:
    """Grow isolation trees by a recipe; the model predicts the anomaly score of a row.

    Only rows that some tree drew are read. The values of leaves are −ln 2 times the length of the path,
    divided by c(size of the sample) and the number of trees, so that the exponential of their sum is
    2^(−mean length / c), the score of the paper.

    >>> from bough import IsolationForest
    >>> IsolationForest(20, random_state=0).fit([[0.0], [0.1], [0.2], [9.0]]).model_.predict([[9.0]]) > 0.5
    array([ True])
    """
    assert recipe.ensemble is not None
    assert recipe.seed is not None
    (size,), n_trees = recipe.ensemble.rows.size, recipe.ensemble.n_estimators
    drawn = drawn_rows(table.n_rows, size, n_trees, recipe.seed)
    rows, places = np.unique(drawn, return_inverse=True)
    counts = np.zeros((n_trees, len(rows)), dtype=np.uint32)
    np.put_along_axis(counts, places.reshape(drawn.shape), 1, axis=1)
    # Splits are drawn without regard to y: it only has to differ between rows, or nodes would not be split.
    apart = np.arange(len(rows), dtype=np.float64)
    some = table if len(rows) == table.n_rows else table.take(rows)
    training = Training(some, apart, Weights(None, None, whole=True), np.arange(len(rows)), len(rows))
    growth = Recipe(
        "squared_error",
        missing=recipe.missing,
        limits=recipe.limits,
        columns=recipe.columns,
        ensemble=Ensemble("forest", n_trees, GivenDraws(drawn=counts)),
        settings={"splits_without_gain": True},
        task="regression",
    )
    forest = grow_forest(training, growth, seed=recipe.seed, n_trees=n_trees, n_jobs=n_jobs)
    trees = summed_trees(forest)
    lengths = path_lengths(trees)
    whole = n_trees * float(average_path_length(size))
    # A sample of one row has no length to compare with; scikit-learn scores all rows 1/2 then, as this does.
    shares = lengths / whole if whole > 0 else np.full(len(lengths), 1.0 / n_trees)
    return GradientBoosted(
        schema=table.schema,
        task="regression",
        classes=(),
        target_name="anomaly",
        link="log",
        start=np.zeros(1),
        arrays=trees.with_values(-math.log(2.0) * shares),
        recipe=recipe.to_json(),
    )


def isolation_columns(n_columns: int, of_tree: int) -> ColumnSampling:
    """Return how columns are drawn: some for each tree, one of them at each node that it can divide.

    >>> isolation_columns(5, 5).tree_features, isolation_columns(5, 3).tree_features
    (0, 3)
    """
    return ColumnSampling(1, 0 if of_tree == n_columns else of_tree, random_splits=True)
