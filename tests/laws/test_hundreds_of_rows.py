"""Nodes of hundreds of rows, whose columns are bounded before they are scanned, agree with the loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.test_few_rows import numeric_table
from tests.laws.test_native import assert_same_tree, grow_both

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import read_weights
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("spread", [4, 8])
@settings(deadline=None, max_examples=15)
@given(seed=seeds)
def test_poisson_with_weights_far_apart(spread, seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(70, 400))
    y = rng.poisson(rng.choice([0.3, 1, 5]), n_rows) * 1.0
    if rng.random() < 0.4:
        y = np.exp(rng.normal(size=n_rows) * rng.choice([0.5, 2, 4]))
    y[0] += 1
    weights = read_weights(np.exp(spread * rng.normal(size=n_rows)), n_rows)
    recipe = Recipe("poisson", task="regression")
    n_jobs = int(rng.integers(1, 3))
    assert_same_tree(*grow_both(numeric_table(rng, n_rows), y, weights, recipe, n_jobs))


@settings(deadline=None, max_examples=40)
@given(seed=seeds)
def test_squared_error_of_many_columns(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(33, 500)), int(rng.integers(8, 24))
    values = rng.normal(size=(n_columns, n_rows))
    values[rng.random(n_columns) < 0.3] = np.round(values[0] * 2)  # columns that tie
    y = {
        0: values[0] * values[1] + rng.normal(size=n_rows),
        1: rng.integers(0, 3, n_rows) * 1.0,
        2: np.exp(4 * rng.normal(size=n_rows)),
        3: 1e9 + rng.normal(size=n_rows),
    }[int(rng.integers(4))]
    table = Table(Schema(tuple(Column(f"x{c}", "numeric") for c in range(n_columns))), tuple(values), n_rows)
    recipe = Recipe(
        "squared_error", limits=Limits(min_samples_leaf=int(rng.choice([1, 1, 5]))), task="regression"
    )
    assert_same_tree(*grow_both(table, y, read_weights(None, n_rows), recipe))
