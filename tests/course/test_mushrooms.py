"""Five mushrooms (002): ID3 in Mitchell's version, where an empty branch answers as its parent."""

import numpy as np
import pandas as pd
import pytest
from tests.courses import mushrooms

import bough

TOXIC, EDIBLE = 0, 1


@pytest.fixture
def model():
    """Points before colour, toxic before edible (the numbers 0 and 1): the slides break their two ties so.

    Points and colour leave the same 0.4 bits at the root, and of the two mushrooms with points one is toxic
    and one edible. Bough breaks ties by the order of the columns and of the sorted classes.
    """
    X, y = mushrooms()
    return bough.ID3Classifier().fit(X[["Points", "Color", "Size"]], (y == "edible").astype(int))


def test_points_are_asked_first_then_colour(model):
    tree = model.tree_
    assert [tree.condition(node) for node in tree.walk()] == [
        "all",
        "Points = no",
        "Points = yes",
        "Color = brown",
        "Color = green",
        "Color = red",
    ]
    # H(class) is 0.722 bits, of which 0.4 are left
    assert tree.gain[0] == pytest.approx(0.722 - 0.4, abs=5e-4)


def test_the_empty_branch_of_green_mushrooms_answers_toxic(model):
    tree = model.tree_
    [green] = [node for node in range(tree.n_nodes) if tree.condition(node) == "Color = green"]
    assert tree.weight[green] == 0
    assert tree.is_leaf[green]
    assert tree.answer(green) == tree.answer(tree.parent[green]) == TOXIC
    mushroom = pd.DataFrame({"Points": ["yes"], "Color": ["green"], "Size": ["small"]})
    assert model.predict(mushroom).tolist() == [TOXIC]
    assert model.predict_proba(mushroom).tolist() == [[0.5, 0.5]]


def test_all_five_are_told_right(model):
    X, y = mushrooms()
    assert (model.predict(X[["Points", "Color", "Size"]]) == np.where(y == "toxic", TOXIC, EDIBLE)).all()
    assert model.classes_.tolist() == [TOXIC, EDIBLE]


def test_with_colour_first_colour_is_asked_first():
    X, y = mushrooms()
    tree = bough.ID3Classifier().fit(X, y).tree_
    assert [tree.condition(child) for child in tree.children(0)] == [
        "Color = brown",
        "Color = green",
        "Color = red",
    ]
    assert (tree.weight > 0).all()
