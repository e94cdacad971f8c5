"""The tests that a tree keeps: per node and column a statistic and an adjusted p-value."""

from dataclasses import replace

import numpy as np
import pytest

import bough
from bough.errors import FormatError
from bough.example_models import iris_tree
from bough.tree.tests import ColumnTest

NAN = np.nan
P_VALUE = np.array([[1e-20, 1e-19], [NAN, NAN], [NAN, 0.001], [0.48, NAN], [NAN, NAN]])
STATISTIC = np.array([[93.8, 90.1], [NAN, NAN], [NAN, 60.0], [0.5, NAN], [NAN, NAN]])


def tree_with_tests():
    return replace(iris_tree(), p_value=P_VALUE, test_statistic=STATISTIC)


def test_tests_are_saved_and_compared(tmp_path):
    for name in ("tree.json", "tree.bough"):
        tree_with_tests().save(tmp_path / name)
        assert bough.load(tmp_path / name) == tree_with_tests()
    assert tree_with_tests() != iris_tree()


def test_pruning_keeps_the_tests_of_the_nodes_that_stay():
    pruned = tree_with_tests().snip(2)
    assert [test.column for test in pruned.tests_of(0)] == [0, 1]
    assert pruned.tests_of(2) == [ColumnTest(1, 60.0, 0.001)]


def test_refitting_drops_the_tests_which_belong_to_other_rows():
    refitted = tree_with_tests().refit([[1.4, 0.2], [5.0, 1.9]], ["setosa", "virginica"])
    assert refitted.p_value is None
    assert refitted.test_statistic is None


@pytest.mark.parametrize(
    ("statistic", "place"),
    [
        (STATISTIC[:, :1], "nodes.test_statistic: has 1 columns"),
        (np.where(np.isnan(STATISTIC), 1.0, STATISTIC), r"nodes.test_statistic\[1\]"),
        (np.where(STATISTIC > 90, np.inf, STATISTIC), r"nodes.test_statistic\[0\]"),
    ],
)
def test_statistics_that_do_not_fit_the_p_values_are_refused(statistic, place):
    with pytest.raises(FormatError, match=place):
        replace(tree_with_tests(), test_statistic=statistic).check()


def test_statistics_without_p_values_are_refused():
    with pytest.raises(FormatError, match="only a tree with p-values"):
        replace(tree_with_tests(), p_value=None).check()
