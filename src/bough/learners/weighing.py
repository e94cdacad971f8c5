"""Weights of the rows in splits and nodes, computed from priors, losses, exposures and survival times."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from bough.data import target as targets
from bough.data.several_targets import SeveralTargets
from bough.data.survival import logrank_scores, rescaled_times
from bough.data.table import is_missing
from bough.data.target import ClassTarget, Weights, check_total
from bough.data.training import Training
from bough.errors import ParameterError
from bough.growing.class_costs import class_costs
from bough.growing.criterion import reads_losses
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.learners.user_method import CheckedMethod
from bough.types import Floats


def weighted(recipe: Recipe, training: Training) -> tuple[Training, WeightedTarget]:
    """Return the rows to grow on and their weighted target.

    If the recipe needs a value, rows whose values are all missing are left out: no split can route them.
    """
    if recipe.needs_a_value:
        # Leave such rows out first: they influence neither the scale of times nor the frequencies of classes,
        # which priors are divided by.
        training = with_values(training)
    target = _TARGETS[recipe.response or "own"](recipe, training)
    if recipe.count == "rows":
        target = replace(target, weights=replace(target.weights, cases=None))
    check_total(target.weights)
    return training, target


def _classes(recipe: Recipe, training: Training) -> WeightedTarget:
    target, weights = training.target, training.weights
    if isinstance(target, SeveralTargets):
        return WeightedTarget(target, weights)
    assert isinstance(target, ClassTarget)
    costs = class_costs(recipe.prior, recipe.loss_matrix, target, weights)
    if costs.split_scale is None:
        return WeightedTarget(target, weights)
    if not isinstance(recipe.criterion, str):
        raise ParameterError(
            "prior and loss_matrix need one of bough's own criteria; give class_weight instead."
        )
    # A criterion that reads losses needs the classes at their priors, not at altered ones.
    scale = costs.class_scale if reads_losses(recipe.criterion) else costs.split_scale
    split_weight = None if scale is None else scale[target.codes]
    if split_weight is not None and weights.weight is not None:
        split_weight = split_weight * weights.weight
    return WeightedTarget(
        target, weights, split_weight, class_scale=costs.class_scale, loss_matrix=costs.loss_matrix
    )


def _numbers(recipe: Recipe, training: Training) -> WeightedTarget:
    numbers, weights = training.target, training.weights
    if isinstance(numbers, SeveralTargets):
        return WeightedTarget(numbers, weights)
    assert isinstance(numbers, np.ndarray)
    if recipe.criterion != "poisson":
        return WeightedTarget(numbers, weights)
    return rates(numbers, training.exposure, weights, recipe.shrink)


def _times(recipe: Recipe, training: Training) -> WeightedTarget:
    events, time, weights = training.target, training.exposure, training.weights
    assert isinstance(events, np.ndarray)
    exposure = rescaled_times(time, events, weights.weight if recipe.count == "cases" else None)
    target = rates(events, exposure, weights, recipe.shrink)
    if recipe.settings.get("program") != "conditional":
        return target
    scores = logrank_scores(time, events, weights.weight if weights.whole else None)
    return replace(target, numbers=scores)


def _own(recipe: Recipe, training: Training) -> WeightedTarget:
    weights, target = training.weights, training.target
    weight = weights.each(training.table.n_rows)
    assert isinstance(target, np.ndarray)
    numbers = CheckedMethod(recipe.method).init(target, weight)
    first = numbers if numbers.ndim == 1 else np.ascontiguousarray(numbers[:, 0])
    return WeightedTarget(first, weights, numbers=numbers)


_TARGETS = {"classes": _classes, "numbers": _numbers, "times": _times, "own": _own}


def rates(events: Floats, exposure: Floats | None, weights: Weights, shrink: float) -> WeightedTarget:
    """Return the event rate of each row as a target whose split weight is the exposure (1 if None).

    `shrink` is the assumed coefficient of variation of the rates. The rate of a leaf is computed as if it had
    1 / shrink² more events at the overall rate: the posterior mean under a gamma prior.

    >>> from bough.data.target import read_weights
    >>> target = rates(np.array([3.0, 1.0]), np.array([2.0, 4.0]), read_weights(None, 2), 0.5)
    >>> target.target, target.split_weight, target.prior_events
    (array([1.5 , 0.25]), array([2., 4.]), 4.0)
    """
    prior_events = 1.0 / shrink**2 if shrink > 0 else 0.0
    if exposure is None:
        return WeightedTarget(events, weights, prior_events=prior_events)
    with np.errstate(over="ignore"):
        rate = events / exposure
        split_weight = exposure if weights.weight is None else exposure * weights.weight
    targets.check_rates(rate, split_weight, exposure)
    return WeightedTarget(rate, weights, split_weight=split_weight, prior_events=prior_events)


def with_values(training: Training) -> Training:
    """Leave out, with a warning, the rows whose values are all missing: no split can route them.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_weights
    >>> training = Training(Table.read([[1.0]]), np.ones(1), read_weights(None, 1), np.arange(1), 1)
    >>> with_values(training) is training
    True
    """
    empty = np.ones(training.table.n_rows, dtype=np.bool_)
    for values in training.table.columns:
        empty &= is_missing(values)
        if not empty.any():
            return training
    kept = np.flatnonzero(~empty)
    if len(kept) == 0:
        return training
    first = training.rows[np.argmax(empty)]
    warnings.warn(
        f"{int(empty.sum())} rows have no value in any column (the first is row {first}); "
        "they are left out because no split can route them.",
        UserWarning,
        stacklevel=5,
    )
    return training.take(kept)
