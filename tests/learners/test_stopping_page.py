"""The page on stopping lists every limit, with the learners that have it."""

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import bough

PAGE = (Path(__file__).parents[2] / "docs" / "concepts" / "stopping.md").read_text()
ROWS = {
    parameter: learners.split(", ")
    for parameter, learners in re.findall(r"^\| `(\w+)` \|.*\| ([\w, ]+) \|$", PAGE, flags=re.MULTILINE)
}
FORESTS = ("RandomForest", "ExtraTrees", "RandomSubspace")
LEARNERS = {
    name: set(inspect.signature(getattr(bough, name)).parameters)
    for name in bough.__all__
    if inspect.isclass(getattr(bough, name)) and issubclass(getattr(bough, name), BaseEstimator)
}
LIMITS = {field.name for field in fields(bough.Limits)}


def classes_of(word):
    """The learners that a word of the table stands for."""
    if word in LEARNERS:
        return {word}
    families, ends = (word,), ("Classifier", "Regressor", "Survival")
    if word == "forests":
        families, ends = FORESTS, ends[:2]
    found = {family + end for family in families for end in ends}
    return found & set(LEARNERS)


def test_every_limit_is_on_the_page():
    assert len(LIMITS) > 10
    assert all(f"`{name}`" in PAGE for name in LIMITS)


@pytest.mark.parametrize("parameter", sorted(LIMITS - {"min_risk"} | {"cp", "min_variance_fraction"}))
def test_the_learners_that_have_a_limit_are_named(parameter):
    assert set().union(*map(classes_of, ROWS[parameter])) == {
        name for name, parameters in LEARNERS.items() if parameter in parameters
    }


def test_no_parameter_that_sounds_like_a_limit_is_left_out():
    sounding = {
        parameter
        for parameters in LEARNERS.values()
        for parameter in parameters
        if parameter.startswith(("min_", "max_depth", "max_leaf"))
    }
    assert sounding <= set(ROWS)
