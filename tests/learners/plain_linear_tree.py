"""Linear trees in plain numpy: every cut of every column is tried, and both sides are fitted anew.

The definition of `bough.LinearTreeRegressor`, for tables of numbers without missing values.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np


@dataclass
class PlainNode:
    rows: np.ndarray
    intercept: float
    slopes: np.ndarray
    error: float
    column: int = -1
    cut: float = np.nan
    children: list["PlainNode"] = field(default_factory=list)


def fitted(X, y, weight, penalty):
    """The intercept, slopes and squared error of least squares with a penalty of each squared slope."""
    total = weight.sum()
    means, mean = weight @ X / total, weight @ y / total
    centred, off = X - means, y - mean
    products = centred.T @ (weight[:, None] * centred)
    products += np.diag(penalty)
    slopes = np.linalg.lstsq(products, centred.T @ (weight * off), rcond=1e-12)[0]
    error = weight @ (off - centred @ slopes) ** 2
    return mean - means @ slopes, slopes, error


def grow(X, y, *, ridge=0.1, min_leaf=10, max_depth=99, weight=None, prune=True):
    weight = np.ones(len(y)) if weight is None else weight
    variance = weight @ (X - weight @ X / weight.sum()) ** 2 / weight.sum()
    root = _grow(X, y, weight, np.arange(len(y)), ridge * variance, min_leaf, max_depth)
    if prune:
        _prune(root)
    return root


def _grow(X, y, weight, rows, penalty, min_leaf, depth):
    node = PlainNode(rows, *fitted(X[rows], y[rows], weight[rows], penalty))
    best = None
    for column in range(X.shape[1]) if depth else ():
        values = np.unique(X[rows, column])
        for below, above in pairwise(values):
            cut = below / 2 + above / 2
            sides = [rows[X[rows, column] <= cut], rows[X[rows, column] > cut]]
            if min(map(len, sides)) < min_leaf:
                continue
            error = sum(fitted(X[side], y[side], weight[side], penalty)[2] for side in sides)
            if best is None or error < best[0] - 1e-9 * node.error:
                best = error, column, cut, sides
    if best is not None and best[0] < node.error * (1 - 1e-9) and node.error > 1e-12 * (y @ y):
        _, node.column, node.cut, sides = best
        node.children = [_grow(X, y, weight, side, penalty, min_leaf, depth - 1) for side in sides]
    return node


def _prune(node):
    """Return the error and the number of parameters of a subtree; it becomes a leaf if that errs no more."""
    own = 1 + int((node.slopes != 0).sum())
    if not node.children:
        return node.error, own
    errors, parameters = zip(*map(_prune, node.children), strict=True)
    below, all_of_them, n = sum(errors), sum(parameters) + 1, len(node.rows)

    def adjusted(error, v):
        return np.sqrt(error) * (10 if n <= v else (n + v) / (n - v))

    if adjusted(node.error, own) <= adjusted(below, all_of_them):
        node.column, node.cut, node.children = -1, np.nan, []
        return node.error, own
    return below, all_of_them


def level_by_level(root):
    nodes = [root]
    for node in nodes:
        nodes += node.children
    return nodes
