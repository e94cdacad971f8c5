"""`explain` says what a model does: its answer, the path or rules of the row, and what changes the answer."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.data.table import Table
from bough.example_models import cars_rules
from bough.inspect import changes
from bough.inspect.changes import Axis, axes_of, changes_of

RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, 300).astype(float),
        "income": RNG.normal(3000, 900, 300).round(),
        "home": RNG.choice(["own", "rent", "other"], 300),
    }
)
X.loc[::23, "income"] = np.nan
Y = np.where((X["age"] > 40) & (X["income"].fillna(0) > 2500) | (X["home"] == "own"), "yes", "no")
MODELS = {
    "CART": bough.CARTClassifier(random_state=0),
    "C4.5": bough.C45Classifier(),
    "intervals": bough.TreeClassifier(max_branches=4, max_depth=3),
    "rules": bough.C50Classifier(rules=True),
    "list": bough.RIPPERClassifier(),
    "boosted": bough.C50Classifier(n_estimators=4, early_stopping=False),
}
NUMBERS = bough.CARTRegressor(random_state=0)


@pytest.fixture(scope="module")
def fitted():
    models = {name: model.fit(X, Y) for name, model in MODELS.items()}
    models["numbers"] = NUMBERS.fit(X, X["age"] * (Y == "yes"))
    return models


@pytest.mark.parametrize("name", [*MODELS, "numbers"])
def test_the_answer_is_the_prediction(fitted, name):
    model = fitted[name]
    for row in (0, 1, 23, 150):
        found = bough.explain(model, X.iloc[row])
        assert found.answer == model.predict(X.iloc[[row]])[0]
        if name != "numbers":
            assert found.probabilities == pytest.approx(
                dict(zip(model.model_.classes, model.predict_proba(X.iloc[[row]])[0], strict=True))
            )


@pytest.mark.parametrize("name", [*MODELS, "numbers"])
def test_every_change_listed_is_one_that_the_model_makes(fitted, name):
    """The row is changed by the words of the condition alone, read back here."""
    model = fitted[name].model_
    n_changes = 0
    for row in range(0, 300, 17):
        found = bough.explain(model, X.iloc[row])
        for change in found.changes:
            n_changes += 1
            meets = X[change.column].map(lambda value, change=change: _meets(change.condition, value))
            others = pd.concat([X.iloc[[row]]] * int(meets.sum()), ignore_index=True)
            if len(others):
                others[change.column] = X.loc[meets, change.column].to_numpy()
                assert set(model.predict(others).tolist()) == {change.answer}
            assert change.answer != found.answer
    assert n_changes > 5


def _meets(condition, value):
    """Whether a value meets a condition such as 'age < 40.5', '2 <= age < 3' or 'home in {own, rent}'."""
    if isinstance(value, str):
        levels = condition.split(" in ")[-1] if " in " in condition else condition.split(" = ")[-1]
        return value in levels.strip("{}").split(", ")
    if np.isnan(value):
        return False
    return bool(eval(condition, {}, {"age": value, "income": value}))


@pytest.mark.parametrize("name", ["CART", "C4.5", "rules"])
@given(age=st.floats(10, 90), income=st.floats(0, 7000), home=st.sampled_from(["own", "rent", "other"]))
def test_no_single_change_is_forgotten(fitted, name, age, income, home):
    """If no change of a column is listed, no value of the column changes the answer."""
    model = fitted[name].model_
    table = Table.fit_to(pd.DataFrame({"age": [age], "income": [income], "home": [home]}), model.schema)
    listed = {change.column for change in changes_of(model, table, most=99)}
    now = model.predict(table)[0]
    tried = {
        "age": np.linspace(10, 90, 161),
        "income": np.linspace(0, 7000, 141),
        "home": ["own", "rent", "other"],
    }
    for column in {*tried} - listed:
        rows = pd.DataFrame({"age": age, "income": income, "home": home}, index=range(len(tried[column])))
        rows[column] = tried[column]
        assert set(model.predict(rows).tolist()) == {now}


def test_a_rule_list_names_the_rule_that_fires_first(fitted):
    rules = fitted["list"].rules_
    fires = rules.fires(X)
    row = int(np.flatnonzero(fires.any(axis=1))[0])
    first = int(fires[row].argmax())
    assert rules.explain(X.iloc[row]).reasons[0].startswith(f"rule {first + 1}: {rules[first]}")
    row = int(np.flatnonzero(~fires.any(axis=1))[0])
    assert rules.explain(X.iloc[row]).reasons == (f"no rule fires, so the default {rules.default}",)


def test_costs_of_answers_are_told():
    model = bough.CARTClassifier(loss_matrix={("no", "yes"): 5}, random_state=0).fit(X, Y)
    assert "cost" in model.tree_.explain(X.iloc[0]).costs


def test_a_missing_value_is_named_as_missing(fitted):
    text = fitted["CART"].tree_.explain({"age": 70.0, "income": None, "home": "rent"}).text()
    assert "income is missing" in text


def test_what_is_not_a_model_is_refused():
    with pytest.raises(bough.BoughError, match="a model of bough or an estimator of one"):
        bough.explain("a tree", [1.0])


def test_more_than_one_row_is_refused(fitted):
    with pytest.raises(bough.BoughError, match="explain takes one row, and the table has 300"):
        bough.explain(fitted["CART"], X)


def test_a_closed_threshold_belongs_to_the_region_below(fitted):
    [axis] = [axis for axis in axes_of(fitted["C4.5"].tree_) if axis.schema[axis.position].name == "age"]
    threshold = min(split.cut for split in splits_on(fitted["C4.5"].tree_, axis.position))
    assert axis.region(threshold) == 0
    assert axis.region(np.nextafter(threshold, np.inf)) == 1


def splits_on(tree, column):
    splits = [tree.split(node) for node in np.flatnonzero(~tree.is_leaf).tolist()]
    return [split for split in splits if split.column == column]


def test_thresholds_of_both_tests_may_bound_a_region():
    tree = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).tree_
    after = np.nextafter(4.0, 9.0)
    axis = Axis(tree.schema, 0, np.array([2.0, after]), frozenset({after}))
    assert [axis.words([region]) for region in range(3)] == ["x0 < 2", "2 <= x0 <= 4", "x0 > 4"]
    assert [axis.region(value) for value in (1.9, 2.0, 4.0, 4.1)] == [0, 1, 1, 2]


def test_every_range_of_dates_has_a_date(monkeypatch):
    days = pd.DataFrame({"day": np.array(["2024-01-01", "2024-01-09"], dtype="datetime64[D]")})
    tree = bough.TreeClassifier().fit(days, ["a", "b"]).tree_
    bounds = [(0, 19723.2, False, None), (0, 19723.7, False, None), (0, 19730.5, True, None)]
    monkeypatch.setattr(changes, "_bounds", lambda model: bounds)
    [axis] = axes_of(tree)
    assert axis.cuts.tolist() == [19724.0, 19731.0]
    assert axis.values()[1] == 19727.0
    conditions = ["day < 2024-01-02", "2024-01-02 <= day <= 2024-01-08", "day > 2024-01-08"]
    assert [axis.words([region]) for region in range(3)] == conditions


def test_the_command_line_explains_rows(tmp_path, fitted):
    table, path = tmp_path / "rows.csv", tmp_path / "model.json"
    X.head(5).to_csv(table, index=False)
    fitted["CART"].tree_.save(path)
    run = CliRunner().invoke(app, ["explain", str(path), str(table), "--row", "2"])
    assert run.exit_code == 0, run.output
    assert run.stdout.strip() == str(bough.explain(fitted["CART"], X.iloc[1]))
    run = CliRunner().invoke(app, ["explain", str(path), str(table), "--row", "2", "--row", "1", "--json"])
    assert [each["row"] for each in json.loads(run.stdout)] == [2, 1]
    assert "<strong>" in CliRunner().invoke(app, ["explain", str(path), str(table), "--html"]).stdout
    run = CliRunner().invoke(app, ["explain", str(path), str(table), "--row", "9"])
    assert (run.exit_code, "--row is 9; it must be at most 5" in run.stderr) == (1, True)


def test_changes_are_written_by_short_numbers_that_the_model_agrees_with():
    tree = (
        bough.TreeClassifier()
        .fit([[-0.167], [-0.167], [0.157], [0.157]], ["low", "low", "high", "high"])
        .tree_
    )
    (rise,), (fall,) = (tree.explain([value]).changes for value in (-1.0, 1.0))
    assert (rise.condition, rise.answer) == ("x0 >= 0", "high")
    bound = float(fall.condition.removeprefix("x0 < "))
    assert len(fall.condition) < len("x0 < -0.0000")
    assert tree.predict([[0.0], [np.nextafter(bound, -1.0)]]).tolist() == ["high", "low"]


def test_a_leaf_with_a_model_is_not_said_to_answer_always_the_same():
    X, y = [[float(number), 0.0] for number in range(40)], [2.0 * number for number in range(40)]
    unchanged = "no other value of a single column would change the answer"
    for learner in (bough.M5Regressor(), bough.CubistRegressor()):
        model = learner.fit(X, y)
        assert model.predict([[3.0, 0.0]]) != model.predict([[4.0, 0.0]])
        explained = bough.explain(model, [3.0, 0.0])
        assert not explained.changes
        assert unchanged not in explained.text()
        assert unchanged not in explained.to_html().lower()
    constant = bough.explain(bough.TreeRegressor(max_depth=1).fit(X, [1.0] * 40), [3.0, 0.0])
    assert unchanged in constant.text()
    assert unchanged in constant.to_html().lower()


@pytest.mark.parametrize("closed", [(), (0,), (0, 1, 2)])
def test_every_region_has_a_value_even_between_adjacent_numbers(closed):
    tree = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).tree_
    for first in np.random.default_rng(0).uniform(1, 2, 20).tolist():
        cuts = np.array([first, np.nextafter(first, 9), np.nextafter(np.nextafter(first, 9), 9)])
        axis = Axis(tree.schema, 0, cuts, frozenset(cuts[list(closed)].tolist()))
        assert [axis.region(value) for value in axis.values().tolist()] == [0, 1, 2, 3]


def test_a_row_with_a_missing_value_is_told_of_the_cuts_of_surrogates():
    rng = np.random.default_rng(0)
    first = rng.normal(size=200)
    rows = np.column_stack([first, first + rng.normal(scale=0.1, size=200)])
    tree = bough.CARTClassifier(max_depth=1, random_state=0).fit(rows, np.where(first < 0, "a", "b")).tree_
    [surrogate] = tree.surrogates_of(0)
    [change] = [each for each in tree.explain([None, -1.0]).changes if each.column == "x1"]
    assert change.answer == "b"
    cut = float(change.condition.removeprefix("x1 >= "))
    assert cut == pytest.approx(surrogate.split.cut, abs=0.05)
    assert tree.predict([[np.nan, cut]]).tolist() == ["b"]
    assert [each.column for each in tree.explain([-1.0, -1.0]).changes] == ["x0"]


def test_without_changes_nothing_is_said_of_them(fitted):
    said = bough.explain(fitted["CART"], X.iloc[0], most_changes=0)
    assert bough.explain(fitted["CART"], X.iloc[0], most_changes=np.int64(1)).changes
    assert (said.changes, said.tried) == ((), "none")
    assert "change the answer" not in said.text() + said.to_html()


@pytest.mark.parametrize("most", [-1, "a", 1.5, None, True])
def test_the_most_changes_are_a_whole_number(fitted, most):
    with pytest.raises(
        bough.BoughError, match=r"most_changes is .*; it must be a whole number of at least 0"
    ):
        bough.explain(fitted["CART"], X.iloc[0], most_changes=most)


def test_an_estimator_that_is_not_fitted_is_called_so():
    with pytest.raises(bough.BoughError, match=r"^model is an unfitted CARTClassifier; call its fit"):
        bough.explain(bough.CARTClassifier(), [1.0])
    imputer = bough.MeanImputer().fit([[1.0], [2.0]])
    with pytest.raises(bough.BoughError, match=r"^model is of type MeanImputer; it must be a model of bough"):
        bough.explain(imputer, [1.0])


def test_scores_that_no_rule_moves_are_named():
    rules = replace(cars_rules(), rules=(), order="sum", default=9.0, start=(1.5,))
    two = replace(rules, classes=("no", "yes"))
    three = replace(rules, classes=("a", "b", "c"), start=(1.0, 2.0, 3.0))
    assert [each.explain([4.0, 100.0]).reasons[0] for each in (rules, two, three)] == [
        "no rule fires, so the default 1.5",
        "no rule fires, so the log-odds of yes is 1.5",
        "no rule fires, so the score of a is 1 and the score of b is 2 and the score of c is 3",
    ]


def test_the_rules_that_fire_in_each_trial_are_named():
    model = bough.C50Classifier(n_estimators=3, rules=True, early_stopping=False).fit(X, Y)
    row = X.iloc[[4]]
    reasons = bough.explain(model, row).reasons
    assert len(reasons) == len(model.model_.members)
    for reason, rules in zip(reasons, model.model_.members, strict=True):
        fires = rules.fires(Table.fit_to(row, rules.schema))[0]
        fired = [str(rules[number]) for number in np.flatnonzero(fires)]
        assert all(each in reason for each in fired)
        assert fired or "no rule fires" in reason


def test_text_fits_the_width_that_is_asked_for(fitted):
    explanation = bough.explain(fitted["boosted"], X.iloc[4])
    lines = explanation.text(width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(explanation.text(width=60).split()) == " ".join(explanation.text(width=None).split())
