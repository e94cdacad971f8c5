"""Parameters of gradient boosting and the recipe that they define."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from bough.data.bins import read_max_bins
from bough.data.scales import Scales
from bough.ensembles.sampling import check_verbose
from bough.errors import ParameterError
from bough.growing.draws import Ensemble
from bough.growing.limits import Limits, check_number, check_whole, is_auto
from bough.growing.monotonic import MonotonicConstraints
from bough.growing.pruning import check_choice, check_flag
from bough.growing.recipe import Recipe, Response
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ColumnParameters
from bough.types import is_whole

Variant: TypeAlias = Literal["bough", "gbm", "logitboost", "mart"]
"""Whose algorithm is followed: bough's own, that of R's gbm, or one of Li's two with a base class."""

LOSSES: dict[Variant, dict[Response, tuple[str, ...]]] = {
    "bough": {
        "classes": ("log_loss", "one_vs_all", "exponential"),
        "numbers": ("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"),
        "times": ("cox",),
        "grades": ("ndcg", "map", "mrr", "pairwise"),
    },
    "gbm": {
        "classes": ("log_loss", "multinomial", "exponential", "huberized_hinge"),
        "numbers": ("squared_error", "absolute_error", "quantile", "student", "poisson"),
        "times": ("cox",),
    },
    "logitboost": {"classes": ("log_loss",)},
    "mart": {"classes": ("log_loss",)},
}
"""The losses of each variant for each kind of y."""


Auto: TypeAlias = Literal["auto"]
"""A setting that is chosen by the table if `max_iter` is "auto", and has its usual value otherwise."""

USUAL: dict[str, Any] = {
    "learning_rate": 0.1,
    "max_iter": 100,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 20,
    "l2_regularization": 0.0,
    "max_samples": 1.0,
    "max_features": 1.0,
    "linear_leaves": False,
}
"""The values of settings that are "auto" where the table does not choose them."""


