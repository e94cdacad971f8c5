import dataclasses
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.strategies import tables, trees

from bough import CARTRegressor
from bough.data.schema import Column, Schema
from bough.errors import ParameterError
from bough.example_models import iris_tree
from bough.tree import Tree
from bough.tree.split import Threshold

METHODS = ("weakest_link", "rpart")


@st.composite
def risky_trees(draw):
    """Trees with any risks, whole ones among them so that many alphas are equal; a split may add to it."""
    tree = draw(trees(max_splits=7))
    risks = draw(st.sampled_from([st.integers(0, 12).map(float), st.floats(0, 100)]))
    return dataclasses.replace(tree, risk=draw(st.lists(risks, min_size=tree.n_nodes, max_size=tree.n_nodes)))


def subtrees(tree, node=0):
    """The risk and the leaves of every pruned subtree of a node."""
    found = {(float(tree.risk[node]), 1)}
    children = list(tree.children(node))
    if children:
        for parts in product(*(subtrees(tree, child) for child in children)):
            found.add((sum(risk for risk, _ in parts), sum(leaves for _, leaves in parts)))
    return found


def between(alphas):
    """The alphas, a point between each two of them, and one beyond."""
    return [*alphas, *(alphas[:-1] + np.diff(alphas) / 2), 2 * alphas[-1] + 1]


@settings(deadline=None)
@given(risky_trees())
def test_each_tree_is_the_smallest_of_the_best_for_its_alpha(tree):
    path = tree.cost_complexity_path()
    rivals = subtrees(tree)
    for alpha in between(path.alphas):
        pruned = tree.pruned(alpha)
        cost = pruned.risk[pruned.is_leaf].sum() + alpha * pruned.n_leaves
        costs = {(risk + alpha * leaves, leaves) for risk, leaves in rivals}
        least = min(rival for rival, _ in costs)
        assert cost == pytest.approx(least, rel=1e-9, abs=1e-9)
        # Whole risks part the costs of rivals clearly, others may leave equals apart by rounding.
        if np.all(tree.risk == np.floor(tree.risk)):
            assert pruned.n_leaves == min(leaves for rival, leaves in costs if rival <= least + 1e-9)


@settings(deadline=None)
@given(risky_trees(), st.sampled_from(METHODS))
def test_the_path_tells_of_each_tree_on_it(tree, method):
    path = tree.cost_complexity_path(method)
    assert path.alphas[0] == 0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    for alpha, n_splits, n_leaves, risk in zip(
        path.alphas, path.n_splits, path.n_leaves, path.risk, strict=True
    ):
        pruned = tree.pruned(alpha, method=method)
        pruned.check()
        assert (pruned.n_leaves, pruned.n_nodes - pruned.n_leaves) == (n_leaves, n_splits)
        assert pruned.risk[pruned.is_leaf].sum() == pytest.approx(risk, rel=1e-9, abs=1e-9)
    assert path.n_leaves[-1] == 1


@settings(deadline=None)
@given(risky_trees(), st.sampled_from(METHODS))
def test_a_subtree_is_gone_when_one_above_it_is(tree, method):
    complexity = tree.cost_complexity_path(method).complexity
    assert (complexity[1:] <= complexity[tree.parent[1:]]).all()
    assert (complexity >= 0).all()
    assert (complexity[tree.is_leaf] == 0).all()


@settings(deadline=None)
@given(risky_trees(), st.data(), st.sampled_from(METHODS))
def test_pruned_trees_are_nested_and_keep_the_answers_of_their_leaves(tree, data, method):
    path = tree.cost_complexity_path(method)
    table = data.draw(tables(tree.schema))
    ends = tree.apply(table)
    for alpha in path.alphas:
        inner = path.complexity > alpha
        stops = [next(node for node in tree.path(end) if node == end or not inner[node]) for end in ends]
        predicted = tree.pruned(alpha, method=method).predict(table)
        assert np.array_equal(predicted, tree.answers()[stops], equal_nan=not tree.classes)


@pytest.mark.slow
@settings(deadline=None)
@given(risky_trees(), st.floats(0, 30), st.floats(0, 30))
def test_of_two_alphas_the_greater_counts(tree, one, other):
    twice, once = tree.pruned(one).pruned(other), tree.pruned(max(one, other))
    # A pruned tree's own alphas are the same up to rounding, unless it is at one of them.
    alphas = tree.cost_complexity_path().alphas
    if np.min(np.abs(alphas[:, None] - [one, other])) > 1e-9:
        assert dataclasses.replace(twice, recipe={}) == dataclasses.replace(once, recipe={})


@pytest.mark.slow
@settings(deadline=None)
@given(risky_trees(), st.sampled_from(METHODS))
def test_the_limits(tree, method):
    root = tree.pruned(np.inf, method=method)
    assert root.n_nodes == 1
    assert Tree.from_json(root.to_json()) == root
    free = tree.pruned(0, method=method)
    assert free.risk[free.is_leaf].sum() <= tree.risk[tree.is_leaf].sum() * (1 + 1e-9)


