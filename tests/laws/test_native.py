"""The native engine grows the tree of the plain loop: same splits, cuts and statistics, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_weights
from bough.engines import native
from bough.engines.memory import MemoryEngine
from bough.growing.criterion import CRITERIA
from bough.growing.growth import grow
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe

SPLIT_ARRAYS = (
    "parent",
    "first_child",
    "n_children",
    "column",
    "kind",
    "cut",
    "level_start",
    "level_code",
    "level_branch",
    "default_branch",
)
POLICIES = ("majority", "learned", "own_level")


def assert_same_tree(ours, theirs, greatest_risk=0.0):
    """Greatest risk: weight times squared range of y, of which a risk is a difference, rounded."""
    for name in SPLIT_ARRAYS:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("weight", "cases", "statistics", "gain"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    atol = max(1e-9 * max(1.0, float(ours.risk[0])), 1e-15 * greatest_risk)
    np.testing.assert_allclose(ours.risk, theirs.risk, rtol=1e-9, atol=atol)


def random_table(rng, n_rows, n_columns, share_missing, dtype=np.float64):
    columns, values = [], []
    for c in range(n_columns):
        scale = rng.choice(["numeric", "numeric", "nominal", "ordinal"])
        missing = rng.random(n_rows) < share_missing
        if scale == "numeric":
            kind = rng.integers(4)
            x = rng.integers(0, 4, n_rows) if kind == 0 else rng.normal(size=n_rows)
            x = np.round(x, 1) if kind == 1 else x
            x = np.where(rng.random(n_rows) < 0.1, np.inf, x) if kind == 2 else x
            x = x.astype(dtype)
            x[missing] = np.nan
            columns.append(Column(f"c{c}", "numeric"))
        else:
            levels = tuple(f"l{i}" for i in range(rng.integers(1, 16)))
            x = rng.integers(0, len(levels), n_rows).astype(np.int32)
            x[missing] = -1
            columns.append(Column(f"c{c}", scale, levels))
        values.append(x)
    return Table(Schema(tuple(columns)), tuple(values), n_rows)


def random_weights(rng, n_rows):
    kind = rng.integers(4)
    if kind == 0:
        return read_weights(None, n_rows)
    weight = rng.integers(0, 4, n_rows).astype(float) if kind < 3 else rng.random(n_rows) * 3
    if kind == 3:
        weight[rng.random(n_rows) < 0.1] = 0
    weight[0] = 1.0
    return read_weights(weight, n_rows)


def random_limits(rng, task):
    limits = {}
    if rng.random() < 0.3:
        limits["max_depth"] = int(rng.integers(1, 5))
    if rng.random() < 0.3:
        limits["min_samples_leaf"] = int(rng.integers(1, 6))
    if rng.random() < 0.2:
        limits["min_samples_split"] = float(rng.uniform(0.05, 0.5))
    if rng.random() < 0.3:
        limits["max_leaf_nodes"] = int(rng.integers(2, 12))
    if rng.random() < 0.3:
        limits["min_samples_branch"] = int(rng.integers(1, 6))
    if rng.random() < 0.2:
        limits["min_weight_fraction_leaf"] = float(rng.uniform(0, 0.3))
    if rng.random() < 0.2:
        limits["min_gain"] = float(rng.uniform(-0.01, 0.05))
    if rng.random() < 0.2:
        limits["min_impurity_decrease"] = float(rng.uniform(0, 0.05))
    if rng.random() < 0.2:
        limits["min_risk"] = float(rng.uniform(0, 0.3))
    if rng.random() < 0.2:
        limits["min_improvement"] = float(rng.uniform(0, 1))
    if task == "classification":
        if rng.random() < 0.2:
            limits["purity"] = float(rng.uniform(0.5, 1))
        if rng.random() < 0.2:
            limits["significance"] = float(rng.uniform(0.01, 0.9))
        if rng.random() < 0.1:
            limits["min_events"] = float(rng.integers(1, 10))
    elif rng.random() < 0.2:
        limits["min_variance"] = float(rng.uniform(0, 1))
    return Limits(**limits)


def grow_both(table, target, weights, recipe, n_jobs=1):
    plain = grow(MemoryEngine(table, target, weights, reads=recipe.reads), recipe)
    return native.grow(table, target, weights, recipe, n_jobs=n_jobs), plain


@pytest.mark.parametrize("criterion", CRITERIA["classification"])
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_classification_trees_agree(criterion, seed):
    rng = np.random.default_rng(seed)
    n_rows, n_classes = int(rng.integers(1, 80)), int(rng.integers(1, 5))
    table = random_table(rng, n_rows, int(rng.integers(1, 5)), rng.choice([0.0, 0.2, 0.5]))
    target = ClassTarget(tuple(range(n_classes)), rng.integers(0, n_classes, n_rows).astype(np.int32))
    kinds = ["subset", "one_vs_rest"] + ["complete"] * (criterion != "twoing")
    nominal = rng.choice(kinds)
    recipe = Recipe(
        criterion,
        nominal=str(nominal),
        missing=str(rng.choice([*POLICIES[: 2 if criterion == "twoing" else 3]])),
        limits=random_limits(rng, "classification"),
        max_exhaustive_levels=int(rng.integers(2, 7)),
        task="classification",
    )
    assert_same_tree(*grow_both(table, target, random_weights(rng, n_rows), recipe))


@pytest.mark.parametrize("criterion", CRITERIA["regression"])
@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_regression_trees_agree(criterion, seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 80))
    table = random_table(rng, n_rows, int(rng.integers(1, 5)), rng.choice([0.0, 0.2, 0.5]), np.float32)
    counts, skewed = rng.integers(0, 5, n_rows).astype(float), np.exp(rng.normal(size=n_rows) * 3)
    y = counts if rng.random() < 0.5 else skewed
    y[0] = 1.0
    if criterion != "poisson" and rng.random() < 0.5:
        y = y - y.mean()
    recipe = Recipe(
        criterion,
        nominal=str(rng.choice(["subset", "complete", "one_vs_rest"])),
        missing=str(rng.choice(POLICIES)),
        limits=random_limits(rng, "regression"),
        task="regression",
    )
    weights = random_weights(rng, n_rows)
    assert_same_tree(*grow_both(table, y, weights, recipe))


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_large_nodes_agree(task, missing):
    """Nodes larger than packed subtrees, shared by several threads, with doubles that share a float."""
    rng = np.random.default_rng(7)
    n_rows = 20_000
    numbers = [rng.normal(size=n_rows), 1e6 + rng.random(n_rows) * 1e-3, rng.integers(0, 9, n_rows) * 1.0]
    numbers[0][rng.random(n_rows) < 0.1] = np.nan
    codes = rng.integers(-1, 30, n_rows).astype(np.int32)
    columns = [*(Column(f"x{i}", "numeric") for i in range(3)), Column("l", "nominal", tuple(range(30)))]
    table = Table(Schema(tuple(columns)), (*numbers, codes), n_rows)
    signal = np.nan_to_num(numbers[0]) + 1000 * (numbers[1] - 1e6) + (codes % 3) + rng.normal(size=n_rows)
    target = signal
    if task == "classification":
        target = ClassTarget((0, 1), (signal > np.median(signal)).astype(np.int32))
    criterion = {"classification": "gini", "regression": "squared_error"}[task]
    recipe = Recipe(criterion, limits=Limits(min_samples_leaf=300), missing=missing, task=task)
    weights = read_weights(None, n_rows)
    for n_jobs in (1, 2, 4):
        assert_same_tree(*grow_both(table, target, weights, recipe, n_jobs))


@pytest.mark.parametrize(
    "limits",
    [
        {"min_weight_fraction_leaf": 0.2},
        {"min_samples_leaf": 2},
        {"min_gain": 0.5},
        {"min_impurity_decrease": 0.1},
        {"min_risk": 0.2},
        {"min_improvement": 0.5},
        {"max_leaf_nodes": 5},
        {"max_depth": 2},
        {"min_samples_split": 3},
    ],
)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_two_rows_are_parted_only_as_the_limits_let_them(limits, task):
    """Pairs of rows have a way of their own through the native code."""
    rng = np.random.default_rng(3)
    recipe = Recipe(
        {"classification": "gini", "regression": "squared_error"}[task], limits=Limits(**limits), task=task
    )
    for n_rows in range(2, 12):
        columns = (rng.normal(size=n_rows), rng.normal(size=n_rows))
        table = Table(Schema((Column("a", "numeric"), Column("b", "numeric"))), columns, n_rows)
        codes = (np.arange(n_rows) % 2).astype(np.int32)
        target = ClassTarget((0, 1), codes) if task == "classification" else rng.normal(size=n_rows)
        assert_same_tree(*grow_both(table, target, read_weights(None, n_rows), recipe))
