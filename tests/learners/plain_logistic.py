"""Logistic model trees in plain numpy: LogitBoost with lines, node by node (Landwehr, Hall and Frank 2005).

All classes have a score here, also if there are two; the log-odds are their difference.
"""

import numpy as np


def softmax(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def best_line(X, response, weight):
    """The column whose weighted regression line explains most of the squares, with intercept and slope."""
    total, best = weight.sum(), None
    mean = weight @ response / total
    for column, x in enumerate(X.T):
        centre = weight @ x / total
        spread = weight @ (x - centre) ** 2
        half = (x.max() - x.min()) / 2
        if spread <= 1e-20 * total * half**2:
            continue
        slope = weight @ ((x - centre) * (response - mean)) / spread
        explained = slope * slope * spread
        if explained > (0.0 if best is None else best[0] * (1 + 1e-9)):
            best = explained, column, mean - slope * centre, slope
    return (None, mean, 0.0) if best is None else best[1:]


def steps(X, codes, weight, scores, n_steps):
    """Yield the scores of all rows of a node after each step, and the coefficients of the step."""
    k, n = scores.shape[1], len(X)
    for _ in range(n_steps):
        shares = softmax(scores)
        lines = np.zeros((k, X.shape[1] + 1))
        for which in range(k):
            own, p = codes == which, shares[:, which]
            with np.errstate(divide="ignore"):
                response = np.where(own, np.minimum(1 / p, 3.0), -np.minimum(1 / (1 - p), 3.0))
            own_weight = np.maximum((own - p) / response, 1e-10) * weight
            column, lines[which, 0], slope = best_line(X, response, own_weight)
            if column is not None:
                lines[which, 1 + column] = slope
        lines = (k - 1) / k * (lines - lines.mean(axis=0))
        scores = scores + np.column_stack([np.ones(n), X]) @ lines.T
        yield scores, lines


def cross_validated_steps(X, codes, weight, scores, folds, most, patience=50):
    errors = np.zeros(most + 1)
    for fold in range(folds.max() + 1):
        out = folds == fold
        given = np.column_stack([np.ones(out.sum()), X[out]])
        held = scores[out]
        errors[0] += weight[out][held.argmax(axis=1) != codes[out]].sum()
        for number, (_, lines) in enumerate(steps(X[~out], codes[~out], weight[~out], scores[~out], most), 1):
            held = held + given @ lines.T
            errors[number] += weight[out][held.argmax(axis=1) != codes[out]].sum()
    best = 0
    for number in range(1, most + 1):
        if number > best + patience:
            break
        if errors[number] < errors[best]:
            best = number
    return max(best, 1)


def node_models(X, codes, weight, k, parents, rows_of_nodes, n_steps):
    """The coefficients of each node (classes × intercept and columns), and the weight of its errors."""
    scores, models, errors = np.zeros((len(X), k)), [], []
    for node, rows in enumerate(rows_of_nodes):
        model = np.zeros((k, X.shape[1] + 1)) if node == 0 else models[parents[node]].copy()
        for after, lines in steps(
            X[rows], codes[rows], weight[rows], scores[rows], n_steps if len(rows) >= 5 else 0
        ):
            model += lines
            last = after
        if len(rows) >= 5 and n_steps:
            scores[rows] = last
        models.append(model)
        errors.append(weight[rows][scores[rows].argmax(axis=1) != codes[rows]].sum())
    return models, errors
