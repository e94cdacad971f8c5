"""Cubist: rules, committees, neighbours, and rows that are hard to fit."""

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import FormatError, ParameterError, TableError, TargetError
from bough.rules.linear_format import document_of, from_document

RNG = np.random.default_rng(5)
N = 300
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N).astype(float),
        "pay": RNG.normal(50, 12, N).round(2),
        "city": pd.Categorical(RNG.choice(["rome", "oslo", "lima", "cork"], N)),
        "size": pd.Categorical(RNG.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
    }
)
TABLE.loc[::17, "pay"] = np.nan
TABLE.loc[::23, "city"] = np.nan
COST = (
    np.where(TABLE["age"] > 50, 3.0 * TABLE["age"], 40.0 + TABLE["pay"].fillna(50) / 2)
    + 12.0 * TABLE["city"].isin(["oslo", "lima"])
    + RNG.normal(size=N)
).round(1)


def fitted(**parameters):
    return bough.CubistRegressor(**parameters).fit(TABLE, COST)


@pytest.mark.parametrize("parameters", [{}, {"n_estimators": 3}, {"n_estimators": 2, "n_neighbors": 4}])
def test_a_saved_model_is_the_same(parameters, tmp_path):
    model = fitted(**parameters)
    model.rules_.save(tmp_path / "cubist.json")
    loaded = bough.load(tmp_path / "cubist.json")
    assert loaded == model.rules_
    assert np.array_equal(loaded.predict(TABLE), model.predict(TABLE))
    assert bough.regrow(loaded, TABLE, COST) == model.rules_
    pickled = pickle.loads(pickle.dumps(model))
    assert np.array_equal(pickled.predict(TABLE), model.predict(TABLE))


def test_a_committee_predicts_the_mean_of_its_members():
    rules = fitted(n_estimators=3).rules_
    members = [
        dataclasses.replace(
            rules,
            rules=tuple(rule for rule, own in zip(rules, rules.member, strict=True) if own == number),
            member=(),
        )
        for number in range(3)
    ]
    mean = np.mean([member.predict(TABLE) for member in members], axis=0)
    assert rules.predict(TABLE) == pytest.approx(mean)


def test_rules_that_fire_for_the_same_row_are_averaged():
    rules = fitted().rules_
    fires, table = rules.fires(TABLE), rules.completed(TABLE)
    every = np.arange(N)
    answers = np.column_stack([rule.answers(table, every) for rule in rules])
    mean = (answers * fires).sum(axis=1) / fires.sum(axis=1)
    assert rules.predict(TABLE) == pytest.approx(mean)


def test_a_training_row_is_its_own_neighbour():
    one = fitted(n_neighbors=1)
    distinct = ~TABLE.duplicated()
    errors = np.abs(one.predict(TABLE) - COST)[distinct]
    assert np.median(errors) < np.median(np.abs(fitted().predict(TABLE) - COST))


def test_predictions_of_a_rule_stay_within_the_extrapolation():
    rules = fitted(extrapolation=0.0).rules_
    far = TABLE.assign(age=1e6, pay=-1e6)
    found = rules.predict(far)
    assert found.min() >= COST.min() - 0.1
    assert found.max() <= COST.max() + 0.1


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]] * 9, list(range(9))),
        ([[float(i)] for i in range(9)], [7.0] * 9),
        ([[1.0, None]] * 5 + [[2.0, None]] * 5, list(range(10))),
        ([[1.0]], [3.0]),
        (np.column_stack([np.arange(40.0) % 9] * 5), np.arange(40.0) % 9),
        (np.random.default_rng(0).normal(size=(12, 60)), np.arange(12.0)),
        (np.random.default_rng(0).normal(size=(50, 3)) * [1e-30, 1.0, 1e30], np.arange(50.0)),
        (np.random.default_rng(0).normal(size=(50, 2)), np.random.default_rng(1).normal(size=50) * 1e20),
        (np.random.default_rng(0).normal(size=(50, 2)), np.random.default_rng(1).normal(size=50) * 1e-20),
    ],
)
def test_predictions_are_numbers_however_hard_the_rows_are(X, y):
    for parameters in ({}, {"n_estimators": 3, "n_neighbors": 3, "unbiased": True}):
        found = bough.CubistRegressor(**parameters).fit(X, y).predict(X)
        assert np.isfinite(found).all()


def test_numbers_beyond_32_bits_are_refused():
    with pytest.raises(TableError, match="Column 'x0' holds numbers beyond"):
        bough.CubistRegressor().fit([[1e39], [1.0]], [1.0, 2.0])
    with pytest.raises(TargetError, match="y holds numbers beyond"):
        bough.CubistRegressor().fit([[1.0], [2.0]], [1e39, 2.0])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"n_neighbors": 10}, "n_neighbors is 10"),
        ({"max_rules": 2.5}, "max_rules is 2.5"),
        ({"unbiased": "yes"}, "unbiased is 'yes'"),
        ({"extrapolation": 2}, "extrapolation is 2"),
        ({"missing": "majority"}, "CubistRegressor supports 'imputed', 'refuse'"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, words):
    with pytest.raises(ParameterError, match=words):
        fitted(**parameters)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["member"].pop(), "member: "),
        (lambda d: d["neighbours"]["rows"].pop(), "neighbours.rows: a row of all columns"),
        (lambda d: d["neighbours"]["rows"][0].__setitem__(2, 9.0), "neighbours.rows: column 2 holds a code"),
        (lambda d: d["neighbours"]["y"].__setitem__(0, 1e300), "neighbours.y: finite numbers"),
        (lambda d: d["neighbours"]["mean"].pop(), "neighbours.mean: a number for each column"),
        (lambda d: d["neighbours"].update(n_neighbours=0), "neighbours: at least one"),
        (lambda d: d["neighbours"].update(n_neighbours=12), "neighbours.n_neighbours: 12"),
    ],
)
def test_a_wrong_file_is_refused_by_its_entry(change, words):
    document = document_of(fitted(n_neighbors=3).rules_)
    change(document)
    with pytest.raises(FormatError, match=words):
        from_document(document)
