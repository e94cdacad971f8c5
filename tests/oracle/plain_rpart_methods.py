"""The methods of R's rpart, slowly: what a node answers, its risk, how good a split is, what an error costs.

A split is scored from the statistics of its two sides, an array of (splits, statistics) each. `start` is
what the right side holds before anything has moved to the left. Greater scores are better.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scores:
    """The score of each split, that of no split, and whether the left side is the one with lower answers."""

    value: np.ndarray
    base: float
    left_is_lower: np.ndarray


class Anova:
    """Squared error around the mean."""

    def __init__(self, y, weight):
        self.y, self.weight = y, weight

    def on(self, _rows):
        """The method for a fold: nothing of it hangs on the whole table."""
        return self

    def evaluate(self, rows):
        """The answer of a node and its risk."""
        y, w = self.y[rows], self.weight[rows]
        mean = _total(y * w) / _total(w)
        return np.array([mean]), _total(w * (y - mean) ** 2)

    def statistics(self, rows):
        """What each row adds to a side, and what the right side holds at first."""
        y, w = self.y[rows], self.weight[rows]
        mean = _total(y * w) / _total(w)
        # Sums of differences from the mean: those of the two sides cancel.
        return np.column_stack([w, (y - mean) * w]), np.array([_total(w), 0.0])

    def order(self, levels):
        """Sort the levels of a nominal column so that the best split cuts the list in two."""
        return np.argsort(levels[:, 1] / levels[:, 0], kind="stable")

    def scores(self, left, right, start):
        value = left[:, 1] ** 2 / left[:, 0] + right[:, 1] ** 2 / right[:, 0]
        return Scores(value, 0.0, left[:, 1] / left[:, 0] <= right[:, 1] / right[:, 0])

    def improve(self, gain, risk):
        """The share of the node's risk that the split explains."""
        return gain / risk

    def error(self, row, answer):
        """What the answer costs for a row held out."""
        return (self.y[row] - answer[0]) ** 2


class Classes:
    """Classes with priors and losses; the priors are altered by the losses for splitting alone."""

    def __init__(self, y, weight, n_classes, prior=None, loss=None, split="gini"):
        self.y, self.weight, self.n_classes = y, weight, n_classes
        counts = self.counts(np.arange(len(y)))
        frequency = counts / counts.sum()
        prior = frequency if prior is None else np.asarray(prior, dtype=float)
        self.loss = 1.0 - np.eye(n_classes) if loss is None else np.asarray(loss, dtype=float)
        # Sums run in rpart's order: splits that tie exactly are told apart by rounding alone.
        costs = prior[:, None] * self.loss
        cost, whole = np.cumsum(costs, axis=1)[:, -1], _total(costs.ravel())
        seen = np.where(frequency > 0, frequency, 1.0)
        # What a unit of weight of each class counts in risks, and in splits.
        self.unit = prior / seen
        self.split_unit = cost / (whole * seen)
        self.impurity = _gini if split == "gini" else _information

    def on(self, _rows):
        """Priors and frequencies stay those of the whole table."""
        return self

    def counts(self, rows):
        return np.array([_total(self.weight[rows][self.y[rows] == each]) for each in range(self.n_classes)])

    def evaluate(self, rows):
        counts = self.counts(rows)
        costs = (counts * self.unit) @ self.loss
        best = int(np.argmin(costs))
        share = _total(counts * self.unit)
        return np.concatenate([[best + 1.0], counts, [share]]), float(costs[best])

    def statistics(self, rows):
        y, w = self.y[rows], self.weight[rows]
        by_class = np.zeros((len(rows), self.n_classes))
        by_class[np.arange(len(rows)), y] = w
        units = np.column_stack([by_class, self.split_unit[y] * w])
        return units, np.array([_total(column) for column in units.T])

    def order(self, levels):
        """With two classes by the rate of the first; with more, all subsets are to be tried."""
        if self.n_classes > 2:
            return None
        return np.argsort(levels[:, 0] / levels[:, -1], kind="stable")

    def scores(self, left, right, start):
        value = np.zeros(len(left))
        shares = [self.split_unit * side[:, :-1] / side[:, -1:] for side in (left, right)]
        for each in range(self.n_classes):
            for side, share in zip((left, right), shares, strict=True):
                value -= side[:, -1] * self.impurity(share[:, each])
        means = [np.cumsum(share * np.arange(self.n_classes), axis=1)[:, -1] for share in shares]
        return Scores(value, self._base(start), means[0] < means[1])

    def _base(self, whole):
        share = self.split_unit * whole[:-1] / whole[-1]
        return -_total(whole[-1] * self.impurity(share))

    def improve(self, gain, _risk):
        return gain

    def error(self, row, answer):
        """The loss of the answer; rpart here takes [answer][truth] where it is [truth][answer]."""
        truth, answered = self.y[row], int(answer[0]) - 1
        return self.unit[truth] * self.loss[answered, truth]


