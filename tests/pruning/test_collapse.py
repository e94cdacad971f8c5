import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hand_trees import shop_tree, weekday_tree
from tests.strategies import tables, trees

from bough.errors import ParameterError
from bough.example_models import iris_tree, tennis_tree
from bough.pruning import collapsed
from bough.pruning.collapse import along_paths
from bough.tree import Tree

FIGURES = ("weight", "rows", "statistics", "risk")


def chosen_nodes(data, tree):
    nodes = data.draw(st.lists(st.integers(0, tree.n_nodes - 1), max_size=4))
    return nodes, [node for node in range(tree.n_nodes) if not set(tree.path(node)[:-1]) & set(nodes)]


@given(trees(), st.data())
def test_the_snipped_nodes_are_leaves_and_the_others_as_they_were(tree, data):
    nodes, kept = chosen_nodes(data, tree)
    snipped = tree.snip(*nodes)
    snipped.check()
    assert snipped.n_nodes == len(kept)
    for name in FIGURES:
        assert np.array_equal(getattr(snipped, name), getattr(tree, name)[kept], equal_nan=True)
    for new, old in enumerate(kept):
        assert snipped.split(new) == (None if old in nodes else tree.split(old))
        assert old in nodes or snipped.default_branch[new] == tree.default_branch[old]
        assert old in nodes or snipped.node(new).gain == tree.node(old).gain


@given(trees(), st.data())
def test_a_row_ends_where_it_did_or_at_the_snipped_node_above(tree, data):
    nodes, kept = chosen_nodes(data, tree)
    table = data.draw(tables(tree.schema))
    stops = [next((node for node in tree.path(end) if node in nodes), end) for end in tree.apply(table)]
    assert [kept[end] for end in tree.snip(*nodes).apply(table)] == stops
    assert np.array_equal(tree.snip(*nodes).predict(table), tree.answers()[stops], equal_nan=not tree.classes)


@given(trees(), st.data())
def test_a_snipped_tree_comes_back_from_json(tree, data):
    snipped = tree.snip(*chosen_nodes(data, tree)[0])
    assert Tree.from_json(snipped.to_json()) == snipped


def test_to_snip_a_leaf_or_nothing_leaves_the_nodes_as_they_are():
    for snipped in (iris_tree().snip(), iris_tree().snip(1, 3)):
        assert dataclasses.replace(snipped, recipe={}) == iris_tree()


def test_to_snip_the_root_leaves_the_root():
    tree = tennis_tree().snip(3, 0)
    assert (tree.n_nodes, tree.depth, tree.answer(0)) == (1, 0, "Yes")
    assert tree.level_start.tolist() == [0, 0]


def test_levels_go_with_their_nodes():
    tree = shop_tree().snip(3)
    assert tree.split(0) == shop_tree().split(0)
    assert tree.split(2) == shop_tree().split(2)
    assert tree.split(4) == shop_tree().split(4)
    assert tree.level_code.tolist() == [0, 1, 2]


def test_an_empty_node_that_is_snipped_answers_as_its_ancestor():
    tree = weekday_tree()
    assert tree.snip(3).answer(3) == tree.answer(3) == tree.answer(0)


@pytest.mark.parametrize("node", [5, -1, 1.0, True, "1"])
def test_a_node_that_is_not_there_is_refused(node):
    with pytest.raises(ParameterError, match=r"node is .* from 0 to 4"):
        iris_tree().snip(node)


def test_the_recipe_notes_each_step_and_keeps_what_it_held():
    grown = dataclasses.replace(iris_tree(), recipe={"nominal": "subset", "prune": {"alpha": 0.5}})
    tree = grown.snip(np.int64(2)).merged().pruned(3)
    assert tree.recipe == {
        "nominal": "subset",
        "prune": {
            "alpha": 0.5,
            "steps": [
                {"by": "snip", "nodes": [2]},
                {"by": "merge"},
                {"by": "cost complexity", "alpha": 3.0, "relative": False, "method": "weakest_link"},
            ],
        },
    }
    assert grown.recipe == {"nominal": "subset", "prune": {"alpha": 0.5}}


def test_the_tree_itself_does_not_change():
    tree = tennis_tree()
    collapsed(tree, np.ones(tree.n_nodes, dtype=bool), {"by": "test"})
    assert tree == tennis_tree()


@given(trees())
def test_along_paths_is_the_least_on_each_path(tree):
    values = np.arange(tree.n_nodes)[::-1] % 5
    least = along_paths(tree.parent, values, np.minimum)
    assert least.tolist() == [values[tree.path(node)].min() for node in range(tree.n_nodes)]
