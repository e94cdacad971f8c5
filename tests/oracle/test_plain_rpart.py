"""Laws of the plain reference for rpart, which hold on any table."""

from copy import copy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from tests.oracle.plain_rpart import fit
from tests.oracle.plain_rpart_order import tie_order
from tests.oracle.rpart_frame import plain_frame
from tests.oracle.rpart_problems import problems

pytestmark = pytest.mark.slow


def doubled(problem):
    method = copy(problem.method)
    method.weight = 2 * problem.weight
    return replace(problem, weight=2 * problem.weight, method=method)


@given(problems())
@settings(deadline=None)
def test_children_share_the_rows_of_their_parent(problem):
    for node in fit(problem).root.walk():
        below = np.concatenate([child.rows for child in node.children]) if node.children else node.rows
        assert len(np.unique(below)) == len(below)
        assert set(below) <= set(node.rows)
        if problem.control.usesurrogate == 2 and node.default:
            assert len(below) == len(node.rows)


@pytest.mark.slow
@given(problems())
@settings(deadline=None)
def test_every_inner_node_is_worth_more_than_cp_and_no_more_than_its_parent(problem):
    root = fit(problem).root
    for node in root.walk():
        if node.children:
            assert node.complexity > problem.control.cp * root.risk
            assert all(child.complexity <= node.complexity for child in node.children)


@given(problems())
@settings(deadline=None)
def test_the_table_begins_with_the_root_and_ends_with_the_whole_tree(problem):
    fitted = fit(problem)
    n_splits = sum(1 for node in fitted.root.walk() if node.children)
    assert [row[1] for row in (fitted.cptable[0], fitted.cptable[-1])] == [0, n_splits]
    for before, row in pairwise(fitted.cptable):
        assert before[0] > row[0]
        assert before[1] < row[1]


@given(problems(kinds=("class", "anova")))
@settings(deadline=None)
def test_doubled_weights_leave_the_tree(problem):
    ours, twice = plain_frame(problem, problem.columns), plain_frame(doubled(problem), problem.columns)
    assert ours.where == twice.where
    assert ours.na_node == twice.na_node
    # The standard error alone falls, as with twice the rows.
    expected = np.array(ours.cptable) * [1, 1, 1, 1, 1 / np.sqrt(2)]
    assert np.array(twice.cptable) == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    for number, node in ours.nodes.items():
        assert twice.nodes[number]["surrogates"] == node["surrogates"]


def test_the_order_of_rows_ascends_and_of_few_rows_keeps_ties():
    values = np.array([3.0, 1.0, 2.0, 1.0, 3.0, 1.0])
    assert tie_order(values).tolist() == [1, 3, 5, 2, 0, 4]
    many = np.arange(200.0) * 7 % 13
    assert (np.diff(many[tie_order(many)]) >= 0).all()
    assert sorted(tie_order(many)) == list(range(200))