@keyword_parameters
class BoostingParameters(ColumnParameters):
    """Parameters that all boosting learners share, with the names of HistGradientBoosting.

    Parameters
    ----------
    learning_rate
        The factor of the values of all leaves; "auto" is 0.1, unless the table chooses it.
    max_iter
        The number of rounds. With "auto", a table of 100 to 20,000 rows chooses it and all settings that are
        "auto": it is boosted without each of 5 folds (3 above 3,000 rows), slowly and by small trees on
        samples of rows and columns, until the loss on the fold no longer falls. The model is the mean of
        these sums of trees. This is for the losses "log_loss" and "squared_error", and not together with
        `early_stopping`, `X_val`, `warm_start`, `drop_rate` or `top_samples`. Otherwise it is 100.
    max_leaf_nodes
        The maximum number of leaves of each tree; None for no limit. "auto" is 31, unless the table chooses.
    max_depth
        The maximum depth of each tree; None for no limit.
    min_samples_leaf
        The minimum number of rows in a leaf; "auto" is 20, unless the table chooses it. On large tables the
        search for a split estimates rows by their hessian, so that a few allowed splits may be passed over.
    min_hessian
        The minimum sum of the hessian in a leaf.
    min_gain
        A split must reduce the loss by more than half of this.
    l1_regularization
        Penalty of the absolute values of leaves.
    l2_regularization
        Penalty of the squared values of leaves; "auto" is 0, unless the table chooses it.
    path_smoothing
        Draws the value of a leaf towards that of its parent: a leaf of this many rows is halfway.
    max_delta_step
        The maximum absolute value of a leaf before it is multiplied by `learning_rate`; 0 for no limit.
    linear_leaves
        Whether leaves have linear models of the numeric columns that their paths split on, besides their
        values. A missing value counts as the mean of the leaf. "auto" is False, unless the table chooses it:
        numbers have linear leaves without `monotonic_cst` and `max_delta_step`, and classes do not.
    ridge
        With `linear_leaves`, the penalty of squared slopes, of columns in units of their standard deviation
        among all rows.
    max_samples
        The fraction of the rows that each round draws, without replacement; "auto" is 1, unless the table
        chooses it.
    top_samples
        If above 0, the fraction of the rows, those of the greatest gradients, that each round takes; of the
        others, it draws so many that `max_samples` of all are taken, and weighs them for all of these
        (gradient-based one-side sampling).
    drop_rate
        The probability with which a round leaves out each earlier one while it is grown (DART).
    max_features
        The probability with which a node searches a column; "auto" is 1, unless the table chooses it. Each
        node searches at least one column.
    tree_features
        The fraction of the columns that each tree searches, at least one.
    level_features
        The probability with which the nodes of a level of a tree search a column.
    max_bins
        The maximum number of bins of a numeric column; missing values have a bin of their own.
    growth
        "leaf" splits the leaf of greatest gain next; "level" grows level by level.
    level_smoothing
        The levels of a nominal column are ordered by gradient / (hessian + this), and this is added to
        `l2_regularization` where they are split. Levels of fewer rows in a node than 1.5
        times this, or than `min_samples_leaf` if that is less, are taken together.
    level_penalty
        A split of levels must gain this times what it would gain by chance if the levels did not matter,
        beyond what chance gives to thresholds: columns of up to about 8 levels pay nothing. It has an effect
        with the losses "log_loss", "one_vs_all" and "poisson" alone, which tell how noisy gradients are. 0
        leaves it out; "auto" is 1 on tables of more than 20,000 rows, and 0 on smaller ones.
    monotonic_cst
        Constraints on the prediction, or on the probability of the second of two classes, by name or for
        each column: 1 if it must not fall as the column rises, −1 if it must not rise, 0 if it is free.
    interaction_cst
        Sets of columns, by name or position. Columns that meet on a path of a tree must be in one set
        together. Columns in no set form one more. "pairwise" is every pair of columns, "no_interactions"
        each column alone.
    early_stopping
        Whether a fraction of the rows is held out, and rounds stop when the loss on them no longer falls. The
        model keeps the rounds up to the lowest loss. With `X_val` in `fit`, rounds stop by these rows
        instead, whatever this is.
    validation_fraction
        With `early_stopping`, the fraction of the rows to hold out, of each class.
    n_iter_no_change
        Boosting stops after this many rounds without a loss that is lower by more than `tol`.
    tol
        By how much the loss on held-out rows must be lower to count as an improvement. Of losses that have
        the unit of y, or its square, it is the share of about the loss of a constant.
    cv
        With `early_stopping`, the number of folds by which the number of rounds is chosen, instead of rows
        that are held out: that of the lowest mean loss. All rows are then boosted by as many rounds.
    refit
        With `early_stopping`, whether all rows are boosted again by the number of rounds that the rows held
        out chose.
    warm_start
        Whether a second `fit` adds rounds to the model, up to `max_iter`.
    variant
        "bough", or "gbm" for the algorithm of R's gbm: exact thresholds instead of bins, splits by the
        gradient alone, a branch of their own for missing values, `max_leaf_nodes` − 1 splits in each tree,
        and no other regularization than `learning_rate`, `min_samples_leaf` and `max_samples`. See
        `like_gbm`.
    verbose
        If at least 1, a progress bar is shown.
    random_state
        Seed of all samples, and of the rounding of gradients on large tables.

    """

    _variants: ClassVar[tuple[Variant, ...]] = ("bough", "gbm")

    learning_rate: float | Auto = "auto"
    max_iter: int | Auto = "auto"
    max_leaf_nodes: int | Auto | None = "auto"
    max_depth: int | None = None
    min_samples_leaf: int | Auto = "auto"
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    l1_regularization: float = 0.0
    l2_regularization: float | Auto = "auto"
    path_smoothing: float = 0.0
    max_delta_step: float = 0.0
    linear_leaves: bool | Auto = "auto"
    ridge: float = 1.0
    max_samples: float | Auto = "auto"
    top_samples: float = 0.0
    drop_rate: float = 0.0
    max_features: float | Auto = "auto"
    tree_features: float = 1.0
    level_features: float = 1.0
    max_bins: int = 255
    growth: Literal["leaf", "level"] = "leaf"
    level_smoothing: float = 10.0
    level_penalty: float | Auto = "auto"
    monotonic_cst: MonotonicConstraints | None = None
    interaction_cst: Any = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    cv: int | None = None
    refit: bool = False
    warm_start: bool = False
    variant: Variant = "bough"
    verbose: int = 0
    random_state: Any = 0


