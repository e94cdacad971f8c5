"""Learners of rules on the command line: what they print, save and refuse."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")
LEARNERS = {
    "oner": bough.OneRClassifier(),
    "part": bough.PARTClassifier(),
    "ripper": bough.RIPPERClassifier(),
}


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", LEARNERS)
def test_rules_are_printed_scored_saved_and_shown(name, tmp_path):
    path = tmp_path / "rules.json"
    learned = run("learn", PENGUINS, "--target", "species", "--learner", name, "--out", path)
    assert learned.exit_code == 0, learned.output
    assert "the first that fires" in learned.stdout
    assert "Accuracy on 86 held-out rows" in learned.stdout
    shown = run("show", path)
    assert shown.stdout.splitlines()[0] == learned.stdout.splitlines()[0]
    facts = json.loads(run("show", path, "--json").stdout)
    assert facts["target"] == "species"
    assert len(facts["rules"]) == len(bough.load(path))
    assert len(run("predict", path, PENGUINS).stdout.splitlines()) == 345


@pytest.mark.parametrize("name", LEARNERS)
def test_the_rules_are_those_that_the_estimator_learns(name, tmp_path):
    path = tmp_path / "rules.json"
    arguments = ("--target", "species", "--learner", name, "--test-size", 0, "--drop", "year", "--out", path)
    assert run("learn", PENGUINS, *arguments).exit_code == 0
    penguins = pd.read_csv(PENGUINS)
    X = penguins.drop(columns=["species", "year"])
    own = LEARNERS[name].fit(X, penguins["species"]).rules_
    assert [str(rule) for rule in bough.load(path)] == [str(rule) for rule in own]


def test_rules_learn_no_numbers():
    arguments = ("learn", PENGUINS, "--learner", "ripper")
    refused = run(*arguments, "--target", "body_mass_g", "--missing-target", "skip")
    assert "--learner ripper predicts classes" in refused.stderr
