"""Several targets on the command line: `--target a,b` in learn, and models of several in the other verbs."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.test_cli import PENGUINS, refused, succeed

import bough


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "sizes.json"
    succeed(
        *("learn", PENGUINS, "--target", "body_mass_g,flipper_length_mm", "--missing-target", "skip"),
        *("--max-depth", 2, "--learner", "tree", "--test-size", 0, "--out", path),
    )
    return path


@pytest.fixture
def known(tmp_path):
    path = tmp_path / "known.csv"
    frame = pd.read_csv(PENGUINS).dropna(subset=["body_mass_g"])
    frame.to_csv(path, index=False)
    return path


def test_the_tree_is_the_one_the_estimator_grows(model, known):
    frame = pd.read_csv(known)
    X = frame.drop(columns=["body_mass_g", "flipper_length_mm"])
    grown = bough.TreeRegressor(max_depth=2).fit(X, frame[["body_mass_g", "flipper_length_mm"]]).tree_
    saved = bough.load(model)
    assert [target.name for target in saved.targets] == ["body_mass_g", "flipper_length_mm"]
    np.testing.assert_array_equal(saved.statistics, grown.statistics)
    assert saved.text() == grown.text()


def test_learn_scores_each_target():
    arguments = ("learn", PENGUINS, "--target", "species, island", "--max-depth", 2)
    printed = succeed(*arguments)
    assert "Classification tree for species, island" in printed
    assert "species: Accuracy on 86 held-out rows: 0." in printed
    assert "island: Accuracy on 86 held-out rows: 0." in printed
    facts = json.loads(succeed(*arguments, "--json"))
    assert [target["name"] for target in facts["targets"]] == ["species", "island"]
    assert facts["held_out"]["island"]["Accuracy"]["rows"] == 86


def test_a_saved_model_is_shown_and_predicts(model, known):
    assert "body_mass_g  flipper_length_mm" in succeed("show", model)
    assert len(json.loads(succeed("show", model, "--json"))["rules"]) == 4
    rows = [*csv.reader(io.StringIO(succeed("predict", model, known)))]
    assert rows[0] == ["prediction_body_mass_g", "prediction_flipper_length_mm"]
    np.testing.assert_array_equal(
        np.array(rows[1:], dtype=float),
        bough.load(model).predict(
            pd.read_csv(known)[["species", "island", "bill_length_mm", "bill_depth_mm", "sex", "year"]]
        ),
    )


def test_evaluate_takes_each_target_or_one(model, known):
    printed = succeed("evaluate", model, known)
    assert printed.index("Target body_mass_g") < printed.index("Target flipper_length_mm")
    each = json.loads(succeed("evaluate", model, known, "--json"))
    one = json.loads(succeed("evaluate", model, known, "--json", "--target", "flipper_length_mm"))
    assert each["flipper_length_mm"] == one
    assert "'body_mass_g', 'flipper_length_mm'" in refused("evaluate", model, known, "--target", "sex")


def test_a_forest_of_several_targets(tmp_path):
    path = tmp_path / "forest.bough"
    arguments = ("--learner", "forest", "--set", "n_estimators=5", "--out", path)
    printed = succeed("learn", PENGUINS, "--target", "species,island", *arguments)
    assert "Forest(5 trees" in printed
    assert "for species, island" in printed
    assert {*json.loads(succeed("evaluate", path, PENGUINS, "--json"))} == {"species", "island"}


def test_a_comma_may_be_part_of_a_name(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('x,"a,b"\n1,no\n2,yes\n3,no\n4,yes\n')
    assert "Classification tree for 'a,b'" in succeed("learn", path, "--target", "a,b", "--test-size", 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("learn", PENGUINS, "--target", "species,island", "--learner", "c4.5"),
            "--learner c4.5 predicts one target",
        ),
        (
            ("learn", PENGUINS, "--target", "species,island", "--report", "x.html"),
            "--report describes one target",
        ),
        (("learn", PENGUINS, "--target", "species,body_mass_g", "--missing-target", "skip"), "holds numbers"),
        (("learn", PENGUINS, "--target", "species,species"), "names 'species' twice"),
        (("learn", PENGUINS, "--target", "species,colour"), "'colour'"),
        (("compare", PENGUINS, "--target", "species,island"), "one column"),
    ],
)
def test_what_needs_one_target_is_refused_by_name(arguments, words):
    assert words in refused(*arguments)


def test_what_shows_one_target_is_refused_by_name(model, known):
    assert "predicts 2 targets" in refused("report", model)
    assert "choose it with --target" in refused("evaluate", model, known, "--loss-matrix", "0,1;5,0")
