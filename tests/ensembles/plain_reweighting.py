"""AdaBoost, LogitBoost and BrownBoost as their papers define them, in plain Python: the references of ours.

Learners are given as functions: `classify(X, y, weights)` returns a function from rows to classes 0, 1, ...;
`shares(X, y, weights)` one to class probabilities; `regress(X, z, weights)` one to numbers.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp


def adaboost_m1(X, y, weights, classify, n_rounds):
    """Freund and Schapire 1997, figure 2: the votes ln(1 / β) and errors of the hypotheses, and them."""
    distribution = weights / weights.sum()
    hypotheses, votes, errors = [], [], []
    for _ in range(n_rounds):
        hypothesis = classify(X, y, distribution)
        wrong = hypothesis(X) != y
        error = sum(p for p, is_wrong in zip(distribution, wrong, strict=True) if is_wrong)
        # At 1/2 the vote is 0 and no weight changes; the paper goes on in vain.
        if error >= 0.5 - 1e-12 or error == 0:
            break
        beta = error / (1 - error)
        distribution = np.array(
            [p * (1 if bad else beta) for p, bad in zip(distribution, wrong, strict=True)]
        )
        distribution /= distribution.sum()
        hypotheses.append(hypothesis)
        votes.append(math.log(1 / beta))
        errors.append(error)
    return hypotheses, votes, errors


def samme(X, y, weights, classify, n_rounds, k):
    """Zhu, Zou, Rosset and Hastie 2009, algorithm 2."""
    w = weights / weights.sum()
    hypotheses, votes, errors = [], [], []
    for _ in range(n_rounds):
        hypothesis = classify(X, y, w)
        wrong = hypothesis(X) != y
        error = (w * wrong).sum() / w.sum()
        alpha = math.log((1 - error) / error) + math.log(k - 1)
        w = w * np.exp(alpha * wrong)
        w /= w.sum()
        hypotheses.append(hypothesis)
        votes.append(alpha)
        errors.append(error)
    return hypotheses, votes, errors


def voted(hypotheses, votes, X, k):
    """The class of the most votes."""
    totals = np.zeros((len(X), k))
    for hypothesis, vote in zip(hypotheses, votes, strict=True):
        for row, label in enumerate(hypothesis(X)):
            totals[row, label] += vote
    return totals.argmax(axis=1)


def real_adaboost(X, y, weights, shares, n_rounds):
    """Friedman, Hastie and Tibshirani 2000, algorithm 2: the sum F of half log-odds; y is 0 or 1."""
    w, sign = weights / weights.sum(), np.where(y == 1, 1, -1)
    F = np.zeros(len(X))
    for _ in range(n_rounds):
        p = np.clip(shares(X, y, w)(X)[:, 1], 1e-15, 1 - 1e-15)
        f = np.log(p / (1 - p)) / 2
        w = w * np.exp(-sign * f)
        w /= w.sum()
        F += f
    return F


def samme_r(X, y, weights, shares, n_rounds, k):
    """Zhu et al. 2009, algorithm 4: the sum of the contributions to each class."""
    w = weights / weights.sum()
    coded = np.where(np.arange(k) == y[:, None], 1, -1 / (k - 1))
    F = np.zeros((len(X), k))
    for _ in range(n_rounds):
        logs = np.log(shares(X, y, w)(X))
        w = w * np.exp(-(k - 1) / k * (coded * logs).sum(axis=1))
        w /= w.sum()
        F += (k - 1) * (logs - logs.mean(axis=1, keepdims=True))
    return F


def adaboost_r2(X, y, fits, losses_of, n_rounds, draw):
    """Drucker 1997: regressors, ln(1 / β) and mean losses; `draw` draws rows by probability."""
    p = np.full(len(y), 1 / len(y))
    fitted, votes, errors = [], [], []
    for _ in range(n_rounds):
        rows = draw(p)
        predict = fits(X[rows], y[rows])
        losses = losses_of(np.abs(predict(X) - y) / np.abs(predict(X) - y).max())
        mean = (losses * p).sum()
        beta = mean / (1 - mean)
        p = p * beta ** (1 - losses)
        p /= p.sum()
        fitted.append(predict)
        votes.append(math.log(1 / beta))
        errors.append(mean)
    return fitted, votes, errors


def weighted_median(numbers, votes):
    """The least number such that the votes of all that are not greater are at least half."""
    pairs = sorted(zip(numbers, votes, strict=True))
    reached = 0.0
    for number, vote in pairs:
        reached += vote
        if reached >= sum(votes) / 2:
            return number
    raise AssertionError


def logitboost(X, y, regress, n_rounds, most):
    """Friedman, Hastie and Tibshirani 2000, algorithm 3: the probability of class 1."""
    F, p = np.zeros(len(X)), np.full(len(X), 0.5)
    for _ in range(n_rounds):
        w = p * (1 - p)
        z = np.clip((y - p) / w, -most, most)
        F += regress(X, z, w)(X) / 2
        p = np.exp(F) / (np.exp(F) + np.exp(-F))
    return p


def logitboost_classes(X, y, regress, n_rounds, most, k):
    """Friedman, Hastie and Tibshirani 2000, algorithm 6: the probability of each class."""
    F, p = np.zeros((len(X), k)), np.full((len(X), k), 1 / k)
    for _ in range(n_rounds):
        f = np.empty_like(F)
        for j in range(k):
            w = p[:, j] * (1 - p[:, j])
            z = np.clip(((y == j) - p[:, j]) / w, -most, most)
            f[:, j] = regress(X, z, w)(X)
        F += (k - 1) / k * (f - f.mean(axis=1, keepdims=True))
        p = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
    return p


def brownboost(X, sign, classify, c, nu, n_rounds):
    """Freund 2001: the members' weights and the times that remain; the equation by Runge-Kutta steps."""
    r, s = np.zeros(len(X)), c
    alphas, remaining = [], []
    while s > 0 and len(alphas) < n_rounds:
        hypothesis = classify(X, (sign > 0).astype(int), np.exp(-((r + s) ** 2) / c))
        right = np.where(hypothesis(X) == 1, 1, -1) * sign

        def correlation(alpha, t, r=r, s=s, right=right):
            w = np.exp(-((r + alpha * right + s - t[0]) ** 2) / c)
            return (w * right).sum() / w.sum()

        if correlation(0.0, [0.0]) <= nu:
            break

        def too_weak(alpha, t, correlation=correlation):
            return correlation(alpha, t) - nu

        def out_of_time(alpha, t, s=s):
            return s - t[0]

        too_weak.terminal = out_of_time.terminal = True
        path = solve_ivp(
            lambda alpha, t, of=correlation: [of(alpha, t)],
            (0.0, 1e6),
            [0.0],
            events=[too_weak, out_of_time],
            rtol=1e-10,
            atol=1e-12,
            max_step=math.sqrt(c) / 50,
        )
        alpha, t = path.t[-1], path.y[0, -1]
        r, s = r + alpha * right, (0.0 if len(path.t_events[1]) else s - t)
        alphas.append(alpha)
        remaining.append(s)
    return alphas, remaining, r
