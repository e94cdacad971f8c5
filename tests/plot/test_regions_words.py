"""Figures over two columns say at which values the others are fixed, and cover nothing."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import bough
from bough import plot

mpl.use("agg")
LEVELS = [f"a long name of a level {code}" for code in range(6)]


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "income": rng.normal(50_000, 9_000, 300),
            "age": rng.integers(20, 70, 300).astype(float),
            "job": rng.choice(LEVELS, 300),
            "unused": 1.0,
        }
    )
    y = np.where((X["income"] > 50_000) ^ (X["age"] > 40) ^ X["job"].isin(LEVELS[:2]), "yes", "no")
    model = bough.TreeClassifier(max_depth=6).fit(X, y)
    yield model, X, y
    plt.close("all")


def test_the_title_says_at_which_values_other_used_columns_are_fixed(drawn):
    model, X, y = drawn
    title = plot.regions(model, X, y, features=("income", "age"), steps=9).get_title()
    assert title == f"at job = {X['job'].mode()[0]}"
    title = plot.regions(model, X, y, features=("age", "job"), steps=9).get_title()
    assert title.startswith("at income = ")
    assert "," in title


def test_a_tree_of_two_columns_has_no_title():
    ax = plot.regions(
        bough.TreeClassifier().fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"]), [[0.0, 1.0], [1.0, 0.0]]
    )
    assert ax.get_title() == ""
    plt.close("all")


def boxes(artists):
    figure = artists[0].get_figure()
    figure.canvas.draw()
    return [artist.get_window_extent() for artist in artists if artist.get_text()]


def test_long_levels_do_not_cover_each_other(drawn):
    model, X, y = drawn
    ax = plot.regions(model, X, y, features=("job", "age"), steps=9)
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {45.0}
    label = boxes([ax.xaxis.label])[0]
    assert all(not label.overlaps(tick) for tick in boxes(ax.get_xticklabels()))


def test_the_legend_covers_no_rows(drawn):
    ax = plot.regions(*drawn, features=("income", "age"), steps=9)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1
