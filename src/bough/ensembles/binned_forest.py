"""Random forests on bins, whose rows are drawn by a hash: the same forest in memory and on a cluster.

Every tree is grown by the growth loop from rows that count themselves, wherever they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol

from bough.data.several_targets import SeveralTargets
from bough.data.training import Training
from bough.engines import binned
from bough.engines.binned import RowsInMemory
from bough.ensembles.forest import Forest
from bough.ensembles.packing import packed
from bough.ensembles.sampling import WITHOUT_REPLACEMENT
from bough.errors import ParameterError
from bough.growing.binned import BinnedRows
from bough.growing.draws import HashedRows, RowSampling, number_of
from bough.growing.hashed_draws import RowDraw, tree_key
from bough.growing.job import GrowingJob
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.progress import Progress
from bough.tree import Tree
from bough.types import is_whole

_SAMPLINGS = ("drawn", "hash")


class DrawnRows(BinnedRows, Protocol):
    """Protocol of rows from which samples are drawn, one for each tree."""

    def drawn(self, draw: RowDraw) -> DrawnRows:
        """Return the rows drawn for a tree, each as often as it is drawn, with the same bins and grid."""

    def again(self) -> DrawnRows:
        """Return all rows, at the root of another tree."""


def check_sampling(estimator: Any) -> None:
    """Raise if the parameters of a forest about bins and hashes do not fit each other.

    >>> from bough import RandomForestClassifier
    >>> check_sampling(RandomForestClassifier(sampling="hash"))
    Traceback (most recent call last):
    bough.errors.ParameterError: sampling is 'hash'; it must be 'drawn' unless max_bins is given.
    """
    sampling, row_key = estimator.sampling, estimator.row_key
    if not (isinstance(sampling, str) and sampling in _SAMPLINGS):
        raise ParameterError.of("sampling", sampling, " or ".join(map(repr, _SAMPLINGS)))
    if row_key is not None and not isinstance(row_key, str):
        raise ParameterError.of("row_key", row_key, "the name of a column, or None")
    if estimator.max_bins is None:
        if sampling != "drawn":
            raise ParameterError.of("sampling", sampling, "'drawn' unless max_bins is given")
        if row_key is not None:
            raise ParameterError.of("row_key", row_key, "None unless max_bins is given")
        return
    if estimator.nominal == "randomforest":
        raise ParameterError.of("nominal", estimator.nominal, "'ordered' or 'subset' with max_bins")
    if getattr(estimator, "class_weight", None) == "balanced_subsample":
        wanted = "None, 'balanced' or a dict from class to weight with max_bins"
        raise ParameterError.of("class_weight", "balanced_subsample", wanted)
    if estimator.bootstrap and row_key is None:
        wanted = "the name of a column that tells rows apart, by whose hash they are drawn for each tree"
        raise ParameterError.of("row_key", None, f"{wanted}; or choose bootstrap=False")


def with_unused_key(recipe: Recipe, estimator: Any) -> Recipe:
    """Return the recipe with the column that is left out as `row_key` though no rows are drawn by it.

    >>> from bough import RandomForestRegressor
    >>> estimator = RandomForestRegressor(max_bins=8, row_key="id", bootstrap=False)
    >>> with_unused_key(estimator.recipe(), estimator).settings["row_key"]
    'id'
    """
    key = getattr(estimator, "row_key", None)
    if key is None or estimator.bootstrap:
        return recipe
    return replace(recipe, settings={**recipe.settings, "row_key": key})


def hashed_sampling(estimator: Any, n_rows: int) -> RowSampling:
    """Return how the rows of each tree are drawn by their hashes.

    >>> from bough import RandomForestRegressor
    >>> hashed_sampling(RandomForestRegressor(max_bins=8, row_key="id", max_samples=50), 100).rate
    0.5
    """
    most, replaces = estimator.max_samples, bool(estimator.replace)
    if not estimator.bootstrap:
        if most is not None:
            wanted = "None if bootstrap is False, since every tree then gets all rows"
            raise ParameterError.of("max_samples", most, wanted)
        return RowSampling()
    if most is None:
        rate = 1.0 if replaces else WITHOUT_REPLACEMENT
    elif number_of(most, n_rows) is not None:
        rate = int(most) / n_rows if is_whole(most) else float(most)
    else:
        wanted = f"None, a whole number from 1 to the {n_rows} rows, or a fraction in (0, 1], with max_bins"
        raise ParameterError.of("max_samples", most, wanted)
    return HashedRows(rate=rate, replace=replaces, row_key=estimator.row_key)


def sampling_on_bins(estimator: Any, n_rows: int, strata: Any) -> RowSampling:
    """Return how the rows in memory are drawn for each tree; what bins cannot do raises an error.

    >>> from bough import RandomForestRegressor
    >>> sampling_on_bins(RandomForestRegressor(max_bins=8, sampling="hash", row_key="id"), 100, None).rate
    1.0
    """
    if strata is not None:
        raise ParameterError("strata are not supported with max_bins; leave out one of the two.")
    if estimator.bootstrap and getattr(estimator, "sampling", None) != "hash":
        raise ParameterError.of("sampling", "drawn", "'hash' with max_bins; or choose bootstrap=False")
    return hashed_sampling(estimator, n_rows)


def seeded(recipe: Recipe, seed: int, training: Training) -> Recipe:
    """Return the recipe of a forest with its seed and, if rows are drawn by hashes, these."""
    ensemble = recipe.ensemble
    assert ensemble is not None
    rows = ensemble.rows
    if isinstance(rows, HashedRows):
        if training.row_keys is None:
            raise ParameterError.of("row_key", rows.row_key, "a column of X, which must be a frame")
        weight = training.weights.weight
        rows = rows.keyed(training.row_keys.tolist(), seed, ensemble.n_estimators, weight)
    return replace(recipe, seed=seed, ensemble=replace(ensemble, rows=rows))


def grow_binned_forest(
    training: Training,
    recipe: Recipe,
    *,
    first_tree: int,
    n_trees: int,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Forest:
    """Grow trees of a forest on the bins of a table in memory, one after the other."""
    assert recipe.ensemble is not None
    if isinstance(training.target, SeveralTargets):
        raise ParameterError("y has several columns, which max_bins does not support; leave max_bins out.")
    if training.table.is_sparse:
        raise ParameterError("X is sparse, which max_bins does not support; leave max_bins out.")
    sampling = recipe.ensemble.rows
    job = GrowingJob(
        training.table,
        WeightedTarget(training.target, training.weights),
        recipe,
        None,
        training.target_name,
        n_jobs,
    )
    rows = RowsInMemory.of(job, _repeats(sampling))
    if isinstance(sampling, HashedRows):
        assert sampling.keys is not None
        rows = rows.keyed(sampling.keys)
    trees = []
    for number in range(first_tree, first_tree + n_trees):
        trees.append(_grow_tree(rows, recipe, number, training.target_name))
        if progress is not None:
            progress(len(trees) / n_trees)
    return _forest(trees, recipe)


def grow_trees_elsewhere(
    rows: DrawnRows,
    recipe: Recipe,
    target_name: str,
    *,
    at_once: int,
    progress: Progress | None = None,
) -> Forest:
    """Grow a forest from rows elsewhere; some trees grow side by side, so that the workers do not wait."""
    assert recipe.ensemble is not None
    n_trees = recipe.ensemble.n_estimators
    trees: list[Tree] = []
    with ThreadPoolExecutor(at_once) as threads:
        growing = [threads.submit(_grow_tree, rows, recipe, number, target_name) for number in range(n_trees)]
        try:
            for each in growing:
                trees.append(each.result())
                if progress is not None:
                    progress(len(trees) / n_trees)
        finally:
            for each in growing:
                each.cancel()
    return _forest(trees, recipe)


def _forest(trees: Sequence[Tree], recipe: Recipe) -> Forest:
    return replace(packed(trees), recipe=recipe.to_json())


def repeats_of(recipe: Recipe) -> int:
    """Return the greatest number of times that a tree of a forest draws a row."""
    assert recipe.ensemble is not None
    return _repeats(recipe.ensemble.rows)


def _repeats(sampling: RowSampling) -> int:
    return sampling.of_tree(0).most if isinstance(sampling, HashedRows) else 1


def _grow_tree(rows: DrawnRows, recipe: Recipe, number: int, target_name: str | None) -> Tree:
    assert recipe.ensemble is not None
    assert recipe.seed is not None
    sampling = recipe.ensemble.rows
    drawn = rows.drawn(sampling.of_tree(number)) if isinstance(sampling, HashedRows) else rows.again()
    # Forests do not split where nothing is gained.
    own = replace(recipe.with_limits(min_gain=0.0), seed=tree_key(recipe.seed, number))
    tree = binned.grow(drawn, own, target_name)
    if tree.cases[0] == 0:
        # The hash draws no row that counts: such a tree is grown on all rows.
        tree = binned.grow(rows.again(), own, target_name)
    return tree
