"""Salaries of baseball players (004): three regions of years played and hits made, of the log salary."""

import numpy as np
import pytest
from tests.oracle.reference import OWN_FOLDER, read_data

import bough


@pytest.fixture
def players():
    data = read_data("hitters", folder=OWN_FOLDER)
    paid = data.y.notna()
    return data.X[paid], np.log(data.y[paid])


def test_years_are_cut_at_4_5_and_hits_at_117_5(players):
    tree = bough.CARTRegressor(max_leaf_nodes=3, prune="none").fit(*players).tree_
    assert [rule.premise() for rule in tree.rules()] == [
        "Years < 4.5",
        "Years >= 4.5 and Hits < 117.5",
        "Years >= 4.5 and Hits >= 117.5",
    ]
    # the mean log salaries of James, Witten, Hastie and Tibshirani 2013, figure 8.1
    assert tree.statistics[tree.is_leaf, 0] == pytest.approx([5.11, 6.00, 6.74], abs=5e-3)
    assert tree.cases[0] == 263


def test_the_cut_of_years_leaves_the_least_squared_error(players):
    X, y = players
    curve = bough.cut_curve(X["Years"], y)
    assert curve.best == 4.5
    left = [y[side] for side in (X["Years"] < 4.5, X["Years"] >= 4.5)]
    assert curve.errors.min() == pytest.approx(sum(((part - part.mean()) ** 2).sum() for part in left))


def test_a_salary_that_is_missing_is_refused():
    data = read_data("hitters", folder=OWN_FOLDER)
    with pytest.raises(bough.errors.TargetError, match=r"Row 0 is the first of 59 rows"):
        bough.CARTRegressor().fit(data.X, data.y)
