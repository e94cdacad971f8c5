"""The visitors of an online shop (000): the tree that the slides grow by counting errors."""

import numpy as np
import pytest
from tests.courses import shop

import bough


def slides_order():
    """Duration first, then referrer: the slides choose so among splits with as few errors.

    At the root `referrer = search engine`, `num.visits = once` and `duration < 12.5` leave 2 errors each, and
    at node 2 the first two leave 1 each. Bough takes the first column of equals.
    """
    X, y = shop()
    names = {"s": "search engine", "a": "ad", "o": "other"}
    X["referrer"] = X["referrer"].cat.rename_categories(names)
    return X[["duration", "referrer", "num.visits"]], y


@pytest.fixture
def model():
    return bough.CARTClassifier("misclassification", prune="none").fit(*slides_order())


def test_the_tree_is_that_of_the_slides(model):
    conditions = [model.tree_.condition(node) for node in model.tree_.walk()]
    assert conditions == [
        "all",
        "duration < 12.5",
        "referrer = search engine",
        "referrer in {ad, other}",
        "num.visits = once",
        "num.visits = several",
        "duration >= 12.5",
    ]
    assert model.get_n_leaves() == 4
    assert model.get_depth() == 3


def test_every_leaf_is_pure(model):
    X, y = slides_order()
    assert model.tree_.risk[model.tree_.is_leaf].sum() == 0
    assert (model.predict(X) == np.asarray(y)).all()
    assert model.score(X, y) == 1.0


def test_the_errors_of_each_step_are_those_of_the_slides(model):
    X, y = slides_order()
    # In our order of columns; the slides list referrer, num.visits, duration: 2,3,3,2,3,2 and 1,2,2,1,2.
    root = bough.candidates(model, X, y)
    assert [each.errors for each in root] == [3, 2, 2, 3, 3, 2]
    node2 = bough.candidates(model, X, y, node=1)
    assert [each.errors for each in node2] == [2, 1, 2, 2, 1]
    # Node 5 of the slides, 1,0,1: they swap the labels once and several, the counts are as here.
    node5 = bough.candidates(model, X, y, node=4)
    assert [(each.variable, each.errors) for each in node5] == [
        ("duration", 1),
        ("referrer", 1),
        ("num.visits", 0),
    ]
    assert (model.classes_.tolist(), node5[2].counts) == (["no", "yes"], ((4, 0), (0, 1)))
    assert [model.tree_.split(node) for node in (0, 1, 4)] == [
        table.best("misclassification").split for table in (root, node2, node5)
    ]


def test_in_the_columns_own_order_the_first_of_the_three_ties_is_taken():
    X, y = shop()
    tree = bough.CARTClassifier("misclassification", prune="none").fit(X, y).tree_
    assert tree.condition(1) == "referrer = s"
    assert tree.gain[0] == 2 / 8


def test_gini_finds_the_three_ties_equal_too():
    table = bough.candidates(*shop())
    gains = [each.criteria["gini"] for each in table]
    best = [each.values for each, gain in zip(table, gains, strict=True) if gain == max(gains)]
    assert best == [("{s}", "{a, o}"), ("once", "several"), ("< 12.5", ">= 12.5")]


def test_numbers_are_cut_halfway_between_neighbours():
    x, y = np.array([15, 10, 5, 15, 10, 10, 5, 5]), np.array([2.0, 1, 0, 2, 1, 1, 0, 0])
    assert bough.cut_curve(x, y).cuts.tolist() == [7.5, 12.5]
    tree = bough.CARTRegressor(prune="none").fit(x.reshape(-1, 1), y).tree_
    assert sorted(tree.cut[~tree.is_leaf]) == [7.5, 12.5]


def test_levels_in_an_order_are_cut_between_neighbours_too():
    x, levels = ["long", "mid", "short", "long", "mid", "mid", "short", "short"], ["short", "mid", "long"]
    model = bough.CARTClassifier(ordinal_features={0: levels}, prune="none").fit(
        [[each] for each in x], list("cbacbbaa")
    )
    assert [model.tree_.condition(node) for node in model.tree_.walk()] == [
        "all",
        "x0 <= short",
        "x0 > short",
        "x0 <= mid",
        "x0 > mid",
    ]


def test_all_levels_can_be_split_at_once_or_one_against_the_rest():
    X, y = shop()
    complete = bough.TreeClassifier("misclassification", nominal="complete").fit(X, y).tree_
    assert [complete.condition(child) for child in complete.children(0)] == [
        "referrer = s",
        "referrer = a",
        "referrer = o",
    ]
    single = bough.TreeClassifier("misclassification", nominal="one_vs_rest").fit(X, y).tree_
    assert [single.condition(child) for child in single.children(0)] == ["referrer = s", "referrer is not s"]
