"""Forests grown on samples that the caller gives."""

import numpy as np
import pytest

from bough.ensembles.growing import grow_forest
from bough.errors import ParameterError
from bough.growing.draws import ColumnSampling, Ensemble, GivenDraws, RowSampling
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.learners.reading import read_training

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
CLASSES = np.where(X[:, 0] + RNG.normal(size=120) > 0, "a", "b")
NUMBERS = (4 * X[:, 0] + RNG.normal(size=120)).round()


def grown(task, rows, y, n_trees=3, chosen=slice(None), **limits):
    recipe = Recipe(
        "gini" if task == "classification" else "squared_error",
        missing="learned",
        task=task,
        limits=Limits(**limits),
        columns=ColumnSampling(2),
        ensemble=Ensemble("forest", n_trees, rows),
        settings={"tree_seeds": [5, 6, 7][:n_trees], "shuffled_columns": True, "splits_without_gain": True},
    )
    return grow_forest(read_training(recipe, X[chosen], y[chosen]), recipe, seed=0, n_trees=n_trees)


@pytest.mark.parametrize(("task", "y"), [("classification", CLASSES), ("regression", NUMBERS)])
def test_a_sample_is_the_table_of_its_rows(task, y):
    sample = RNG.integers(120, size=120)
    counts = np.bincount(sample, minlength=120).astype(np.uint32)[None]
    given = grown(task, GivenDraws(drawn=counts), y, n_trees=1).trees[0]
    by_itself = grown(task, RowSampling(), y, n_trees=1, chosen=sample).trees[0]
    np.testing.assert_array_equal(given.column, by_itself.column)
    np.testing.assert_array_equal(given.weight, by_itself.weight)
    np.testing.assert_allclose(given.statistics, by_itself.statistics)
    assert given.weight[0] == 120
    assert given.cases[0] == len(np.unique(sample))


@pytest.mark.parametrize(("task", "y"), [("classification", CLASSES), ("regression", NUMBERS)])
def test_weights_that_are_counts_give_the_same_trees(task, y):
    counts = RNG.poisson(1.0, size=(3, 120))
    for limits in ({}, {"min_samples_leaf": 4}, {"max_leaf_nodes": 6}):
        by_count = grown(task, GivenDraws(drawn=counts.astype(np.uint32)), y, **limits)
        by_weight = grown(task, GivenDraws(drawn=counts.astype(np.float64)), y, **limits)
        for tree, other in zip(by_count.trees, by_weight.trees, strict=True):
            np.testing.assert_array_equal(tree.cases, other.cases)
            np.testing.assert_array_equal(tree.weight, other.weight)


@pytest.mark.parametrize(("task", "y"), [("classification", CLASSES), ("regression", NUMBERS)])
def test_limits_count_rows_not_draws(task, y):
    counts = np.full((3, 120), 9, dtype=np.uint32)
    forest = grown(task, GivenDraws(drawn=counts), y, min_samples_leaf=5)
    assert all(tree.cases[tree.is_leaf].min() >= 5 for tree in forest.trees)


def test_a_recipe_with_given_rows_cannot_be_read():
    forest = grown("classification", GivenDraws(drawn=np.ones((3, 120), dtype=np.uint32)), CLASSES)
    with pytest.raises(ParameterError, match="rows of each tree were given"):
        Recipe.from_json(forest.recipe)
