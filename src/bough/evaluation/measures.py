"""Measures of predictions: means over rows with their standard errors, and functions of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.ranking import Groups, gains_of
from bough.data.words import decimals_of, error_words, figure_words
from bough.learners.ranking_measures import Gain, ndcg_by_group, precision_by_group, reciprocal_by_group
from bough.types import Floats

LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
"""The least probability in the log-loss, 2.2e-16, as in scikit-learn: without it a row whose true class has
probability 0, as in a leaf without that class, would make the log-loss infinite."""


class Measure(NamedTuple):
    """The value of a measure, its standard error, and the value of a constant prediction (`baseline`).

    The standard error and the baseline are None if they are not defined.

    >>> Measure(0.9, 0.03, 0.5).words()
    '0.900 ± 0.030 (one answer for all: 0.500)'
    """

    value: float
    error: float | None = None
    baseline: float | None = None

    def words(self, decimals: int | None = None) -> str:
        """Return the value with its standard error and baseline as text.

        `decimals` are those of all three numbers, see `decimals_of_measures`; by default the error has two
        digits.

        >>> Measure(0.25).words(), Measure(0.9, 0.03, 0.5).words(3)
        ('0.25', '0.900 ± 0.030 (one answer for all: 0.500)')
        """
        if decimals is None:
            text = error_words(self.value, self.error)
            alone = "" if self.baseline is None else error_words(self.baseline, self.error).partition(" ")[0]
        else:
            given = (self.value, self.error, self.baseline)
            value, error, alone = ("" if each is None else figure_words(each, 4, decimals) for each in given)
            text = f"{value} ± {error}" if error else value
        return f"{text} (one answer for all: {alone})" if alone else text


# Measures of the same unit, which are written with the same number of decimals.
_UNITS = {
    "risk": "cost",
    "R²": "share",
    "mean squared error": "square",
    "root mean squared error": "target",
    "mean absolute error": "target",
}


def decimals_of_measures(measures: Mapping[str, Measure]) -> dict[str, int]:
    """Return the number of decimals of each measure: as many for all measures of the same unit.

    The least standard error has a digit, unless it is below a hundredth of the greatest, which has at least
    two; without errors, values have four digits.

    >>> decimals_of_measures({"accuracy": Measure(0.965, 0.0099), "log-loss": Measure(0.135, 0.03)})
    {'accuracy': 3, 'log-loss': 3}
    >>> decimals_of_measures({"log-loss": Measure(0.0387, 0.0053), "AUC of yes": Measure(1.0, 7e-10)})
    {'log-loss': 4, 'AUC of yes': 4}
    """
    units: dict[str, list[Measure]] = {}
    for name, measure in measures.items():
        units.setdefault(_UNITS.get(name, "share"), []).append(measure)
    decimals = {unit: _shared_decimals(each) for unit, each in units.items()}
    return {name: decimals[_UNITS.get(name, "share")] for name in measures}


def _shared_decimals(measures: Sequence[Measure]) -> int:
    errors = [each.error for each in measures if each.error and math.isfinite(each.error)]
    errors = [error for error in errors if error >= max(errors) / 100]
    if not errors:
        known = [number for each in measures for number in (each.value, each.baseline) if number is not None]
        return decimals_of(known, 4)
    own = [max(1 - math.floor(math.log10(error)), 0) for error in errors]
    return max(min(own), max(own) - 1)


def mean_and_error(values: npt.NDArray[Any], weight: Floats | None = None) -> tuple[float, float]:
    """Return the weighted mean of values, one for each row, and its standard error.

    Rows are assumed to be independent, so that the standard error of a share is the root of p (1 - p) / n.

    >>> mean_and_error(np.array([1.0, 0.0, 1.0, 1.0]))
    (0.75, 0.21650635094610965)
    """
    if weight is None:
        mean = float(values.mean())
        return mean, float(np.sqrt(np.square(values - mean).mean() / len(values)))
    total = float(weight.sum())
    mean = float(weight @ values) / total
    return mean, math.sqrt(float(np.square(weight * (values - mean)).sum())) / total


def class_measures(
    target: npt.NDArray[np.intp],
    answers: npt.NDArray[np.intp],
    probabilities: Floats | None,
    loss_matrix: Floats | None,
    weight: Floats | None,
    n_classes: int,
) -> dict[str, Measure]:
    """Return the measures of predicted classes, given as codes.

    The baselines are those of constant predictions for these rows: the most frequent class, the class of
    least mean loss, and the shares of the classes as probabilities. The Brier score is summed over the
    classes (Brier 1950); for two classes it is twice the score of a single class. The log-loss uses natural
    logarithms, and probabilities below `LEAST_PROBABILITY` count as that.

    >>> codes = np.array([0, 1, 1, 1])
    >>> class_measures(codes, np.array([0, 1, 1, 0]), None, None, None, 2)["error rate"]
    Measure(value=0.25, error=0.21650635094610965, baseline=0.25)
    """
    shares = np.bincount(target, weight, minlength=n_classes)
    shares = shares / shares.sum()

    def measured(values: npt.NDArray[Any], baseline: float) -> Measure:
        return Measure(*mean_and_error(values, weight), float(baseline))

    wrong = (answers != target).astype(np.float64)
    measures = {
        "accuracy": measured(1.0 - wrong, shares.max()),
        "error rate": measured(wrong, 1.0 - shares.max()),
        "balanced accuracy": _balanced(target, wrong, weight, np.flatnonzero(shares)),
    }
    if loss_matrix is not None:
        measures["risk"] = measured(loss_matrix[target, answers], (shares @ loss_matrix).min())
    if probabilities is not None:
        of_truth = probabilities[np.arange(len(target)), target]
        log_losses = -np.log(np.maximum(of_truth, LEAST_PROBABILITY))
        present = shares[shares > 0]
        measures["log-loss"] = measured(log_losses, -(present @ np.log(present)))
        # Σ (p - y)² = Σ p² - 2 p(true) + 1 needs no indicator matrix of y.
        brier = np.square(probabilities).sum(axis=1) - 2 * of_truth + 1
        measures["Brier score"] = measured(brier, 1.0 - np.square(shares).sum())
    return measures


def _balanced(
    target: npt.NDArray[np.intp], wrong: Floats, weight: Floats | None, present: npt.NDArray[np.intp]
) -> Measure:
    """Return the mean recall of the classes present; a constant answer has 1 / their number."""
    recalls = []
    for code in present:
        rows = target == code
        recalls.append(mean_and_error(1.0 - wrong[rows], None if weight is None else weight[rows]))
    values, errors = np.array(recalls).T
    error = math.sqrt(np.square(errors).sum()) / len(values)
    return Measure(float(values.mean()), error, 1.0 / len(values))


def number_measures(
    target: Floats, answers: Floats, weight: Floats | None, baseline: float
) -> dict[str, Measure]:
    """Return the measures of predicted numbers; R² is 1 - MSE / variance of the target.

    >>> figures = number_measures(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), None, 2.0)
    >>> {name: round(measure.value, 3) for name, measure in figures.items()}
    {'R²': 0.5, 'mean squared error': 0.333, 'root mean squared error': 0.577, 'mean absolute error': 0.333}
    """
    squares, squares_of_base = np.square(target - answers), np.square(target - baseline)
    (mse, error), (mse_of_base, _) = (mean_and_error(each, weight) for each in (squares, squares_of_base))
    mae, mae_error = mean_and_error(np.abs(target - answers), weight)
    mean = float(np.average(target, weights=weight))
    variance = mean_and_error(np.square(target - mean), weight)[0]
    root = math.sqrt(mse)
    measures = {
        "mean squared error": Measure(mse, error, mse_of_base),
        "root mean squared error": Measure(
            root, error / (2 * root) if root > 0 else 0.0, math.sqrt(mse_of_base)
        ),
        "mean absolute error": Measure(mae, mae_error, mean_and_error(np.abs(target - baseline), weight)[0]),
    }
    if variance > 0:
        measures = {"R²": Measure(1 - mse / variance, None, 1 - mse_of_base / variance), **measures}
    return measures


def quantile_measures(
    target: Floats, answers: Floats, weight: Floats | None, quantiles: tuple[float, ...]
) -> dict[str, Measure]:
    """Return the pinball losses of predicted quantiles, a column each, and the coverage of the outermost.

    The baselines are the losses of the quantiles of the target itself.

    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> figures = quantile_measures(y, np.array([[1.0, 3.0]] * 4), None, (0.25, 0.75))
    >>> {name: measure.value for name, measure in figures.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'pinball loss': 0.375, 'pinball loss of 0.25': 0.375, 'pinball loss of 0.75': 0.375,
     'rows from 0.25 to 0.75': 0.75}
    """
    order = np.argsort(target, kind="stable")
    below = np.cumsum(np.ones(len(target)) if weight is None else weight[order])
    shares = np.array(quantiles)
    constant = target[order][np.minimum(np.searchsorted(below, shares * below[-1]), len(target) - 1)]

    def losses(predicted: Floats) -> Floats:
        short = target[:, None] - predicted
        return np.asarray(np.maximum(shares * short, (shares - 1) * short))

    own, of_base = losses(answers), losses(np.broadcast_to(constant, answers.shape))
    measures = {
        "pinball loss": Measure(
            *mean_and_error(own.mean(axis=1), weight), mean_and_error(of_base.mean(axis=1), weight)[0]
        )
    }
    for share, loss, base in zip(quantiles, own.T, of_base.T, strict=True):
        measures[f"pinball loss of {share:g}"] = Measure(
            *mean_and_error(loss, weight), mean_and_error(base, weight)[0]
        )
    inside = ((answers[:, 0] <= target) & (target <= answers[:, -1])).astype(np.float64)
    measures[f"rows from {quantiles[0]:g} to {quantiles[-1]:g}"] = Measure(*mean_and_error(inside, weight))
    return measures


def ranking_measures(y: Floats, scores: Floats, groups: Groups, gain: Gain) -> dict[str, Measure]:
    """Return the measures of a ranking, with standard errors over groups; baselines are of equal scores.

    >>> y, scores, groups = np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.zeros(2, np.int32)
    >>> figures = ranking_measures(y, scores, groups, "linear")
    >>> {name: round(measure.value, 3) for name, measure in figures.items()}
    {'NDCG': 0.631, 'NDCG@5': 0.631, 'NDCG@10': 0.631, 'MAP': 0.5, 'MRR': 0.5}
    """
    gains, equal = gains_of(y, gain), np.zeros(len(y))
    measures = {}
    for name, k in (("NDCG", None), ("NDCG@5", 5), ("NDCG@10", 10)):
        baseline = float(ndcg_by_group(gains, equal, groups, k).mean())
        measures[name] = Measure(*mean_and_error(ndcg_by_group(gains, scores, groups, k)), baseline)
    measures["MAP"] = Measure(*mean_and_error(precision_by_group(y, scores, groups)))
    measures["MRR"] = Measure(*mean_and_error(reciprocal_by_group(y, scores, groups)))
    return measures
