"""M5 trees and the linear models of leaves: files, rules, SQL, weights, and numbers that are hard to fit."""

import dataclasses
import json
import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.data.schema import Column, Schema
from bough.errors import FormatError, ParameterError, TableError, TargetError
from bough.pruning.merge import merged
from bough.rules.linear_format import from_document
from bough.tree.leaf_models import LeafModels, LinearModel, Term
from bough.tree.routing import column_values

RNG = np.random.default_rng(3)
N = 400
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N).astype(float),
        "pay": RNG.normal(50, 12, N).round(2),
        "city": pd.Categorical(RNG.choice(["rome", "oslo", "lima", "cork"], N)),
        "member": RNG.random(N) < 0.5,
    }
)
TABLE.loc[::17, "pay"] = np.nan
TABLE.loc[::23, "city"] = np.nan
COST = (
    np.where(TABLE["age"] > 50, 3.0 * TABLE["age"], 40.0 + TABLE["pay"].fillna(50) / 2)
    + 12.0 * TABLE["city"].isin(["oslo", "lima"])
    + 5.0 * TABLE["member"]
    + RNG.normal(size=N)
)


def fitted(**parameters):
    return bough.M5Regressor(**parameters).fit(TABLE, COST)


def rows_to_ask():
    rows = TABLE.copy()
    rows.loc[3, "age"] = np.nan
    rows.loc[4, ["age", "pay"]] = np.nan
    rows["city"] = rows["city"].cat.add_categories("bonn")
    rows.loc[5, "city"] = "bonn"
    return rows


def test_a_model_tree_follows_slopes_that_a_regression_tree_cannot():
    train, test = slice(0, N // 2), slice(N // 2, N)
    model, tree = (
        learner.fit(TABLE[train], COST[train])
        for learner in (bough.M5Regressor(), bough.CARTRegressor(random_state=0))
    )
    assert model.score(TABLE[test], COST[test]) > tree.score(TABLE[test], COST[test])
    assert model.tree_.n_leaves < tree.tree_.n_leaves


def test_native_predictions_are_those_of_the_definition():
    model = fitted(prune="none").tree_
    table = model._table(rows_to_ask())
    ends = model.apply(table)
    means = model.answers()[ends]
    plain = model.leaf_models.answers(partial(column_values, model, table), ends, means)
    for n_jobs in (1, 2):
        assert np.array_equal(model.predict(table, n_jobs), plain)


def test_a_saved_model_is_the_same(tmp_path):
    model = fitted()
    for ending in ("json", "bough"):
        model.tree_.save(tmp_path / f"m5.{ending}")
        loaded = bough.load(tmp_path / f"m5.{ending}")
        assert loaded == model.tree_
        assert np.array_equal(loaded.predict(rows_to_ask()), model.predict(rows_to_ask()))
    assert any(term.codes for term in model.tree_.linear_model(1).terms)


def test_other_coefficients_are_another_tree():
    tree = fitted().tree_
    changed = dataclasses.replace(tree.leaf_models, coefficient=tree.leaf_models.coefficient * 2)
    assert dataclasses.replace(tree, leaf_models=changed) != tree


def test_rules_are_saved_shown_and_predict_as_before(tmp_path):
    model = bough.M5RulesRegressor().fit(TABLE, COST)
    path = tmp_path / "rules.json"
    model.rules_.save(path)
    loaded = bough.load(path)
    assert loaded == model.rules_
    assert np.array_equal(loaded.predict(rows_to_ask()), model.predict(rows_to_ask()))
    shown = CliRunner().invoke(app, ["show", str(path)])
    assert shown.exit_code == 0
    assert str(model.rules_[0]).split(" -> ")[1][:20] in shown.stdout
    summary = json.loads(CliRunner().invoke(app, ["show", str(path), "--json"]).stdout)
    assert len(summary["rules"]) == len(model.rules_)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(order="last"), "order: 'last'"),
        (lambda d: d["substitutes"].pop(), "substitutes: has 3 entries; 4 are wanted"),
        (lambda d: d["rules"][0].update(intercept=None), r"rules\[0\].intercept: None"),
        (lambda d: d["rules"][0]["terms"][0].update(column=9), r"rules\[0\].terms\[0\].column: 9"),
        (lambda d: d["rules"][0]["terms"][0].update(levels=[0]), r"rules\[0\].terms\[0\].levels"),
        (lambda d: d.update(task="classification", classes=["a"]), "linear rules predict numbers"),
    ],
)
def test_a_wrong_file_of_linear_rules_is_refused_by_its_entry(change, words):
    document = bough.M5RulesRegressor().fit(TABLE, COST).rules_.document()
    change(document)
    with pytest.raises(FormatError, match=words):
        from_document(document)