# Parameters that the recipe always records, and those that it records if they are not at their default.
_WRITTEN = ("learning_rate", "min_hessian", "level_smoothing")
_OPTIONAL = ("l1_regularization", "l2_regularization", "path_smoothing", "max_delta_step", "max_samples",
             "top_samples", "drop_rate", "max_features", "tree_features", "level_features")  # fmt: skip
_WHOLE = ("max_iter", "n_iter_no_change")
_SHARES = ("max_samples", "max_features", "tree_features", "level_features", "validation_fraction")
_SHARES_FROM_0 = ("top_samples", "drop_rate")
_POSITIVE = ("learning_rate",)
_NUMBERS = ("min_hessian", "min_gain", "l1_regularization", "l2_regularization", "path_smoothing",
            "max_delta_step", "level_smoothing", "tol", "ridge")  # fmt: skip
# Parameters with which leaves have no linear models.
_WITHOUT_SLOPES = ("warm_start", "drop_rate", "monotonic_cst", "max_delta_step")
# Whose hessian is the variance of the gradient; recipes of others have no penalty of levels.
_OF_KNOWN_VARIANCE = ("log_loss", "one_vs_all", "poisson")
_MOST = 2**31 - 1
# What gbm's algorithm uses; it has no other setting.
_OF_GBM = ("learning_rate", "max_iter", "max_leaf_nodes", "min_samples_leaf", "max_samples", "monotonic_cst",
           "variant", "verbose", "random_state", "n_jobs", "categorical_features",
           "ordinal_features")  # fmt: skip


def boosting_recipe(
    parameters: BoostingParameters, response: Response, loss: dict[str, Any], class_weight: Any = None
) -> Recipe:
    """Return the recipe that parameters and a loss define; invalid ones raise. `loss` has name and settings.

    >>> boosting_recipe(BoostingParameters(), "numbers", {"loss": "squared_error"}).max_bins
    255
    >>> boosting_recipe(BoostingParameters(variant="gbm"), "numbers", {"loss": "squared_error"}).arithmetic
    'gbm'
    """
    check_choice("variant", parameters.variant, parameters._variants)
    if not callable(loss["loss"]) or parameters.variant == "gbm" or response == "times":
        _check_loss(loss["loss"], parameters.variant, response)
    check_choice("growth", parameters.growth, ("leaf", "level"))
    _check_stopping(parameters)
    _check_linear(parameters, loss["loss"])
    given, parameters = parameters, _with_usual(parameters)
    check_verbose(parameters.verbose)
    _refuse_words(parameters)
    check_number("min_samples_leaf", parameters.min_samples_leaf, 0.0, 2.0**53, above=True)
    numbers = _checked_numbers(parameters)
    parts = (_parts_of_gbm if parameters.variant == "gbm" else _own_parts)(parameters, numbers)
    settings = loss | parts.pop("settings")
    if (penalty := _read_level_penalty(parameters.level_penalty)) and _knows_variance(
        parameters, loss["loss"]
    ):
        settings["level_penalty"] = penalty
    left_open = _left_open(given, numbers)
    if left_open and loss["loss"] in ("log_loss", "squared_error") and parameters.variant == "bough":
        settings["auto"] = left_open
        if "linear_leaves" in left_open:
            settings["ridge"] = numbers["ridge"]
    return Recipe(
        "deviance" if response == "classes" else "squared_error",
        class_weight=class_weight,
        monotonic_cst=parameters.monotonic_cst,
        ensemble=Ensemble("gradient_boosting", numbers["max_iter"]),
        scales=Scales(parameters.categorical_features, parameters.ordinal_features),
        settings=settings,
        response=response,
        task="classification" if response == "classes" else "regression",
        **parts,
    )


