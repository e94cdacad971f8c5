"""Fitting a model again from its recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bough.data.readers import divided
from bough.data.row_key import without_column
from bough.data.target import ClassTarget, classes_of
from bough.data.training import GivenRows, Training
from bough.ensembles.bagging import committee_of, rows_recipe
from bough.ensembles.binned_forest import seeded
from bough.ensembles.boosting import fit_boosting
from bough.ensembles.groves import fit_groves
from bough.ensembles.growing import grow_forest
from bough.ensembles.isle import PROGRAM as ISLE
from bough.ensembles.isle import fitted_isle
from bough.ensembles.isolation import grown_isolation_trees
from bough.ensembles.postprocessing import postprocessed
from bough.ensembles.prepared import prediction_settings
from bough.ensembles.regressor import bias_line
from bough.ensembles.reweighting import ALGORITHMS, Reweighting, fit_reweighted
from bough.ensembles.rule_ensemble import PROGRAM as RULE_ENSEMBLE
from bough.ensembles.rule_ensemble import fit_rule_ensemble
from bough.ensembles.transform_regression import fit_transform_regression
from bough.ensembles.unsupervised import with_synthetic_rows
from bough.errors import ParameterError
from bough.growing.draws import HashedRows, RowSampling
from bough.growing.recipe import Recipe
from bough.growing.recipe_json import scales_from_json
from bough.learners.c50 import fit_c50
from bough.learners.fitting import fit_tree
from bough.learners.model_tree import PROGRAM as MODEL_TREE
from bough.learners.model_tree import fit_model_tree
from bough.learners.reading import read_rows
from bough.learners.rule_fitting import LINEAR_PROGRAMS, PROGRAMS, fit_linear_rules, fit_rules
from bough.models.committee import some_columns
from bough.types import Floats


def regrow(
    recipe: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    groups: Any = None,
    objects: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Fit a recipe to rows; the rows of the original model give the same model again.

    Parameters
    ----------
    recipe
        A `bough.Recipe`, the recipe that a model records, or the model itself.
    X, y, sample_weight, exposure, groups
        The arguments that were passed to `fit`. A forest without a target ignores y.
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
    given = GivenRows(X, y, sample_weight, exposure, groups)
    rows = _Rows(given, {} if objects is None else objects, n_jobs)
    if not isinstance(recipe, Recipe):
        recorded = getattr(recipe, "recipe", recipe)
        if isinstance(recorded, Mapping):
            for name, regrown in _OF_SEVERAL_MODELS.items():
                if name in recorded:
                    return regrown(recorded, rows)
        if not isinstance(recorded, Mapping) or "criterion" not in recorded:
            raise ParameterError.of("recipe", recipe, "a Recipe, the recipe of a model, or a model")
        recipe = Recipe.from_json(recorded, rows.objects)
    _check_fitted(recipe)
    kind = None if recipe.ensemble is None else recipe.ensemble.kind
    if kind == "isolation_forest":
        return grown_isolation_trees(recipe, recipe.scales.read(X), n_jobs)
    fit = _FIT_OF_PROGRAM.get(recipe.settings.get("program", "")) or _FIT_OF_KIND.get(kind, _regrown_forest)
    return fit(recipe, _training(recipe, rows), n_jobs)


class _Rows(NamedTuple):
    """The rows that a recipe is fitted to, and with what."""

    given: GivenRows
    objects: Mapping[str, Any]
    n_jobs: int | None


def _training(recipe: Recipe, rows: _Rows) -> Training:
    """Read the rows as the recipe says."""
    X, row_key, row_keys = rows.given.X, _row_key(recipe), None
    if row_key is not None:
        X, row_keys = divided(X, row_key, "row_key")
    elif "row_key" in recipe.settings:
        X = without_column(X, recipe.settings["row_key"])
    training = read_rows(recipe, rows.given._replace(X=X), learner="regrow", several=True)
    if row_keys is None:
        return training
    return replace(training, row_keys=np.asarray(row_keys)[training.rows])


def _check_fitted(recipe: Recipe) -> None:
    """Raise if the recipe is that of a forest before fit, which lacks the seed or the number of trees."""
    without_trees = recipe.ensemble is None and recipe.nominal in ("ordered", "randomforest")
    isolation = recipe.ensemble is not None and recipe.ensemble.kind == "isolation_forest"
    if without_trees or (isolation and recipe.seed is None):
        raise ParameterError(
            "recipe is that of a forest that is not fitted, which lacks its seed and its samples; fit the "
            "estimator and regrow its model."
        )


def _row_key(recipe: Recipe) -> str | None:
    """Return the column by whose hash rows are divided into folds or drawn, None if there is none."""
    key = getattr(recipe.pruning, "row_key", None)
    rows = None if recipe.ensemble is None else recipe.ensemble.rows
    return rows.row_key if isinstance(rows, HashedRows) else key


def _regrown_forest(recipe: Recipe, training: Any, n_jobs: int | None) -> Any:
    ensemble = recipe.ensemble
    assert ensemble is not None
    assert recipe.seed is not None
    rows = ensemble.rows
    if rows.stratum is not None:
        rows = RowSampling(rows.draw, rows.size, rows.stratum[training.rows])
    seed = recipe.seed
    again = seeded(replace(recipe, ensemble=replace(ensemble, rows=rows)), seed, training)
    rows = again.ensemble.rows if again.ensemble is not None else rows
    grown = grow_forest(training, again, seed=seed, n_trees=ensemble.n_estimators, n_jobs=n_jobs)
    forest = replace(grown, **prediction_settings(again))
    if again.settings.get("bias_correction"):
        tallied = forest.tally(training.table, n_jobs, sample=rows.native(), seed=seed)
        forest = replace(forest, correction=tuple(bias_line(tallied, training.target).tolist()))
    return forest


def _regrown_postprocessed(recipe: Mapping[str, Any], rows: _Rows) -> Any:
    """Regrow a model and weight its trees again."""
    X, y, sample_weight, n_jobs = rows.given.X, rows.given.y, rows.given.sample_weight, rows.n_jobs
    model = regrow(
        recipe["of"], X, y, sample_weight, groups=rows.given.groups, objects=rows.objects, n_jobs=n_jobs
    )
    return postprocessed(model, X, y, sample_weight, dict(recipe["postprocess"]), n_jobs)


def _regrown_against_synthetic(recipe: Mapping[str, Any], rows: _Rows) -> Any:
    """Regrow a forest that separates the rows from synthetic ones."""
    table = scales_from_json(recipe.get("scales", {})).read(rows.given.X)
    both, labels, _ = with_synthetic_rows(table, recipe["synthetic_seed"])
    inner = {name: part for name, part in recipe.items() if name not in ("synthetic_seed", "scales")}
    return replace(regrow(inner, both, labels, n_jobs=rows.n_jobs), recipe=dict(recipe))


def _regrown_committee(recipe: Mapping[str, Any], rows: _Rows) -> Any:
    """Regrow each member on the rows and columns that it had."""
    read_by = rows_recipe(recipe["task"], scales_from_json(recipe["scales"]))
    read_by = replace(read_by, response=recipe.get("response", read_by.response))
    training = read_rows(read_by, rows.given._replace(exposure=None), learner="regrow")
    given: dict[str, Any] = {"objects": rows.objects, "n_jobs": rows.n_jobs}
    table, target, weight = training.table, training.target, training.weights.weight
    if recipe["ensemble"]["kind"] in ALGORITHMS:

        def fit(number: int, target: Any, weight: Floats) -> Any:
            return regrow(recipe["members"][number], table, target, weight, **given)

        numbers = np.random.RandomState(recipe["seed"])
        n_rounds = recipe["ensemble"]["n_estimators"]
        job = Reweighting(training, recipe["settings"], n_rounds, numbers, fit)
        return fit_reweighted(recipe, job)[0]
    drawn, size = recipe["ensemble"]["rows"], tuple(recipe["ensemble"]["rows"]["size"])
    # Sizes by stratum are those of the classes.
    stratum = target.codes if isinstance(target, ClassTarget) and drawn.get("strata") else None
    sampling = RowSampling(drawn["draw"], size, stratum)
    columns = tuple(map(tuple, recipe["columns"]))
    draws = sampling.draws(table.n_rows, recipe["seed"], len(columns)).T.astype(np.float64)
    if weight is not None:
        draws = draws * weight
    members = [
        regrow(member, some_columns(table, own), target, weight, **given)
        for member, own, weight in zip(recipe["members"], columns, draws, strict=True)
    ]
    committee = committee_of(
        members,
        table.schema,
        classes_of(target),
        columns,
        voting=recipe["voting"],
        target_name=training.target_name,
    )
    return replace(committee, recipe=dict(recipe))


_OF_SEVERAL_MODELS: dict[str, Callable[[Mapping[str, Any], _Rows], Any]] = {
    "members": _regrown_committee,
    "synthetic_seed": _regrown_against_synthetic,
    "postprocess": _regrown_postprocessed,
}
"""How recipes that hold the recipes of other models are regrown, by an entry that only they have."""

_Fit = Callable[[Recipe, Training, int | None], Any]

_FIT_OF_PROGRAM: dict[str, _Fit] = {
    **dict.fromkeys(LINEAR_PROGRAMS, lambda recipe, rows, _: fit_linear_rules(recipe, rows)),
    **dict.fromkeys(PROGRAMS, lambda recipe, rows, n_jobs: fit_rules(recipe, rows, n_jobs=n_jobs)),
    RULE_ENSEMBLE: lambda recipe, rows, n_jobs: fit_rule_ensemble(recipe, rows, n_jobs=n_jobs),
    ISLE: lambda recipe, rows, n_jobs: fitted_isle(recipe, rows, n_jobs=n_jobs)[0],
    MODEL_TREE: lambda recipe, rows, n_jobs: fit_model_tree(recipe, rows, n_jobs=n_jobs),
}
"""How the recipe of a program is fitted, by the name that the recipe records."""

_FIT_OF_KIND: dict[str | None, _Fit] = {
    None: lambda recipe, rows, n_jobs: fit_tree(recipe, rows, n_jobs=n_jobs).tree,
    "boosting": lambda recipe, rows, n_jobs: fit_c50(recipe, rows, n_jobs=n_jobs).learned.model,
    "gradient_boosting": lambda recipe, rows, n_jobs: fit_boosting(recipe, rows, n_jobs=n_jobs).model,
    "additive_groves": lambda recipe, rows, n_jobs: fit_groves(recipe, rows, n_jobs=n_jobs).model,
    "transform_regression": lambda recipe, rows, n_jobs: (
        fit_transform_regression(recipe, rows, n_jobs=n_jobs).model
    ),
}
"""How other recipes are fitted, by the kind of the ensemble, None for a tree; forests have several kinds."""
