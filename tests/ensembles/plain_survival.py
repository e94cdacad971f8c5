"""Random survival forests step by step, from Ishwaran, Kogalur, Blackstone and Lauer (2008)."""

import itertools

import numpy as np


def nelson_aalen(time, event, weight, at):
    """The cumulative hazard of rows at some times (equation 3.1)."""
    hazard = np.zeros(len(at))
    for moment in np.unique(time[event > 0]):
        rate = weight[(time == moment) & (event > 0)].sum() / weight[time >= moment].sum()
        hazard[at >= moment] += rate
    return hazard


def mortality(time, event, weight, all_times):
    """The cumulative hazard of rows, summed over the times of all rows (equation 4.1)."""
    return nelson_aalen(time, event, weight, all_times).sum()


def logrank(time, event, weight, left):
    """The square of the log-rank statistic of two groups of rows (section 5.1)."""
    excess = variance = 0.0
    for moment in np.unique(time[event > 0]):
        at_risk = time >= moment
        happened = (time == moment) & (event > 0)
        n, d = weight[at_risk].sum(), weight[happened].sum()
        n_left, d_left = weight[at_risk & left].sum(), weight[happened & left].sum()
        excess += d_left - d * n_left / n
        if n > 1:
            variance += n_left / n * (1 - n_left / n) * (n - d) / (n - 1) * d
    return excess**2 / variance if variance > 1e-12 else 0.0


def best_split(X, time, event, weight, least):
    """The column, the values beside the cut and the statistic of the best split of a node."""
    best = (None, None, 0.0)
    for column in range(X.shape[1]):
        values = np.unique(X[:, column])
        for low, high in itertools.pairwise(values):
            left = X[:, column] <= low
            if min(weight[left].sum(), weight[~left].sum()) < least:
                continue
            value = logrank(time, event, weight, left)
            if value > best[2] * (1 + 1e-9):
                best = (column, (low, high), value)
    return best


def grow(X, time, event, weight, all_times, *, split, leaf):
    """A tree as a nested tuple: a number, or (column, neighbours, left, right)."""
    if weight.sum() >= max(split, 2 * leaf) and event.any():
        column, beside, _ = best_split(X, time, event, weight, leaf)
        if column is not None:
            left = X[:, column] <= beside[0]
            children = [
                grow(X[side], time[side], event[side], weight[side], all_times, split=split, leaf=leaf)
                for side in (left, ~left)
            ]
            return (column, beside, *children)
    return mortality(time, event, weight, all_times)


def answer(tree, row):
    while isinstance(tree, tuple):
        column, (low, high), left, right = tree
        tree = left if row[column] < (low + high) / 2 else right
    return tree
