"""Every learner on the command line: its name, its parameters by `--set`, and the uses of its model."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.cli.learners import TASKS, Learner, estimator_of

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")
QUICK = {"forest": ["n_estimators=5"], "extratrees": ["n_estimators=5"], "boosting": ["max_iter=5"]}


def run(*arguments, code=0):
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert found.exit_code == code, found.output
    return found


@pytest.mark.parametrize(
    ("learner", "settings", "kind"),
    [
        ("forest", ["n_estimators=5", "random_state=3"], "forest"),
        ("extratrees", ["n_estimators=5", "random_state=3"], "forest"),
        ("bagging", ["n_estimators=3", "random_state=3"], "bagging"),
        ("boosting", ["max_iter=5"], "gradient_boosted"),
        ("adaboost", ["n_estimators=5", "variant=real"], "bagging"),
        ("logitboost", ["n_estimators=3"], "bagging"),
        ("bagboo", ["n_estimators=3", "random_state=3"], "bagging"),
        ("rulefit", ["n_estimators=20", "cv=2"], "linear_rules"),
        ("isle", ["n_estimators=20", "cv=2"], "gradient_boosted"),
        ("c50", ["n_estimators=3", "early_stopping=false"], "boosted"),
        ("c50", ["rules=true"], "rules"),
        ("chaid", ["significance=0.01"], "tree"),
        ("optimal", ["max_depth=2"], "tree"),
    ],
)
def test_a_model_is_learned_shown_evaluated_and_predicts(learner, settings, kind, tmp_path):
    path = tmp_path / "model.zip"
    given = [part for each in settings for part in ("--set", each)]
    learned = run("learn", PENGUINS, "--target", "species", "--learner", learner, *given, "--out", path)
    model = bough.load(path)
    assert (model.model_kind, model.target_name) == (kind, "species")
    assert "held-out rows" in learned.stdout
    assert run("show", path).stdout.splitlines()[0] == learned.stdout.splitlines()[0]
    assert json.loads(run("show", path, "--json").stdout)["target"] == "species"
    assert "bill_length_mm" in run("schema", path).stdout
    assert "accuracy" in run("evaluate", path, PENGUINS).stdout
    assert len(run("predict", path, PENGUINS).stdout.splitlines()) == 345


def test_numbers_are_learned_by_forests_and_boosting(tmp_path):
    given = ("--target", "body_mass_g", "--missing-target", "skip", "--test-size", 0)
    for learner, settings in QUICK.items():
        path = tmp_path / f"{learner}.zip"
        run("learn", PENGUINS, *given, "--learner", learner, "--set", *settings, "--out", path)
        assert bough.load(path).task == "regression"


def test_the_parameters_set_are_those_of_the_estimator(tmp_path):
    path = tmp_path / "model.zip"
    settings = ("--set", "n_estimators=4", "--set", "max-depth=2", "--set", "random_state=1")
    run("learn", PENGUINS, "--target", "species", "--learner", "forest", *settings, "--out", path)
    model = bough.load(path)
    assert model.n_trees == 4
    assert max(tree.depth for tree in model.trees) == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["n_estimator=3"], "did you mean n_estimators?"),
        (["n_estimators=many"], "n_estimators is 'many'"),
        (["n_estimators"], "a parameter and its value"),
        (["max_depth=2", "max_depth=3"], "--set gives max_depth twice"),
    ],
)
def test_what_cannot_be_set_is_refused_by_name(settings, words):
    given = [part for each in settings for part in ("--set", each)]
    assert (
        words in run("learn", PENGUINS, "--target", "species", "--learner", "forest", *given, code=1).stderr
    )


def test_an_option_and_set_do_not_give_the_same_parameter():
    given = ("learn", PENGUINS, "--target", "species", "--max-depth", 2, "--set", "max_depth=3")
    assert "--max-depth and --set max_depth are both given" in run(*given, code=1).stderr


def test_learners_are_listed_a_line_each_with_their_parameters():
    listed = run("learners").stdout.splitlines()
    assert [line.split()[0] for line in listed[1 : len(Learner) + 1]] == [each.value for each in Learner]
    for learner in Learner:
        described = json.loads(run("learners", learner.value, "--json").stdout)
        for task in TASKS:
            estimator = estimator_of(learner, task)
            if estimator is not None:
                assert described["parameters"][task].keys() == estimator.get_params(deep=False).keys()


def test_every_parameter_of_every_learner_is_described():
    for learner in Learner:
        for own in json.loads(run("learners", learner.value, "--json").stdout)["parameters"].values():
            assert [name for name, each in own.items() if not each["meaning"]] == [], learner


def test_outliers_are_learned_without_a_target(tmp_path):
    path, page = tmp_path / "model.json", tmp_path / "page.html"
    given = ("--learner", "isolation", "--set", "random_state=0", "--drop", "year")
    learned = run("learn", PENGUINS, *given, "--out", path, "--report", page).stdout
    assert "anomaly" in learned
    assert "anomaly" in page.read_text(encoding="utf-8")
    scores = [float(line) for line in run("predict", path, PENGUINS).stdout.splitlines()[1:]]
    assert len(scores) == 344
    assert all(0 < score < 1 for score in scores)
    wrong = run("learn", PENGUINS, "--target", "year", *given, code=1).stderr
    assert "--learner isolation has no target" in wrong
    assert "--target" in run("learn", PENGUINS, code=2).stderr
    choice = ("--target", "species", "--learner", "isolation")
    assert "--learner is 'isolation'" in run("compare", PENGUINS, *choice, code=1).stderr


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (PENGUINS, ["--weights", "year"], "takes no weights; leave --weights out"),
        (PENGUINS, ["--task", "classification"], "has no target; leave --task classification out"),
        (PENGUINS, ["--missing-target", "skip"], "leave --missing-target out"),
        (PENGUINS, ["--test-size", "0.5"], "leave --test-size out"),
        (PENGUINS, ["--random-state", "3"], "use --set random_state=3"),
        (PENGUINS, ["--set", "contamination=0.1"], "--set contamination"),
        (PENGUINS, ["--table", "rows"], "does not learn in a database"),
        ("rows.duckdb::rows", [], "does not learn in a database"),
        (PENGUINS, ["--out", "-", "--report", "-"], "both standard output"),
    ],
)
def test_options_that_mean_nothing_without_a_target_are_refused(table, options, words):
    assert words in run("learn", table, "--learner", "isolation", *options, code=1).stderr


def test_a_model_without_a_target_is_reported_but_not_evaluated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = ("--learner", "isolation", "--set", "n_estimators=5", "--test-size", "0")
    page = run("learn", PENGUINS, *few, "--out", "model.json", "--report", "-").stdout
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
    for verb in ("evaluate", "report"):
        assert "The model has no target" in run(verb, "model.json", PENGUINS, code=1).stderr
    assert "Wrote model.html" in run("report", "model.json").stdout


def test_numbers_need_not_be_those_of_json(tmp_path):
    path = tmp_path / "model.json"
    run("learn", PENGUINS, "--target", "species", "--learner", "c50", "--set", "CF=.3", "--out", path)
    assert "confidence = 0.3" in bough.load(path).provenance["settings"]


@pytest.mark.parametrize("key", ["{}", "p{}"], ids=["numbers", "texts"])
@pytest.mark.parametrize("learner", ["cart", "forest"])
def test_rows_of_a_file_are_drawn_by_their_keys(learner, key, tmp_path):
    frame = pd.read_csv(PENGUINS).dropna()
    frame.insert(2, "id", [key.format(number) for number in range(len(frame))])
    table, path, page = tmp_path / "rows.csv", tmp_path / "model.json", tmp_path / "page.html"
    frame.to_csv(table, index=False)
    keyed = {"max_bins": 16, "sampling": "hash", "row_key": "id"}
    keyed |= {"n_estimators": 3, "random_state": 0} if learner == "forest" else {}
    given = [each for name, value in keyed.items() for each in ("--set", f"{name}={value}")]
    options = ("--target", "species", "--learner", learner, *given)
    run("learn", table, *options, "--test-size", "0", "--out", path)
    expected = estimator_of(Learner(learner), "classification").set_params(**keyed)
    expected.fit(frame.drop(columns="species"), frame["species"])
    model = bough.load(path)
    assert "id" not in model.schema.names
    assert model.provenance["unused_columns"] == ["id"]
    features = frame[list(model.schema.names)]
    assert model.predict_proba(features).tolist() == expected.model_.predict_proba(features).tolist()
    assert len(run("predict", path, table).stdout.splitlines()) == len(frame) + 1
    held_out = json.loads(run("learn", table, *options, "--json", "--report", page).stdout)["held_out"]
    assert held_out["Accuracy"]["value"] > 0.9
    # The report of a tree grows it again, from other draws of the rows.
    assert ('"stability":{"draws":' in page.read_text()) == (learner == "cart")


def test_predict_accepts_the_columns_that_learn_left_out(tmp_path):
    path = tmp_path / "model.json"
    run("learn", PENGUINS, "--target", "species", "--drop", "year", "--drop", "sex", "--out", path)
    assert bough.load(path).provenance["source"] == "penguins.csv"
    assert len(run("predict", path, PENGUINS).stdout.splitlines()) == 345
    other = tmp_path / "other.csv"
    text = Path(PENGUINS).read_text()
    other.write_text("\n".join(f"{line},{'a' if n else 'ring'}" for n, line in enumerate(text.splitlines())))
    assert "'ring'" in run("predict", path, other, code=1).stderr


def test_an_optimal_tree_says_whether_it_is_proved():
    options = ("--target", "species", "--learner", "optimal", "--set", "max_depth=2")
    printed = run("learn", PENGUINS, *options).stdout
    assert "Optimality: objective " in printed
    assert "proved optimal." in printed
