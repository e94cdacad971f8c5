"""Gradient boosting as its definition says, row by row in numpy: the reference of the native one.

Numeric columns, each distinct value a bin, no sampling. Trees are lists of (column, cut, children or value).
"""

import numpy as np


def squared(y, score):
    return score - y, np.ones_like(y)


def logistic(y, score):
    share = 1 / (1 + np.exp(-score))
    return share - y, share * (1 - share)


def cox(y, score):
    """Cox's partial likelihood with Breslow's ties, and the diagonal of its hessian; y is (time, status)."""
    relative = np.exp(score)
    gradient, hessian = np.zeros(len(y)), np.zeros(len(y))
    for time, status in y:
        if status:
            at_risk = y[:, 0] >= time
            share = np.where(at_risk, relative / relative[at_risk].sum(), 0.0)
            gradient += share
            hessian += share * (1 - share)
    return gradient - y[:, 1], hessian


def best_split(X, gradient, hessian, rows, l2, min_samples_leaf):
    """The gain, column and cut of the best split of some rows; of equals the first column, the lowest cut."""
    best = (0.0, -1, 0.0)
    G, H = gradient[rows].sum(), hessian[rows].sum()
    for column in range(X.shape[1]):
        values = np.unique(X[:, column])
        highest_left = np.isin(values, X[rows, column])[:-1]
        # A cut lies between neighbours among all values of the table, after one that the node has.
        for cut in ((values[1:] + values[:-1]) / 2)[highest_left]:
            left = rows[X[rows, column] < cut]
            if min(len(left), len(rows) - len(left)) < min_samples_leaf:
                continue
            g, h = gradient[left].sum(), hessian[left].sum()
            gain = g**2 / (h + l2) + (G - g) ** 2 / (H - h + l2) - G**2 / (H + l2)
            if gain > best[0] * (1 + 1e-9):
                best = (gain, column, cut)
    return best


def grow(X, gradient, hessian, max_leaves, l2, min_samples_leaf):
    """The rows and the value of each leaf, splitting the leaf of greatest gain next."""
    everything = np.arange(len(X))
    leaves = [(everything, best_split(X, gradient, hessian, everything, l2, min_samples_leaf))]
    splits = []
    while len(leaves) < max_leaves:
        at = max(range(len(leaves)), key=lambda i: leaves[i][1][0])
        rows, (_, column, cut) = leaves[at]
        if column < 0:
            break
        splits.append((column, cut))
        children = rows[X[rows, column] < cut], rows[X[rows, column] >= cut]
        made = [(each, best_split(X, gradient, hessian, each, l2, min_samples_leaf)) for each in children]
        leaves[at] = made[0]
        leaves.append(made[1])
    return [(rows, -gradient[rows].sum() / (hessian[rows].sum() + l2)) for rows, _ in leaves], splits


def boost(X, y, loss, start, n_rounds, learning_rate=0.1, max_leaves=5, l2=0.0, min_samples_leaf=20):
    """The scores of the rows after all rounds, and the splits of each tree."""
    score, splits = np.full(len(y), start), []
    for _ in range(n_rounds):
        gradient, hessian = loss(y, score)
        leaves, made = grow(X, gradient, hessian, max_leaves, l2, min_samples_leaf)
        splits.append(made)
        for rows, value in leaves:
            score[rows] += learning_rate * value
    return score, splits