_KINDS_OF_Y = {
    "classes": "classes (task classification)",
    "numbers": "numbers (task regression)",
    "times": "times until an event",
    "grades": "rankings",
}


def _check_loss(loss: Any, variant: Variant, response: Response) -> None:
    """Raise unless the variant has the loss for this kind of y; say so if it is for another kind.

    >>> _check_loss("poisson", "bough", "classes")
    Traceback (most recent call last):
    bough.errors.ParameterError: loss is 'poisson'; it must be one of 'log_loss', 'one_vs_all', 'exponential',
    because y holds classes (task classification), and 'poisson' is for numbers (task regression).
    """
    allowed = LOSSES[variant][response]
    others = [kind for kind, names in LOSSES[variant].items() if isinstance(loss, str) and loss in names]
    if not others or loss in allowed:
        check_choice("loss", loss, allowed)
        return
    names, kind = ", ".join(map(repr, allowed)), _KINDS_OF_Y[others[0]]
    reason = f"because y holds {_KINDS_OF_Y[response]}, and {loss!r} is for {kind}"
    raise ParameterError.of("loss", loss, f"one of {names}, {reason}")


def _read_level_penalty(given: float | Auto) -> float | Auto:
    if is_auto(given):
        return "auto"
    check_number("level_penalty", given, 0.0, np.inf, end=", or 'auto'")
    return float(given)


def _knows_variance(parameters: BoostingParameters, loss: Any) -> bool:
    """Whether splits see the hessian, and this is the variance of the gradient."""
    return loss in _OF_KNOWN_VARIANCE and parameters.variant in ("bough", "logitboost")


def _left_open(given: BoostingParameters, numbers: dict[str, Any]) -> list[str]:
    """Return the settings that the table may choose: none if the number of rounds is given otherwise."""
    stops = given.early_stopping or given.warm_start
    if not is_auto(given.max_iter) or stops or numbers["drop_rate"] or numbers["top_samples"]:
        return []
    left_open = [name for name in USUAL if is_auto(getattr(given, name))]
    if any(_is_given(given, name) for name in _WITHOUT_SLOPES):
        return [name for name in left_open if name != "linear_leaves"]
    return left_open


def _with_usual(parameters: BoostingParameters) -> BoostingParameters:
    """Return the parameters with the usual value of each that is "auto"."""
    names = [part.name for part in fields(BoostingParameters)]
    given = {name: getattr(parameters, name) for name in names}
    return BoostingParameters(
        **{name: USUAL[name] if name in USUAL and is_auto(value) else value for name, value in given.items()}
    )