def test_the_first_rule_that_fires_predicts():
    rules = bough.M5RulesRegressor().fit(TABLE, COST).rules_
    fired = rules.fires(TABLE)
    assert fired[:, -1].all()
    first = fired.argmax(axis=1)
    table = rules.completed(TABLE)
    for number, rule in enumerate(rules):
        rows = np.flatnonzero(first == number)
        assert len(rows) == rule.cases
        assert np.array_equal(rules.predict(TABLE)[rows], rule.answers(table, rows))


def test_terms_of_dates_are_refused_in_sql():
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=60), "x": np.arange(60.0) % 7})
    tree = bough.M5Regressor().fit(days, np.arange(60.0)).tree_
    assert np.abs(tree.predict(days) - np.arange(60.0)).max() < 0.1
    with pytest.raises(ParameterError, match="linear term of 'day'"):
        tree.to_sql()


def test_rules_end_in_the_linear_model():
    model = bough.M5Regressor(smoothing_constant=0).fit(TABLE[["age"]], (3 * TABLE["age"] + 1).to_numpy())
    [rule] = model.tree_.rules()
    assert str(rule).endswith("y = 1 + 3 × age")
    assert "y = 1 + 3 × age" in str(model.tree_)
    assert "predicts y = 1 + 3 × age" in str(model.tree_.node(0))


def test_measured_rules_have_the_errors_of_the_models():
    tree = fitted().tree_
    rules = tree.rules().measured(TABLE, COST)
    ends, errors = tree.apply(TABLE), tree.predict(TABLE) - COST
    for rule in rules:
        own = errors[ends == rule.leaf]
        assert rule.measured.deviation == pytest.approx(math.sqrt((own**2).mean()))
        assert rule.deviation == pytest.approx(rule.measured.deviation)


def test_merging_keeps_leaves_whose_models_differ():
    tree = fitted().tree_
    assert merged(tree).n_leaves == tree.n_leaves


def test_pruning_a_tree_by_hand_keeps_the_models_of_the_nodes_that_stay():
    tree = fitted(smoothing_constant=0).tree_
    root = tree.pruned(1e9)
    assert root.n_nodes == 1
    assert root.linear_model(0) == tree.linear_model(0)


def test_a_weight_of_two_is_the_row_twice():
    weight = RNG.integers(1, 4, N)
    once = bough.M5Regressor().fit(TABLE, COST, sample_weight=weight)
    repeated = np.repeat(np.arange(N), weight)
    twice = bough.M5Regressor().fit(TABLE.iloc[repeated], COST[repeated])
    assert once.tree_.n_nodes == twice.tree_.n_nodes
    assert once.predict(TABLE) == pytest.approx(twice.predict(TABLE), rel=1e-6)


