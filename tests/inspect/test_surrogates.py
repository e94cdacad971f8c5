"""The table of surrogates says of each column what a tree that keeps surrogates found."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bough
from bough.errors import ParameterError


def holed_iris(seed=0):
    X, y = load_iris(as_frame=True, return_X_y=True)
    X["leaf"] = pd.Categorical(np.where(X["petal width (cm)"] < 1, "small", np.where(y == 1, "mid", "big")))
    holes = np.random.default_rng(seed).random(X.shape) < 0.15
    return X.mask(holes), y


@pytest.mark.parametrize("agreement", ["all", "known"])
def test_the_agreement_of_each_column_is_that_of_the_tree(agreement):
    X, y = holed_iris()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    model = bough.CARTClassifier(min_samples_leaf=5, prune="none", n_surrogates=10, agreement=agreement)
    tree = model.fit(X, y, sample_weight=weight).tree_
    compared = 0
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        listed = bough.surrogates(tree, X, node=node, sample_weight=weight).of_columns()
        useful = {each.variable: each for each in listed if each.adjusted > 1e-10}
        kept = {
            tree.schema[alternative.split.column].name: alternative
            for alternative in tree.surrogates_of(node)
        }
        assert useful.keys() == kept.keys()
        for name, alternative in kept.items():
            assert useful[name].agreement == pytest.approx(alternative.value, rel=1e-12)
            assert useful[name].adjusted == pytest.approx(alternative.adjusted, rel=1e-9)
            compared += 1
    assert compared > 5


def test_figures_follow_from_the_counts():
    X, y = holed_iris()
    for each in bough.surrogates(bough.CARTClassifier().fit(X, y), X):
        sides = np.array(each.counts)
        assert each.errors == sides.min(axis=1).sum()
        p = sides / sides.sum(axis=1, keepdims=True)
        squares = (p**2).sum(axis=1) @ sides.sum(axis=1) / sides.sum()
        assert each.sum_of_squares == pytest.approx(squares, rel=1e-12)
        assert sides.sum(axis=1).min() >= 2


def test_a_tree_without_surrogates_and_a_regression_tree_have_a_table_too():
    X = load_iris(as_frame=True).data
    tree = bough.TreeRegressor(max_depth=1).fit(X.iloc[:, :3], X.iloc[:, 3]).tree_
    table = bough.surrogates(tree, X.iloc[:, :3])
    assert {each.variable for each in table} == {"sepal length (cm)", "sepal width (cm)"}
    assert table.best() == table.of_columns()[0]
    assert len(table.to_pandas()) == len(table.to_polars()) == 2 * len(table)
    assert len(table.text(every=True).splitlines()) == 2 * len(table) + 3


def test_a_leaf_and_a_split_in_three_are_refused():
    X, y = load_iris(return_X_y=True)
    tree = bough.TreeClassifier(max_depth=1).fit(X, y).tree_
    with pytest.raises(ParameterError, match="Node 1 is a leaf; only a node with two children"):
        bough.surrogates(tree, X, node=1)
    colour = np.array([["red"], ["green"], ["blue"]])
    complete = bough.TreeClassifier(nominal="complete").fit(colour, [0, 1, 2])
    with pytest.raises(ParameterError, match="Node 0 has 3 children"):
        bough.surrogates(complete, colour)
    with pytest.raises(ParameterError, match="model is 'list'"):
        bough.surrogates([[1.0]], X)


def test_a_table_without_another_column_has_no_surrogates():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    table = bough.surrogates(bough.CARTClassifier(prune="none").fit(X, y), X)
    assert (len(table), str(table)) == (0, "no surrogates")
    with pytest.raises(ParameterError, match="There is no surrogate"):
        table.best()
