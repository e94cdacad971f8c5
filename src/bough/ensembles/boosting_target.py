"""What a loss and a recipe of boosting ask of y."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.data.ranking import Groups
from bough.data.target import ClassTarget
from bough.ensembles.boosting_rows import BoostingRows
from bough.ensembles.own_loss import name_of_loss
from bough.errors import ParameterError, TargetError
from bough.growing.recipe import Recipe
from bough.models.gradient_boosted import GradientBoosted, link_of
from bough.types import Floats

_OF_ONE_TARGET = ("linear_leaves", "l1_regularization", "path_smoothing", "max_delta_step", "top_samples",
                  "drop_rate", "max_features", "tree_features", "level_features",
                  "interaction_cst")  # fmt: skip


def check_several_boosted(recipe: Recipe) -> None:
    """Raise if the recipe has a part that is defined for one target only.

    >>> from bough import GradientBoostingRegressor
    >>> check_several_boosted(GradientBoostingRegressor(loss="huber").recipe())
    Traceback (most recent call last):
    bough.errors.ParameterError: loss is 'huber'; it must be 'squared_error' if y has several columns.
    """
    settings = recipe.settings
    if settings["loss"] != "squared_error":
        raise ParameterError.of("loss", settings["loss"], "'squared_error' if y has several columns")
    for name in _OF_ONE_TARGET:
        if name in settings:
            raise ParameterError(
                f"{name} is {settings[name]!r}, which is defined for one target; y has several columns. "
                f"Leave {name} out, or boost each column by itself."
            )


def check_end(recipe: Recipe, several: bool) -> None:
    """Raise if the recipe, or several targets, leave no place for a function that ends boosting.

    >>> from bough import GradientBoostingRegressor
    >>> check_end(GradientBoostingRegressor(early_stopping=True, cv=3).recipe(), several=False)
    Traceback (most recent call last):
    bough.errors.ParameterError: ends_after is given, but cv is 3, which chooses the number of rounds too.
    Leave out one of them.
    """
    if several:
        raise ParameterError(
            "ends_after is given, but y has several columns. Leave ends_after out, or boost each column by "
            "itself."
        )
    if recipe.arithmetic == "gbm":
        raise ParameterError.cannot("arithmetic", "gbm", "ends_after", ("bough",))
    for name in ("cv", "validation_fraction"):
        if recipe.settings.get(name):
            raise ParameterError(
                f"ends_after is given, but {name} is {recipe.settings[name]!r}, which chooses the number of "
                "rounds too. Leave out one of them."
            )


def check_constraints(recipe: Recipe, n_classes: int) -> None:
    """Raise if there are monotonicity constraints on the probabilities of more than two classes.

    >>> from bough import GradientBoostingClassifier
    >>> check_constraints(GradientBoostingClassifier(monotonic_cst=[1]).recipe(), 3)
    Traceback (most recent call last):
    bough.errors.ParameterError: monotonic_cst is given, but y has 3 classes. Monotonicity constraints are not
    supported with multiclass classification: pass two classes or numbers.
    """
    # gbm constrains the score of every class alike.
    if recipe.monotonic_cst and n_classes > 2 and recipe.arithmetic != "gbm":
        raise ParameterError(
            f"monotonic_cst is given, but y has {n_classes} classes. Monotonicity constraints are not "
            "supported with multiclass classification: pass two classes or numbers."
        )


def check_target(target: ClassTarget | Floats, loss: Any) -> None:
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
        if loss not in ("log_loss", "multinomial", "one_vs_all") and len(target.classes) > 2:
            name = name_of_loss(loss) if callable(loss) else repr(loss)
            raise TargetError(
                f"y has {len(target.classes)} classes, but loss={name} is about two. Choose 'log_loss'."
            )
        return
    check_range(target, loss)
    check_events(target, loss)
    if not callable(loss) and _POWER_OF_Y.get(loss) == 2:
        check_width(target)


def check_range(y: Floats, loss: Any) -> None:
    """Raise if y has a number that the loss does not allow.

    >>> check_range(np.array([1.0, 0.0]), "gamma")
    Traceback (most recent call last):
    bough.errors.TargetError: y is 0.0 in row 1, but loss='gamma' needs numbers above 0. Leave such rows out,
    or choose another loss.
    """
    if callable(loss) or loss not in ("poisson", "gamma", "tweedie"):
        return
    wrong = y <= 0 if loss == "gamma" else y < 0
    if wrong.any():
        row, wanted = int(np.argmax(wrong)), "above 0" if loss == "gamma" else "of at least 0"
        raise TargetError(
            f"y is {float(y[row])!r} in row {row}, but loss={loss!r} needs numbers {wanted}. Leave such "
            "rows out, or choose another loss."
        )


_LEAST_WIDTH = 2.0**-500
_POWER_OF_Y = {"squared_error": 2, "absolute_error": 1, "huber": 2, "quantile": 1}
# The power of y that a loss grows with; other losses of numbers do not have the unit of y.


def scale_of_loss(y: Floats, loss: Any) -> float:
    """Return the power of two nearest to the loss of the mean of y, or 1 for a loss without the unit of y.

    It makes thresholds of the loss independent of the unit of y. Of several columns the widest counts.

    >>> scale_of_loss(np.array([0.0, 16.0]), "squared_error"), scale_of_loss(np.array([0.0, 1.0]), "log_loss")
    (64.0, 1.0)
    """
    if callable(loss) or loss not in _POWER_OF_Y:
        return 1.0
    widest = float(np.ptp(np.reshape(y, (len(y), -1)), axis=0).max())
    if not 0 < widest < np.inf:
        return 1.0
    unit = math.frexp(widest)[1]
    deviation = float(np.std(np.ldexp(y, -unit), axis=0).max())
    return float(np.ldexp(1.0, _POWER_OF_Y[loss] * (unit + round(math.log2(deviation)))))


def check_width(y: Floats) -> None:
    """Raise if y, or each of its columns, varies so little that the squares of its differences are 0.

    >>> check_width(np.array([0.0, 1e-200]))
    Traceback (most recent call last):
    bough.errors.TargetError: y varies by 1e-200 only: the squares of its differences are beyond float64.
    Multiply it by a power of ten, so that its range is about 1.
    """
    widest = float(np.ptp(np.reshape(y, (len(y), -1)), axis=0).max())
    if 0 < widest < _LEAST_WIDTH:
        raise TargetError(
            f"y varies by {widest!r} only: the squares of its differences are beyond float64. Multiply it "
            "by a power of ten, so that its range is about 1."
        )


def check_events(y: Floats, loss: Any) -> None:
    """Raise if a loss of events finds none in y, so that no score is best.

    >>> check_events(np.zeros(3), "cox")
    Traceback (most recent call last):
    bough.errors.TargetError: No row has an event; loss='cox' needs one whose status is 1.
    """
    if callable(loss) or y.any():
        return
    if loss == "cox":
        raise TargetError("No row has an event; loss='cox' needs one whose status is 1.")
    if loss in ("poisson", "gamma", "tweedie"):
        raise TargetError(f"y is 0 in every row; loss={loss!r} needs a positive number.")


def check_position_weights(settings: Mapping[str, Any], groups: Groups) -> None:
    """Raise if all positions in each group weigh the same, so that NDCG is the same for all orders.

    >>> check_position_weights({"position_weights": [1.0, 1.0]}, np.array([0, 0, 1, 1], np.int32))
    Traceback (most recent call last):
    bough.errors.ParameterError: position_weights gives all 2 positions of the longest group the weight 1, so
    that NDCG is the same for every order. Let the weights fall, or give fewer of them.
    """
    weights = settings.get("position_weights")
    if weights is None:
        return
    longest = int(np.bincount(groups).max())
    counted = min(len(weights), settings.get("truncation", 0) or longest)
    if counted >= longest and weights[longest - 1] == weights[0]:
        raise ParameterError(
            f"position_weights gives all {longest} positions of the longest group the weight {weights[0]:g}, "
            "so that NDCG is the same for every order. Let the weights fall, or give fewer of them."
        )


def check_same_scores(model: GradientBoosted, recipe: Recipe, n_classes: int) -> None:
    """Raise if the loss of a recipe has other scores than a model to which rounds are to be added.

    >>> from bough import GradientBoostingRegressor
    >>> model = GradientBoostingRegressor(max_iter=1).fit([[1.0], [2.0]], [1.0, 2.0]).model_
    >>> check_same_scores(model, GradientBoostingRegressor(loss="poisson").recipe(), 0)
    Traceback (most recent call last):
    bough.errors.ParameterError: loss is 'poisson'; it must be one whose scores are those of the model, which
    was fitted with loss='squared_error', if warm_start is True.
    """
    settings, before = recipe.settings, model.recipe["settings"]
    quantile, n_scores = settings.get("quantile"), model.n_scores
    several = len(quantile) if isinstance(quantile, list) else 1
    if recipe.response == "numbers" and several != n_scores:
        wanted = f"{before.get('quantile')!r}, as the model has, if warm_start is True"
        raise ParameterError.of("quantile", quantile, wanted)
    if link_of(settings["loss"], n_classes, n_scores) != model.link:
        wanted = "one whose scores are those of the model, which was fitted with "
        raise ParameterError.of(
            "loss", settings["loss"], f"{wanted}loss={before['loss']!r}, if warm_start is True"
        )


def check_trained(rows: BoostingRows, loss: Any) -> None:
    """Raise if the rows that are not held out have no event, so that no score is best.

    >>> from bough.data.table import Table
    >>> rows = BoostingRows(Table.read([[1.0], [2.0]]), np.array([0.0, 7.0]), 0, None, None, None)
    >>> check_trained(rows.without(np.array([False, True])), "poisson")
    Traceback (most recent call last):
    bough.errors.TargetError: y is 0 in every row that is not held out; loss='poisson' needs a positive number
    there. Hold out fewer rows, choose another random_state, or do not stop early.
    """
    if rows.held_out is None or loss not in ("poisson", "tweedie", "cox"):
        return
    if not rows.values[~rows.held_out].any():
        if loss == "cox":
            raise TargetError(
                "No row that is not held out has an event; loss='cox' needs one. Hold out fewer rows, choose "
                "another random_state, or do not stop early."
            )
        raise TargetError(
            f"y is 0 in every row that is not held out; loss={loss!r} needs a positive number there. Hold "
            "out fewer rows, choose another random_state, or do not stop early."
        )
