"""CART under absolute error: leaves answer with medians, and pruning counts distances from them."""

import numpy as np
import pytest

import bough

rng = np.random.default_rng(11)
X = rng.normal(size=(90, 2)).round(1)
Y = np.where(X[:, 0] > 0, 4.0, 0.0) + rng.standard_cauchy(90).round(2)
WEIGHT = rng.integers(1, 4, 90).astype(float)
FOLDS = np.arange(90) % 5


def weighted_median(y, weight):
    order = np.argsort(y)
    reached = np.cumsum(weight[order])
    half = reached[-1] / 2
    place = int(np.searchsorted(reached, half))
    if reached[place] == half:
        return (y[order][place] + y[order][place + 1]) / 2
    return y[order][place]


@pytest.fixture(scope="module")
def model():
    return bough.CARTRegressor("absolute_error", min_samples_leaf=3, cv=FOLDS).fit(X, Y, WEIGHT)


def test_the_risk_of_a_node_is_the_sum_of_distances_from_its_median(model):
    tree = model.grown_tree_
    inside = tree.decision_path(X).toarray().astype(bool)
    assert tree.n_leaves > 3
    for node in range(tree.n_nodes):
        y, weight = Y[inside[:, node]], WEIGHT[inside[:, node]]
        median = weighted_median(y, weight)
        assert tree.answer(node) == pytest.approx(median)
        assert tree.risk[node] == pytest.approx((weight * abs(y - median)).sum())


def test_the_path_prunes_by_that_risk(model):
    tree, path = model.grown_tree_, model.cp_table_
    for alpha, risk, n_leaves in zip(path.alphas, path.risk, path.n_leaves, strict=True):
        pruned = tree.pruned(alpha)
        assert pruned.n_leaves == n_leaves
        assert risk == pytest.approx((WEIGHT * abs(Y - pruned.predict(X))).sum())


def test_cross_validation_counts_distances(model):
    table = model.cp_table_
    alphas = np.append(table.alphas, 100 * table.alphas[-1])
    total = np.zeros(len(table))
    squares = np.zeros(len(table))
    for fold in range(5):
        out, rest = fold == FOLDS, fold != FOLDS
        learner = bough.CARTRegressor("absolute_error", min_samples_leaf=3, prune="none")
        tree = learner.fit(X[rest], Y[rest], WEIGHT[rest]).grown_tree_
        share = WEIGHT[rest].sum() / WEIGHT.sum()
        for place in range(len(table)):
            pruned = tree.pruned(np.sqrt(alphas[place] * alphas[place + 1]) * share)
            lost = abs(Y[out] - pruned.predict(X[out]))
            total[place] += (WEIGHT[out] * lost).sum()
            squares[place] += (WEIGHT[out] * lost**2).sum()
    assert table.cv_risk == pytest.approx(total)
    assert table.cv_error == pytest.approx(np.sqrt(squares - total**2 / WEIGHT.sum()))
    chosen = table.chosen("one_se")
    assert model.tree_.n_leaves == table.n_leaves[chosen]
    assert 2 <= model.tree_.n_leaves < model.grown_tree_.n_leaves


def test_medians_written_by_a_user_give_the_same_tree(model):
    class Median(bough.UserMethod):
        def evaluate(self, y, weight):
            median = weighted_median(y, weight)
            return median, (weight * abs(y - median)).sum()

        def error(self, y, answer):
            return abs(y - answer)

    ours = bough.UserTree(Median(), min_samples_leaf=3, cv=FOLDS).fit(X, Y, WEIGHT)
    assert ours.grown_tree_.risk[0] == pytest.approx(model.grown_tree_.risk[0])
    assert ours.tree_.n_leaves == model.tree_.n_leaves
    assert ours.predict(X) == pytest.approx(model.predict(X))
