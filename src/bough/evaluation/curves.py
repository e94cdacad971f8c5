"""Curves of a score: ROC, gains and lift, and calibration. Rows of the same score move together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.types import Floats


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The share of positives found against the share of negatives taken for positive, score by score.

    Both begin at 0 and end at 1. `thresholds` are the scores from which on a row counts as positive.

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
        """Return the curve of a score per row, for rows that are positive or not.

        >>> RocCurve.of(np.array([0.2, 0.8]), np.array([False, True])).area
        1.0
        """
        thresholds, found, taken = _from_the_top(score, positive, weight)
        misses = taken - found
        return cls(
            np.append(0.0, misses / misses[-1] if misses[-1] > 0 else np.full(len(misses), np.nan)),
            np.append(0.0, found / found[-1] if found[-1] > 0 else np.full(len(found), np.nan)),
            np.append(math.inf, thresholds),
            float(found[-1]),
            float(misses[-1]),
        )

    @property
    def area(self) -> float:
        """The area under the curve: how often a positive has the greater score than a negative, ties half.

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
        both, twice = area / (2 - area), 2 * area * area / (1 + area)
        variance = area * (1 - area)
        variance += (self.n_positive - 1) * (both - area * area) + (self.n_negative - 1) * (
            twice - area * area
        )
        return math.sqrt(max(variance, 0.0) / (self.n_positive * self.n_negative))


@dataclass(frozen=True, eq=False)
class GainsCurve:
    """Of the rows with the greatest scores, `taken` of all, the share `found` of all positives; and the lift.

    The lift is how many times more positives there are among the rows taken than among all.

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
        """Return the curve of a score per row, for rows that are positive or not.

        >>> GainsCurve.of(np.array([0.2, 0.8]), np.array([False, True])).found
        array([1., 1.])
        """
        thresholds, found, taken = _from_the_top(score, positive, weight)
        shares = found / found[-1] if found[-1] > 0 else np.full(len(found), np.nan)
        return cls(taken / taken[-1], shares, thresholds)

    @property
    def lift(self) -> Floats:
        """How many times more positives there are among the rows taken than among all.

        >>> GainsCurve.of(np.array([0.2, 0.8]), np.array([False, True])).lift
        array([2., 1.])
        """
        return self.found / self.taken

    def found_in(self, share: float) -> float:
        """Return the share of positives found in the top share of rows; within ties, as chance has it.

        >>> GainsCurve.of(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, True, False, False])).found_in(0.25)
        0.5
        """
        return float(np.interp(share, np.append(0.0, self.taken), np.append(0.0, self.found)))


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Rows in groups of rising probability: the mean `predicted`, the share `observed`, and its error.

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
        cls,
        score: Floats,
        positive: npt.NDArray[np.bool_],
        weight: Floats | None = None,
        most_groups: int = 10,
    ) -> CalibrationCurve:
        """Group rows by their probability: one group a value, or at most `most_groups` of about equal weight.

        >>> len(CalibrationCurve.of(np.linspace(0, 1, 100), np.arange(100) > 50).weight)
        10
        """
        own: Floats = np.ones(len(score)) if weight is None else weight
        values, places = np.unique(score, return_inverse=True)
        mass = np.bincount(places, own)
        groups = np.arange(len(values))
        if len(values) > most_groups:
            # A value belongs to the group in which the middle of its rows lies.
            middle = (np.cumsum(mass) - mass / 2) / mass.sum()
            groups = np.minimum((middle * most_groups).astype(np.intp), most_groups - 1)
        group = np.unique(groups, return_inverse=True)[1][places]
        total: Floats = np.bincount(group, own).astype(np.float64)
        kept = total > 0
        total = total[kept]
        observed = np.bincount(group, own * positive)[kept] / total
        square = np.bincount(group, np.square(own))[kept]
        error = np.sqrt(observed * (1 - observed) * square) / total
        return cls(np.bincount(group, own * score)[kept] / total, observed, error, total)


def _from_the_top(
    score: Floats, positive: npt.NDArray[np.bool_], weight: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Return the distinct scores, falling, with the weight of positives and of all rows down to each."""
    own = np.ones(len(score)) if weight is None else weight
    values, places = np.unique(score, return_inverse=True)
    found = np.bincount(places, own * positive, minlength=len(values))[::-1].cumsum()
    taken = np.bincount(places, own, minlength=len(values))[::-1].cumsum()
    return values[::-1], found, taken
