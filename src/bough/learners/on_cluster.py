"""Fitting one tree where the rows are: in the partitions of a Dask or Spark DataFrame.

The tree is that of the rows in memory with the same `max_bins`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bough.data.bins import MOST_BINS, too_many_levels
from bough.data.partitions.partitions import Partitions, partitions_of
from bough.data.partitions.summary import ColumnSummary
from bough.data.readers.features import ScaleRequest, scale_requests
from bough.data.readers.scale import scaled
from bough.data.readers.source import Coded
from bough.data.schema import Level, Schema
from bough.data.target import Weights, check_reach, check_total, read_classes, read_numbers
from bough.engines.partition_coding import (
    ColumnRoles,
    Hashing,
    PartitionSummary,
    TrainingInPartitions,
    coded_rows,
    joined_summaries,
    summarized,
)
from bough.errors import ParameterError, TargetError, WeightError
from bough.growing.recipe import Recipe
from bough.learners.fitting import Fitted
from bough.learners.reading import resolved_for
from bough.learners.where_rows_are import (
    check_names,
    checked_recipe,
    factors_of_classes,
    fit_to_rows,
    hashed_folds,
    warn_of_empty,
    with_bins,
)

_WHERE = "on a cluster"


def fit_on_cluster(recipe: Recipe, frame: Any, y: Any, sample_weight: Any, learner: str) -> Fitted:
    """Fit a tree to the rows of a Dask or Spark DataFrame; y and the weights are names of columns."""
    recipe = checked_recipe(recipe, learner, _WHERE)
    partitions, names = partitions_of(frame)
    check_names(recipe, y, sample_weight, names, "The frame")
    row_key = getattr(recipe.pruning, "row_key", None)
    training, summary = read_on_cluster(
        recipe, partitions, roles_of(names, y, sample_weight=sample_weight, row_key=row_key)
    )
    recipe = with_bins(resolved_for(recipe, training.schema, training.classes), training.schema, _WHERE)
    folds = hashed_folds(recipe)
    hashing = None if folds is None else Hashing(folds[1], n_folds=folds[0])
    rows = coded_rows(partitions, training, summary, recipe.max_bins or 2, hashing)
    try:
        return fit_to_rows(recipe, rows, y)
    finally:
        rows.release()


def roles_of(
    names: Sequence[str], y: str, *, sample_weight: str | None = None, row_key: str | None = None
) -> ColumnRoles:
    """Return the columns by their roles; raise if none is left to split on.

    >>> roles_of(["age", "churned"], "churned").features
    ('age',)
    """
    features = tuple([name for name in names if name not in (y, sample_weight, row_key)])
    if not features:
        raise ParameterError(f"The frame has no column besides {y!r}; a tree needs columns to split on.")
    return ColumnRoles(features, y, sample_weight, row_key)


def read_on_cluster(
    recipe: Recipe, partitions: Partitions, roles: ColumnRoles
) -> tuple[TrainingInPartitions, PartitionSummary]:
    """Read the schema, the classes and the weights, as they would be read in memory; no row is loaded."""
    summary: PartitionSummary = partitions.reduced(joined_summaries, summarized, roles)
    _check_weights(summary, roles)
    if summary.n_unlabeled:
        raise TargetError(
            f"Column {roles.target!r}, the target, has no value in {summary.n_unlabeled} rows. Leave such "
            f"rows out, such as by dropna(subset=[{roles.target!r}])."
        )
    schema = _schema(recipe, roles.features, summary.columns)
    is_whole = summary.n_fractions == 0
    assert summary.target is not None
    classes, factors = tuple[Level, ...](), None
    if recipe.task == "classification":
        classes = _classes(summary.target)
        if recipe.class_weight is not None:
            sums = _sums_of_classes(summary.target, classes)
            factors = factors_of_classes(recipe.class_weight, classes, sums, _WHERE, is_whole=is_whole)
    else:
        _check_numbers(recipe, summary)
    needs_value = recipe.needs_a_value and 0 < summary.n_empty < summary.n_rows
    if needs_value:
        warn_of_empty(summary.n_empty)
    has_cases = roles.sample_weight is not None and is_whole and recipe.count == "cases"
    return TrainingInPartitions(roles, schema, classes, has_cases, needs_value, factors), summary


def _check_weights(summary: PartitionSummary, roles: ColumnRoles) -> None:
    if summary.n_invalid:
        raise WeightError(
            f"sample_weight {roles.sample_weight!r} is not a finite number of at least 0 in "
            f"{summary.n_invalid} rows. Give 0 to leave a row out."
        )
    if summary.n_rows == 0:
        if roles.sample_weight is not None:
            raise WeightError(
                "sample_weight is zero for every row; at least one row must have a positive weight."
            )
        raise TargetError("The frame has no rows: 0 sample(s), while a minimum of 1 is required.")
    check_total(Weights(np.array([summary.total_weight]), None, whole=False))


def _schema(recipe: Recipe, names: Sequence[str], columns: Sequence[ColumnSummary]) -> Schema:
    scales = recipe.scales
    requests = scale_requests(tuple(names), scales.categorical_features, scales.ordinal_features)
    default = ScaleRequest("numeric") if scales.categorical_features is None else ScaleRequest()
    found = []
    for place, column in enumerate(columns):
        of_schema, _ = scaled(column.name, column.raw(), requests.get(place, default))
        is_too_long = column.kind != "levels" and column.values is None
        if of_schema.scale != "numeric" and (is_too_long or len(of_schema.levels) > MOST_BINS):
            raise too_many_levels(column.name)
        found.append(of_schema)
    return scales.schema_of(found)


def _classes(target: ColumnSummary) -> tuple[Level, ...]:
    """Return the classes, sorted; only values that occur are classes."""
    raw = target.raw()
    if target.values is None and target.kind != "levels":
        raise too_many_levels(target.name)
    if isinstance(raw, Coded):
        raw = raw._replace(codes=np.flatnonzero(target.counts[:, 0] > 0).astype(np.int32))
    return read_classes(raw).sorted().classes


def _sums_of_classes(target: ColumnSummary, classes: tuple[Level, ...]) -> Any:
    levels = target.levels if target.kind == "levels" else tuple(target.known_values.tolist())
    sums = dict(zip(levels, target.counts[:, 1], strict=True))
    return np.array([float(sums[label]) for label in classes])


def _check_numbers(recipe: Recipe, summary: PartitionSummary) -> None:
    assert summary.target is not None
    numbers = read_numbers(summary.target.raw())
    extremes = np.array([numbers.min(), numbers.max()])
    check_reach(extremes, Weights(np.array([summary.total_weight]), None, whole=False), recipe.criterion)
