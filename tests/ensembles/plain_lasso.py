"""The lasso as it is defined: proximal gradient steps on a dense matrix until nothing changes."""

import numpy as np


def plain_lasso(X, y, penalty, *, n_classes=0, weight=None, steps=200_000):
    """Return intercepts and coefficients (columns × scores) of least mean loss plus penalty times |b|."""
    weight = np.ones(len(y)) if weight is None else weight
    share = weight / weight.sum()
    mean = share @ X
    centred = X - mean
    n_scores = n_classes if n_classes > 2 else 1
    b, intercept = np.zeros((X.shape[1], n_scores)), np.zeros(n_scores)
    # Half of the curvature of the softmax, a quarter of that of the logistic loss, is the greatest.
    curvature = {0: 1.0, 2: 0.25}.get(n_classes, 0.5)
    size = 1 / (curvature * (np.linalg.eigvalsh((centred * share[:, None]).T @ centred).max() + 1.0))
    for _ in range(steps):
        residual = target_of(y, n_classes) - answers(intercept + centred @ b, n_classes)
        moved = b + size * centred.T @ (share[:, None] * residual)
        new = np.sign(moved) * np.maximum(np.abs(moved) - size * penalty, 0)
        step = size * (share @ residual)
        change = max(np.abs(new - b).max(), np.abs(step).max())
        b, intercept = new, intercept + step
        if change < 1e-13:
            break
    return intercept - mean @ b, b


def target_of(y, n_classes):
    return np.eye(n_classes)[y.astype(int)] if n_classes > 2 else y[:, None]


def answers(scores, n_classes):
    if n_classes == 0:
        return scores
    if n_classes == 2:
        return 1 / (1 + np.exp(-scores))
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)
