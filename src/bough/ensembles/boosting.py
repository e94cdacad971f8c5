"""Gradient boosting by a recipe: bins, rows held out for validation, and the native rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.bins import Bins
from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.errors import ParameterError, TargetError
from bough.growing.monotonic import directions_by_name
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.learners.reading import resolved
from bough.models.gradient_boosted import GradientBoosted, link_of
from bough.progress import watcher
from bough.types import Floats

_NO_LIMIT = 2**31 - 1
_LEAST_TO_HOLD_OUT = 2


@dataclass(frozen=True, eq=False)
class ValidationRows:
    """Rows that are not trained on and decide when boosting stops: a table, its target and its weights."""

    table: Table
    target: npt.NDArray[Any]
    weight: Floats | None = None


class BoostingFit(NamedTuple):
    """A boosted model and the validation loss after each round, including the rounds that were dropped."""

    model: GradientBoosted
    validation_loss: Floats


def fit_boosting(
    recipe: Recipe, training: Training, validation: ValidationRows | None = None, *, n_jobs: int | None = None
) -> BoostingFit:
    """Fit a boosted sum of trees to training rows by a recipe.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = GradientBoostingRegressor(max_iter=3, min_samples_leaf=1).recipe()
    >>> training = read_training(recipe, [[1.0], [2.0]], [1.0, 2.0])
    >>> fit_boosting(recipe, training).model
    GradientBoosted(3 trees)
    """
    recipe = _resolved(recipe, training)
    settings = recipe.settings
    target, weight = training.target, training.weights.weight
    if isinstance(target, SeveralTargets):
        raise TargetError("Boosting predicts one target, but y has several columns. Boost each by itself.")
    check_target(target, settings["loss"])
    values = target.codes if isinstance(target, ClassTarget) else target
    table, held_out = training.table, _held_out(recipe, target, table_rows=training.table.n_rows)
    if validation is not None:
        table, values, weight, held_out = _appended(training, values, validation)
    classes = target.classes if isinstance(target, ClassTarget) else ()
    if recipe.monotonic_cst and len(classes) > 2:
        raise ParameterError(
            f"monotonic_cst is given, but y has {len(classes)} classes. Monotonicity constraints are not "
            "supported with multiclass classification: pass two classes or numbers."
        )
    rows = None if held_out is None else ~held_out
    assert recipe.max_bins is not None
    bins = Bins.of(table, recipe.max_bins, _cases(training, table.n_rows), rows=rows, n_jobs=n_jobs)
    try:
        result = _core.boost(
            table.native(),
            table.n_rows,
            len(classes),
            {
                "label": values if classes else None,
                "y": None if classes else values,
                "weight": weight,
                "validation": None if held_out is None else held_out.astype(np.uint8),
            },
            _native_settings(recipe, table),
            bins.native,
            n_threads(n_jobs),
            watcher(),
        )
    except ValueError as error:
        raise ParameterError(
            f"Boosting cannot go on: {error}. Check learning_rate ({settings['learning_rate']:g}), "
            "max_samples and the range of y."
        ) from None
    model = GradientBoosted(
        schema=training.table.schema,
        task=recipe.task,
        classes=classes,
        target_name=training.target_name,
        link=link_of(settings["loss"], len(classes)),
        start=result["start"],
        arrays=result["trees"],
    )
    if validation is not None:
        # Without the validation rows, as many rounds give the same trees.
        recipe = _with_rounds(recipe, model.n_rounds)
    return BoostingFit(replace(model, recipe=recipe.to_json()), result["validation_loss"])


def check_target(target: ClassTarget | Floats, loss: str) -> None:
    """Raise if the target has one class only, or numbers that the loss does not allow.

    >>> check_target(np.array([1.0, -2.0]), "poisson")
    Traceback (most recent call last):
    bough.errors.TargetError: y is -2.0 in row 1, but loss='poisson' needs numbers of at least 0. Leave such
    rows out, or choose another loss.
    """
    if isinstance(target, ClassTarget):
        if len(target.classes) < 2:
            raise TargetError(
                f"y has one class only, {target.classes[0]!r}; boosting needs rows of two classes or more."
            )
        return
    if loss not in ("poisson", "gamma", "tweedie"):
        return
    wrong = target <= 0 if loss == "gamma" else target < 0
    if wrong.any():
        row, wanted = int(np.argmax(wrong)), "above 0" if loss == "gamma" else "of at least 0"
        raise TargetError(
            f"y is {float(target[row])!r} in row {row}, but loss={loss!r} needs numbers {wanted}. Leave such "
            "rows out, or choose another loss."
        )
    if not target.any():
        raise TargetError(f"y is 0 in every row; loss={loss!r} needs a positive number.")


def _resolved(recipe: Recipe, training: Training) -> Recipe:
    """Return the recipe with columns by name."""
    schema, settings = training.table.schema, dict(recipe.settings)
    groups = settings.get("interaction_cst")
    if groups is not None:
        settings["interaction_cst"] = [
            [schema.names[position] for position in _positions(group, schema.names)] for group in groups
        ]
    return replace(resolved(recipe, training), settings=settings)


def _positions(group: Any, names: tuple[str, ...]) -> list[int]:
    positions = []
    for column in group:
        if isinstance(column, str) and column in names:
            positions.append(names.index(column))
        elif (
            isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < len(names)
        ):
            positions.append(int(column))
        else:
            known = ", ".join(map(repr, names))
            raise ParameterError(f"interaction_cst names {column!r}, but the columns are {known}.")
    return positions


def _held_out(recipe: Recipe, target: ClassTarget | Floats, table_rows: int) -> npt.NDArray[np.bool_] | None:
    """Return which rows are held out to validate on, a share of each class; None if none is."""
    share = recipe.settings.get("validation_fraction")
    if share is None:
        return None
    numbers = np.random.default_rng(recipe.seed)
    held_out = np.zeros(table_rows, dtype=np.bool_)
    groups = target.codes if isinstance(target, ClassTarget) else np.zeros(table_rows, dtype=np.int32)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        if len(rows) >= _LEAST_TO_HOLD_OUT:
            many = min(max(1, round(share * len(rows))), len(rows) - 1)
            held_out[numbers.permutation(rows)[:many]] = True
    if not held_out.any():
        raise ParameterError.of("validation_fraction", share, "None for so few rows")
    return held_out


def _appended(
    training: Training, values: npt.NDArray[Any], validation: ValidationRows
) -> tuple[Table, npt.NDArray[Any], Floats | None, npt.NDArray[np.bool_]]:
    """Return the training rows with the validation rows behind them, and which rows are the latter."""
    own, other = training.table, validation.table
    columns = tuple(
        np.concatenate([ours, theirs.astype(ours.dtype)])
        for ours, theirs in zip(own.columns, other.columns, strict=True)
    )
    table = Table(own.schema, columns, own.n_rows + other.n_rows)
    held_out = np.arange(table.n_rows) >= own.n_rows
    weight = training.weights.weight
    if weight is not None or validation.weight is not None:
        weights = (weight, own.n_rows), (validation.weight, other.n_rows)
        weight = np.concatenate([np.ones(n) if each is None else each for each, n in weights])
    return table, np.concatenate([values, validation.target.astype(values.dtype)]), weight, held_out


def _cases(training: Training, n_rows: int) -> Floats | None:
    cases = training.weights.cases
    return None if cases is None else np.concatenate([cases, np.ones(n_rows - len(cases))])


def _with_rounds(recipe: Recipe, n_rounds: int) -> Recipe:
    assert recipe.ensemble is not None
    dropped = ("n_iter_no_change", "tol")
    settings = {name: value for name, value in recipe.settings.items() if name not in dropped}
    return replace(recipe, ensemble=replace(recipe.ensemble, n_estimators=n_rounds), settings=settings)


def _native_settings(recipe: Recipe, table: Table) -> dict[str, Any]:
    limits, settings = recipe.limits, recipe.settings
    assert recipe.ensemble is not None
    directions = directions_by_name(recipe.monotonic_cst, table.schema)
    names = table.schema.names
    groups = [_positions(group, names) for group in settings.get("interaction_cst") or ()]
    if groups:
        rest = sorted(set(range(len(names))).difference(*groups))
        groups += [rest] if rest else []
    return {
        "loss": settings["loss"],
        "quantile": settings.get("quantile", 0.5),
        "power": settings.get("power", 1.5),
        "n_rounds": recipe.ensemble.n_estimators,
        "learning_rate": settings["learning_rate"],
        "row_share": settings.get("max_samples", 1.0),
        "columns_by_tree": settings.get("tree_features", 1.0),
        "columns_by_level": settings.get("level_features", 1.0),
        "columns_by_node": settings.get("max_features", 1.0),
        "seed": recipe.seed or 0,
        "patience": settings.get("n_iter_no_change", 0),
        "tolerance": settings.get("tol", 0.0),
        "max_depth": _NO_LIMIT if limits.max_depth is None else min(int(limits.max_depth), _NO_LIMIT),
        "max_leaves": min(int(limits.max_leaf_nodes or 0), _NO_LIMIT),
        "min_samples_leaf": float(limits.cases_in_leaf(float(table.n_rows))),
        "min_hessian": settings["min_hessian"],
        "min_gain": 0.0 if limits.min_gain is None else limits.min_gain,
        "l1": settings.get("l1_regularization", 0.0),
        "l2": settings.get("l2_regularization", 0.0),
        "max_step": settings.get("max_delta_step", 0.0),
        "level_smoothing": settings["level_smoothing"],
        "level_l2": settings["level_smoothing"],
        "monotonic": [directions.get(name, 0) for name in names] if directions else [],
        "interactions": groups,
        "order": "best_first" if settings["growth"] == "leaf" else "by_level",
    }
