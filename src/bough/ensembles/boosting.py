"""Gradient boosting by a recipe: bins, rows held out for validation, and the native rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.bins import Bins
from bough.data.ranking import Groups, check_ranking, gains_of
from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.ensembles.gbm import boost_like_gbm
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
    time: Floats | None = None
    groups: Groups | None = None


class BoostingFit(NamedTuple):
    """A boosted model, and the losses after each round, including the rounds that were dropped.

    The validation loss is empty without rows to validate on, and the training loss unless gbm reports it.
    """

    model: GradientBoosted
    validation_loss: Floats
    training_loss: Floats


@dataclass(frozen=True, eq=False)
class BoostingRows:
    """The rows that boosting reads: those to train on, and those that are held out to validate on.

    `values` are codes of classes, numbers, whether the event of a time happened, or gains of grades.
    """

    table: Table
    values: npt.NDArray[Any]
    weight: Floats | None
    time: Floats | None
    held_out: npt.NDArray[np.bool_] | None = None
    groups: Groups | None = None

    @classmethod
    def of(cls, training: Training) -> Self:
        """Return training rows; none is held out.

        >>> from bough.data.target import read_weights
        >>> y = np.array([5.0, 7.0])
        >>> training = Training(Table.read([[1.0], [2.0]]), y, read_weights(None, 2), np.arange(2), 2)
        >>> BoostingRows.of(training).values
        array([5., 7.])
        """
        target = training.target
        values = target.codes if isinstance(target, ClassTarget) else np.asarray(target)
        weight = training.weights.weight
        return cls(training.table, values, weight, training.exposure, groups=training.groups)

    def with_validation(self, validation: ValidationRows) -> BoostingRows:
        """Return the rows with the validation rows behind them, which are held out.

        >>> rows = BoostingRows(Table.read([[1.0]]), np.array([5.0]), None, None)
        >>> rows.with_validation(ValidationRows(Table.read([[2.0]]), np.array([7.0]))).held_out
        array([False,  True])
        """
        own, other = self.table, validation.table
        columns = tuple(
            np.concatenate([ours, theirs.astype(ours.dtype)])
            for ours, theirs in zip(own.columns, other.columns, strict=True)
        )
        table = Table(own.schema, columns, own.n_rows + other.n_rows)
        weight, time = self.weight, self.time
        if weight is not None or validation.weight is not None:
            weights = (weight, own.n_rows), (validation.weight, other.n_rows)
            weight = np.concatenate([np.ones(n) if each is None else each for each, n in weights])
        if time is not None and validation.time is not None:
            time = np.concatenate([time, validation.time])
        values = np.concatenate([self.values, validation.target.astype(self.values.dtype)])
        groups = self.groups
        if groups is not None and validation.groups is not None:
            groups = np.concatenate([groups, validation.groups + groups.max() + 1])
        return BoostingRows(table, values, weight, time, np.arange(table.n_rows) >= own.n_rows, groups)


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
    loss, target = recipe.settings["loss"], training.target
    if isinstance(target, SeveralTargets):
        raise TargetError("Boosting predicts one target, but y has several columns. Boost each by itself.")
    check_target(target, loss)
    if training.groups is not None:
        check_ranking(np.asarray(target), training.groups)
    classes = target.classes if isinstance(target, ClassTarget) else ()
    _check_constraints(recipe, len(classes))
    try:
        if recipe.arithmetic == "gbm":
            result = boost_like_gbm(recipe, training, n_jobs=n_jobs)
        else:
            result = _boost_on_bins(recipe, training, validation, n_jobs)
    except OverflowError as error:
        raise ParameterError(
            f"Boosting left the range of float64: {error}. Choose a learning_rate below "
            f"{recipe.settings['learning_rate']:g}, or scale y."
        ) from None
    model = GradientBoosted(
        schema=training.table.schema,
        task=recipe.task,
        classes=classes,
        target_name=training.target_name,
        link=link_of(loss, len(classes)),
        start=result["start"],
        arrays=result["trees"],
    )
    if validation is not None:
        # Without the validation rows, as many rounds give the same trees.
        recipe = _with_rounds(recipe, model.n_rounds)
    none = np.empty(0)
    return BoostingFit(
        replace(model, recipe=recipe.to_json()),
        result.get("validation_loss", none),
        result.get("training_loss", none),
    )


def _check_constraints(recipe: Recipe, n_classes: int) -> None:
    if recipe.monotonic_cst and n_classes > 2:
        raise ParameterError(
            f"monotonic_cst is given, but y has {n_classes} classes. Monotonicity constraints are not "
            "supported with multiclass classification: pass two classes or numbers."
        )


def _boost_on_bins(
    recipe: Recipe, training: Training, validation: ValidationRows | None, n_jobs: int | None
) -> dict[str, Any]:
    """Boost trees that are grown from histograms; return start, trees and the loss on validation rows."""
    target, table = training.target, training.table
    assert not isinstance(target, SeveralTargets)
    assert recipe.max_bins is not None
    classes = target.classes if isinstance(target, ClassTarget) else ()
    rows = BoostingRows.of(training)
    if validation is not None:
        rows = rows.with_validation(validation)
    else:
        rows = replace(rows, held_out=_held_out(recipe, target, table.n_rows, training.groups))
    if rows.groups is not None:
        rows = replace(rows, values=gains_of(rows.values, recipe.settings["gain"]))
    trained = None if rows.held_out is None else ~rows.held_out
    bins = Bins.of(
        rows.table, recipe.max_bins, _cases(training, rows.table.n_rows), rows=trained, n_jobs=n_jobs
    )
    return _core.boost(
        rows.table.native(),
        rows.table.n_rows,
        len(classes),
        {
            "label": rows.values if classes else None,
            "y": None if classes else rows.values,
            "weight": rows.weight,
            "time": rows.time,
            "group": rows.groups,
            "validation": None if rows.held_out is None else rows.held_out.astype(np.uint8),
        },
        _native_settings(recipe, rows.table),
        bins.native,
        n_threads(n_jobs),
        watcher(),
    )


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
        if loss == "exponential" and len(target.classes) > 2:
            raise TargetError(
                f"y has {len(target.classes)} classes, but loss='exponential' is about two. Choose "
                "'log_loss'."
            )
        return
    if loss == "cox" and not target.any():
        raise TargetError("No row has an event; loss='cox' needs one whose status is 1.")
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


def _held_out(
    recipe: Recipe, target: ClassTarget | Floats, table_rows: int, ranked: Groups | None = None
) -> npt.NDArray[np.bool_] | None:
    """Return which rows are held out to validate on, of each class or whole groups; None if none is."""
    share = recipe.settings.get("validation_fraction")
    if share is None:
        return None
    if ranked is not None:
        ids, codes = np.unique(ranked, return_inverse=True)
        of_groups = _held_out(recipe, np.zeros(len(ids)), len(ids))
        return None if of_groups is None else of_groups[codes]
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
        "truncation": settings.get("truncation", 0),
        "position_weights": settings.get("position_weights", []),
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
