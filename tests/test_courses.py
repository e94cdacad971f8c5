"""The page of the courses' algorithms names learners, functions and tests that exist."""

import pkgutil
import re
from pathlib import Path

import pytest

import bough
from bough.cli.learners import TASKS, Learner

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "docs" / "courses.md").read_text(encoding="utf-8").splitlines()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in LINES
    if line.startswith("| ") and not line.startswith("| algorithm |")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_a_row_names_exists(row):
    algorithm, names, tests = row
    assert algorithm
    assert re.fullmatch(r"(`[\w.]+`(, )?)+", names)
    for name in re.findall(r"`([\w.]+)`", names):
        assert pkgutil.resolve_name(f"bough.{name}") is not None
    files = re.findall(r"`([\w./]+)`", tests)
    assert files
    for file in files:
        assert (ROOT / file).is_file(), file


def test_every_learner_of_the_command_line_that_a_course_names_is_listed():
    named = {name for _, names, _ in ROWS for name in re.findall(r"`(\w+)`", names)}
    beyond = {
        *(
            "REPTreeClassifier",
            "REPTreeRegressor",
            "SimpleCartClassifier",
            "OneRClassifier",
            "PARTClassifier",
        ),
        *("RIPPERClassifier", "DecisionStumpClassifier", "DecisionStumpRegressor"),
        *("ConditionalTreeClassifier", "ConditionalTreeRegressor"),
    }
    estimators = {each.estimator_name(task) for each in Learner for task in TASKS} - {None}
    assert estimators - named == beyond
    assert beyond <= set(bough.__all__)
