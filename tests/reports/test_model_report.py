"""Reports of models that are not one tree: what their pages say is what the models do."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.reports.making import making_words

RNG = np.random.default_rng(5)
N = 240
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N).astype(float),
        "income": RNG.normal(3000, 900, N).round(),
        "home": RNG.choice(["own", "rent", "other"], N),
    }
)
X.loc[::19, "income"] = np.nan
Y = np.where((X["age"] > 40) | (X["home"] == "own"), "yes", "no")
NUMBERS = X["age"] + 10 * (X["home"] == "own")
MODELS = {
    "forest": bough.RandomForestClassifier(20, random_state=0, oob_score=True),
    "gradient_boosted": bough.GradientBoostingClassifier(max_iter=10, early_stopping=True, random_state=0),
    "boosted": bough.C50Classifier(n_estimators=3, early_stopping=False),
    "bagging": bough.BaggingClassifier(n_estimators=3, random_state=0),
    "rules": bough.RIPPERClassifier(),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return MODELS[request.param].fit(X, Y)


def test_the_figures_are_those_of_evaluate(fitted):
    facts = bough.report(fitted, X[:150], Y[:150], test=(X[150:], Y[150:])).facts
    measured = {name: value for name, value, *_ in facts["judged"]["measures"]}
    found = bough.evaluate(fitted, X[150:], Y[150:]).measures
    assert measured["accuracy"] == found["accuracy"].value
    assert facts["judged"]["n_rows"] == N - 150


def test_importance_is_that_of_the_model(fitted):
    facts = bough.report(fitted).facts
    shares = fitted.model_.importance() / fitted.model_.importance().sum()
    assert [column["importance"] for column in facts["columns"]] == pytest.approx(shares.tolist())


def test_dependence_is_the_mean_prediction_with_the_column_replaced(fitted):
    for found in bough.report(fitted, X, Y).facts["dependence"]:
        name = X.columns[found["column"]]
        for place in (0, -1):
            rows = X.copy()
            rows[name] = found["values"][place]
            wanted = fitted.model_.predict_proba(rows).mean(axis=0)
            assert [means[place] for means in found["means"]] == pytest.approx(wanted.tolist(), rel=1e-5)


def test_errors_against_trees_are_those_that_the_estimator_recorded():
    forest = MODELS["forest"].fit(X, Y)
    [curve] = bough.report(forest).facts["curves_of_errors"]
    assert (curve["rows"], curve["trees"][-1]) == ("out of bag", 20)
    assert curve["error"][-1] == pytest.approx(forest.oob_error_curve_[-1, 0], rel=1e-5)
    boosting = MODELS["gradient_boosted"].fit(X, Y)
    assert "held out" in [each["rows"] for each in bough.report(boosting).facts["curves_of_errors"]]
    assert bough.report(forest.model_).facts["curves_of_errors"] == []


def test_importance_of_a_forest_has_the_standard_error_of_the_mean_over_trees():
    forest = MODELS["forest"].fit(X, Y).model_
    shares = forest.tree_importance / forest.tree_importance.sum(axis=1, keepdims=True)
    errors = shares.std(axis=0, ddof=1) / np.sqrt(20)
    facts = bough.report(forest).facts["columns"]
    assert [column["importance_error"] for column in facts] == pytest.approx(errors.tolist())


def test_a_forest_of_numbers_has_a_page():
    model = bough.RandomForestRegressor(5, random_state=0).fit(X, NUMBERS)
    facts = bough.report(model, X, NUMBERS, title="Ages").facts
    assert (facts["title"], facts["task"]) == ("Ages", "regression")
    assert facts["judged"]["numbers"]


def test_rules_are_listed_in_their_order():
    rules = MODELS["rules"].fit(X, Y).rules_
    listed = bough.report(rules).facts["rules_listed"]
    assert [row[0] for row in listed] == [rule.premise(6) or "always" for rule in rules]
    wrong = [float(row[3].partition(", ")[2].removesuffix(" wrong")) for row in listed]
    assert wrong == pytest.approx([rule.cover - rule.correct for rule in rules], abs=0.1)
    facts = bough.report(rules).facts
    assert facts["rules_default"] == rules.default
    assert facts["importance_of"] == "the cases of all rules that use a column"


def test_a_page_says_how_many_rows_a_saved_model_was_learned_from(tmp_path):
    table, model = tmp_path / "rows.csv", tmp_path / "model.zip"
    X.assign(buys=Y).to_csv(table, index=False)
    for learner in ("forest", "c50"):
        given = ["learn", str(table), "--target", "buys", "--learner", learner, "--test-size", "0"]
        assert CliRunner().invoke(app, [*given, "--out", str(model)]).exit_code == 0
        made = dict(making_words(bough.load(model)))
        assert made.get("Training rows", made.get("Training cases")) == str(len(X))


def test_what_only_a_tree_has_is_refused():
    forest = MODELS["forest"].fit(X, Y)
    with pytest.raises(bough.BoughError, match="the best tree is searched for a single tree"):
        bough.report(forest, X, Y, optimality=1.0)
    with pytest.raises(bough.BoughError, match="X and y together"):
        bough.report(forest, X)
    with pytest.raises(bough.BoughError, match="model is a dict"):
        bough.report({})


def test_learn_and_report_write_the_page_of_a_forest(tmp_path):
    table, model, page = tmp_path / "rows.csv", tmp_path / "model.zip", tmp_path / "page.html"
    X.assign(buys=Y).to_csv(table, index=False)
    given = ["learn", str(table), "--target", "buys", "--learner", "forest", "--set", "n_estimators=5"]
    run = CliRunner().invoke(app, [*given, "--out", str(model), "--report", str(page)])
    assert run.exit_code == 0, run.output
    assert "Forest for buys" in page.read_text()
    again = tmp_path / "again.html"
    run = CliRunner().invoke(app, ["report", str(model), str(table), "--out", str(again)])
    assert run.exit_code == 0, run.output
    assert "Partial dependence" in again.read_text()
