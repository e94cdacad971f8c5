"""Measures of rankings and LambdaMART's gradients by their definitions: the reference of ours.

A measure is a function of the grades in the order of a ranking. The change by an exchange of two rows is
computed by exchanging them.
"""

import math

import numpy as np


def ndcg(grades, k=None, weights=None):
    k = len(grades) if k is None else k

    def weight(position):
        if position >= k:
            return 0.0
        if weights is None:
            return 1 / math.log2(position + 2)
        return weights[position] if position < len(weights) else 0.0

    def total(order):
        return sum((2**grade - 1) * weight(position) for position, grade in enumerate(order))

    best = total(sorted(grades, reverse=True))
    return total(grades) / best if best else 1.0


def average_precision(grades, k=None, weights=None):
    k = len(grades) if k is None else k
    relevant = [grade > 0 for grade in grades]
    if not any(relevant):
        return 1.0
    hits = [sum(relevant[: i + 1]) / (i + 1) for i in range(min(k, len(grades))) if relevant[i]]
    return sum(hits) / min(sum(relevant), k)


def reciprocal_rank(grades, k=None, weights=None):
    k = len(grades) if k is None else k
    if not any(grade > 0 for grade in grades):
        return 1.0
    first = next(i for i, grade in enumerate(grades) if grade > 0)
    return 1 / (first + 1) if first < k else 0.0


MEASURES = {"ndcg": ndcg, "map": average_precision, "mrr": reciprocal_rank, "pairwise": None}


def gradients(y, scores, groups, loss, k=None, weights=None):
    """Burges 2010, section 7: the sums over pairs of λ and of its derivative, for each row."""
    gradient, hessian = np.zeros(len(y)), np.zeros(len(y))
    for group in set(groups.tolist()):
        rows = [i for i in range(len(y)) if groups[i] == group]
        order = sorted(rows, key=lambda i: -scores[i])
        grades = [y[i] for i in order]
        for a in range(len(order)):
            for b in range(a + 1, len(order)):
                first, second = grades[a], grades[b]
                if loss in ("map", "mrr"):
                    first, second = first > 0, second > 0
                if first == second:
                    continue
                if loss == "pairwise":
                    change = float(k is None or a < k)
                else:
                    swapped = list(grades)
                    swapped[a], swapped[b] = swapped[b], swapped[a]
                    measure = MEASURES[loss]
                    change = abs(measure(swapped, k, weights) - measure(grades, k, weights))
                better, worse = (order[a], order[b]) if first > second else (order[b], order[a])
                p = 1 / (1 + math.exp(scores[better] - scores[worse]))
                gradient[better] -= p * change
                gradient[worse] += p * change
                hessian[better] += p * (1 - p) * change
                hessian[worse] += p * (1 - p) * change
    return gradient, hessian


def pairs_of(y, groups):
    """All pairs (better, worse) of rows of a group."""
    n = len(y)
    return [(i, j) for i in range(n) for j in range(n) if groups[i] == groups[j] and y[i] > y[j]]


def best_threshold(X, potential):
    """The column, threshold and direction of the ranking of 0 and 1 of the largest |r| = |Σ potential h|."""
    best = (0.0, None)
    for column in range(X.shape[1]):
        values = np.unique(X[:, column])
        for cut in (values[1:] + values[:-1]) / 2:
            r = potential[X[:, column] > cut].sum()
            if abs(r) > best[0] * (1 + 1e-9):
                best = (abs(r), (column, cut, r > 0))
    return best


def rankboost(X, y, groups, n_rounds):
    """Freund, Iyer, Schapire and Singer 2003, figures 1 and 2: rankings of 0 and 1, their α and r."""
    pairs = pairs_of(y, groups)
    D = {pair: 1 / len(pairs) for pair in pairs}
    found, alphas, rs = [], [], []
    for _ in range(n_rounds):
        potential = np.zeros(len(y))
        for (i, j), weight in D.items():
            potential[i] += weight
            potential[j] -= weight
        r, (column, cut, up) = best_threshold(X, potential)
        h = ((X[:, column] > cut) == up).astype(int)
        alpha = math.log((1 + r) / (1 - r)) / 2
        D = {(i, j): weight * math.exp(alpha * (h[j] - h[i])) for (i, j), weight in D.items()}
        total = sum(D.values())
        D = {pair: weight / total for pair, weight in D.items()}
        found.append(h)
        alphas.append(alpha)
        rs.append(r)
    return found, alphas, rs


def gbrank(X, y, groups, fit, n_rounds, margin, rate):
    """Zheng, Chen, Sun and Zha 2007, algorithm 1, with a row of the regression for each row of each pair."""
    pairs, h = pairs_of(y, groups), np.zeros(len(y))
    for k in range(1, n_rounds + 1):
        wrong = [(i, j) for i, j in pairs if h[i] < h[j] + margin]
        rows = [row for pair in wrong for row in pair]
        targets = [target for i, j in wrong for target in (h[j] + margin, h[i] - margin)]
        h = (k * h + rate * fit(X[rows], np.array(targets))(X)) / (k + 1)
    return h
