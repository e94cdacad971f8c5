"""Iris (000): the tree of the slides and its rules."""

import pandas as pd
import pytest
from tests.oracle.reference import OWN_FOLDER, read_data

import bough


@pytest.fixture
def iris():
    data = read_data("iris", folder=OWN_FOLDER)
    return data.X[["Petal.Length", "Petal.Width"]], data.y


def test_petals_are_cut_at_2_45_and_1_75(iris):
    tree = bough.CARTClassifier(max_depth=2, prune="none").fit(*iris).tree_
    assert [str(rule) for rule in tree.rules()] == [
        "Petal.Length < 2.45 -> setosa",
        "Petal.Length >= 2.45 and Petal.Width < 1.75 -> versicolor",
        "Petal.Length >= 2.45 and Petal.Width >= 1.75 -> virginica",
    ]
    assert tree.statistics[tree.is_leaf].tolist() == [[50, 0, 0], [0, 49, 5], [0, 1, 45]]


def test_the_rules_of_the_slides_are_grown_and_merged(iris):
    # Leaves of 95 % and of three flowers stay as they are; then the tree has the five leaves of the slides.
    model = bough.TreeClassifier(purity=0.95, min_samples_split=4).fit(*iris)
    assert [str(rule) for rule in model.tree_.rules()] == [
        "Petal.Length < 2.45 -> setosa",
        "2.45 <= Petal.Length < 4.95 and Petal.Width < 1.75 -> versicolor",
        # all three of these are virginica, though the slide says versicolor of both its last leaves
        "Petal.Length >= 4.95 and Petal.Width < 1.55 -> virginica",
        "Petal.Length >= 4.95 and 1.55 <= Petal.Width < 1.75 -> versicolor",
        "Petal.Length >= 2.45 and Petal.Width >= 1.75 -> virginica",
    ]


def test_the_flower_of_the_slides_is_told_by_walking(iris):
    model = bough.TreeClassifier(purity=0.95, min_samples_split=4).fit(*iris)
    flower = {"Petal.Length": 6.0, "Petal.Width": 1.6}
    assert model.tree_.path_of(flower) == [
        "Petal.Length >= 2.45",
        "Petal.Width < 1.75",
        "Petal.Length >= 4.95",
        "Petal.Width >= 1.55",
    ]
    assert model.predict(pd.DataFrame([flower])).tolist() == ["versicolor"]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "deviance", "twoing", "chi_square"])
def test_setosa_is_set_apart_first_by_every_criterion(criterion):
    data = read_data("iris", folder=OWN_FOLDER)
    tree = bough.CARTClassifier(criterion, max_depth=1, prune="none").fit(data.X, data.y).tree_
    assert sorted(tree.statistics.tolist()[1:]) == [[0, 50, 50], [50, 0, 0]]
