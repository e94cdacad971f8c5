"""Checks of the parameters of event rates."""

from __future__ import annotations

from typing import Any, get_args

from bough.errors import ParameterError
from bough.growing.limits import check_number
from bough.growing.pruning import CrossValidatedError

_LEAST_SHRINK = 1e-100


def check_rates(shrink: Any, cv_error: Any) -> None:
    """Raise if `shrink` or `cv_error` is invalid.

    >>> check_rates(-1, "deviance")
    Traceback (most recent call last):
    bough.errors.ParameterError: shrink is -1; it must be a finite number of at least 0.
    >>> check_rates(1e-200, "deviance")
    Traceback (most recent call last):
    bough.errors.ParameterError: shrink is 1e-200; it must be 0, or a number from 1e-100 to 1e+100.
    """
    check_number("shrink", shrink, 0.0)
    if shrink != 0 and not _LEAST_SHRINK <= shrink <= 1 / _LEAST_SHRINK:
        # Its square, and the events that it stands for, must be within float64.
        wanted = f"0, or a number from {_LEAST_SHRINK:g} to {1 / _LEAST_SHRINK:g}"
        raise ParameterError.of("shrink", shrink, wanted)
    if not (isinstance(cv_error, str) and cv_error in get_args(CrossValidatedError)):
        raise ParameterError.of("cv_error", cv_error, "'deviance' or 'sqrt'")
