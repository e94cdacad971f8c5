"""Growing a forest: conversion of the recipe for the native code, and the native call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import bough._core as _core
from bough.data.several_targets import SeveralTargets
from bough.data.target import check_squares, classes_of
from bough.data.training import Training
from bough.engines.native import codes_and_numbers, n_classes_of
from bough.engines.weight_range import weights_near_one, weights_of_countable_cases
from bough.ensembles.binned_forest import grow_binned_forest
from bough.ensembles.forest import Forest
from bough.errors import ParameterError
from bough.growing.criterion import ALIASES, CRITERIA, reads_losses
from bough.growing.draws import ColumnSampling, Ensemble
from bough.growing.monotonic import native_directions
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.progress import Progress
from bough.types import Task


def check_criterion(criterion: object, task: Task) -> None:
    """Raise if forests do not support a criterion.

    >>> check_criterion("gini", "regression")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'gini'; it must be one of a forest for
    regression: 'squared_error', 'absolute_error', 'poisson'.
    """
    known = tuple(name for name in CRITERIA[task] if not reads_losses(name))
    if not isinstance(criterion, str) or ALIASES.get(criterion, criterion) not in known:
        first = sorted(known, key=lambda name: name != "gini")
        wanted = f"one of a forest for {task}: {', '.join(map(repr, first))}"
        raise ParameterError.of("criterion", criterion, wanted)


def grow_forest(
    training: Training,
    recipe: Recipe,
    *,
    seed: int,
    n_trees: int,
    first_tree: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Forest:
    """Grow trees `first_tree`, `first_tree` + 1, … of the forest of a seed.

    The trees do not depend on the number of threads; tree i depends on the seed and i alone.

    >>> from bough.learners.reading import read_training
    >>> recipe = Recipe("gini", missing="learned", task="classification")
    >>> training = read_training(recipe, [[15.0], [10.0], [5.0]], ["yes", "no", "no"])
    >>> grow_forest(training, recipe, seed=1, n_trees=2)
    Forest(2 trees, 6 nodes)
    """
    training = replace(training, weights=weights_of_countable_cases(training.weights))
    table, target = training.table, training.target
    if recipe.max_bins is not None:
        return grow_binned_forest(
            training, recipe, first_tree=first_tree, n_trees=n_trees, n_jobs=n_jobs, progress=progress
        )
    weights, factor = weights_near_one(training.weights)
    rows = (recipe.ensemble or Ensemble("forest")).rows
    n_cases = weights.n_cases(table.n_rows)
    if recipe.response == "times":
        trees = (seed, first_tree, n_trees, n_threads(n_jobs), progress)
        return _grow_survival_forest(training, recipe, n_cases, trees)
    codes, numbers = codes_and_numbers(target)
    if numbers is not None and recipe.criterion == "squared_error":
        check_squares(numbers, float(weights.each(table.n_rows).sum()))
    several = target if isinstance(target, SeveralTargets) else None
    classes = classes_of(target)
    arrays = _core.grow_forest(
        table.native_or_sparse(),
        table.n_rows,
        n_classes_of(target),
        codes,
        numbers,
        weights.weight,
        weights.cases,
        recipe.criterion_name,
        {
            **native_recipe(recipe, float(sum(rows.size)) if rows.size else n_cases),
            "monotonic": native_directions(recipe.monotonic_cst, table, len(classes)),
        },
        rows.native(),
        seed,
        first_tree,
        n_trees,
        n_threads(n_jobs),
        progress,
        [] if several is None else several.n_classes,
    )
    return _forest(training, recipe, arrays, factor)


def _forest(training: Training, recipe: Recipe, arrays: dict[str, Any], factor: float) -> Forest:
    """Return the forest of the arrays of the core, to which weights were passed `factor` times as large."""
    target, schema = training.target, training.table.schema
    arrays["tree_importance"] = arrays.pop("importance")
    if factor != 1.0:
        weighed = ("leaf" if recipe.task == "classification" else "leaf_totals", "tree_importance")
        arrays |= {name: arrays[name] / factor for name in weighed}
    if isinstance(target, SeveralTargets):
        first = target.targets[0]
        head = recipe.head(schema, first.classes, first.name)
        return Forest(**head, targets=target.targets, **arrays)
    return Forest(**recipe.head(schema, classes_of(target), training.target_name), **arrays)


def _grow_survival_forest(
    training: Training, recipe: Recipe, n_cases: float, trees: tuple[int, int, int, int, Progress | None]
) -> Forest:
    """Grow trees of censored times, whose splits are those of the greatest log-rank statistic.

    `trees` are the seed, the first tree, the number of trees, that of threads, and who watches.
    """
    table, weights = training.table, training.weights
    assert training.exposure is not None
    rows = (recipe.ensemble or Ensemble("forest")).rows
    weight = weights.weight
    if weight is not None and not weights.whole:
        # The variance of the log-rank statistic depends on how many cases there are.
        weight = weight * (n_cases / weight.sum())
    arrays = _core.grow_survival_forest(
        table.native(),
        table.n_rows,
        training.exposure,
        np.asarray(training.target, dtype=np.float64),
        weight,
        weights.cases,
        "squared_error",
        {**native_recipe(recipe, float(sum(rows.size)) if rows.size else n_cases), "monotonic": []},
        rows.native(),
        *trees,
    )
    arrays["tree_importance"] = arrays.pop("importance")
    return Forest(**recipe.head(table.schema, (), training.target_name), **arrays)


def native_recipe(recipe: Recipe, root_cases: float) -> dict[str, Any]:
    """Return the recipe as arguments of the native code; fractions refer to the sampled cases of a tree.

    >>> from bough.growing.limits import Limits
    >>> native_recipe(Recipe("gini", limits=Limits(min_samples_leaf=0.1), task="classification"), 50)[
    ...     "min_cases_leaf"]
    5.0
    """
    columns = recipe.columns or ColumnSampling()
    return {
        "random_splits": columns.random_splits,
        "learn_missing": recipe.missing == "learned",
        "nominal": recipe.nominal,
        "balance": recipe.class_weight == "balanced_subsample",
        "seek": columns.keep_searching,
        "shuffle": bool(recipe.settings.get("shuffled_columns")),
        "seeds": list(recipe.settings.get("tree_seeds", ())),
        "gainless": bool(recipe.settings.get("splits_without_gain")),
        "max_features": columns.max_features,
        "tree_features": columns.tree_features,
        "max_exhaustive": recipe.max_exhaustive_levels,
        **recipe.limits.native(root_cases),
    }
