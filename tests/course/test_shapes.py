"""Colour, shape and size of six things (001): gains in bits, the tree, and its rules."""

import pytest
from tests.courses import shapes

import bough


@pytest.fixture
def tree():
    X, y = shapes()
    X = X.rename(columns=str.lower).apply(lambda column: column.str.lower())
    return bough.ID3Classifier().fit(X, y).tree_


def test_colour_gains_most():
    gains = {
        each.variable: each.criteria["entropy"] for each in bough.candidates(*shapes(), nominal="complete")
    }
    assert gains == pytest.approx({"Color": 0.54, "Shape": 0.0, "Size": 0.46}, abs=5e-3)


def test_colour_is_asked_first_and_red_things_are_asked_for_their_size(tree):
    assert [tree.condition(node) for node in tree.walk()] == [
        "all",
        "color = blue",
        "color = green",
        "color = red",
        "size = big",
        "size = small",
    ]
    assert tree.gain[0] == pytest.approx(0.5409, abs=5e-5)


def test_big_red_things_are_positive(tree):
    assert "color = red and size = big -> +" in [str(rule) for rule in tree.rules()]
    assert [str(rule) for rule in tree.rules().for_class("+")] == [
        "color = blue -> +",
        "color = red and size = big -> +",
    ]


def test_a_big_red_triangle_is_positive_though_no_triangle_was_seen(tree):
    assert tree.predict([["red", "triangle", "big"]]).tolist() == ["+"]
