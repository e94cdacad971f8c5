"""Every limit is seen to act: the tree is smaller for it, and keeps within it at every node."""

from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

import bough
from bough import _core
from bough.data.table import Table
from bough.data.target import read_classes, read_weights
from bough.engines import native
from bough.errors import ParameterError
from bough.growing.recipe import Recipe

CANCER, DIABETES = load_breast_cancer(return_X_y=True), load_diabetes(return_X_y=True)


def inner(tree):
    return np.flatnonzero(~tree.is_leaf)


def p_value(tree, node):
    children = np.ascontiguousarray(tree.statistics[list(tree.children(node))])
    return _core.chi_square_survival(*_core.pearson(children))


def depths(tree):
    return np.array([len(tree.path(node)) - 1 for node in range(tree.n_nodes)])


def decrease(tree):
    return tree.gain[inner(tree)] * tree.weight[inner(tree)] / tree.weight[0]


def risks(tree):
    return tree.risk[inner(tree)] / tree.risk[0]


def improvements(tree, of_risk=False):
    """What each split improves, by what the root's split does; of a share of the risk where that counts."""
    improved = (tree.gain * tree.weight)[inner(tree)]
    if of_risk:
        improved = improved / tree.risk[inner(tree)]
    return improved / improved[0]


def limited(learner, criterion, data, **limits):
    """Grow the tree of a learner with these limits, or of its recipe with one that is no parameter of it."""
    if limits.keys() <= learner().get_params().keys():
        return learner(criterion, **limits).fit(*data).tree_
    X, y = data
    classes = learner is bough.TreeClassifier
    recipe = Recipe(
        criterion, limits=bough.Limits(**limits), task="classification" if classes else "regression"
    )
    target = read_classes(y) if classes else y
    return native.grow(Table.read(X), target, read_weights(None, len(y)), recipe)


# For each limit a value, and what then holds of the tree.
BOTH = {
    "max_depth": [(2, lambda tree: depths(tree).max() == 2)],
    "min_samples_split": [
        (40, lambda tree: tree.rows[inner(tree)].min() >= 40),
        (0.25, lambda tree: tree.rows[inner(tree)].min() >= 0.25 * tree.rows[0]),
    ],
    "min_samples_leaf": [
        (15, lambda tree: tree.rows.min() >= 15),
        (0.07, lambda tree: tree.rows.min() >= 0.07 * tree.rows[0]),
    ],
    "min_weight_fraction_leaf": [(0.06, lambda tree: tree.weight.min() >= 0.06 * tree.weight[0])],
    "max_leaf_nodes": [(7, lambda tree: tree.n_leaves == 7)],
    "min_risk": [(0.05, lambda tree: risks(tree).min() > 0.05)],
}
CLASSES = {
    **BOTH,
    "min_impurity_decrease": [(0.02, lambda tree: decrease(tree).min() >= 0.02)],
    "min_gain": [(0.1, lambda tree: tree.gain[inner(tree)].min() > 0.1)],
    "purity": [(0.9, lambda tree: (tree.statistics.max(axis=1) < 0.9 * tree.weight)[inner(tree)].all())],
    "significance": [(1e-4, lambda tree: max(p_value(tree, node) for node in inner(tree)) <= 1e-4)],
    "min_events": [(20, lambda tree: (tree.weight - tree.statistics[:, 0])[inner(tree)].min() >= 20)],
    "min_improvement": [(0.01, lambda tree: improvements(tree).min() > 0.01)],
}
NUMBERS = {
    **BOTH,
    "min_impurity_decrease": [(40.0, lambda tree: decrease(tree).min() >= 40)],
    "min_gain": [(300.0, lambda tree: tree.gain[inner(tree)].min() > 300)],
    "min_variance": [(3000.0, lambda tree: (tree.risk / tree.weight)[inner(tree)].min() >= 3000)],
    "min_events": [(2000.0, lambda tree: (tree.statistics[:, 0] * tree.weight)[inner(tree)].min() >= 2000)],
    "min_improvement": [(0.4, lambda tree: improvements(tree, of_risk=True).min() > 0.4)],
}


def listed(table):
    return [
        pytest.param(name, value, holds, id=f"{name}={value}")
        for name, pairs in table.items()
        for value, holds in pairs
    ]


def test_every_limit_is_looked_at():
    assert {*CLASSES, *NUMBERS} == {field.name for field in fields(bough.Limits)}


@pytest.mark.parametrize(("limit", "value", "holds"), listed(CLASSES))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_limit_stops_a_classification_tree(criterion, limit, value, holds):
    full = bough.TreeClassifier(criterion).fit(*CANCER).tree_
    small = limited(bough.TreeClassifier, criterion, CANCER, **{limit: value})
    assert not holds(full)
    assert holds(small)
    assert 1 < small.n_leaves < full.n_leaves
    assert small.recipe["limits"] == {limit: value}


