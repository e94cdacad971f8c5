"""Numbers of a column have the same decimals wherever they are printed, also where cases are fractions."""

import re

import numpy as np
import pytest

import bough
from bough.evaluation.measures import Measure, decimals_of_measures


@pytest.fixture(scope="module")
def fractions():
    """A tree of C4.5, which divides rows with missing values among the branches."""
    penguins = bough.datasets.penguins()
    X, y = penguins.drop(columns=["species", "year"]), penguins["species"]
    return bough.C45Classifier().fit(X, y).tree_


def decimals(texts):
    return {len(text.partition(".")[2]) for text in texts}


def test_cases_of_nodes_have_the_same_decimals(fractions):
    assert not float(fractions.cases[1]).is_integer()
    lines = [line for line in fractions.text().splitlines() if re.match(r" +\d+  ", line)]
    cases = [re.search(r" ([\d.,]+)  (?:Adelie|Chinstrap|Gentoo) ", line)[1] for line in lines]
    assert len(cases) == fractions.n_nodes
    assert decimals(cases) == {1}


def test_class_weights_have_the_decimals_of_the_cases(fractions):
    weights = re.findall(r"([\d.,]+)/([\d.,]+)/([\d.,]+)", fractions.text())
    assert len(weights) == fractions.n_nodes
    assert decimals(sum(weights, ())) == {1}


@pytest.mark.parametrize(
    ("weights", "expected"), [([1.5, 0.5] * 4, "  6/2  *"), ([1.5, 0.5, 1, 1] * 2, "  5/3  *")]
)
def test_whole_class_weights_have_no_decimals(weights, expected):
    learner = bough.TreeClassifier(min_samples_split=9).fit(
        [[i] for i in range(8)], ["a", "b"] * 4, sample_weight=weights
    )
    assert expected in learner.tree_.text()


def test_class_weights_that_are_fractions_keep_their_decimals_where_the_weight_of_the_node_is_whole():
    learner = bough.TreeClassifier(min_samples_split=9).fit([[0], [1]], ["a", "b"], sample_weight=[2.5, 0.5])
    assert "  2.5/0.5  *" in learner.tree_.text()


def test_cases_of_rules_have_the_same_decimals(fractions):
    text = fractions.rules().text()
    counts = re.findall(r"([\d.]+) cases \([\d.]+%\), confidence [\d.]+% \(([\d.]+) of ([\d.]+)\)", text)
    assert len(counts) == fractions.n_leaves
    assert decimals(np.ravel(counts)) == {1}


def test_cases_errors_and_lifts_of_rule_sets_have_the_same_decimals():
    penguins = bough.datasets.penguins()
    X, y = penguins.drop(columns=["species", "year"]), penguins["species"]
    text = str(bough.PARTClassifier().fit(X, y).model_)
    figures = re.findall(r"([\d.]+) cases?, ([\d.]+) wrong, confidence ([\d.]+)%, lift ([\d.]+)", text)
    assert len(figures) > 2
    for column, places in zip(zip(*figures, strict=True), (1, 1, 1, 2), strict=True):
        assert decimals(column) == {places}


def test_measures_of_one_unit_have_the_same_decimals():
    measures = {
        "risk": Measure(120.0, 35.0, 300.0),
        "accuracy": Measure(0.965, 0.0099, 0.44),
        "log-loss": Measure(0.135, 0.030, 1.05),
        "AUC of a": Measure(1.0, 0.0, 0.5),
    }
    found = decimals_of_measures(measures)
    assert found == {"risk": 0, "accuracy": 3, "log-loss": 3, "AUC of a": 3}
    assert measures["AUC of a"].words(3) == "1.000 ± 0.000 (one answer for all: 0.500)"


def test_errors_in_the_unit_of_the_target_have_the_same_decimals():
    measures = {
        "R²": Measure(0.84, None, 0.0),
        "root mean squared error": Measure(317.2, 12.1, 801.0),
        "mean absolute error": Measure(253.4, 9.8, 676.0),
    }
    found = decimals_of_measures(measures)
    assert found["root mean squared error"] == found["mean absolute error"]


def test_an_evaluation_prints_thousands_in_groups_and_no_exponents():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    y = 180_577 * (2 + X[:, 0])
    text = str(bough.evaluate(bough.TreeRegressor(max_depth=2).fit(X, y), X, y))
    assert "e+" not in text
    assert re.search(r"\d,\d{3}", text)
