"""Boosting as R's gbm does it: exact thresholds, splits by the gradient alone, and missing values apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.target import ClassTarget, classes_of
from bough.data.training import Training
from bough.ensembles.boosting_target import check_events
from bough.errors import TargetError
from bough.growing.draws import read_seed
from bough.growing.monotonic import directions_by_name
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.progress import watcher
from bough.types import is_whole


def boost_like_gbm(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> dict[str, Any]:
    """Return the start, the arrays of the trees and the training loss after each round.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = GradientBoostingRegressor.like_gbm(n_trees=2, n_minobsinnode=1, bag_fraction=1).recipe()
    >>> training = read_training(recipe, [[1.0], [2.0]], [1.0, 2.0])
    >>> boost_like_gbm(recipe, training)["training_loss"]
    array([0.2025  , 0.164025])
    """
    if training.exposure is not None:
        # Risk sets are sums over the rows before, so that times must fall.
        training = training.take(np.argsort(-training.exposure, kind="stable"))
    elif isinstance(training.target, ClassTarget) and _grows_tree_by_class(recipe, training.target):
        training = training.take(_first_of_each_class_first(training.target))
    table, target, weight = training.table, training.target, training.weights.weight
    n, settings = table.n_rows, recipe.settings
    weights = np.ones(n) if weight is None else weight * n / math.fsum(weight)
    classes = classes_of(target)
    y = target.codes if isinstance(target, ClassTarget) else target
    if len(classes) > 2 and settings["loss"] not in ("log_loss", "multinomial"):
        raise TargetError(
            f"y has {len(classes)} classes, but loss={settings['loss']!r} is about two. Choose 'multinomial'."
        )
    check_events(np.asarray(y) * weights, settings["loss"])
    limits, directions = recipe.limits, directions_by_name(recipe.monotonic_cst, table.schema)
    assert recipe.ensemble is not None
    assert limits.max_leaf_nodes is not None
    return _core.boost_gbm(
        table.native(),
        n,
        len(classes),
        np.asarray(y, dtype=np.float64),
        weights,
        {
            "loss": settings["loss"],
            "quantile": settings.get("quantile", 0.5),
            "degrees": settings.get("degrees", 4.0),
            "n_rounds": recipe.ensemble.n_estimators,
            "learning_rate": settings["learning_rate"],
            "row_share": settings["max_samples"],
            "seed": recipe.seed or 0,
            "n_splits": int(limits.max_leaf_nodes) - 1,
            "min_cases": max(1, math.ceil(limits.cases_in_leaf(float(n)))),
            "monotonic": [directions.get(name, 0) for name in table.schema.names] if directions else [],
        },
        n_threads(n_jobs),
        watcher(),
    )


def seed_of_r(random_state: Any) -> int:
    """Return the seed of R's generator: a whole number as `set.seed` takes it, or one that is drawn.

    >>> seed_of_r(5)
    5
    """
    drawn = read_seed(random_state)
    return int(random_state) if is_whole(random_state) else drawn


def _grows_tree_by_class(recipe: Recipe, target: ClassTarget) -> bool:
    return recipe.settings["loss"] == "multinomial" or len(target.classes) > 2


def _first_of_each_class_first(target: ClassTarget) -> npt.NDArray[np.intp]:
    """Return gbm's order of rows: the first row of each class, then all others.

    Sums are rounded in the order of the rows, and this decides between columns that separate the same rows.

    >>> _first_of_each_class_first(ClassTarget(("a", "b"), np.array([1, 1, 0, 0], np.int32)))
    array([2, 0, 1, 3])
    """
    _, first = np.unique(target.codes, return_index=True)
    return np.concatenate([first, np.setdiff1d(np.arange(len(target.codes)), first)])
