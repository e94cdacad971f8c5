"""The text of a row, against what Weka 3.6.14 writes for the same values."""

import numpy as np
import pandas as pd
import pytest

import bough
from bough.engines.rule_problem import RuleProblem
from bough.engines.weka_text import java_hash, number_text, row_seed
from bough.learners.reading import read_training


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-1e-7, "0"),
        (1e7, "10000000"),
        (123456.7890125, "123456.789013"),
        (5e-7, "0.000001"),
        (1e14, "1.0E14"),
    ],
)
def test_numbers_have_six_decimals_at_most(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("plain", "plain"),
        ("a b", "'a b'"),
        ("it's", r"'it\'s'"),
        ("50%", r"'50\%'"),
        ("q?", "q?"),
        ("{z}", "'{z}'"),
        (None, "?"),
    ],
)
def test_the_seed_is_that_of_the_row(level, text):
    X = pd.DataFrame(
        {"number": [2.50], "level": pd.Categorical([level], ["plain", "a b", "it's", "50%", "q?", "{z}"])}
    )
    recipe = bough.RIPPERClassifier().recipe()
    problem = RuleProblem(recipe, read_training(recipe, X, ["yes"]), np.ones(1))
    assert row_seed(problem, 3) == java_hash(f"2.5,{text},yes") + 3
