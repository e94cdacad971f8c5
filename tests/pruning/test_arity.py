"""Binary and joined splits: the same leaves, regions and predictions as those they were rewritten from."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.hand_trees import ages_tree
from tests.strategies import tables, trees

import bough
from bough.errors import ParameterError
from bough.tree.split import Intervals


def leaf_pairs(ours, theirs, table):
    """The pairs of nodes where the same row ends."""
    return set(zip(ours.apply(table).tolist(), theirs.apply(table).tolist(), strict=True))


def rewritten(tree, method):
    try:
        return getattr(tree, method)()
    except ParameterError:
        assume(False)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["binarized", "collapsed"])
@given(st.data())
def test_predictions_do_not_change(method, data):
    tree = data.draw(trees())
    other = rewritten(tree, method)
    other.check()
    table = data.draw(tables(tree.schema))
    np.testing.assert_array_equal(other.predict(table), tree.predict(table))
    pairs = leaf_pairs(other, tree, table)
    assert len(pairs) == len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs})
    assert other.n_leaves == tree.n_leaves


@given(trees())
def test_binarized_splits_have_two_branches_and_can_be_joined_again(tree):
    binary = rewritten(tree, "binarized")
    assert set(binary.n_children.tolist()) <= {0, 2}
    assert binary.collapsed().n_nodes <= binary.n_nodes


@given(st.data())
def test_joining_what_was_made_binary_gives_the_same_regions(data):
    tree = data.draw(trees())
    again = rewritten(rewritten(tree, "binarized"), "collapsed")
    table = data.draw(tables(tree.schema))
    np.testing.assert_array_equal(again.predict(table), tree.predict(table))


def test_a_chain_of_thresholds_becomes_one_split():
    X = [[value] for value in range(40)]
    y = [(value // 10) % 2 for value in range(40)]
    tree = bough.TreeClassifier(max_branches=8).fit(X, y).tree_
    assert tree.split(0) == Intervals(0, (9.5, 19.5, 29.5))
    binary = tree.binarized()
    assert binary.n_nodes == 7
    joined = binary.collapsed()
    assert joined.split(0) == tree.split(0)
    assert joined.statistics.tolist() == tree.statistics.tolist()


def test_figures_of_new_nodes_follow_from_their_rows():
    X = [[level] for level in "aabbccddee"] * 6
    y = [float(i % 10 // 2 * 3 + i % 3) for i in range(60)]
    tree = bough.CHAIDRegressor(min_samples_leaf=1, min_samples_split=2).fit(X, y).tree_
    assert tree.n_children[0] > 2
    binary = tree.binarized()
    again = binary.refit(X, y)
    assert binary.cases.tolist() == again.cases.tolist()
    np.testing.assert_allclose(binary.statistics, again.statistics)
    np.testing.assert_allclose(binary.risk, again.risk)
    np.testing.assert_allclose(binary.gain, again.gain)
    assert binary.importance().sum() == pytest.approx(tree.importance().sum())


def test_trees_that_cannot_be_rewritten_say_why():
    with pytest.raises(ParameterError, match="models in leaves"):
        ages_tree().binarized()
    tree = dataclasses.replace(ages_tree(), leaf_models=None, criterion="absolute_error")
    with pytest.raises(ParameterError, match="medians"):
        tree.binarized()
