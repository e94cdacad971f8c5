"""Splits into several intervals: how they route, what they say, and that they survive pruning and files."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hand_trees import ages_tree

from bough.data.schema import Column, Schema
from bough.errors import FormatError, ParameterError
from bough.models.tree_format import from_json, to_json
from bough.pruning import error_based
from bough.rules.rule import rule_of
from bough.tree import Tree
from bough.tree.split import Intervals

NAN = math.nan
SIZES = Schema((Column("size", "ordinal", ("S", "M", "L", "XL")),))


@given(st.sets(st.floats(-9, 9), min_size=1, max_size=4), st.lists(st.floats(-10, 10), max_size=9))
def test_a_value_is_in_the_branch_of_its_interval(cuts, values):
    split = Intervals(0, tuple(sorted(cuts)))
    branches = split.branch(np.array(values, dtype=np.float64))
    assert branches.tolist() == [sum(cut <= value for cut in cuts) for value in values]
    assert split.n_branches == len(cuts) + 1


@pytest.mark.parametrize("cuts", [(), (2.0, 1.0), (1.0, 1.0), (NAN,), (1.0, NAN)])
def test_cuts_must_rise(cuts):
    with pytest.raises(ParameterError, match="cuts is"):
        Intervals(0, cuts)


def test_a_missing_value_has_the_branch_of_its_own():
    tree = ages_tree()
    tree.check()
    assert tree.condition(4) == "age is missing"
    rows = [[17.9, 0.0], [18.0, 2.0], [64.0, 2.5], [65.0, 0.0], [None, 1.0], [30.0, None]]
    assert tree.apply(rows).tolist() == [1, 5, 6, 3, 4, 5]


def test_leaf_models_answer_where_a_node_has_one():
    tree = ages_tree()
    answers = tree.predict([[10.0, 3.0], [10.0, None], [20.0, 1.0], [70.0, 0.0]])
    assert answers.tolist() == [1.0 + 0.5 * 10 - 2 * 3, 1.0 + 0.5 * 10 - 2 * 1, 2.0, 9.0]


def test_ordinal_columns_are_cut_between_their_levels():
    split = Intervals(0, (0.5, 2.5))
    assert split.branch(np.array([0, 1, 2, 3, -1])).tolist() == [0, 1, 1, 2, -1]
    assert [split.words(SIZES, branch) for branch in range(3)] == ["size <= S", "S < size <= L", "size > L"]


def test_rules_say_the_interval():
    assert rule_of(ages_tree(), 1).premise() == "age < 18"
    assert rule_of(ages_tree(), 5).premise() == "18 <= age < 65 and visits <= 2"
    missing = rule_of(ages_tree(), 4)
    assert missing.premise() == "age is missing"
    assert missing.covers([[None, 1.0], [30.0, 1.0]]).tolist() == [True, False]


def test_a_snipped_tree_keeps_the_cuts_that_are_left():
    tree = ages_tree()
    small = tree.snip(2)
    small.check()
    assert small.split(0) == tree.split(0)
    assert np.isnan(small.cut_below).all()
    assert from_json(to_json(small)) == small
    root = tree.snip(0)
    root.check()
    assert root.interval_cut.size == 0
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_native_pruning_refuses_intervals():
    tree = Tree.from_splits(
        [Intervals(0, (0.5, 1.5)), None, None, None],
        schema=SIZES,
        task="classification",
        classes=("a", "b"),
        target_name=None,
        criterion="gini",
        cases=[6, 2, 2, 2],
        statistics=[[3, 3], [2, 0], [0, 2], [1, 1]],
        risk=[3, 0, 0, 1],
    )
    tree.check()
    with pytest.raises(ParameterError, match="several intervals"):
        error_based(tree, [["S"], ["M"]], ["a", "b"], subtree_raising=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"interval_cut": [65.0, 18.0]}, r"interval_cut\[1\]: 18.0, but the cuts of a node must increase"),
        ({"interval_cut": [18.0, NAN]}, r"interval_cut\[1\]: nan"),
        ({"interval_cut": [18.0]}, "interval_start: it must increase from 0 to 1"),
        ({"interval_cut": None}, "interval_cut: a split into intervals lists its cuts"),
        ({"interval_start": [0, 1, 2, 2, 2, 2, 2, 2]}, r"interval_start\[1\]"),
        (
            {"default_branch": [0, -1, 0, -1, -1, -1, -1]},
            r"n_children\[0\]: 4, but there is one branch per interval",
        ),
        ({"cut_below": [1.0, *[NAN] * 6]}, r"cut_below\[0\]: 1.0, but only a threshold"),
        ({"kind": [1, 0, 5, 0, 0, 0, 0]}, "nodes"),
    ],
)
def test_what_is_not_sound_is_refused(change, message):
    with pytest.raises(FormatError, match=message):
        dataclasses.replace(ages_tree(), **change).check()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("column", [0, 7], "there is no such column"),
        ("coefficient", [0.5, math.inf], "coefficient: finite numbers"),
        ("start", [0, 0, 2, 2, 2, 2, 2, 1], "start: it must increase from 0 to 2"),
        ("intercept", [1.0], "intercept: has 1 entries, where 7"),
        ("intercept", [math.inf] * 7, "intercept: finite numbers"),
    ],
)
def test_wrong_leaf_models_are_refused(name, value, message):
    models = dataclasses.replace(ages_tree().leaf_models, **{name: value})
    with pytest.raises(FormatError, match=f"leaf_models.*{message}"):
        dataclasses.replace(ages_tree(), leaf_models=models).check()
