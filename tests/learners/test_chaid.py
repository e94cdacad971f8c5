"""CHAID of numbers: sums of squares are rounded, and what rounding can explain is no difference."""

import numpy as np
import pandas as pd
import pytest

import bough


def test_constant_groups_of_one_mean_are_merged_though_their_sums_are_rounded():
    level = np.repeat(list("abc"), [3, 7, 11])
    for low, high in ((0.1, 0.7), (1 / 3, 1e6), (-1e-9, 1e-9)):
        y = np.where(level == "c", high, low)
        tree = bough.CHAIDRegressor(min_samples_leaf=1, min_samples_split=2).fit(level[:, None], y).tree_
        assert tree.split(0).branches == (0, 0, 1)
        assert tree.p_value[0, 0] == 0


def test_columns_that_determine_y_are_tied_and_the_first_is_taken():
    level = np.repeat([0, 1, 2, 3], [3, 5, 2, 4])
    y = np.array([0.1, 0.1, 0.7, 0.3])[level]
    X = pd.DataFrame({name: pd.Categorical(level).rename_categories(list(name)) for name in ("abcd", "dcba")})
    for order in (np.arange(14), np.arange(14)[::-1], np.random.default_rng(0).permutation(14)):
        model = bough.CHAIDRegressor(exhaustive=True, min_samples_leaf=1, min_samples_split=2)
        tree = model.fit(X.iloc[order], y[order]).tree_
        assert tree.column[0] == 0


@pytest.mark.parametrize("exhaustive", [False, True])
def test_a_weight_of_two_is_the_row_twice_where_groups_are_constant(exhaustive):
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(4, 12))
        X = rng.integers(0, 3, (n, 3)).astype(str)
        y, weight = rng.normal(size=3)[rng.integers(0, 3, n)], rng.integers(1, 4, n)
        learner = bough.CHAIDRegressor(
            exhaustive=exhaustive, min_samples_leaf=1, min_samples_split=2, bonferroni=False
        )
        weighted = learner.fit(X, y, sample_weight=weight).predict(X)
        many = np.repeat(np.arange(n), weight)
        assert np.array_equal(learner.fit(X[many], y[many]).predict(X), weighted)
