"""Measures of predictions: means over rows with their standard errors, and functions of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.types import Floats


class Measure(NamedTuple):
    """The value of a measure, its standard error, and the value of a constant prediction (`baseline`).

    The standard error and the baseline are None if they are not defined.

    >>> Measure(0.9, 0.03, 0.5).words()
    '0.9 ± 0.03 (one answer for all: 0.5)'
    """

    value: float
    error: float | None = None
    baseline: float | None = None

    def words(self) -> str:
        """Return the value with its standard error and baseline as text.

        >>> Measure(0.25).words()
        '0.25'
        """
        text = f"{self.value:.4g}"
        if self.error is not None:
            text += f" ± {self.error:.2g}"
        return text if self.baseline is None else f"{text} (one answer for all: {self.baseline:.4g})"


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
    baseline: int,
) -> dict[str, Measure]:
    """Return the measures of predicted classes, given as codes.

    The Brier score is summed over the classes (Brier 1950); for two classes it is twice the score of a single
    class. The log-loss uses natural logarithms; it is infinite if a row has probability 0 of its true class.

    >>> codes = np.array([0, 1, 1, 1])
    >>> class_measures(codes, np.array([0, 1, 1, 0]), None, None, None, baseline=1)["error rate"].value
    0.25
    """

    def measured(values: npt.NDArray[Any], of_baseline: npt.NDArray[Any] | None = None) -> Measure:
        base = None if of_baseline is None else mean_and_error(of_baseline, weight)[0]
        return Measure(*mean_and_error(values, weight), base)

    wrong, baseline_wrong = ((each != target).astype(np.float64) for each in (answers, np.intp(baseline)))
    measures = {
        "accuracy": measured(1.0 - wrong, 1.0 - baseline_wrong),
        "error rate": measured(wrong, baseline_wrong),
    }
    if loss_matrix is not None:
        measures["risk"] = measured(loss_matrix[target, answers], loss_matrix[target, baseline])
    if probabilities is not None:
        rows = np.arange(len(target))
        with np.errstate(divide="ignore", invalid="ignore"):
            log_losses = -np.log(probabilities[rows, target])
            finite = np.isfinite(log_losses).all()
            measures["log-loss"] = measured(log_losses) if finite else Measure(math.inf)
        # Σ (p - y)² = Σ p² - 2 p(true) + 1 needs no indicator matrix of y.
        brier = np.square(probabilities).sum(axis=1) - 2 * probabilities[rows, target] + 1
        measures["Brier score"] = measured(brier)
    return measures


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
