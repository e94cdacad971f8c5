"""Gradient boosting where the rows are: in the partitions of a Dask or Spark DataFrame.

The model is that of the rows in memory, in the order of the partitions, with the same `max_bins`, to the last
bit.
"""

from __future__ import annotations

from typing import Any

from bough.data.partitions.partitions import partitions_of
from bough.data.target import read_numbers
from bough.engines.boosted_partitions import OF_QUANTILES, boost_partitions
from bough.engines.partition_coding import PartitionSummary
from bough.ensembles.boosting import native_settings, with_named_columns
from bough.ensembles.boosting_defaults import MOST_ROWS, with_usual_settings
from bough.ensembles.boosting_target import check_constraints
from bough.ensembles.own_loss import name_of_loss
from bough.errors import ParameterError, TargetError, WeightError
from bough.growing.recipe import Recipe
from bough.learners.on_cluster import read_on_cluster, roles_of
from bough.learners.reading import resolved_for
from bough.learners.where_rows_are import check_names
from bough.models.gradient_boosted import GradientBoosted, link_of

LOSSES = (
    *("log_loss", "one_vs_all", "exponential"),
    *("squared_error", *OF_QUANTILES, "poisson", "gamma", "tweedie"),
)
"""The losses whose gradients follow from the score and the target of a row alone."""

_OF_MEMORY = ("linear_leaves", "top_samples", "drop_rate", "base_interval", "gradient_splits")
_GREATEST_WEIGHT = 2.0**53


def fit_boosting_on_cluster(
    recipe: Recipe, frame: Any, y: Any, sample_weight: Any, learner: str, *, n_jobs: int | None = None
) -> GradientBoosted:
    """Boost the rows of a Dask or Spark DataFrame; y and the weights are names of columns."""
    _check_recipe(recipe, learner)
    partitions, names = partitions_of(frame)
    check_names(recipe, y, sample_weight, names, "The frame")
    roles = roles_of(names, y, sample_weight=sample_weight)
    training, summary = read_on_cluster(recipe, partitions, roles)
    classes = training.classes
    _check_target(recipe, summary, y, len(classes))
    recipe = with_named_columns(resolved_for(recipe, training.schema, classes), training.schema)
    check_constraints(recipe, len(classes))
    recipe = _without_choice(recipe, summary.n_rows)
    settings = native_settings(recipe, training.schema, summary.n_rows)
    assert recipe.max_bins is not None
    try:
        made = boost_partitions(partitions, training, summary, recipe.max_bins, settings, n_jobs)
    except OverflowError as error:
        raise ParameterError(
            f"Boosting left the range of float64: {error}. Choose a learning_rate below "
            f"{recipe.settings['learning_rate']:g}, or scale y."
        ) from None
    return GradientBoosted(
        schema=training.schema,
        task=recipe.task,
        classes=classes,
        target_name=y,
        targets=(),
        link=link_of(recipe.settings["loss"], len(classes), len(made.start)),
        start=made.start,
        arrays=made.trees,
        leaf_models=None,
        recipe=recipe.to_json(),
    )


def _check_recipe(recipe: Recipe, learner: str) -> None:
    """Raise if a part of the recipe needs all rows in one place."""
    if recipe.arithmetic == "gbm":
        raise ParameterError.of("variant", "gbm", "'bough' on a cluster: gbm sums in the order of all rows")
    loss = recipe.settings["loss"]
    if loss not in LOSSES:
        named = name_of_loss(loss) if callable(loss) else repr(loss)
        raise ParameterError(
            f"{learner} has loss={named}, which needs all rows in one place. On a cluster choose one of "
            f"{', '.join(map(repr, LOSSES))}, or read the table into memory."
        )
    for name in _OF_MEMORY:
        if recipe.settings.get(name):
            raise ParameterError(
                f"{name} is not supported on a cluster; leave it out, or read the table into memory."
            )
    if any(name in recipe.settings for name in ("cv", "validation_fraction")):
        raise ParameterError.of(
            "early_stopping", True, "False on a cluster; choose max_iter on a sample in memory"
        )


def _without_choice(recipe: Recipe, n_rows: int) -> Recipe:
    """Return the recipe with usual values of what is left open; few rows would be boosted by folds."""
    if recipe.settings.get("auto") and n_rows <= MOST_ROWS:
        raise ParameterError.of(
            "max_iter", "auto", f"a number for {n_rows} rows on a cluster, such as max_iter=100"
        )
    return with_usual_settings(recipe)


def _check_target(recipe: Recipe, summary: PartitionSummary, name: str, n_classes: int) -> None:
    """Raise if the target or the weights do not fit the loss."""
    if not 1.0 < summary.total_weight <= _GREATEST_WEIGHT:
        raise WeightError(
            f"sample_weight sums to {summary.total_weight:g}; on a cluster it must be above 1 and at most "
            "2**53. Multiply the weights by a constant."
        )
    loss = recipe.settings["loss"]
    if loss in OF_QUANTILES and summary.n_fractions:
        raise WeightError(
            f"sample_weight is not whole in {summary.n_fractions} rows, but on a cluster loss={loss!r} "
            "counts cases. Round the weights, or choose another loss."
        )
    if recipe.task == "classification":
        if n_classes < 2:
            raise TargetError(
                f"Column {name!r} has one class only; boosting needs rows of two classes or more."
            )
        if loss == "exponential" and n_classes > 2:
            raise TargetError(
                f"Column {name!r} has {n_classes} classes, but loss={loss!r} is about two. Choose 'log_loss'."
            )
        return
    assert summary.target is not None
    numbers = read_numbers(summary.target.raw())
    lowest = float(numbers.min())
    if loss in ("poisson", "gamma", "tweedie") and (lowest < 0 or (loss == "gamma" and lowest == 0)):
        wanted = "above 0" if loss == "gamma" else "of at least 0"
        raise TargetError(
            f"Column {name!r} has the value {lowest!r}, but loss={loss!r} needs numbers {wanted}. Leave such "
            "rows out, or choose another loss."
        )
    if loss in ("poisson", "gamma", "tweedie") and not numbers.any():
        raise TargetError(f"Column {name!r} is 0 in every row; loss={loss!r} needs a positive number.")
