"""Curves of the scores of a class: ROC, gains and lift, and calibration.

Rows with equal scores are one point of a curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.types import Floats


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The receiver operating characteristic: true positive rate against false positive rate.

    `true_positives` and `false_positives` are rates from 0 to 1. `thresholds` are the scores at or above
    which a row is predicted as positive.

    >>> curve = RocCurve.of(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> curve.false_positives, curve.true_positives, curve.area
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]), 0.875)
    """

    false_positives: Floats
    true_positives: Floats
    thresholds: Floats
    n_positive: float
    n_negative: float

    @classmethod
    def of(cls, score: Floats, positive: npt.NDArray[np.bool_], weight: Floats | None = None) -> RocCurve:
        """Return the curve of the scores of rows that are positive or negative.

        >>> RocCurve.of(np.array([0.2, 0.8]), np.array([False, True])).area
        1.0
        """
        thresholds, true_positives, predicted = _by_falling_score(score, positive, weight)
        false_positives = predicted - true_positives
        return cls(
            np.append(0.0, _shares_of_last(false_positives)),
            np.append(0.0, _shares_of_last(true_positives)),
            np.append(math.inf, thresholds),
            float(true_positives[-1]),
            float(false_positives[-1]),
        )

    @property
    def area(self) -> float:
        """The area under the curve.

        It is the probability that a positive row has a higher score than a negative one; ties count half.

        >>> RocCurve.of(np.array([0.5, 0.5]), np.array([False, True])).area
        0.5
        """
        return float(np.trapezoid(self.true_positives, self.false_positives))

    @property
    def area_error(self) -> float:
        """The standard error of the area (Hanley and McNeil 1982).

        >>> round(RocCurve.of(np.array([0.9, 0.4, 0.4, 0.1]), np.array([1, 1, 0, 0]) > 0).area_error, 3)
        0.208
        """
        area = self.area
        q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
        variance = area * (1 - area)
        variance += (self.n_positive - 1) * (q1 - area * area) + (self.n_negative - 1) * (q2 - area * area)
        return math.sqrt(max(variance, 0.0) / (self.n_positive * self.n_negative))


@dataclass(frozen=True, eq=False)
class GainsCurve:
    """Gains and lift: the share of positives among the rows with the highest scores.

    `taken` is the share of rows with scores at or above each threshold, and `found` is the share of all
    positives among them. The lift is `found` / `taken`.

    >>> curve = GainsCurve.of(np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, False, True, False]))
    >>> curve.taken, curve.found, curve.lift
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.5, 0.5, 1. , 1. ]),
     array([2.        , 1.        , 1.33333333, 1.        ]))
    """

    taken: Floats
    found: Floats
    thresholds: Floats

    @classmethod
    def of(cls, score: Floats, positive: npt.NDArray[np.bool_], weight: Floats | None = None) -> GainsCurve:
        """Return the curve of the scores of rows that are positive or negative.

        >>> GainsCurve.of(np.array([0.2, 0.8]), np.array([False, True])).found
        array([1., 1.])
        """
        thresholds, found, taken = _by_falling_score(score, positive, weight)
        return cls(taken / taken[-1], _shares_of_last(found), thresholds)

    @property
    def lift(self) -> Floats:
        """The share of positives among the rows taken, divided by the share of positives among all rows.

        >>> GainsCurve.of(np.array([0.2, 0.8]), np.array([False, True])).lift
        array([2., 1.])
        """
        return self.found / self.taken

    def found_in(self, share: float) -> float:
        """Return the share of positives among the given share of rows with the highest scores.

        Ties are interpolated linearly.

        >>> GainsCurve.of(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, True, False, False])).found_in(0.25)
        0.5
        """
        return float(np.interp(share, np.append(0.0, self.taken), np.append(0.0, self.found)))


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Calibration: predicted against observed probability, for groups of rows of similar probability.

    `predicted` is the mean probability of each group, `observed` the share of positives, `error` its standard
    error, and `weight` the weight of the group.

    >>> curve = CalibrationCurve.of(np.array([0.1, 0.1, 0.8, 0.8]), np.array([0, 0, 1, 0]) > 0)
    >>> curve.predicted, curve.observed, curve.weight
    (array([0.1, 0.8]), array([0. , 0.5]), array([2., 2.]))
    """

    predicted: Floats
    observed: Floats
    error: Floats
    weight: Floats

    @classmethod
    def of(
        cls, score: Floats, positive: npt.NDArray[np.bool_], weight: Floats | None = None, n_bins: int = 10
    ) -> CalibrationCurve:
        """Return the curve; each distinct probability is a group, or `n_bins` quantiles if there are more.

        >>> len(CalibrationCurve.of(np.linspace(0, 1, 100), np.arange(100) > 50).weight)
        10
        """
        own: Floats = np.ones(len(score)) if weight is None else weight
        values, codes = np.unique(score, return_inverse=True)
        mass = np.bincount(codes, own)
        groups = np.arange(len(values))
        if len(values) > n_bins:
            # Equal scores stay in one group: the one that contains the middle of their rows.
            middle = (np.cumsum(mass) - mass / 2) / mass.sum()
            groups = np.minimum((middle * n_bins).astype(np.intp), n_bins - 1)
        group = np.unique(groups, return_inverse=True)[1][codes]
        total: Floats = np.bincount(group, own).astype(np.float64)
        kept = total > 0
        total = total[kept]
        observed = np.bincount(group, own * positive)[kept] / total
        square = np.bincount(group, np.square(own))[kept]
        error = np.sqrt(observed * (1 - observed) * square) / total
        return cls(np.bincount(group, own * score)[kept] / total, observed, error, total)


def _by_falling_score(
    score: Floats, positive: npt.NDArray[np.bool_], weight: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Return the distinct scores, descending, and the weights of positives and of all rows above them."""
    own = np.ones(len(score)) if weight is None else weight
    values, codes = np.unique(score, return_inverse=True)
    positives = np.bincount(codes, own * positive, minlength=len(values))[::-1].cumsum()
    total = np.bincount(codes, own, minlength=len(values))[::-1].cumsum()
    return values[::-1], positives, total


def _shares_of_last(sums: Floats) -> Floats:
    """Return cumulative sums divided by the last of them; NaN if that is 0."""
    return sums / sums[-1] if sums[-1] > 0 else np.full(len(sums), np.nan)
