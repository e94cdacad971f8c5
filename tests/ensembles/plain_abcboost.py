"""ABC-Boost as Li (2009, 2010) defines it, row by row in numpy: the reference of the native one.

In each round every class is tried as the base class b. The derivatives of the log-loss by the score of class
k, when the scores sum to 0 and that of b follows from the others, are (r_b - p_b) - (r_k - p_k) and
p_b (1 - p_b) + p_k (1 - p_k) + 2 p_b p_k, where r is 1 for the class of the row and 0 otherwise.
"""

import numpy as np
from tests.ensembles import plain_boosting


def shares(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def steps(X, r, scores, base, mart, max_leaves, min_samples_leaf):
    """What a round with this base class adds to the scores, without shrinkage."""
    p, made = shares(scores), np.zeros_like(scores)
    for k in range(scores.shape[1]):
        if k == base:
            continue
        gradient = (r[:, base] - p[:, base]) - (r[:, k] - p[:, k])
        hessian = p[:, base] * (1 - p[:, base]) + p[:, k] * (1 - p[:, k]) + 2 * p[:, base] * p[:, k]
        seen = np.ones_like(hessian) if mart else hessian
        leaves, _ = plain_boosting.grow(X, gradient, seen, max_leaves, 0.0, min_samples_leaf)
        for rows, _ in leaves:
            made[rows, k] = -gradient[rows].sum() / hessian[rows].sum()
    made[:, base] = -made.sum(axis=1)
    return made


def abcboost(X, codes, n_rounds, mart, interval, learning_rate=0.1, max_leaves=5, min_samples_leaf=20):
    """The scores of the rows after all rounds, and the base class of each round."""
    r = np.eye(codes.max() + 1)[codes]
    scores, bases = np.tile(np.log(r.mean(axis=0)), (len(X), 1)), []
    for number in range(n_rounds):
        tried = range(r.shape[1]) if number % interval == 0 else [bases[-1]]
        after = {
            base: scores + learning_rate * steps(X, r, scores, base, mart, max_leaves, min_samples_leaf)
            for base in tried
        }
        losses = {base: -np.log(shares(found)[r == 1]).sum() for base, found in after.items()}
        bases.append(min(losses, key=losses.get))
        scores = after[bases[-1]]
    return scores, bases
