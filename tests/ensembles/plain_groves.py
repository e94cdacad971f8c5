"""Additive Groves as Sorokina, Caruana and Riedewald (2007) define them: the reference of the fast ones.

A tree is fitted to what the other trees of its grove leave, until the error of the grove in its bag falls by
little. A grove of n trees and share alpha starts from that of n - 1 trees, or from that of the share before;
the rows outside of the bag decide.
"""

import numpy as np
from tests.ensembles import plain_boosting


def grow(X, y, rows, least):
    """A tree as (column, cut, left, right), or a mean in a leaf."""
    _, column, cut = plain_boosting.best_split(X, -y, np.ones(len(y)), rows, 0.0, least)
    if column < 0:
        return y[rows].mean()
    low = X[rows, column] < cut
    return column, cut, grow(X, y, rows[low], least), grow(X, y, rows[~low], least)


def answer(tree, row):
    while isinstance(tree, tuple):
        column, cut, left, right = tree
        tree = left if row[column] < cut else right
    return tree


def predictions(tree, X):
    return np.array([answer(tree, row) for row in X])


def rmse(y, trees):
    return np.sqrt(np.mean((y - sum(trees)) ** 2))


def converge(X, y, bag, alpha, n, trees, tol):
    """The predictions of each tree of a grove for all rows."""
    trees = [*trees] + [np.zeros(len(y))] * (n - len(trees))
    before = np.inf
    while True:
        for i in range(n):
            left = y - sum(trees[:i] + trees[i + 1 :], np.zeros(len(y)))
            tree = grow(X[bag], left[bag], np.arange(len(bag)), alpha * len(bag))
            trees[i] = predictions(tree, X)
        error = rmse(y[bag], [each[bag] for each in trees])
        if error >= before * (1 - tol) or n == 1:
            return trees
        before = error


def groves(X, y, bags, alphas, max_n, tol, dynamic=True):
    """The mean predictions of all bags by share and number of trees, and the out-of-bag squared errors."""
    found = np.zeros((len(alphas), max_n, len(y)))
    outside, times = np.zeros_like(found), np.zeros(len(y))
    for bag in bags:
        out = np.setdiff1d(np.arange(len(y)), bag)
        grid = {}
        for j, alpha in enumerate(alphas):
            for n in range(1, max_n + 1):
                attempts = [converge(X, y, bag, alpha, n, grid.get((j, n - 1), []), tol)] if dynamic else []
                if j > 0 or not dynamic:
                    attempts.append(converge(X, y, bag, alpha, n, grid.get((j - 1, n), []), tol))
                errors = [rmse(y[out], [each[out] for each in trees]) for trees in attempts]
                grid[j, n] = attempts[int(np.argmin(errors))]
                found[j, n - 1] += sum(grid[j, n]) / len(bags)
                outside[j, n - 1, out] += sum(grid[j, n])[out]
        times[out] += 1
    seen = times > 0
    return found, np.mean((outside[:, :, seen] / times[seen] - y[seen]) ** 2, axis=2)
