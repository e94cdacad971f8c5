"""Checks of the order of arguments: a model, a table X and a target y that are mistaken for each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.errors import ParameterError


def check_rows(X: Any, y: Any, call: str) -> None:
    """Raise an error if X or y is an estimator, or if they are exchanged; `call` is the correct call.

    >>> check_rows(["a", "b"], [[1.0], [2.0]], "compare(X, y, learners)")
    Traceback (most recent call last):
    bough.errors.ParameterError: X is one column and y a table, as if they were exchanged; the call is
    compare(X, y, learners).
    """
    for name, value in (("X", X), ("y", y)):
        listed = list(value.values()) if isinstance(value, Mapping) else [value]
        if any(hasattr(each, "fit") or hasattr(each, "predict") for each in listed):
            what = "a dict of learners" if isinstance(value, Mapping) else f"a {type(value).__name__}"
            raise ParameterError(f"{name} is {what}; the call is {call}.")
    if _dimensions(X) == 1 and _dimensions(y) == 2:
        raise ParameterError(f"X is one column and y a table, as if they were exchanged; the call is {call}.")


def check_estimator(estimator: Any, call: str) -> None:
    """Raise an error if the argument is not an estimator; `call` is the correct call.

    >>> check_estimator([[1.0]], "choose(estimator, X, y)")
    Traceback (most recent call last):
    bough.errors.ParameterError: estimator is a list; it must be a learner with fit; the call is
    choose(estimator, X, y).
    """
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        what = (
            f"the class {estimator.__name__}"
            if isinstance(estimator, type)
            else f"a {type(estimator).__name__}"
        )
        raise ParameterError(f"estimator is {what}; it must be a learner with fit; the call is {call}.")


def _dimensions(values: Any) -> int:
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape)
    first = values[0] if isinstance(values, list | tuple) and values else None
    return 1 + (isinstance(first, list | tuple | np.ndarray))
