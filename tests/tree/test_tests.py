"""The tests that a tree keeps: per node and column a statistic and an adjusted p-value."""

from dataclasses import replace

import numpy as np
import pytest

import bough
from bough.errors import FormatError
from bough.example_models import iris_tree
from bough.tree.tests import ColumnTest, NodeTests

TESTS = NodeTests.of_nodes(
    [
        [ColumnTest(0, 93.8, 1e-20), ColumnTest(1, 90.1, 1e-19)],
        [],
        [ColumnTest(1, 60.0, 0.001)],
        [ColumnTest(0, 0.5, 0.48)],
        [],
    ]
)


def tree_with_tests():
    return replace(iris_tree(), tests=TESTS)


def test_tests_are_saved_and_compared(tmp_path):
    for name in ("tree.json", "tree.bough"):
        tree_with_tests().save(tmp_path / name)
        assert bough.load(tmp_path / name) == tree_with_tests()
    assert tree_with_tests() != iris_tree()


def test_pruning_keeps_the_tests_of_the_nodes_that_stay():
    pruned = tree_with_tests().snip(2)
    assert [test.column for test in pruned.tests_of(0)] == [0, 1]
    assert pruned.tests_of(2) == [ColumnTest(1, 60.0, 0.001)]


def test_a_node_prints_its_tests_by_p_value():
    assert str(tree_with_tests().node(0)).endswith(
        "tests (adjusted p): Petal.Length 1e-20, Petal.Width 1e-19"
    )
    assert str(tree_with_tests().node(3)).endswith("a leaf\n  tests (adjusted p): Petal.Length 0.48")


@pytest.mark.parametrize(
    ("array", "values", "place"),
    [
        ("column", [0, 7, 1, 0], r"tests\.column\[1\]"),
        ("column", [1, 1, 1, 0], r"tests\.column\[1\]"),
        ("p_value", [0.1, -0.1, 0.5, 0.5], r"tests\.p_value\[1\]"),
        ("statistic", [1.0, np.nan, 0.5, 0.5], r"tests\.statistic\[1\]"),
    ],
)
def test_tests_that_do_not_fit_the_tree_are_refused(array, values, place):
    with pytest.raises(FormatError, match=place):
        replace(tree_with_tests(), tests=replace(TESTS, **{array: values})).check()
