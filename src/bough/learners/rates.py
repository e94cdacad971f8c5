"""Checks of the parameters of event rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.errors import ParameterError


def check_rates(shrink: Any, cv_error: Any) -> None:
    """Raise if `shrink` or `cv_error` is invalid.

    >>> check_rates(-1, "deviance")
    Traceback (most recent call last):
    bough.errors.ParameterError: shrink is -1; it must be a finite number of at least 0.
    """
    is_number = isinstance(shrink, int | float | np.number) and not isinstance(shrink, bool)
    if not (is_number and 0 <= shrink < np.inf):
        raise ParameterError.of("shrink", shrink, "a finite number of at least 0")
    if cv_error not in ("deviance", "sqrt"):
        raise ParameterError.of("cv_error", cv_error, "'deviance' or 'sqrt'")