@settings(deadline=None)
@given(risky_trees())
def test_a_share_of_the_roots_risk_is_rparts_cp(tree):
    path = tree.cost_complexity_path()
    if tree.risk[0] > 0:
        for alpha, share in zip(path.alphas, path.relative, strict=True):
            relative = tree.pruned(share, relative=True)
            assert dataclasses.replace(relative, recipe={}) == dataclasses.replace(
                tree.pruned(alpha), recipe={}
            )


def test_a_subtree_that_gains_nothing_goes_at_alpha_0():
    tree = dataclasses.replace(iris_tree(), risk=[100, 0, 50, 30, 20])
    assert tree.pruned(0).n_leaves == 2
    rounded = dataclasses.replace(iris_tree(), risk=[100, 0, 0.1 + 0.2, 0.1, 0.2 - 1e-16])
    assert rounded.risk[2] > rounded.risk[3] + rounded.risk[4]
    assert rounded.pruned(0).n_leaves == 2


def test_a_split_without_gain_stays_where_those_below_it_gain():
    # Exclusive or: the first split alone does nothing, three together do everything.
    xor = CARTRegressor(prune="none").fit([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [0, 1, 1, 0] * 3).tree_
    path = xor.cost_complexity_path()
    assert path.n_leaves.tolist() == [4, 1]
    assert path.alphas.tolist() == [0, 1]


def test_alphas_that_rounding_alone_parts_are_one():
    risk = np.array([10.0, 0.1 + 0.2, 0.3, 0.0, 0.0, 0.0, 0.0])
    splits = [Threshold(0, 0.0), Threshold(0, -1.0), Threshold(0, 1.0), *[None] * 4]
    tree = regression_tree(splits, risk)
    assert tree.risk[1] != tree.risk[2]
    path = tree.cost_complexity_path()
    assert path.n_leaves.tolist() == [4, 2, 1]
    assert path.alphas[1] == 0.1 + 0.2


@pytest.mark.parametrize("alpha", [-1, -1e-300, float("nan"), True, "1", None, 1j])
def test_other_alphas_are_refused(alpha):
    with pytest.raises(ParameterError, match=r"ccp_alpha is .* a finite number of at least 0"):
        iris_tree().pruned(alpha)


def test_a_tree_remembers_its_complexities():
    tree = iris_tree()
    assert tree.complexity is tree.cost_complexity_path().complexity
    assert tree.pruned(44).complexity.tolist() == [50.0, 0.0, 0.0]


def test_other_methods_are_refused():
    with pytest.raises(
        ParameterError, match="method is 'sklearn'; it must be one of 'weakest_link', 'rpart'"
    ):
        iris_tree().cost_complexity_path("sklearn")


def regression_tree(splits, risk):
    ones = np.ones(len(splits))
    return Tree.from_splits(
        splits,
        schema=Schema((Column("x", "numeric"),)),
        task="regression",
        classes=(),
        target_name=None,
        criterion="squared_error",
        cases=ones,
        statistics=ones[:, None],
        risk=risk,
    )


@pytest.mark.parametrize("shape", ["chain", "bush"])
def test_hundreds_of_thousands_of_splits_are_pruned(shape):
    n_splits = 150_000
    splits = [Threshold(0, 0.0)] * (2 * n_splits + 1)
    leaves = range(1, 2 * n_splits, 2) if shape == "chain" else range(n_splits, 2 * n_splits)
    for leaf in [*leaves, 2 * n_splits]:
        splits[leaf] = None
    tree = regression_tree(splits, np.random.default_rng(0).random(len(splits)))
    tree = dataclasses.replace(tree, risk=tree.risk * 2.0 ** -(tree.node_depths / tree.depth))
    path = tree.cost_complexity_path()
    pruned = tree.pruned(path.alphas[len(path) // 2])
    assert pruned.n_leaves == path.n_leaves[len(path) // 2]


@pytest.mark.parametrize(
    ("Model", "load"), [(DecisionTreeRegressor, load_diabetes), (DecisionTreeClassifier, load_wine)]
)
def test_with_impurity_for_risk_the_trees_are_scikit_learns(Model, load):
    X, y = load(return_X_y=True)
    grown = Model(random_state=0).fit(X, y)
    inner = grown.tree_
    order = [0]
    for node in order:
        if inner.children_left[node] >= 0:
            order += [inner.children_left[node], inner.children_right[node]]
    splits = [Threshold(0, 0.0) if inner.children_left[node] >= 0 else None for node in order]
    tree = regression_tree(splits, (inner.impurity * inner.weighted_n_node_samples)[order])
    path = tree.cost_complexity_path()
    for alpha in between(path.alphas)[len(path) :: max(1, len(path) // 20)]:
        theirs = Model(random_state=0, ccp_alpha=alpha / len(y)).fit(X, y)
        assert tree.pruned(alpha).n_leaves == theirs.get_n_leaves()
