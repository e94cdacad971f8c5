import numpy as np
import pytest
from hypothesis import given
from tests.strategies import trees

from bough.errors import FormatError
from bough.tree.structure import Structure, family


@given(trees())
def test_the_number_of_children_says_everything(tree):
    parent, first_child = family(tree.n_children)
    assert parent.tolist() == tree.parent.tolist()
    assert first_child.tolist() == tree.first_child.tolist()
    for node in range(tree.n_nodes):
        assert all(tree.parent[child] == node for child in tree.children(node))


def test_several_trees_begin_at_their_roots():
    parent, first_child = family(np.array([0, 2, 0, 0, 2, 0, 0]), roots=np.array([0, 1, 4]))
    assert parent.tolist() == [-1, -1, 1, 1, -1, 4, 4]
    assert first_child.tolist() == [-1, 2, -1, -1, 5, -1, -1]


@pytest.mark.parametrize("n_children", [[2, 0], [0, 2, 0], [2, 0, 0, 0], [2, -1, 0]])
def test_numbers_of_children_that_describe_no_tree_are_refused(n_children):
    with pytest.raises(FormatError, match=r"At nodes\.n_children: the numbers of children"):
        family(np.array(n_children))


@given(trees())
def test_depths_count_the_splits_above(tree):
    assert tree.node_depths.tolist() == [len(tree.path(node)) - 1 for node in range(tree.n_nodes)]


def test_a_chain_of_a_hundred_thousand_splits_is_no_trouble():
    n_children = np.zeros(200_001, dtype=np.int32)
    n_children[0] = 2
    n_children[2:-2:2] = 2
    parent, first_child = family(n_children)
    chain = Structure(parent=parent, first_child=first_child, n_children=n_children)
    assert chain.depth == 100_000
    assert chain.n_leaves == 100_001
    assert len(chain.path(200_000)) == 100_001
    assert sum(1 for _ in chain.walk()) == 200_001


def test_walking_the_first_nodes_only_leaves_out_the_rest():
    parent, first_child = family(np.array([2, 2, 0, 0, 0]))
    structure = Structure(parent=parent, first_child=first_child, n_children=np.array([2, 2, 0, 0, 0]))
    assert list(structure.walk()) == [0, 1, 3, 4, 2]
    assert list(structure.walk(first=4)) == [0, 1, 3, 2]
