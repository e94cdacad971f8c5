"""Rule ensembles: against a plain one, the paper's claims, and the ways in and out."""

from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.ensembles import plain_rulefit

import bough
from bough.ensembles.boosting import fit_boosting
from bough.ensembles.rule_candidates import candidate_rules, linear_terms
from bough.errors import FormatError, ParameterError
from bough.learners.reading import read_training

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
Y = 2.0 * ((X[:, 0] > 0) & (X[:, 1] > 0.3)) + 0.5 * X[:, 2] + RNG.normal(scale=0.2, size=150)
CLASSES = np.where(np.median(Y) < Y, "yes", "no")
THREE = np.array(["a", "b", "c"])[np.digitize(Y, np.quantile(Y, [0.33, 0.66]))]
SMALL = {"n_estimators": 40, "cv": 3}


def trees_of(learner, y):
    """The trees that the rules are taken from."""
    recipe = learner.recipe()
    training = read_training(recipe, X, y)
    settings = {**recipe.settings, "max_samples": 0.5}
    return fit_boosting(replace(recipe, settings=settings), training).model, training


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_the_ensemble_is_the_plain_one(kind):
    maker, y = {
        "numbers": (bough.RuleEnsembleRegressor, Y),
        "classes": (bough.RuleEnsembleClassifier, CLASSES),
    }[kind]
    learner = maker(**SMALL).fit(X, y)
    sums, _ = trees_of(learner, y)
    number = learner.path_.chosen(learner.rule)
    truth = Y if kind == "numbers" else (CLASSES == "yes").astype(float)
    scores, importance = plain_rulefit.fit(
        sums.trees, X, truth, learner.path_.penalties[number], n_classes=0 if kind == "numbers" else 2
    )
    np.testing.assert_allclose(learner.rules_.scores(X), scores, atol=0.02)
    np.testing.assert_allclose(learner.rules_.importance(), importance, atol=0.02)


def test_candidates_are_the_nodes_below_the_root_each_set_of_rows_once():
    sums, training = trees_of(bough.RuleEnsembleRegressor(**SMALL), Y)
    found = [(rule.tree, rule.node) for rule in candidate_rules(sums, training.table)]
    assert found == [(tree, node) for tree, node, _ in plain_rulefit.rules_of(sums.trees, X)]


def test_sizes_of_trees_are_drawn_with_the_mean_that_was_asked_for():
    sums, _ = trees_of(bough.RuleEnsembleRegressor(n_estimators=400, min_samples_leaf=1), Y)
    leaves = np.array([tree.n_leaves for tree in sums.trees])
    assert leaves.min() == 2
    assert leaves.max() > 6
    assert 3.2 < leaves.mean() < 4.2


def test_linear_terms_are_limited_to_quantiles():
    table = bough.Table.read(np.arange(200.0)[:, None])
    (term,) = linear_terms(table, None, 0.025)
    assert (term.low, term.high) == (4.0, 194.0)
    values = term.values(table.columns[0])
    np.testing.assert_array_equal(values, plain_rulefit.winsorized(np.arange(200.0), 0.025))


def test_interactions_are_those_of_partial_dependence():
    learner = bough.RuleEnsembleRegressor(**SMALL).fit(X, Y)
    rows = X[:60]
    found = learner.interactions(rows)
    assert found[0, 1] > 0.1
    assert found[0, 2] < 0.05
    for j in range(3):
        wanted = plain_rulefit.interaction(learner.predict, rows, j)
        np.testing.assert_allclose(found[j, j], wanted, atol=1e-8)
        for k in range(j):
            wanted = plain_rulefit.interaction(learner.predict, rows, j, k)
            np.testing.assert_allclose(found[j, k], wanted, atol=1e-8)
            assert found[j, k] == found[k, j]


def test_the_rule_of_the_signal_comes_first_and_few_terms_are_kept():
    learner = bough.RuleEnsembleRegressor().fit(X, Y)
    first = {condition.column for condition in learner.rules_[0].conditions}
    assert first <= {0, 1}
    assert len(learner.rules_) < learner.n_candidates_ / 4
    assert learner.rules_.importance().argmin() == 2 or learner.rules_.importance()[2] > 0
    deviations = [rule.deviation for rule in learner.rules_]
    assert deviations == sorted(deviations, reverse=True)