class Poisson:
    """Events in a time of exposure; the rate of a node is drawn to that of all rows by a gamma prior."""

    def __init__(self, time, events, weight, shrink=1.0, error="deviance"):
        self.time, self.events, self.weight = time, events, weight
        self.shrink, self.by_deviance = shrink, error == "deviance"
        # shrink is the coefficient of variation of the prior, whose mean is the rate of all rows.
        self.prior_events = 1 / shrink**2 if shrink > 0 else 0.0
        self._draw_to(np.arange(len(time)))

    def _draw_to(self, rows):
        weight = self.weight[rows]
        rate = _total(self.events[rows] * weight) / _total(self.time[rows] * weight)
        self.prior_time = 0.0
        if self.shrink > 0:
            self.prior_time = self.prior_events / rate if rate > 0 else np.inf

    def on(self, rows):
        """The method for a fold draws rates to that of the fold's rows."""
        own = copy(self)
        own._draw_to(rows)
        return own

    def evaluate(self, rows):
        time, events, w = self.time[rows], self.events[rows], self.weight[rows]
        total = _total(events * w)
        rate = (total + self.prior_events) / (_total(time * w) + self.prior_time)
        return np.array([rate, total]), _total(w * _deviance(events, rate * time))

    def statistics(self, rows):
        w = self.weight[rows]
        units = np.column_stack([self.time[rows] * w, self.events[rows] * w])
        return units, np.array([_total(column) for column in units.T])

    def order(self, levels):
        """By rate; of equal rates the later level comes first."""
        rate = levels[:, 1] / levels[:, 0]
        return len(rate) - 1 - np.argsort(rate[::-1], kind="stable")

    def scores(self, left, right, start):
        value = _events_log_rate(left) + _events_log_rate(right)
        base = float(_events_log_rate(start[None])[0])
        return Scores(value, base, left[:, 1] / left[:, 0] < right[:, 1] / right[:, 0])

    def improve(self, gain, _risk):
        return 2 * gain

    def error(self, row, answer):
        expected = answer[0] * self.time[row]
        if self.by_deviance:
            return float(_deviance(self.events[row : row + 1], np.array([expected]))[0])
        return (np.sqrt(self.events[row]) - np.sqrt(expected)) ** 2


def _total(values):
    """Sum from first to last, as a loop does."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _gini(share):
    return share * (1 - share)


def _information(share):
    return -share * np.log(np.where(share > 0, share, 1.0))


def _deviance(events, expected):
    with np.errstate(divide="ignore"):
        log = np.where(events > 0, np.log(expected / np.where(events > 0, events, 1.0)), 0.0)
    return -2 * (events - expected + events * log)


def _events_log_rate(side):
    rate = side[:, 1] / side[:, 0]
    return side[:, 1] * np.log(np.where(rate > 0, rate, 1.0))
