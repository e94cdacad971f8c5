"""Fitting a model again from its recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bough.ensembles.growing import grow_forest
from bough.errors import ParameterError
from bough.growing.draws import RowSampling
from bough.growing.recipe import Recipe
from bough.learners.c50 import fit_c50
from bough.learners.fitting import fit_tree
from bough.learners.reading import read_training


def regrow(
    recipe: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    objects: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Fit a recipe to rows; the rows of the original model give the same model again.

    Parameters
    ----------
    recipe
        A `bough.Recipe`, the recipe that a model records, or the model itself.
    X, y, sample_weight, exposure
        The arguments that were passed to `fit`.
    objects
        Objects that a recipe records only by name: functions, methods, splitters, tuning sets and strata.
    n_jobs
        Number of threads; None uses all cores. The model does not depend on it.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i, i % 3] for i in range(30)], ["a", "b"] * 15
    >>> tree = bough.CARTClassifier(max_depth=2).fit(X, y).tree_
    >>> bough.regrow(tree.recipe, X, y) == tree
    True

    """
    objects = {} if objects is None else objects
    if not isinstance(recipe, Recipe):
        recorded = getattr(recipe, "recipe", recipe)
        if not isinstance(recorded, Mapping) or "criterion" not in recorded:
            raise ParameterError.of("recipe", recipe, "a Recipe, the recipe of a model, or a model")
        recipe = Recipe.from_json(recorded, objects)
    training = read_training(recipe, X, y, sample_weight, exposure=exposure, learner="regrow")
    if recipe.ensemble is None:
        return fit_tree(recipe, training, n_jobs=n_jobs).tree
    if recipe.ensemble.kind == "boosting":
        return fit_c50(recipe, training, n_jobs=n_jobs).learned.model
    if recipe.ensemble.kind == "forest":
        return _regrown_forest(recipe, training, n_jobs)
    raise ParameterError("regrow does not support bagging; fit the bagging learner again.")


def _regrown_forest(recipe: Recipe, training: Any, n_jobs: int | None) -> Any:
    ensemble = recipe.ensemble
    assert ensemble is not None
    assert recipe.seed is not None
    rows = ensemble.rows
    if rows.stratum is not None:
        rows = RowSampling(rows.draw, rows.size, rows.stratum[training.rows])
    again, seed = replace(recipe, ensemble=replace(ensemble, rows=rows)), recipe.seed
    return grow_forest(training, again, seed=seed, n_trees=ensemble.n_estimators, n_jobs=n_jobs)