def test_max_terms_bounds_the_model_and_linear_terms_may_be_left_out():
    assert len(bough.RuleEnsembleRegressor(max_terms=5, **SMALL).fit(X, Y).rules_) <= 5
    rules = bough.RuleEnsembleRegressor(linear_terms=False, **SMALL).fit(X, Y).rules_
    assert all(rule.conditions for rule in rules)


def frame():
    return pd.DataFrame(
        {
            "size": X[:, 0],
            "colour": np.array(["red", "blue", "green"])[RNG.integers(3, size=150)],
            "age": np.where(RNG.random(150) < 0.2, np.nan, X[:, 1]),
        }
    )


@pytest.mark.parametrize("target", [Y, CLASSES, THREE])
def test_doors_of_a_model(target, tmp_path):
    rows = frame()
    maker = bough.RuleEnsembleRegressor if target is Y else bough.RuleEnsembleClassifier
    learner = maker(rule="best", **SMALL).fit(rows, target)
    model = learner.model_
    model.save(tmp_path / "rules.json")
    loaded = bough.load(tmp_path / "rules.json")
    assert loaded == model
    assert str(loaded) == str(model)
    np.testing.assert_array_equal(loaded.predict(rows), learner.predict(rows))
    assert bough.regrow(model, rows, target) == model
    found = duckdb.sql(f"SELECT {bough.export.to_sql(model)} AS answer FROM rows").df()["answer"]
    if target is Y:
        np.testing.assert_allclose(found, learner.predict(rows), rtol=1e-9)
    else:
        assert (found == learner.predict(rows)).all()
        np.testing.assert_allclose(learner.predict_proba(rows).sum(axis=1), 1)
    facts = bough.report(model, rows, target).facts
    assert facts["rules_listed"]
    assert facts["rules_measure"] == "importance"
    assert "adds" not in str(model.document()["rules"][0])


def test_rules_are_printed_with_what_they_add():
    learner = bough.RuleEnsembleClassifier(**SMALL).fit(X, CLASSES)
    text = str(learner.rules_)
    assert "log-odds of yes" in text
    assert "importance" in text
    assert " rules from 150 cases, added to " in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": [1.0, 2.0]}, "start"),
        ({"start": []}, "start"),
        ({"order": "product"}, "order"),
        ({"classes": ["a"]}, "classes"),
    ],
)
def test_a_wrong_file_is_refused_by_its_entry(change, words):
    from bough.rules.linear_format import from_document

    document = bough.RuleEnsembleRegressor(**SMALL).fit(X, Y).model_.document()
    with pytest.raises(FormatError, match=words):
        from_document(document | change)


@pytest.mark.parametrize(
    "given",
    [
        {"n_estimators": 0},
        {"mean_leaf_nodes": 1.5},
        {"learning_rate": 0},
        {"max_samples": "some"},
        {"min_samples_leaf": 0},
        {"linear_terms": "yes"},
        {"winsorize": 0.7},
        {"max_terms": 0},
        {"cv": 1},
        {"rule": "least"},
        {"random_state": -1},
    ],
)
def test_bad_parameters_are_refused_by_name(given):
    with pytest.raises(ParameterError, match=next(iter(given))):
        bough.RuleEnsembleRegressor(**given).fit(X, Y)


def test_numbers_of_any_size_are_fitted():
    for factor in (1e-100, 1e100):
        scaled = bough.RuleEnsembleRegressor(**SMALL).fit(X, Y * factor)
        assert scaled.score(X, Y * factor) > 0.8


def test_a_single_rule_of_the_last_class_is_saved_and_loaded(tmp_path):
    rows = np.repeat([[0.0], [1.0]], 30, axis=0)
    y = ["a", "b", "c"] * 10 + ["d"] * 30
    learner = bough.RuleEnsembleClassifier(n_estimators=3, cv=2, max_terms=1, linear_terms=False)
    model = learner.fit(rows, y).model_
    assert [model.classes[score] for score in model.member] == ["d"]
    model.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model