@pytest.mark.parametrize("scale", [1e-140, 1e-12, 1e-3, 1e9, 1e140])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e8])
def test_scales_and_offsets_of_x_and_y_change_nothing_but_the_numbers(scale, offset):
    X = np.column_stack([TABLE["age"], RNG.permutation(TABLE["age"])])
    y = COST
    plain = bough.M5Regressor().fit(X, y)
    moved = bough.M5Regressor().fit((X + offset) * scale, y)
    assert moved.predict((X + offset) * scale) == pytest.approx(plain.predict(X), rel=1e-3)
    high = bough.M5Regressor().fit(X, (y + offset) * scale)
    assert high.predict(X) / scale - offset == pytest.approx(plain.predict(X), rel=1e-3, abs=1e-2)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0], [1.0], [1.0], [1.0], [1.0]], [1.0, 2.0, 3.0, 4.0, 5.0]),
        ([[1.0], [2.0], [3.0], [4.0], [5.0]], [7.0] * 5),
        ([[1.0, None], [2.0, None], [3.0, None], [4.0, None], [5.0, None]], [1.0, 2.0, 1.5, 4.0, 5.0]),
        ([[1.0]], [3.0]),
        (np.column_stack([np.arange(40.0)] * 5), np.arange(40.0) ** 2),
        (np.random.default_rng(0).normal(size=(12, 60)), np.arange(12.0)),
        (np.random.default_rng(0).normal(size=(50, 3)) * [1e-300, 1.0, 1e300], np.arange(50.0)),
        ([[1.7e308], [-1.7e308], [1.0], [2.0], [3.0], [4.0]], [1e120, -1e120, 1.0, 2.0, 3.0, 4.0]),
        ([[5e-324 * i] for i in range(9)], [float(i) for i in range(9)]),
    ],
    ids=["constant x", "constant y", "missing", "one row", "equal", "wide", "scales", "huge", "tiny"],
)
@pytest.mark.filterwarnings("ignore::bough.errors.IdentifierWarning")
def test_predictions_are_numbers_however_hard_the_rows_are(X, y):
    for parameters in ({}, {"prune": "none", "smoothing_constant": 0}):
        model = bough.M5Regressor(**parameters).fit(X, y)
        model.tree_.check()
        assert np.isfinite(model.predict(X)).all()
        assert np.abs(model.predict(X)).max() <= 10 * np.abs(y).max()


def test_infinite_values_are_refused_by_the_name_of_the_column():
    with pytest.raises(TableError, match="Column 'x0' holds infinite values"):
        bough.M5Regressor().fit([[math.inf], [1.0], [2.0]], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"leaf": "quadratic"}, "leaf is 'quadratic'"),
        ({"prune": "one_se"}, "prune is 'one_se'"),
        ({"smoothing_constant": -1}, "smoothing_constant is -1"),
        ({"min_deviation_fraction": 2}, "min_deviation_fraction is 2"),
        ({"missing": "majority"}, "M5Regressor supports 'imputed', 'refuse'"),
        ({"min_samples_split": 0}, "min_samples_split is 0"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, words):
    with pytest.raises(ParameterError, match=words):
        fitted(**parameters)


def test_missing_values_can_be_refused():
    with pytest.raises(TableError, match="or choose 'imputed'"):
        fitted(missing="refuse")


def test_classes_are_refused():
    with pytest.raises(TargetError):
        bough.M5Regressor().fit([[1.0], [2.0]], ["a", "b"])


SCHEMA = Schema((Column("age", "numeric"), Column("size", "ordinal", ("S", "M", "L"))))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"level_code": [3, 1]}, r"level_code\[0\]: there is no such level"),
        ({"level_code": [2, 1]}, r"level_code\[1\]: the levels of a term must increase"),
        ({"level_start": [0, 1, 2]}, r"level_code\[0\]: there is no such level"),
        ({"level_start": [0, 0, 0], "level_code": []}, r"column\[1\]: a term lists levels unless"),
        ({"level_start": [0, 0, 1]}, "level_start: it must increase from 0 to 2"),
        ({"level_code": None}, "level_start: it needs level_code"),
        ({"column": [1, 1]}, r"column\[0\]: a term lists levels unless its column is numeric"),
    ],
)
def test_terms_of_levels_are_checked(change, words):
    models = LeafModels.of_nodes([LinearModel(1.0, (Term(0, 2.0, 0.0), Term(1, 3.0, 0.0, (0, 1))))])
    tree = bough.Tree.from_splits(
        [None],
        schema=SCHEMA,
        task="regression",
        classes=(),
        target_name=None,
        criterion="squared_error",
        cases=[2],
        statistics=[[1.0]],
        risk=[0.0],
        leaf_models=models,
    )
    tree.check()
    with pytest.raises(FormatError, match=f"leaf_models.{words}"):
        dataclasses.replace(tree, leaf_models=dataclasses.replace(models, **change)).check()
