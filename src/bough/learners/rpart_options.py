"""The options of R's rpart, by its own names, as parameters of bough's CART learners."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

from bough.errors import ParameterError

_DEFAULTS: dict[str, Any] = {
    "minsplit": 20,
    "minbucket": None,
    "cp": 0.01,
    "maxcompete": 4,
    "maxsurrogate": 5,
    "usesurrogate": 2,
    "xval": 10,
    "surrogatestyle": 0,
    "maxdepth": 30,
    "cost": None,
}
_MISSING = ("stop", "surrogates_then_stop", "surrogates_then_majority")
_CRITERIA = {"gini": "gini", "information": "entropy", "anova": "squared_error", "poisson": "poisson"}
# rpart takes an improvement below this share of the largest for rounding.
_LEAST_IMPROVEMENT = 1e-10


Task: TypeAlias = Literal["classes", "numbers", "survival"]


def options_of_rpart(options: dict[str, Any], task: Task) -> dict[str, Any]:
    """Return the parameters of a CART learner that make it grow as rpart does with these options.

    >>> options_of_rpart({"minsplit": 10}, "classes")["min_samples_leaf"]
    3
    >>> options_of_rpart({"usesurrogate": 3}, "classes")
    Traceback (most recent call last):
    bough.errors.ParameterError: usesurrogate is 3; it must be 0, 1 or 2.
    """
    asked = _DEFAULTS | {name: options[name] for name in _DEFAULTS if name in options}
    others = {name: value for name, value in options.items() if name not in _DEFAULTS}
    _check_numbers(asked)
    minsplit, minbucket = asked["minsplit"], asked["minbucket"]
    if minbucket is None:
        minbucket = round(minsplit / 3)
    elif "minsplit" not in options:
        minsplit = 3 * minbucket
    for name, choices in (("usesurrogate", (0, 1, 2)), ("surrogatestyle", (0, 1))):
        if asked[name] not in choices:
            words = " or ".join([", ".join(map(str, choices[:-1])), str(choices[-1])])
            raise ParameterError.of(name, asked[name], words)
    crosses = not isinstance(asked["xval"], Integral) or int(asked["xval"]) > 0
    parameters = {
        "min_samples_split": max(2, minsplit),
        "min_samples_leaf": max(1, minbucket),
        "max_depth": asked["maxdepth"],
        "min_improvement": _LEAST_IMPROVEMENT,
        "count": "rows",
        "cp": max(asked["cp"], 0.0),
        "n_competitors": asked["maxcompete"],
        "n_surrogates": asked["maxsurrogate"],
        "missing": _MISSING[asked["usesurrogate"]],
        "agreement": "known" if asked["surrogatestyle"] else "all",
        "surrogate_rule": "rpart",
        "column_costs": asked["cost"],
        "prune": "cp",
        "cv": asked["xval"] if crosses else None,
        "path": "rpart",
    }
    return parameters | _method(others, task) | others


def _check_numbers(asked: dict[str, Any]) -> None:
    names = ["minsplit"]
    if asked["minbucket"] is not None:
        names.append("minbucket")
    if isinstance(asked["xval"], Real | str):  # else the folds are given
        names.append("xval")
    for name in names:
        value = asked[name]
        if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 0:
            raise ParameterError.of(name, value, "a whole number of at least 0")
    _check_finite("cp", asked["cp"])


def _check_finite(name: str, value: Any) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
        raise ParameterError.of(name, value, "a finite number")


def _method(others: dict[str, Any], task: Task) -> dict[str, Any]:
    """Take rpart's name of the criterion out of the other options and return bough's."""
    if task == "classes":
        split = others.pop("split", "gini")
        losses = {"loss_matrix": others.pop("loss")} if "loss" in others else {}
        if split not in ("gini", "information"):
            raise ParameterError.of("split", split, "'gini' or 'information'")
        return {"criterion": _CRITERIA[split], "max_exhaustive_levels": 24} | losses
    if task == "survival":
        return _rates(others)
    method = others.pop("method", "anova")
    if method not in ("anova", "poisson"):
        raise ParameterError.of("method", method, "'anova' or 'poisson'")
    if method == "anova":
        return {"criterion": "squared_error"}
    return {"criterion": "poisson"} | _rates(others)


def _rates(others: dict[str, Any]) -> dict[str, Any]:
    error = others.pop("error", "deviance")
    shrink = others.pop("shrink", 1.0 if error == "deviance" else 0.0)
    _check_finite("shrink", shrink)
    return {"cv_error": error, "shrink": shrink}
