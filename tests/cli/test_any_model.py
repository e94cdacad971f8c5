"""Verbs that take any saved model, times until an event, and names of parameters of other programs."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.cli.learners import SURVIVAL, Learner

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")


def run(*arguments, code=0):
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert found.exit_code == code, found.output
    return found


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """Times until machines of a high load or of maker B fail, some of them censored."""
    rng = np.random.default_rng(0)
    lines = ["load,maker,years,failed"]
    for _ in range(200):
        load, maker = int(rng.integers(100)), rng.choice(["A", "B"])
        time = rng.exponential(1 / ((0.4 if load > 60 else 0.1) * (3 if maker == "B" else 1)))
        lines.append(f"{load},{maker},{min(time, 6.0):.4f},{'yes' if time <= 6 else 'no'}")
    path = tmp_path_factory.mktemp("machines") / "machines.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("learner", list(SURVIVAL))
def test_times_until_an_event_are_learned_saved_and_evaluated(learner, machines, tmp_path):
    path = tmp_path / "model.zip"
    options = ["--target", "years", "--event", "failed", "--learner", learner, "--out", path]
    quick = {"forest": ["--set", "n_estimators=5"], "boosting": ["--set", "max_iter=5"]}
    learned = run("learn", machines, *options, *quick.get(learner, []), "--report", tmp_path / "page.html")
    assert "Concordance on 50 held-out rows: 0." in learned.stdout
    model = bough.load(path)
    assert (model.recipe["response"], model.target_name) == ("times", "years")
    assert "failed" not in model.schema.names
    assert json.loads(run("evaluate", path, machines, "--json").stdout)["concordance"] > 0.6
    assert len(run("predict", path, machines).stdout.splitlines()) == 201
    assert "load" in run("importance", path).stdout
    assert SURVIVAL[Learner(learner)] in (tmp_path / "page.html").read_text()


def test_concordance_on_a_table_with_other_columns_levels_and_missing_times(machines, tmp_path):
    model, table = tmp_path / "model.json", tmp_path / "new.csv"
    run("learn", machines, "--target", "years", "--event", "failed", "--out", model)
    head, *lines = machines.read_text().splitlines()
    whole = tmp_path / "whole.csv"
    whole.write_text("\n".join([f"id,{head},w", *(f"r{i},{line},1" for i, line in enumerate(lines))]))
    expected = json.loads(run("evaluate", model, machines, "--json").stdout)
    assert json.loads(run("evaluate", model, whole, "--weights", "w", "--json").stdout) == expected
    some = [*lines[:30], "5,C,1.5,no", "70,A,,yes"]
    table.write_text("\n".join([head, *some]) + "\n")
    assert "add --missing-target skip" in run("evaluate", model, table, code=1).stderr
    found = json.loads(run("evaluate", model, table, "--missing-target", "skip", "--json").stdout)
    assert found["rows"] == 31
    assert "--groups does not go" in run("evaluate", model, machines, "--groups", "zz", code=1).stderr
    assert "--loss-matrix" in run("evaluate", model, machines, "--loss-matrix", "0,1;1,0", code=1).stderr


def test_learners_of_times_are_compared_by_concordance(machines):
    given = ("compare", machines, "--target", "years", "--event", "failed", "--cv", 2)
    found = json.loads(run(*given, "--learner", "cart", "--learner", "boosting", "--json").stdout)
    assert found["measure"] == "1 − concordance"
    assert {each["name"] for each in found["learners"]} == {"cart", "boosting", "one answer for all"}
    assert "--learner is 'chaid'" in run(*given, "--learner", "chaid", code=1).stderr


def test_what_is_no_time_or_no_status_is_refused(machines):
    given = ("learn", machines, "--event", "failed", "--target")
    assert "--target is 'maker'" in run(*given, "maker", code=1).stderr
    assert "neither 1 nor 0" in run("learn", machines, "--target", "years", "--event", "maker", code=1).stderr
    assert "--event goes with" in run(*given, "years", "--learner", "chaid", code=1).stderr


def test_importance_of_any_model_is_a_sorted_table(tmp_path):
    path = tmp_path / "model.zip"
    options = ("--target", "species", "--learner", "forest", "--set", "n_estimators=3")
    run("learn", PENGUINS, *options, "--out", path)
    shares = json.loads(run("importance", path, "--json").stdout)
    assert sorted(shares.values(), reverse=True) == list(shares.values())
    assert run("importance", path).stdout == run("show", path, "--importance").stdout


@pytest.mark.parametrize(("learner", "target"), [("ripper", "species"), ("m5rules", "body_mass_g")])
def test_rules_of_rule_sets_are_printed(learner, target, tmp_path):
    path = tmp_path / "model.json"
    given = ("--missing-target", "skip", "--learner", learner, "--out", path)
    run("learn", PENGUINS, "--target", target, *given)
    assert run("rules", path).stdout == run("show", path).stdout
    facts = json.loads(run("rules", path, "--json").stdout)
    assert len(facts) == len(bough.load(path).rules)
    assert "are for trees" in run("rules", path, "--class", "Gentoo", code=1).stderr


def test_rules_of_a_forest_are_refused_with_what_takes_it(tmp_path):
    bough.RandomForestClassifier(2).fit([[1.0], [2.0]], ["a", "b"]).model_.save(tmp_path / "model.zip")
    assert "`importance` and `report` take any model" in run("rules", tmp_path / "model.zip", code=1).stderr


def test_rows_without_a_target_are_left_out_on_request(tmp_path):
    path, page = tmp_path / "model.json", tmp_path / "page.html"
    skip = ("--missing-target", "skip")
    run("learn", PENGUINS, "--target", "body_mass_g", *skip, "--out", path)
    assert "add --missing-target skip" in run("evaluate", path, PENGUINS, code=1).stderr
    assert run("evaluate", path, PENGUINS, *skip).stdout.startswith("On 342 rows")
    run("report", path, PENGUINS, *skip, "--out", page)
    words = page.read_text()
    assert "CARTRegressor" in words
    assert "penguins.csv" in words


def test_a_ranker_is_evaluated_by_the_groups_it_was_learned_with(tmp_path):
    table, path = tmp_path / "cars.csv", tmp_path / "model.zip"
    bough.datasets.cars().to_csv(table, index=False)
    options = ("--target", "mpg", "--learner", "ranking", "--groups", "cyl", "--set", "max_iter=3")
    run("learn", table, *options, "--out", path)
    assert "NDCG" in run("evaluate", path, table).stdout
    bough.GradientBoostingRanker(max_iter=2).fit([[1.0], [2.0]], [0, 1], groups=[1, 1]).model_.save(path)
    table.write_text("x0,y\n1,0\n2,1\n")
    assert "--groups COLUMN" in run("evaluate", path, table, "--target", "y", code=1).stderr


def test_names_of_the_original_program_are_understood(tmp_path):
    path = tmp_path / "model.zip"
    given = ("learn", PENGUINS, "--target", "species", "--learner", "c50", "--set", "trials=3", "--out", path)
    run(*given)
    assert bough.load(path).model_kind == "boosted"
    assert "twice, by two names" in run(*given, "--set", "n_estimators=2", code=1).stderr


def test_a_learner_of_numbers_refuses_classes_by_name():
    given = ("learn", PENGUINS, "--target", "species", "--learner", "cubist")
    assert "cubist predicts numbers, and 'species' holds classes" in run(*given, code=1).stderr


def test_every_learner_is_described_in_a_line_of_a_terminal():
    assert max(map(len, run("learners").stdout.splitlines())) <= 100
    assert len({each.summary for each in Learner}) == len(Learner)


@pytest.mark.parametrize("learner", ["c4.5", "part"])
def test_sql_of_a_model_that_divides_rows_is_written_on_request(learner, tmp_path):
    path = tmp_path / "model.json"
    run("learn", PENGUINS, "--target", "species", "--learner", learner, "--out", path)
    assert "add --largest-branch" in run("export", path, "--to", "sql", code=1).stderr
    assert "CASE" in run("export", path, "--to", "sql", "--largest-branch").stdout


def test_importance_of_a_model_tree_says_that_linear_models_are_not_counted(tmp_path):
    path = tmp_path / "model.zip"
    skip = ("--missing-target", "skip")
    run("learn", PENGUINS, "--target", "body_mass_g", "--learner", "m5", *skip, "--out", path)
    said = run("importance", path).stdout
    assert "linear models of the leaves are not counted" in said
    assert "The model uses no column" not in said
    assert said == run("show", path, "--importance").stdout
    assert "linear models of the leaves are not counted" in str(bough.importance(bough.load(path)))


def test_importance_of_bagged_model_trees_says_that_linear_models_are_not_counted(tmp_path):
    # One straight line, so that each tree is a root with a linear model.
    X = [[float(i), float(i % 7)] for i in range(60)]
    learner = bough.BaggingRegressor(bough.M5Regressor(), n_estimators=3, random_state=0)
    model = learner.fit(X, [2 * a + b for a, b in X]).model_
    path = tmp_path / "model.json"
    model.save(path)
    words = "No split uses a column. The linear models of the leaves are not counted."
    assert run("importance", path).stdout.strip() == str(bough.importance(model)) == words
    assert words in run("show", path).stdout
    assert repr(bough.importance(model)) == "<Importance: no split uses a column>"


def test_linear_rules_are_printed_with_the_name_of_the_target():
    skip = ("--missing-target", "skip")
    said = run("learn", PENGUINS, "--target", "body_mass_g", "--learner", "cubist", *skip).stdout
    assert "body_mass_g = " in said
    assert " y = " not in said


def test_advice_of_evaluate_names_an_option(tmp_path):
    path = tmp_path / "model.zip"
    run("learn", PENGUINS, "--target", "species", "--test-size", "0.9", "--prune", "none", "--out", path)
    said = run("evaluate", path, PENGUINS).stdout
    assert "--smoothing laplace" in said
    assert 'smoothing="laplace"' not in said
