"""Rates: events that came in a time of exposure, as a Poisson tree is grown on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data import target
from bough.data.target import Weights
from bough.engines.native import Sample
from bough.errors import ParameterError
from bough.types import Floats


def sample_of_rates(events: Floats, exposure: Floats | None, weights: Weights, shrink: float) -> Sample:
    """Return the sample of events that came in each row's exposure (1 where None), and of rates shrunk so.

    A rate is events by exposure and counts by the exposure when splits are judged. With `shrink`, the
    coefficient of variation that rates are thought to have, a leaf's rate is that of its rows and of
    1 / shrink² events more, which came at the rate of all rows: the mean of a gamma distribution.

    >>> from bough.data.target import read_weights
    >>> sample = sample_of_rates(np.array([3.0, 1.0]), np.array([2.0, 4.0]), read_weights(None, 2), 0.5)
    >>> sample.target, sample.split_weight, sample.prior_events
    (array([1.5 , 0.25]), array([2., 4.]), 4.0)
    """
    prior_events = 1.0 / shrink**2 if shrink > 0 else 0.0
    if exposure is None:
        return Sample(events, weights, prior_events=prior_events)
    with np.errstate(over="ignore"):
        rates = events / exposure
        split_weight = exposure if weights.weight is None else exposure * weights.weight
    target.check_rates(rates, split_weight, exposure)
    return Sample(rates, weights, split_weight=split_weight, prior_events=prior_events)


def check_rates(shrink: Any, cv_error: Any) -> None:
    """Refuse a shrinkage, and an error of cross-validation, that are none.

    >>> check_rates(-1, "deviance")
    Traceback (most recent call last):
    bough.errors.ParameterError: shrink is -1; it must be a finite number of at least 0.
    """
    is_number = isinstance(shrink, int | float | np.number) and not isinstance(shrink, bool)
    if not (is_number and 0 <= shrink < np.inf):
        raise ParameterError.of("shrink", shrink, "a finite number of at least 0")
    if cv_error not in ("deviance", "sqrt"):
        raise ParameterError.of("cv_error", cv_error, "'deviance' or 'sqrt'")
