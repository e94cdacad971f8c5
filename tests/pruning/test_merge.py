import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hand_trees import shop_tree
from tests.strategies import tables, trees

from bough.example_models import cars_tree, iris_tree, tennis_tree
from bough.tree import Tree


@st.composite
def few_answers(draw):
    """Trees of which many nodes answer alike."""
    tree = draw(trees(max_splits=8))
    if tree.classes:
        statistics = np.zeros_like(tree.statistics)
        likely = draw(st.lists(st.booleans(), min_size=tree.n_nodes, max_size=tree.n_nodes))
        place = np.where(likely, 0, len(tree.classes) - 1)
        statistics[np.arange(tree.n_nodes), place] = tree.weight
    else:
        drawn = draw(st.lists(st.integers(0, 1), min_size=tree.n_nodes, max_size=tree.n_nodes))
        statistics = np.where(tree.weight > 0, drawn, np.nan)[:, None]
    return dataclasses.replace(tree, statistics=statistics)


@pytest.mark.slow
@given(few_answers(), st.data())
def test_merging_changes_no_prediction(tree, data):
    merged = tree.merged()
    merged.check()
    table = data.draw(tables(tree.schema))
    assert merged.predict(table).tolist() == tree.predict(table).tolist()


@pytest.mark.slow
@given(few_answers())
def test_no_leaves_are_left_to_merge(tree):
    merged = tree.merged()
    answers = merged.answers()
    for node in np.flatnonzero(~merged.is_leaf):
        family = [node, *merged.children(node)]
        all_leaves = all(merged.is_leaf[child] for child in merged.children(node))
        assert not (all_leaves and len(set(answers[family].tolist())) == 1)
    again = merged.merged()
    assert dataclasses.replace(again, recipe=merged.recipe) == merged


@pytest.mark.slow
@given(few_answers())
def test_merging_is_one_pair_after_another(tree):
    slowly = tree
    while True:
        answers = slowly.answers()
        alike = [
            node
            for node in np.flatnonzero(~slowly.is_leaf)
            if all(slowly.is_leaf[child] for child in slowly.children(node))
            and len(set(answers[[node, *slowly.children(node)]].tolist())) == 1
        ]
        if not alike:
            break
        slowly = slowly.snip(alike[0])
    assert dataclasses.replace(tree.merged(), recipe={}) == dataclasses.replace(slowly, recipe={})


def test_trees_whose_leaves_differ_stay_as_they_are():
    for tree in (iris_tree(), tennis_tree(), cars_tree()):
        assert dataclasses.replace(tree.merged(), recipe={}) == tree


def test_an_empty_leaf_answers_as_its_parent_and_goes():
    tree = shop_tree()
    merged = tree.merged()
    # Nodes 7 (1 case) and 8 (none) both answer True as their parent does; 5 and 6 both answer False.
    assert merged.n_nodes == 5
    assert merged.answers().tolist() == tree.answers()[:5].tolist()


def test_a_parent_that_answers_otherwise_keeps_its_leaves():
    # The rows that stayed at node 2 for want of a value tip its answer.
    statistics = [[50, 50, 50], [50, 0, 0], [0, 60, 50], [0, 5, 20], [0, 1, 20]]
    tree = dataclasses.replace(iris_tree(), statistics=statistics)
    assert tree.answers()[2:].tolist() == ["versicolor", "virginica", "virginica"]
    assert tree.merged().n_leaves == 3


def test_a_merged_tree_comes_back_from_json():
    merged = shop_tree().merged()
    assert Tree.from_json(merged.to_json()) == merged
