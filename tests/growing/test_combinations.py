"""What may be asked of combinations, and what is refused."""

import numpy as np
import pytest

import bough
from bough.data.schema import Column, Schema
from bough.errors import ParameterError, TableError
from bough.growing.combinations import Combinations

SCHEMA = Schema((Column("a", "numeric"), Column("s", "nominal", ("x", "y")), Column("b", "numeric")))


def test_the_simpler_kind_comes_first_whatever_the_order_given():
    assert Combinations(("linear", "ratio")).kinds == ("ratio", "linear")


def test_all_numeric_columns_are_combined_unless_some_are_named():
    assert Combinations("ratio").columns(SCHEMA) == (0, 2)
    assert Combinations("ratio", ["b", "a"]).columns(SCHEMA) == (0, 2)


@pytest.mark.parametrize("kinds", ["oblique", (), 3, ("ratio", 1), {"ratio": 1}, True])
def test_a_kind_that_is_none_is_refused(kinds):
    with pytest.raises(ParameterError, match="combinations is"):
        Combinations(kinds)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"combinations": "oblique"}, "combinations is 'oblique'"),
        ({"combinations": "linear", "combination_penalty": -0.1}, "combination_penalty is -0.1"),
        ({"combinations": "linear", "combination_penalty": float("nan")}, "combination_penalty is nan"),
        ({"combinations": "linear", "combination_penalty": float("inf")}, "combination_penalty is inf"),
        ({"combinations": "linear", "combination_deletion": 1.5}, "combination_deletion is 1.5"),
        ({"combinations": "linear", "combination_deletion": "0.2"}, "combination_deletion is '0.2'"),
        ({"combinations": "linear", "combination_features": ["z"]}, "combination_features has 'z'"),
        ({"combinations": "linear", "combination_features": 3}, "combination_features is 3"),
    ],
)
@pytest.mark.parametrize("learner", [bough.CARTClassifier, bough.CARTRegressor])
def test_a_wrong_parameter_is_named(learner, parameters, message):
    with pytest.raises(ParameterError, match=message):
        learner(**parameters).fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


def test_a_column_that_is_not_numeric_cannot_be_combined():
    X = np.array([[1.0, "x", 2.0], [2.0, "y", 1.0]], dtype=object)
    with pytest.raises(ParameterError, match="'x1', which is nominal; only numeric columns"):
        bough.CARTClassifier(prune="none", combinations="ratio", combination_features=[0, 1]).fit(X, [0, 1])


@pytest.mark.parametrize("kinds", ["ratio", "bivariate", ("ratio", "linear")])
def test_one_numeric_column_is_too_few(kinds):
    X = np.array([[1.0, "x"], [2.0, "y"]], dtype=object)
    with pytest.raises(TableError, match="needs at least two numeric columns, but the table has 1 of 2"):
        bough.CARTClassifier(prune="none", combinations=kinds).fit(X, [0, 1])
    with pytest.raises(TableError, match="combination_features are 1"):
        bough.CARTClassifier(prune="none", combinations=kinds, combination_features=[0]).fit(
            [[1.0, 2.0]], [0]
        )


@pytest.mark.parametrize("kinds", ["bivariate", "linear"])
def test_absolute_error_cannot_weigh_columns_but_can_take_ratios(kinds):
    X, y = [[1.0, 2.0], [3.0, 6.0], [1.0, 1.0], [4.0, 3.0]], [1.0, 1.5, 5.0, 6.0]
    with pytest.raises(ParameterError, match="criterion is 'absolute_error'"):
        bough.CARTRegressor("absolute_error", prune="none", combinations=kinds).fit(X, y)
    tree = (
        bough.CARTRegressor("absolute_error", prune="none", combinations="ratio", max_depth=1).fit(X, y).tree_
    )
    assert tree.condition(1) == "x0 / x1 < 0.8"
