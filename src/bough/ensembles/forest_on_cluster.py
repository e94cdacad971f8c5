"""Random forests where the rows are: in the partitions of a Dask or Spark DataFrame.

The forest is that of the rows in memory with the same `max_bins` and `row_key`, to the last bit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bough.data.partitions.partitions import partitions_of
from bough.engines.partition_coding import Hashing, coded_rows
from bough.engines.partitioned import MOST_TREES
from bough.ensembles.binned_forest import grow_trees_elsewhere, hashed_sampling, repeats_of, with_unused_key
from bough.ensembles.forest import Forest
from bough.ensembles.prepared import prediction_settings, with_cutoff
from bough.ensembles.row_samples import RowSamples
from bough.ensembles.sampling import read_n_estimators
from bough.errors import ParameterError
from bough.growing.draws import Ensemble, HashedRows, read_seed
from bough.learners.on_cluster import read_on_cluster, roles_of
from bough.learners.reading import resolved_for
from bough.learners.where_rows_are import check_names
from bough.progress import watcher

_OF_MEMORY = ("oob_score", "warm_start", "bias_correction", "quantiles")


def fit_forest_on_cluster(
    estimator: Any, frame: Any, y: Any, sample_weight: Any
) -> tuple[Forest, RowSamples]:
    """Fit a forest to the rows of a Dask or Spark DataFrame; return it with the samples of its trees.

    y and the weights are names of columns.
    """
    for name in _OF_MEMORY:
        if getattr(estimator, name, False):
            raise ParameterError(
                f"{name} is not supported on a cluster; leave it out, or read the table into memory."
            )
    recipe = estimator.recipe()
    if recipe.max_bins is None:
        wanted = "given: on a cluster trees are grown from bins, such as max_bins=64"
        raise ParameterError.of("max_bins", None, wanted)
    partitions, names = partitions_of(frame)
    check_names(recipe, y, sample_weight, names, "The frame", row_key=estimator.row_key)
    roles = roles_of(names, y, sample_weight=sample_weight, row_key=estimator.row_key)
    training, summary = read_on_cluster(recipe, partitions, roles)
    seed = read_seed(estimator.random_state)
    ensemble = Ensemble(
        "forest", read_n_estimators(estimator.n_estimators), hashed_sampling(estimator, summary.n_rows)
    )
    recipe = replace(
        resolved_for(recipe, training.schema, training.classes),
        columns=estimator._columns(len(training.schema)),
        ensemble=ensemble,
        seed=seed,
    )
    recipe = with_unused_key(with_cutoff(recipe, estimator, training.classes), estimator)
    hashing = Hashing(seed, repeats=repeats_of(recipe)) if isinstance(ensemble.rows, HashedRows) else None
    rows = coded_rows(partitions, training, summary, recipe.max_bins or 2, hashing)
    try:
        forest = grow_trees_elsewhere(rows, recipe, y, at_once=MOST_TREES, progress=watcher())
    finally:
        rows.release()
    samples = RowSamples(ensemble.rows, seed, summary.n_rows, summary.n_rows, None)
    return replace(forest, **prediction_settings(recipe)), samples
