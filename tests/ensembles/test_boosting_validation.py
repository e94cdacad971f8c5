"""Validation rows are checked as training rows are, and their errors say which rows they are about."""

import numpy as np
import pytest

import bough
from bough.errors import BoughError, ParameterError, TargetError

RNG = np.random.default_rng(3)
N = 60
X = RNG.normal(size=(N, 3))
Y = RNG.normal(size=N)
GRADES = RNG.integers(0, 3, N)
GROUPS = np.repeat(np.arange(6), 10)


@pytest.mark.parametrize(
    ("loss", "y_val", "message"),
    [
        ("poisson", Y, "y is -.* but loss='poisson' needs numbers of at least 0"),
        ("tweedie", Y, "y is -.* but loss='tweedie' needs numbers of at least 0"),
        ("gamma", np.zeros(N), "y is 0.0 in row 0, but loss='gamma' needs numbers above 0"),
        ("squared_error", np.where(Y > 0, np.nan, Y), "Input y contains NaN"),
        ("squared_error", Y[1:], "X has 60 rows and y has 59"),
        ("squared_error", np.column_stack([Y, Y]), "y"),
    ],
)
def test_targets_that_the_loss_does_not_allow_are_refused(loss, y_val, message):
    with pytest.raises(TargetError, match=f"^Validation rows: .*{message}"):
        bough.GradientBoostingRegressor(loss=loss).fit(X, np.abs(Y) + 1, X_val=X, y_val=y_val)


def test_rows_of_weight_0_are_not_checked():
    weight = (Y > 0).astype(float)
    learner = bough.GradientBoostingRegressor(loss="gamma", max_iter=3)
    assert learner.fit(X, np.abs(Y) + 1, X_val=X, y_val=Y, sample_weight_val=weight).n_iter_ > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"y_val": Y}, "y_val is given without X_val"),
        ({"sample_weight_val": np.ones(N)}, "sample_weight_val is given without X_val"),
        ({"X_val": X}, "X_val is given without y_val"),
        ({"X_val": X[:, :2], "y_val": Y}, "Validation rows: X has 2 features, but the learner is expecting"),
        ({"X_val": X[:0], "y_val": Y[:0]}, "Validation rows: Found array with 0 sample"),
        (
            {"X_val": X, "y_val": Y, "sample_weight_val": -np.ones(N)},
            "rows: sample_weight holds -1.0",
        ),
        (
            {"X_val": X, "y_val": Y, "sample_weight_val": np.zeros(N)},
            "rows: sample_weight is zero",
        ),
    ],
)
def test_incomplete_validation_rows_are_refused(parameters, message):
    with pytest.raises(BoughError, match=message):
        bough.GradientBoostingRegressor().fit(X, Y, **parameters)


@pytest.mark.parametrize(
    ("y_val", "groups_val", "message"),
    [
        (GRADES, np.where(np.arange(N) == 7, np.nan, GROUPS), "groups_val has no id in row 7"),
        (GRADES, None, "groups_val is None"),
        (np.ones(N), GROUPS, "y is the same for all rows of each group"),
        (GRADES - 1, GROUPS, "y is -1.0 in row 0; the grades of a ranking are at least 0"),
    ],
)
def test_groups_that_cannot_be_ranked_are_refused(y_val, groups_val, message):
    val = {"X_val": X, "y_val": y_val, "groups_val": groups_val}
    with pytest.raises(BoughError, match=f"Validation rows: {message}"):
        bough.GradientBoostingRanker().fit(X, GRADES, groups=GROUPS, **val)


def test_several_targets_need_as_many_in_the_validation_rows():
    with pytest.raises(TargetError, match="y_val has 3 columns; y has 2"):
        bough.GradientBoostingRegressor().fit(
            X, np.column_stack([Y, Y]), X_val=X, y_val=np.column_stack([Y, Y, Y])
        )


def test_times_need_an_event_in_the_validation_rows():
    time, status = np.abs(Y) + 1, (Y > 0).astype(int)
    with pytest.raises(TargetError, match="Validation rows: No row has an event"):
        bough.GradientBoostingSurvival().fit(X, (time, status), X_val=X, y_val=(time, status * 0))


def test_too_few_rows_to_hold_out_are_refused():
    with pytest.raises(ParameterError, match="too few rows to hold any out"):
        bough.GradientBoostingRegressor(early_stopping=True).fit(X[:1], Y[:1])


def test_times_need_an_event_in_the_rows_that_are_not_held_out():
    status = np.arange(40) == 3
    learner = bough.GradientBoostingSurvival(early_stopping=True, cv=2, max_iter=2, random_state=0)
    with pytest.raises(TargetError, match="No row that is not held out has an event"):
        learner.fit(np.arange(40.0).reshape(-1, 1), (np.arange(1.0, 41.0), status))


@pytest.mark.parametrize(
    "name",
    ["learning_rate", "max_iter", "min_samples_leaf", "l2_regularization", "max_samples", "max_features"],
)
def test_settings_that_the_table_may_choose_are_a_number_or_auto(name):
    with pytest.raises(ParameterError, match=f"{name} is 'many'; it must be .*, or 'auto'"):
        bough.GradientBoostingRegressor(**{name: "many"}).fit([[1.0], [2.0]], [1.0, 2.0])
