"""Settings of gradient boosting that are chosen by the table, if the number of rounds is left open.

Small tables are boosted slowly, by small trees on samples of rows and columns, and without each of some
folds; the model is the mean of these sums of trees, each of which ends at the lowest loss on its fold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bough.ensembles.boosting_rows import BoostingRows
from bough.growing.recipe import Recipe

_LEAST_ROWS, _FEW_ROWS, MOST_ROWS = 100, 3000, 20_000
_LEAST_OF_CLASS = 10

_OF_ALL: dict[str, Any] = {
    "linear_leaves": False,
    "max_iter": 1000,
    "min_samples_leaf": 5,
    "l2_regularization": 1.0,
    "max_samples": 0.7,
    "max_features": 0.3,
}
# Leaves of numbers gain by linear models, and these by rows and columns; leaves of classes overfit.
_OF_NUMBERS: dict[str, Any] = {
    "linear_leaves": True,
    "l2_regularization": 3.0,
    "max_samples": 0.85,
    "max_features": 0.45,
}
_OF_FEW: dict[str, Any] = _OF_ALL | {"learning_rate": 0.07, "max_leaf_nodes": 6}
_OF_MORE: dict[str, Any] = _OF_ALL | {"learning_rate": 0.1, "max_leaf_nodes": 16}
_STOPPING: dict[str, Any] = {"tol": 1e-7, "fold_mean": True}
_FOLDS_OF_FEW = {"cv": 5, "n_iter_no_change": 20}
_FOLDS_OF_MORE = {"cv": 3, "n_iter_no_change": 15}
_IN_LIMITS = ("max_leaf_nodes", "min_samples_leaf")


def chosen_by_table(recipe: Recipe, rows: BoostingRows) -> Recipe:
    """Return the recipe with the settings that are left open chosen by the rows.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = GradientBoostingRegressor(max_leaf_nodes=4).recipe()
    >>> training = read_training(recipe, [[i] for i in range(200)], [float(i) for i in range(200)])
    >>> chosen = chosen_by_table(recipe, BoostingRows.of(training))
    >>> chosen.settings["learning_rate"], chosen.limits.max_leaf_nodes, chosen.settings["cv"]
    (0.07, 4, 5)
    """
    left_open, usual = recipe.settings.get("auto", []), with_usual_settings(recipe)
    if not left_open or not _can_fold(rows):
        return usual
    few = rows.table.n_rows <= _FEW_ROWS
    chosen = dict(_OF_FEW if few else _OF_MORE)
    if not rows.n_classes:
        chosen |= _OF_NUMBERS
    values = {name: chosen[name] for name in left_open}
    if values.pop("linear_leaves", False) and any(column.scale == "numeric" for column in rows.table.schema):
        values |= {"linear_leaves": True, "ridge": recipe.settings["ridge"]}
    limits = {name: values.pop(name) for name in _IN_LIMITS if name in values}
    assert recipe.ensemble is not None
    ensemble = replace(recipe.ensemble, n_estimators=values.pop("max_iter"))
    return replace(
        recipe,
        ensemble=ensemble,
        limits=replace(recipe.limits, **limits),
        settings=dict(usual.settings) | values | _STOPPING | (_FOLDS_OF_FEW if few else _FOLDS_OF_MORE),
    )


def with_usual_settings(recipe: Recipe) -> Recipe:
    """Return the recipe without a choice by the table, so that what is left open has its usual value.

    >>> from bough import GradientBoostingRegressor
    >>> recipe = GradientBoostingRegressor().recipe()
    >>> sorted(set(recipe.settings) - set(with_usual_settings(recipe).settings))
    ['auto', 'ridge']
    """
    left_out = ("auto",) if recipe.settings.get("linear_leaves") else ("auto", "ridge")
    if not set(left_out) & set(recipe.settings):
        return recipe
    return replace(recipe, settings={k: v for k, v in recipe.settings.items() if k not in left_out})


def _can_fold(rows: BoostingRows) -> bool:
    """Whether the rows are few enough for folds, and each fold has rows of every class."""
    if not _LEAST_ROWS <= rows.table.n_rows <= MOST_ROWS or rows.targets or rows.groups is not None:
        return False
    if not rows.n_classes:
        return bool(np.ptp(rows.values) > 0)
    return bool(np.bincount(rows.values, minlength=rows.n_classes).min() >= _LEAST_OF_CLASS)
