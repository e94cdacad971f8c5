"""Odd numbers, few rows and columns of other scales: a tree is grown, sound, and routes as it says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import bough
from bough.data.table import Table
from bough.tree.routing import walk

ODD = st.sampled_from(
    [0.0, -0.0, 1.0, -1.0, 0.1, 3.0, 1e308, -1e308, 1e-308, 5e-324, np.inf, -np.inf, np.nan, 1e16, 7.5]
)
TABLES = st.integers(1, 12).flatmap(lambda n: arrays.arrays(np.float64, (n, 3), elements=ODD))
KINDS = st.sampled_from(["ratio", "bivariate", "linear", ("ratio", "bivariate", "linear")])


@given(TABLES, KINDS, st.integers(0, 2**12 - 1))
@settings(max_examples=150, deadline=None)
def test_any_numbers_grow_a_sound_tree_of_classes(X, kinds, labels):
    y = [(labels >> row) & 1 for row in range(len(X))]
    tree = bough.CARTClassifier(prune="none", combinations=kinds, combination_deletion=0.0).fit(X, y).tree_
    tree.check()
    ends = tree.apply(X)
    assert np.array_equal(ends, walk(tree, Table.fit_to(X, tree.schema)))
    assert np.array_equal(np.bincount(ends, minlength=tree.n_nodes)[tree.is_leaf], tree.cases[tree.is_leaf])
    assert bough.Tree.from_json(tree.to_json()) == tree
    assert str(tree)
    assert str(tree.rules())


@given(TABLES, KINDS, st.data())
@settings(max_examples=100, deadline=None)
def test_any_numbers_grow_a_sound_tree_of_numbers(X, kinds, data):
    y = data.draw(st.lists(st.floats(-1e9, 1e9), min_size=len(X), max_size=len(X)))
    tree = bough.CARTRegressor(prune="none", combinations=kinds).fit(X, y).tree_
    tree.check()
    assert np.array_equal(tree.apply(X), walk(tree, Table.fit_to(X, tree.schema)))


def test_a_combination_does_not_step_to_numbers_that_overflow():
    X = np.zeros((9, 3))
    X[0, 0], X[1], X[2, 1], X[3, 2] = 1, [0, -1, -1], -1e308, 1
    y = [9393928.0, 0.0, 2734112.0, 0.0, 28933944.0, 0.0, 0.0, 0.0, 0.0]
    tree = bough.CARTRegressor(prune="none", combinations="linear").fit(X, y).tree_
    tree.check()
    assert np.array_equal(tree.apply(X), walk(tree, Table.fit_to(X, tree.schema)))


@pytest.mark.parametrize("kinds", ["ratio", "bivariate", "linear"])
def test_levels_beside_numbers(kinds):
    rng = np.random.default_rng(0)
    X = np.empty((60, 3), dtype=object)
    X[:, 0], X[:, 2] = rng.uniform(1, 9, 60), rng.uniform(1, 9, 60)
    X[:, 1] = np.where(rng.random(60) < 0.5, "s", "t")
    y = ((X[:, 1] == "s") & (X[:, 0] > X[:, 2])).astype(int)
    tree = bough.CARTClassifier(prune="none", combinations=kinds).fit(X, y).tree_
    assert tree.n_leaves == 3
    assert (tree.predict(X) == y).all()
    assert np.array_equal(tree.apply(X), walk(tree, Table.fit_to(X, tree.schema)))


@pytest.mark.parametrize("kinds", ["ratio", "bivariate", "linear"])
def test_float32_numbers_are_combined_as_they_are(kinds):
    X = np.random.default_rng(1).uniform(1, 9, size=(100, 3)).astype(np.float32)
    y = X[:, 0] > X[:, 1]
    tree = bough.CARTClassifier(prune="none", combinations=kinds).fit(X, y).tree_
    assert (tree.predict(X) == y).all()
    assert np.array_equal(tree.apply(X), tree.apply(X.astype(np.float64)))


@pytest.mark.parametrize("kinds", ["bivariate", "linear"])
def test_a_constant_column_and_a_single_row_offer_nothing(kinds):
    X = np.column_stack([np.arange(6.0), np.ones(6)])
    assert (
        bough.CARTClassifier(prune="none", combinations=kinds).fit(X, [0, 1, 0, 1, 0, 1]).tree_.formulas == ()
    )
    assert bough.CARTClassifier(prune="none", combinations=kinds).fit(X[:1], [0]).tree_.n_nodes == 1
