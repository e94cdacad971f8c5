"""Translation of the options of R's rpart into parameters of bough's CART learners."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

from bough.errors import ParameterError
from bough.growing.limits import check_number, check_whole

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
# rpart treats an improvement below this fraction of the largest as rounding error.
_LEAST_IMPROVEMENT = 1e-10


RpartTask: TypeAlias = Literal["classes", "numbers", "survival"]


def options_of_rpart(options: dict[str, Any], task: RpartTask) -> dict[str, Any]:
    """Return the parameters with which a CART learner grows the same tree as rpart with these options.

    >>> options_of_rpart({"minsplit": 10}, "classes")["min_samples_leaf"]
    3
    >>> options_of_rpart({"usesurrogate": 3}, "classes")
    Traceback (most recent call last):
    bough.errors.ParameterError: usesurrogate is 3; it must be 0, 1 or 2.
    """
    chosen = _DEFAULTS | {name: options[name] for name in _DEFAULTS if name in options}
    others = {name: value for name, value in options.items() if name not in _DEFAULTS}
    _check_numbers(chosen)
    minsplit, minbucket = chosen["minsplit"], chosen["minbucket"]
    if minbucket is None:
        minbucket = round(minsplit / 3)
    elif "minsplit" not in options:
        minsplit = 3 * minbucket
    for name, choices in (("usesurrogate", (0, 1, 2)), ("surrogatestyle", (0, 1))):
        if chosen[name] not in choices:
            words = " or ".join([", ".join(map(str, choices[:-1])), str(choices[-1])])
            raise ParameterError.of(name, chosen[name], words)
    crosses = not isinstance(chosen["xval"], Integral) or int(chosen["xval"]) > 0
    parameters = {
        "min_samples_split": max(2, minsplit),
        "min_samples_leaf": max(1, minbucket),
        "max_depth": chosen["maxdepth"],
        "min_improvement": _LEAST_IMPROVEMENT,
        "count": "rows",
        "cp": max(chosen["cp"], 0.0),
        "n_competitors": chosen["maxcompete"],
        "n_surrogates": chosen["maxsurrogate"],
        "missing": _MISSING[chosen["usesurrogate"]],
        "agreement": "known" if chosen["surrogatestyle"] else "all",
        "surrogate_rule": "rpart",
        "column_costs": chosen["cost"],
        "prune": "cp",
        "cv": chosen["xval"] if crosses else None,
        "path": "rpart",
    }
    return parameters | _method(others, task) | others


def _check_numbers(chosen: dict[str, Any]) -> None:
    names = ["minsplit"]
    if chosen["minbucket"] is not None:
        names.append("minbucket")
    if isinstance(chosen["xval"], Real | str):  # otherwise it lists the fold of each row
        names.append("xval")
    for name in names:
        check_whole(name, chosen[name], 0)
    check_number("cp", chosen["cp"], -math.inf)


def _method(others: dict[str, Any], task: RpartTask) -> dict[str, Any]:
    """Remove rpart's options for the method and its criterion from `others`; return bough's parameters."""
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
    check_number("shrink", shrink, -math.inf)
    return {"cv_error": error, "shrink": shrink}
