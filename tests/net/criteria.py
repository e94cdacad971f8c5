"""Criteria and methods such as a user writes them."""

from typing import Any

import numpy as np

import bough


def balance(children: np.ndarray) -> np.ndarray:
    """Twoing's idea in a line: what the children differ in, of splits in halves."""
    weight = children.sum(axis=2)
    shares = children / weight[:, :, None]
    return weight.min(axis=1) * np.ptp(shares, axis=1).sum(axis=1)


def spread_of_sums(children: np.ndarray) -> np.ndarray:
    """Squared sums by weight: what squared error compares, not scaled."""
    return (children[:, :, 1] ** 2 / children[:, :, 0]).sum(axis=1)


class SquaredError(bough.UserMethod):
    def evaluate(self, y: np.ndarray, weight: np.ndarray) -> tuple[Any, float]:
        mean = (weight * y).sum() / weight.sum()
        return mean, float((weight * (y - mean) ** 2).sum())

    def error(self, y: np.ndarray, answer: np.ndarray) -> np.ndarray:
        return (y - answer) ** 2


class Median(bough.UserMethod):
    def evaluate(self, y: np.ndarray, weight: np.ndarray) -> tuple[Any, float]:
        answer = np.quantile(y, 0.5, weights=weight, method="inverted_cdf")
        return answer, float((weight * abs(y - answer)).sum())

    def split(self, y: np.ndarray, weight: np.ndarray, x: np.ndarray) -> np.ndarray:
        below = np.cumsum(weight * (y > np.median(y)))[:-1]
        return abs(below - np.cumsum(weight)[:-1] / 2)

    def error(self, y: np.ndarray, answer: np.ndarray) -> np.ndarray:
        return abs(y - answer)


class SeveralNumbers(bough.UserMethod):
    def evaluate(self, y: np.ndarray, weight: np.ndarray) -> tuple[Any, float]:
        return np.array([y.mean(), y.min(), y.max()]), float(np.ptp(y) * weight.sum())
