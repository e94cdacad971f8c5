"""Candidates and rivals of trees that split into groups: what the search of their recipe forms."""

import numpy as np
import pandas as pd
import pytest

import bough
from bough.inspect.candidates import candidates
from bough.inspect.rivals import rivals

RNG = np.random.default_rng(4)
N_ROWS = 500


def table():
    colour = RNG.choice(list("rgbyk"), N_ROWS)
    age = RNG.normal(40, 12, N_ROWS).round(1)
    age[RNG.uniform(size=N_ROWS) < 0.1] = np.nan
    chance = 0.1 + 0.4 * np.isin(colour, ["r", "k"]) + 0.35 * (np.abs(age - 40) < 6)
    y = np.where(RNG.uniform(size=N_ROWS) < chance, "yes", "no")
    return pd.DataFrame({"colour": colour, "age": age, "noise": RNG.normal(size=N_ROWS)}), y


X, Y = table()


@pytest.mark.parametrize("node", [0, 1, 2])
def test_the_split_of_chaid_is_among_its_candidates(node):
    tree = bough.CHAIDClassifier().fit(X, Y).tree_
    listed = candidates(tree, X, Y, node=node)
    assert {each.kind for each in listed} == {"groups"}
    assert len({each.variable for each in listed}) == len(listed)
    tested = {name for name, p in tree.node(node).p_values.items() if p is not None}
    assert {each.variable for each in listed} == tested
    split = tree.split(node)
    if split is not None:
        [own] = [each for each in listed if each.split == split]
        assert own.criteria["chi_square"] == pytest.approx(tree.gain[node])
        assert sum(own.weights) == tree.weight[node]


def test_ranges_are_listed_beside_splits_in_two():
    tree = bough.TreeClassifier("entropy", max_branches=5, missing="majority", max_depth=1).fit(X, Y).tree_
    listed = candidates(tree, X, Y)
    assert {"threshold", "subset", "groups"} == {each.kind for each in listed}
    [own] = [each for each in listed if each.split == tree.split(0)]
    assert own.criteria["entropy"] == pytest.approx(tree.gain[0])
    best = max(each.criteria["entropy"] for each in listed if each.variable == own.variable)
    assert all(len(each.values) > 2 for each in listed if each.kind == "groups")
    assert best >= own.criteria["entropy"]


def test_numbers_have_candidates_too():
    y = np.where(X["age"] > 40, 5.0, 1.0) + RNG.normal(size=N_ROWS)
    tree = bough.CHAIDRegressor().fit(X, y).tree_
    [own] = [each for each in candidates(tree, X, y) if each.split == tree.split(0)]
    assert own.criteria["squared_error"] == pytest.approx(tree.gain[0])


@pytest.mark.parametrize(
    "learner",
    [
        bough.CHAIDClassifier(),
        bough.CHAIDClassifier(exhaustive=True),
        bough.TreeClassifier("gini", max_branches=4, max_depth=2),
        bough.TreeClassifier("chi_square", max_branches=4, max_depth=2),
    ],
    ids=repr,
)
def test_the_first_rival_is_the_split_of_the_tree(learner):
    tree = learner.fit(X, Y).tree_
    for node, ranked in rivals(tree, X, Y).items():
        assert ranked[0].chosen
        assert ranked[0].split == tree.split(node)
        assert ranked[0].value == pytest.approx(tree.gain[node])
