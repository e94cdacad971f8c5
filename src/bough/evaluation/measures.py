"""Measures of a set of answers: each a mean over rows with its standard error, or a figure made of such."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.types import Floats


class Measure(NamedTuple):
    """A measure's value, its standard error, and what one answer for all rows would reach.

    The standard error and the baseline are None where there is none.

    >>> Measure(0.9, 0.03, 0.5).words()
    '0.9 ± 0.03 (one answer for all: 0.5)'
    """

    value: float
    error: float | None = None
    baseline: float | None = None

    def words(self) -> str:
        """Say the value with its standard error and the baseline.

        >>> Measure(0.25).words()
        '0.25'
        """
        text = f"{self.value:.4g}"
        if self.error is not None:
            text += f" ± {self.error:.2g}"
        return text if self.baseline is None else f"{text} (one answer for all: {self.baseline:.4g})"


def mean_and_error(values: npt.NDArray[Any], weight: Floats | None = None) -> tuple[float, float]:
    """Return the weighted mean of a figure per row, and its standard error.

    Rows are taken for drawn one by one, so of shares it is the root of p (1 − p) / n.

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
    loss: Floats | None,
    weight: Floats | None,
    baseline: int,
) -> dict[str, Measure]:
    """Return the measures of answers that are classes, by their codes.

    The Brier score sums over the classes (Brier 1950), so with two classes it is twice what some call it.
    The logarithm of the log-loss is natural; a class held impossible that occurs makes it infinite.

    >>> codes = np.array([0, 1, 1, 1])
    >>> class_measures(codes, np.array([0, 1, 1, 0]), None, None, None, baseline=1)["error rate"].value
    0.25
    """

    def measured(values: npt.NDArray[Any], of_baseline: npt.NDArray[Any] | None = None) -> Measure:
        base = None if of_baseline is None else mean_and_error(of_baseline, weight)[0]
        return Measure(*mean_and_error(values, weight), base)

    wrong, wrong_by_base = ((guess != target).astype(np.float64) for guess in (answers, np.intp(baseline)))
    measures = {
        "accuracy": measured(1.0 - wrong, 1.0 - wrong_by_base),
        "error rate": measured(wrong, wrong_by_base),
    }
    if loss is not None:
        measures["risk"] = measured(loss[target, answers], loss[target, baseline])
    if probabilities is not None:
        rows = np.arange(len(target))
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = -np.log(probabilities[rows, target])
            measures["log-loss"] = measured(surprise) if np.isfinite(surprise).all() else Measure(math.inf)
        # Σ (p − y)² = Σ p² − 2 p(true) + 1, without a matrix of the y.
        brier = np.square(probabilities).sum(axis=1) - 2 * probabilities[rows, target] + 1
        measures["Brier score"] = measured(brier)
    return measures


def number_measures(
    target: Floats, answers: Floats, weight: Floats | None, baseline: float
) -> dict[str, Measure]:
    """Return the measures of answers that are numbers; R² is 1 − MSE / variance of the target.

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
