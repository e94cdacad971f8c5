"""RuleFit step by step, from Friedman and Popescu (2008): rules of trees, linear terms, lasso, importance."""

import numpy as np
from tests.ensembles.plain_lasso import plain_lasso


def covered(tree, node, X):
    """Whether each row of numbers meets all conditions on the path to a node (equation 4)."""
    inside = np.ones(len(X), dtype=bool)
    while node:
        parent = tree.parent[node]
        below = X[:, tree.column[parent]] < tree.cut[parent]
        inside &= below if node == tree.first_child[parent] else ~below
        node = tree.parent[node]
    return inside


def rules_of(trees, X):
    """The rules of all nodes below the roots, each set of rows or its complement once."""
    found, seen = [], set()
    for number, tree in enumerate(trees):
        for node in range(1, len(tree.parent)):
            rows = covered(tree, node, X)
            keys = {rows.tobytes(), (~rows).tobytes()}
            if not keys & seen and 0 < rows.sum() < len(X):
                found.append((number, node, rows))
            seen |= keys
    return found


def winsorized(values, share):
    """The values between the quantiles of `share` and of 1 - `share` (equation 21)."""
    ordered = np.sort(values)
    least = np.arange(1, len(values) + 1) / len(values)
    low, high = (ordered[np.argmax(least >= each)] for each in (share, 1 - share))
    return np.clip(values, low, high)


def design(rules, X, share):
    """The rules as they are, and linear terms of standard deviation 0.4 (equation 24)."""
    terms = [winsorized(column, share) for column in X.T]
    return np.column_stack([*(rows for _, _, rows in rules), *(0.4 * term / term.std() for term in terms)])


def fit(trees, X, y, penalty, share=0.025, n_classes=0):
    """Return the scores of the rows, and the importance of each column of X (equations 28, 29 and 35)."""
    rules = rules_of(trees, X)
    columns = design(rules, X, share)
    intercept, b = plain_lasso(columns, y, penalty, n_classes=n_classes, steps=30_000)
    importance = np.zeros(X.shape[1])
    for (number, node, rows), coefficient in zip(rules, b[: len(rules), 0], strict=True):
        used = set()
        while node:
            node = trees[number].parent[node]
            used.add(trees[number].column[node])
        support = rows.mean()
        for column in used:
            importance[column] += abs(coefficient) * np.sqrt(support * (1 - support)) / len(used)
    importance += np.abs(b[len(rules) :, 0]) * columns[:, len(rules) :].std(axis=0)
    return intercept + columns @ b, importance


def partial_dependence(predict, X, columns):
    """The mean score if some columns have the values of each row, and the others those of all rows."""
    found = []
    for row in X:
        rows = X.copy()
        rows[:, columns] = row[columns]
        found.append(predict(rows).mean())
    return np.array(found) - np.mean(found)


def interaction(predict, X, j, k=None):
    """H² of two columns (equation 44), or of one with all others (equation 45)."""
    if k is None:
        others = [column for column in range(X.shape[1]) if column != j]
        whole = predict(X) - predict(X).mean()
        parts = partial_dependence(predict, X, [j]) + partial_dependence(predict, X, others)
        return np.sum((whole - parts) ** 2) / np.sum(whole**2)
    both = partial_dependence(predict, X, [j, k])
    parts = partial_dependence(predict, X, [j]) + partial_dependence(predict, X, [k])
    return np.sum((both - parts) ** 2) / np.sum(both**2)
