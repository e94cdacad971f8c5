"""Native trees of forests divide levels as the plain reference does, node by node."""

import numpy as np
import pandas as pd
import pytest
from tests.ensembles.test_plain_forest import KINDS, assert_same_trees, bootstrap, recipe_for, target_for

from bough.data.table import Table
from bough.data.target import read_classes, read_weights
from bough.growing.draws import RowSampling
from bough.growing.limits import Limits

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("nominal", ["ordered", "subset", "randomforest"])
@pytest.mark.parametrize("n_rows", [300, pytest.param(9000, marks=pytest.mark.slow)])
def test_of_numbers_and_levels_of_equal_gain_the_first_column_wins(n_rows, nominal):
    """A number and a level that part rows alike, where cuts of numbers are found among a few neighbours."""
    rng = np.random.default_rng(10)
    x = rng.permutation(n_rows).astype(float)
    low = x < 123
    frame = pd.DataFrame(
        {"x": x, "level": pd.Categorical(np.where(low, "a", rng.choice(["b", "c"], n_rows)))}
    )
    frame["more"] = rng.permutation(n_rows).astype(float)
    for seed in range(8):
        recipe = recipe_for("gini", Limits(max_depth=1), max_features=2, nominal=nominal)
        assert_same_trees(
            Table.read(frame), read_classes(low), read_weights(None, n_rows), recipe, RowSampling(), seed
        )


@pytest.mark.slow
@pytest.mark.parametrize("nominal", ["ordered", "subset", "randomforest"])
@pytest.mark.parametrize("missing", ["learned", "majority"])
def test_cuts_and_sets_that_part_rows_alike_gain_the_same_to_the_bit(missing, nominal):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 160))
        code = rng.integers(0, rng.choice([2, 3, 5]), n)
        frame = pd.DataFrame({"number": code.astype(float), "level": pd.Categorical([f"l{c}" for c in code])})
        frame["other level"], frame["other number"] = frame["level"][::-1].array, frame["number"][::-1].array
        if seed % 2:
            frame.loc[rng.random(n) < 0.15, ["level", "other level"]] = None
        limits = Limits(max_depth=4, min_samples_leaf=1 + seed % 4)
        recipe = recipe_for("gini", limits, max_features=3, nominal=nominal, missing=missing)
        target = read_classes(np.r_[0, 1, rng.integers(0, 2, n - 2)])
        assert_same_trees(Table.read(frame), target, read_weights(None, n), recipe, bootstrap(n), seed)


@pytest.mark.parametrize("n_rows", [80, pytest.param(9000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("nominal", ["ordered", "subset", "randomforest"])
@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
@pytest.mark.parametrize("n_levels", [1, 2, 6])
def test_levels_that_are_missing_where_it_tells(n_levels, criterion, n_classes, missing, nominal, n_rows):
    """Missing values alone on the left gain most, as they may; even where there is but one level."""
    rng = np.random.default_rng(13)
    codes = rng.integers(-1, n_levels, n_rows)
    frame = pd.DataFrame({"level": pd.Categorical.from_codes(codes, list("abcdef")[:n_levels])})
    signal = np.where(codes < 0, 3.0, np.where(codes == 0, 1.0, 0.0)) + rng.normal(size=n_rows)
    target = target_for(criterion, signal, n_classes)
    recipe = recipe_for(criterion, missing=missing, nominal=nominal)
    assert_same_trees(Table.read(frame), target, read_weights(None, n_rows), recipe, bootstrap(n_rows))


@pytest.mark.parametrize("nominal", ["ordered", "subset", "randomforest"])
@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 2), ("gini", 3), ("squared_error", 0)])
def test_levels_by_the_thousands(criterion, n_classes, nominal):
    rng = np.random.default_rng(14)
    n_rows = 9000
    frame = pd.DataFrame({"x": rng.integers(0, 9, n_rows).astype(float)})
    for name, n_levels in (("seldom", 3000), ("skewed", 2500)):
        drawn = rng.integers(0, n_levels, n_rows) // (
            1 if name == "seldom" else 1 + rng.integers(0, 900, n_rows)
        )
        frame[name] = pd.Categorical.from_codes(drawn - 1, [f"l{level}" for level in range(n_levels)])
    signal = frame["x"] / 4 + frame["skewed"].cat.codes % 3 + frame["seldom"].cat.codes % 2
    target = target_for(criterion, (signal + rng.normal(size=n_rows)).to_numpy(), n_classes)
    recipe = recipe_for(criterion, Limits(max_depth=3), max_features=3, nominal=nominal)
    assert_same_trees(Table.read(frame), target, read_weights(None, n_rows), recipe, bootstrap(n_rows))