def _own_parts(parameters: BoostingParameters, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of the recipe of bough's own algorithm."""
    settings: dict[str, Any] = {"growth": parameters.growth} | {name: numbers[name] for name in _WRITTEN}
    settings |= {name: numbers[name] for name in _OPTIONAL if numbers[name] != _default(name)}
    if parameters.linear_leaves:
        settings |= {"linear_leaves": True, "ridge": numbers["ridge"]}
    if parameters.interaction_cst is not None:
        settings["interaction_cst"] = _column_sets(parameters.interaction_cst)
    if parameters.early_stopping:
        settings |= {name: numbers[name] for name in ("n_iter_no_change", "tol")}
        if parameters.cv is not None:
            settings["cv"] = int(parameters.cv)
        else:
            settings["validation_fraction"] = numbers["validation_fraction"]
        if parameters.refit and parameters.cv is None:
            settings["refit"] = True
    limits = Limits(
        max_depth=parameters.max_depth,
        max_leaf_nodes=numbers["max_leaf_nodes"],
        min_samples_leaf=numbers["min_samples_leaf"],
        min_gain=parameters.min_gain,
    )
    max_bins = read_max_bins(parameters.max_bins)
    return {"limits": limits, "missing": "learned", "max_bins": max_bins, "settings": settings}


def _parts_of_gbm(parameters: BoostingParameters, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of the recipe of gbm's algorithm; raise for a parameter that it does not have."""
    for part in fields(BoostingParameters):
        value, default = getattr(parameters, part.name), _default(part.name)
        if part.name not in _OF_GBM and value != default:
            raise ParameterError.of(part.name, value, f"{default!r} if variant is 'gbm', which has none")
    if parameters.max_leaf_nodes is None:
        raise ParameterError.of("max_leaf_nodes", None, "a whole number if variant is 'gbm'")
    limits = Limits(max_leaf_nodes=numbers["max_leaf_nodes"], min_samples_leaf=numbers["min_samples_leaf"])
    settings = {name: numbers[name] for name in ("learning_rate", "max_samples")}
    return {"limits": limits, "missing": "own_level", "arithmetic": "gbm", "settings": settings}


@cache
def _default(name: str) -> Any:
    return (
        USUAL[name]
        if name in USUAL
        else next(part.default for part in fields(BoostingParameters) if part.name == name)
    )


def _refuse_words(parameters: BoostingParameters) -> None:
    """Raise if a setting that the table may choose is a text other than "auto", which is replaced before."""
    for name in USUAL:
        value = getattr(parameters, name)
        if isinstance(value, str):
            raise ParameterError.of(name, value, "a number, or 'auto'")


def _checked_numbers(parameters: BoostingParameters) -> dict[str, Any]:
    """Return the parameters that are numbers; raise for one that is not, or is out of range."""
    numbers: dict[str, Any] = {}
    for name in _WHOLE:
        check_whole(name, getattr(parameters, name), 1, _MOST)
        numbers[name] = int(getattr(parameters, name))
    for name in (*_SHARES, *_SHARES_FROM_0, *_POSITIVE, *_NUMBERS):
        most = 1.0 if name in (*_SHARES, *_SHARES_FROM_0) else np.inf
        check_number(name, getattr(parameters, name), 0.0, most, above=name in (*_SHARES, *_POSITIVE))
        numbers[name] = float(getattr(parameters, name))
    for name in ("validation_fraction", "drop_rate"):
        if numbers[name] == 1:
            raise ParameterError.of(name, 1.0, "a number below 1")
    top, most = numbers["top_samples"], numbers["max_samples"]
    if top > 0 and not top < most < 1:
        raise ParameterError.of(
            "top_samples", top, f"0, or less than max_samples ({most:g}), which must be below 1"
        )
    return numbers | {name: getattr(parameters, name) for name in ("max_leaf_nodes", "min_samples_leaf")}


def _check_stopping(parameters: BoostingParameters) -> None:
    """Raise if the rules that choose the number of rounds do not fit each other."""
    for name in ("early_stopping", "refit", "warm_start"):
        check_flag(name, getattr(parameters, name))
    if parameters.early_stopping:
        cv = parameters.cv
        if cv is not None and not (is_whole(cv) and 2 <= int(cv) <= _MOST):
            raise ParameterError.of("cv", cv, "None or a whole number of at least 2")
        if parameters.warm_start:
            raise ParameterError("warm_start is not supported with early_stopping; leave out one of them.")
    if parameters.warm_start and parameters.drop_rate:
        raise ParameterError("drop_rate is not supported with warm_start; leave out one of the two.")


def _check_linear(parameters: BoostingParameters, loss: Any) -> None:
    """Raise for what linear leaves do not support."""
    if is_auto(parameters.linear_leaves):
        return
    if not isinstance(parameters.linear_leaves, bool | np.bool_):
        raise ParameterError.of("linear_leaves", parameters.linear_leaves, "True, False or 'auto'")
    if not parameters.linear_leaves:
        return
    if loss in ("absolute_error", "quantile"):
        raise ParameterError.of("linear_leaves", True, f"False with loss={loss!r}, which has no curvature")
    for name in _WITHOUT_SLOPES:
        if _is_given(parameters, name):
            raise ParameterError(f"{name} is not supported with linear_leaves; leave out one of the two.")


def _is_given(parameters: BoostingParameters, name: str) -> bool:
    """Whether a parameter is neither None, False nor 0."""
    value = getattr(parameters, name)
    return value is not None and bool(np.any(value))


def _column_sets(interaction_cst: Any) -> list[list[Any]] | str:
    """Return sets of columns as lists, or one of the words for such sets."""
    wanted = "a list of sets of columns, 'pairwise', 'no_interactions' or None"
    if isinstance(interaction_cst, str):
        if interaction_cst not in ("pairwise", "no_interactions"):
            raise ParameterError.of("interaction_cst", interaction_cst, wanted)
        return interaction_cst
    try:
        return [sorted(group, key=str) for group in interaction_cst]
    except TypeError:
        raise ParameterError.of("interaction_cst", interaction_cst, wanted) from None


OPTIONS_OF_GBM: dict[str, tuple[str, Any, Callable[[Any], Any]]] = {
    "n_trees": ("max_iter", 100, lambda value: value),
    "interaction_depth": ("max_leaf_nodes", 1, lambda value: value + 1),
    "n_minobsinnode": ("min_samples_leaf", 10, lambda value: value),
    "shrinkage": ("learning_rate", 0.1, lambda value: value),
    "bag_fraction": ("max_samples", 0.5, lambda value: value),
    "var_monotone": ("monotonic_cst", None, lambda value: value),
}
"""The options of gbm: our parameter of each, gbm's default, and how a value is translated."""

_DISTRIBUTIONS: dict[str, tuple[Response, str]] = {
    "gaussian": ("numbers", "squared_error"),
    "laplace": ("numbers", "absolute_error"),
    "quantile": ("numbers", "quantile"),
    "tdist": ("numbers", "student"),
    "poisson": ("numbers", "poisson"),
    "bernoulli": ("classes", "log_loss"),
    "multinomial": ("classes", "multinomial"),
    "adaboost": ("classes", "exponential"),
    "huberized": ("classes", "huberized_hinge"),
    "coxph": ("times", "cox"),
}
# Arguments of gbm that are not options of a learner here, and what to use instead.
_ELSEWHERE = {
    "train_fraction": "X_val and y_val in fit, with variant='bough'",
    "cv_folds": "early_stopping=True and cv, with variant='bough'",
    "weights": "sample_weight in fit",
    "n_cores": "n_jobs",
}
_ARGUMENTS = {"quantile": {"alpha": "quantile"}, "tdist": {"df": "degrees"}}


def options_of_gbm(options: dict[str, Any], response: Response, default: str) -> dict[str, Any]:
    """Return the parameters with which a learner boosts as R's gbm does with these options.

    Options have gbm's names with underscores for dots. `distribution` is a name, or a dict of a name and its
    arguments. Other names are parameters of the learner.

    >>> options_of_gbm({"n_trees": 60, "interaction_depth": 2}, "numbers", "gaussian")["max_leaf_nodes"]
    3
    >>> options_of_gbm({"distribution": {"name": "tdist", "df": 3}}, "numbers", "gaussian")["degrees"]
    3
    """
    others = dict(options)
    for option, instead in _ELSEWHERE.items():
        if option in options:
            raise ParameterError(f"like_gbm has no {option}; use {instead}.")
    given = others.pop("distribution", default)
    arguments = dict(given) if isinstance(given, dict) else {"name": given}
    name = arguments.pop("name", None)
    allowed = [each for each, (kind, _) in _DISTRIBUTIONS.items() if kind == response]
    if name not in allowed:
        raise ParameterError.of("distribution", given, f"one of {', '.join(map(repr, allowed))}")
    parameters: dict[str, Any] = {"variant": "gbm", "loss": _DISTRIBUTIONS[name][1]}
    for argument, value in arguments.items():
        if argument not in _ARGUMENTS.get(name, {}):
            raise ParameterError(f"distribution has {argument!r}, which {name!r} does not have.")
        parameters[_ARGUMENTS[name][argument]] = value
    for option, (ours, usual, translated) in OPTIONS_OF_GBM.items():
        value = others.pop(option, usual)
        if option == "interaction_depth":
            check_whole(option, value, 1)
        parameters[ours] = translated(value)
    return parameters | others
