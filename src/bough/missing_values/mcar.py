"""Little's test that values are missing completely at random (Little 1988).

Under the null hypothesis the expected means are the same in all patterns of missing values. The means and
covariances of all rows are maximum likelihood estimates for normal data, computed by the EM algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.words import count_words, figure_words, p_value_words
from bough.errors import TableError
from bough.types import Floats

_MAX_ITERATIONS = 5000
_TOLERANCE = 1e-8


class LittleTest(NamedTuple):
    """The result of Little's test: the statistic d², its degrees of freedom, and its p-value.

    `n_patterns` is the number of patterns of missing values that are compared.

    >>> LittleTest(35.1, 14, 0.0014, 4).words()
    'd² = 35.1 with 14 degrees of freedom, p = 0.001: not completely at random'
    """

    statistic: float
    freedom: int
    p_value: float
    n_patterns: int

    def words(self, level: float = 0.05) -> str:
        """Return the result as text, with the conclusion at a significance level.

        >>> LittleTest(1.0, 1, 0.3173, 2).words()
        'd² = 1 with 1 degree of freedom, p = 0.317: consistent with completely at random'
        """
        if self.freedom == 0:
            return "all rows have the same pattern of missing values, so there is nothing to compare"
        rejected = self.p_value < level
        verdict = "not completely at random" if rejected else "consistent with completely at random"
        figures = (
            f"d² = {figure_words(self.statistic, 4)} with {count_words(self.freedom, 'degree')} of freedom, "
            f"p = {p_value_words(self.p_value)}"
        )
        return f"{figures}: {verdict}"


def little_test(numbers: Floats) -> LittleTest:
    """Return Little's test that the values of numeric columns are missing completely at random.

    Missing values are NaN. Columns and rows without known values are left out.

    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(200, 2))
    >>> values[rng.random(200) < 0.3, 1] = np.nan
    >>> little_test(values).p_value > 0.05
    True
    """
    from scipy.stats import chi2

    known_columns = ~np.isnan(numbers).all(axis=0)
    values = numbers[:, known_columns]
    values = values[~np.isnan(values).all(axis=1)]
    if values.shape[1] < 2:
        raise TableError("Little's test needs two numeric columns with known values; the table has fewer.")
    deviation = np.nanstd(values, axis=0)
    values = (values - np.nanmean(values, axis=0)) / np.where(deviation > 0, deviation, 1.0)
    values = values[:, deviation > 0]
    values = values[~np.isnan(values).all(axis=1)]
    patterns = _patterns(np.isnan(values))
    mean, covariance = _normal_by_em(values, patterns)
    statistic, freedom = 0.0, -values.shape[1]
    for missing, rows in patterns:
        seen = ~missing
        gap = values[np.ix_(rows, seen)].mean(axis=0) - mean[seen]
        statistic += len(rows) * float(gap @ np.linalg.pinv(covariance[np.ix_(seen, seen)]) @ gap)
        freedom += int(seen.sum())
    p_value = float(chi2.sf(statistic, freedom)) if freedom > 0 else 1.0
    return LittleTest(statistic, freedom, p_value, len(patterns))


def _patterns(missing: npt.NDArray[np.bool_]) -> list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]]:
    kinds, which = np.unique(missing, axis=0, return_inverse=True)
    return [(kind, np.flatnonzero(which.ravel() == number)) for number, kind in enumerate(kinds)]


def _normal_by_em(
    values: Floats, patterns: list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]]
) -> tuple[Floats, Floats]:
    """Return the maximum likelihood mean and covariance by EM (Dempster, Laird and Rubin 1977)."""
    n, width = values.shape
    mean, covariance = np.nanmean(values, axis=0), np.diag(np.nanvar(values, axis=0))
    for _ in range(_MAX_ITERATIONS):
        filled, extra = values.copy(), np.zeros((width, width))
        for missing, rows in patterns:
            if not missing.any():
                continue
            seen = ~missing
            slope = np.linalg.pinv(covariance[np.ix_(seen, seen)]) @ covariance[np.ix_(seen, missing)]
            expected = mean[missing] + (values[np.ix_(rows, seen)] - mean[seen]) @ slope
            filled[np.ix_(rows, missing)] = expected
            residual = covariance[np.ix_(missing, missing)] - covariance[np.ix_(missing, seen)] @ slope
            extra[np.ix_(missing, missing)] += len(rows) * residual
        new_mean = filled.mean(axis=0)
        centred = filled - new_mean
        new_covariance = (centred.T @ centred + extra) / n
        change = max(np.abs(new_mean - mean).max(), np.abs(new_covariance - covariance).max())
        mean, covariance = new_mean, new_covariance
        if change < _TOLERANCE:
            break
    return mean, covariance
