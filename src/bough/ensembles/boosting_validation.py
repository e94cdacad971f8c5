"""Rows that are given to `fit` to decide when boosting stops: how they are read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.ranking import check_orders, gains_of, read_groups
from bough.data.several_targets import SeveralTargets, read_several
from bough.data.survival import read_survival
from bough.data.table import Table
from bough.data.target import ClassTarget, read_classes, read_numbers, read_weights
from bough.data.training import GivenRows, Training
from bough.ensembles.boosting_rows import ValidationRows
from bough.ensembles.boosting_target import check_events, check_range
from bough.errors import ParameterError, SchemaError, TableError, TargetError, WeightError
from bough.growing.recipe import Recipe
from bough.learners.conventions import check_lengths
from bough.types import Floats


def read_validation(recipe: Recipe, training: Training, given: GivenRows) -> ValidationRows | None:
    """Read the validation rows of a fit, which are checked as training rows are; None without X_val.

    >>> from bough import GradientBoostingRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = GradientBoostingRegressor(loss="poisson").recipe()
    >>> training = read_training(recipe, [[1.0], [2.0]], [1.0, 2.0])
    >>> read_validation(recipe, training, GivenRows([[3.0]], [2.0])).target
    array([2.])
    >>> read_validation(recipe, training, GivenRows([[3.0]], [-2.0]))
    Traceback (most recent call last):
    bough.errors.TargetError: Validation rows: y is -2.0 in row 0, but loss='poisson' needs numbers of at
    least 0. Leave such rows out, or choose another loss.
    """
    if given.X is None:
        for name in ("y", "sample_weight", "groups"):
            if getattr(given, name) is not None:
                raise ParameterError(f"{name}_val is given without X_val. Give X_val and y_val, or neither.")
        return None
    if given.y is None:
        raise ParameterError("X_val is given without y_val. Give X_val and y_val, or neither.")
    try:
        table = Table.fit_to(given.X, training.table.schema)
        target, time = _read_target(training, given.y)
        check_lengths(table, len(target))
        weight = read_weights(given.sample_weight, table.n_rows).weight
        counted = slice(None) if weight is None else weight > 0
        groups = None
        if training.groups is not None:
            groups = read_groups(given.groups, table.n_rows, "groups_val")
            check_orders(target[counted], groups[counted])
            target = gains_of(target, recipe.settings["gain"])
        elif not isinstance(training.target, ClassTarget):
            check_range(target[counted], recipe.settings["loss"])
            if recipe.settings["loss"] == "cox":
                check_events(target[counted], "cox")
    except (TableError, SchemaError, TargetError, WeightError, ParameterError) as error:
        words = str(error).replace("Tree is expecting", "the learner is expecting")
        raise type(error)(f"Validation rows: {words}") from None
    return ValidationRows(table, target, weight, time, groups)


def _read_target(training: Training, y_val: Any) -> tuple[npt.NDArray[Any], Floats | None]:
    """Return y as codes of the training classes, numbers or statuses; and the times of statuses."""
    if isinstance(training.target, ClassTarget):
        given = read_classes(y_val)
        unknown = [label for label in given.classes if label not in training.target.classes]
        if unknown:
            raise TargetError(f"y_val has the class {unknown[0]!r}, which y does not have.")
        order = np.array([training.target.classes.index(label) for label in given.classes], np.int32)
        return order[given.codes], None
    if isinstance(training.target, SeveralTargets):
        values, n_targets = read_several(y_val, "regression").values, len(training.target.targets)
        if values.shape[1] != n_targets:
            raise TargetError(f"y_val has {values.shape[1]} columns; y has {n_targets}.")
        return values, None
    if training.exposure is not None:
        time, status = read_survival(y_val)
        return status, time
    return read_numbers(y_val), None