@pytest.mark.parametrize(("limit", "value", "holds"), listed(NUMBERS))
def test_a_limit_stops_a_regression_tree(limit, value, holds):
    criterion = "poisson" if limit == "min_events" else "squared_error"
    full = bough.TreeRegressor(criterion).fit(*DIABETES).tree_
    small = limited(bough.TreeRegressor, criterion, DIABETES, **{limit: value})
    assert not holds(full)
    assert holds(small)
    assert 1 < small.n_leaves < full.n_leaves


@pytest.mark.parametrize(
    "limit", ["max_depth", "purity", "min_variance", "min_samples_split", "min_events", "min_risk"]
)
def test_a_limit_on_the_node_cuts_the_full_tree_off(limit):
    """Limits that look at the node alone do not change which split it gets."""
    model, criterion, data = (
        (bough.TreeRegressor, "squared_error", DIABETES)
        if limit == "min_variance"
        else (bough.TreeClassifier, "gini", CANCER)
    )
    [(value, _), *_] = (NUMBERS | CLASSES)[limit]
    full, small = model().fit(*data).tree_, limited(model, criterion, data, **{limit: value})
    pairs = [(0, 0)]
    while pairs:
        whole, part = pairs.pop()
        assert full.statistics[whole].tolist() == small.statistics[part].tolist()
        if not small.is_leaf[part]:
            assert full.split(whole) == small.split(part)
            pairs += zip(full.children(whole), small.children(part), strict=True)


@pytest.mark.parametrize(
    ("learner", "data"),
    [(bough.CARTClassifier(prune="none"), CANCER), (bough.CARTRegressor(prune="none"), DIABETES)],
)
def test_with_few_leaves_the_best_splits_come_first(learner, data):
    full = clone(learner).fit(*data).tree_
    worth = full.gain * full.weight
    frontier, made = [0], set()
    for n_leaves in range(2, 12):
        best = max(frontier, key=lambda node: worth[node])
        made.add(best)
        frontier.remove(best)
        frontier += [child for child in full.children(best) if not full.is_leaf[child]]
        tree = clone(learner).set_params(max_leaf_nodes=n_leaves).fit(*data).tree_
        assert tree.n_leaves == n_leaves
        ours = sorted(
            (tree.split(node).column, tree.split(node).cut, tree.rows[node]) for node in inner(tree)
        )
        assert ours == sorted(
            (full.split(node).column, full.split(node).cut, full.rows[node]) for node in made
        )


@pytest.mark.parametrize(
    ("learner", "data", "value"),
    [(bough.CARTClassifier(prune="none"), CANCER, 0.01), (bough.CARTRegressor(prune="none"), DIABETES, 0.4)],
)
def test_cart_is_told_how_much_a_split_must_improve(learner, data, value):
    model = clone(learner).set_params(min_improvement=value).fit(*data)
    plain = bough.TreeClassifier if isinstance(model, bough.CARTClassifier) else bough.TreeRegressor
    assert model.tree_.statistics.tolist() == (
        limited(plain, model.criterion, data, min_improvement=value).statistics.tolist()
    )


def test_a_complete_split_that_would_make_too_many_leaves_is_passed_over():
    X = [["p", "u"], ["q", "u"], ["r", "v"], ["s", "v"]] * 3
    y = [0, 1, 2, 3] * 3
    tree = bough.TreeClassifier("entropy", nominal="complete", max_leaf_nodes=3).fit(X, y).tree_
    assert tree.n_leaves == 1
    assert bough.TreeClassifier("entropy", nominal="complete", max_leaf_nodes=4).fit(X, y).tree_.n_leaves == 4


def test_no_improvement_is_no_reason_to_stop_unless_it_is_said():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert bough.CARTClassifier(prune="none").fit(X, y).score(X, y) == 1.0
    assert bough.TreeClassifier(min_gain=0.0).fit(X, y).get_n_leaves() == 1


def test_without_limits_only_equal_predictors_leave_errors():
    X, y = CANCER
    same = np.vstack([X, X[:1]])
    model = bough.CARTClassifier(prune="none").fit(same, [*y, 1 - y[0]])
    assert model.tree_.risk[model.tree_.is_leaf].sum() == 1


@pytest.mark.parametrize(
    ("learner", "limit", "wrong"),
    [
        (bough.TreeClassifier, "max_depth", 1.5),
        (bough.TreeClassifier, "max_leaf_nodes", 1),
        (bough.TreeClassifier, "min_samples_split", 1),
        (bough.TreeClassifier, "min_samples_leaf", 0.0),
        (bough.TreeClassifier, "min_weight_fraction_leaf", 0.6),
        (bough.TreeClassifier, "min_impurity_decrease", -0.1),
        (bough.TreeClassifier, "min_gain", "much"),
        (bough.TreeClassifier, "purity", 0.0),
        (bough.TreeClassifier, "significance", 2.0),
        (bough.TreeClassifier, "min_events", -1),
        (bough.TreeRegressor, "min_variance", float("nan")),
        (bough.TreeRegressor, "min_events", 3),
    ],
)
def test_a_limit_that_means_nothing_is_refused_by_name(learner, limit, wrong):
    with pytest.raises(ParameterError, match=f"{limit} is {wrong!r}"):
        learner(**{limit: wrong}).fit([[1.0], [2.0]], [0, 1])
