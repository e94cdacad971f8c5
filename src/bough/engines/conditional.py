"""The engine of conditional inference trees: a column is chosen by a permutation test, then its split."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import bough._core as _core
from bough.data.target import ClassTarget, Weights
from bough.engines.weight_range import check_repeated
from bough.errors import ParameterError
from bough.growing.job import GrowingJob
from bough.growing.measure import MeasuredRows
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.alternatives import AlternativeSplits
from bough.types import Floats

_NO_LIMIT = 2**31 - 1


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.learners.conditional import ConditionalTreeClassifier
    >>> table, y = Table.read([[float(i)] for i in range(40)]), read_classes([0] * 20 + [1] * 20)
    >>> recipe = ConditionalTreeClassifier().recipe()
    >>> [tree] = grow_folds(GrowingJob(table, WeightedTarget(y, read_weights(None, 40)), recipe))
    >>> tree.condition(1), round(tree.tests_of(0)[0].statistic, 3)
    ('x0 <= 19', 29.268)
    """
    return [_grow(part) for part in job.parts()]


def _grow(job: GrowingJob) -> Tree:
    table, target, recipe = job.table, job.target, job.recipe
    n_cases = target.weights.n_cases(table.n_rows)
    if recipe.settings["n_resamples"]:
        if not target.weights.whole:
            raise ParameterError(
                "distribution='monte_carlo' permutes cases, but sample_weight holds fractions. "
                "Choose distribution='asymptotic', or weights that count cases."
            )
        check_repeated(n_cases)
    arrays = _core.grow_conditional(
        table.native(),
        table.n_rows,
        len(target.classes),
        _target_arrays(target, recipe, n_cases),
        _options(recipe, n_cases),
        watcher(),
    )
    surrogates = arrays.pop("surrogates")
    return Tree(
        **recipe.head(table.schema, target.classes, job.target_name),
        surrogates=None if surrogates is None else AlternativeSplits(**_without_cuts(surrogates)),
        **_without_cuts(arrays),
    )


def _target_arrays(target: WeightedTarget, recipe: Recipe, n_cases: float) -> dict[str, Any]:
    """Return the target as it is shown and as it is tested, and the weights of both."""
    single, weights = target.single, target.weights
    in_splits = weights
    if target.split_weight is not None:
        in_splits = Weights(target.split_weight, weights.cases, whole=False)
    measured = MeasuredRows.of(single, in_splits, len(target.answers), recipe.reads)
    by_class = isinstance(single, ClassTarget)
    return {
        "label": measured.y if by_class else None,
        "y": None if by_class else measured.y,
        "scores": None if target.numbers is None else np.ascontiguousarray(target.numbers),
        "weight": None if in_splits.weight is None else measured.weight,
        "weight_exponent": measured.weight_exponent,
        "whole_weights": measured.whole,
        "test_weight": _test_weights(weights, n_cases),
        "node_weight": weights.weight,
        "cases": weights.cases,
    }


def _test_weights(weights: Weights, n_cases: float) -> Floats | None:
    """Return weights that sum to the number of cases: tests depend on how many there are."""
    if weights.weight is None or weights.whole:
        return weights.weight
    return np.asarray(weights.weight * (n_cases / weights.weight.sum()), dtype=np.float64)


def _options(recipe: Recipe, n_cases: float) -> dict[str, Any]:
    settings, limits = recipe.settings, recipe.limits
    return {
        "criterion": recipe.criterion_name,
        "statistic": settings["statistic"],
        "split_statistic": settings["split_statistic"],
        "bonferroni": settings["adjust"] == "bonferroni",
        "n_resamples": int(settings["n_resamples"]),
        "seed": int(recipe.seed or 0),
        "significance": float(settings["significance"]),
        "min_statistic": float(settings["min_statistic"] or 0.0),
        "min_cases": limits.cases_in_leaf(n_cases),
        "min_share": float(settings["min_child_fraction"]),
        "n_tries": int(settings["n_tries"]),
        "max_exhaustive": recipe.max_exhaustive_levels,
        "n_surrogates": recipe.n_surrogates if recipe.keeps_surrogates else 0,
        "max_depth": _NO_LIMIT if limits.max_depth is None else min(int(limits.max_depth), _NO_LIMIT),
        "min_cases_split": _least_to_split(recipe, n_cases),
    }


def _least_to_split(recipe: Recipe, n_cases: float) -> float:
    """Return the number of cases that a node needs to be tested, whatever its children need."""
    return replace(recipe.limits, min_samples_leaf=1, min_samples_branch=1).cases_to_split(n_cases)


def _without_cuts(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return arrays of splits without the neighbours of cuts where no split is a cut."""
    if np.isnan(arrays["cut"]).all():
        del arrays["cut_below"], arrays["cut_above"]
    return arrays
