"""The readable loop finds the surrogates that the native engine finds, by tables against branches alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.test_native import assert_same_tree, random_limits, random_table

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_weights
from bough.engines import native
from bough.engines.memory import MemoryEngine
from bough.growing.growth import grow
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.growing.surrogates import best_surrogates, higher_branch

pytestmark = pytest.mark.slow

POLICIES = ["stop", "surrogates_then_stop", "surrogates_then_majority"]


def twin_table(rng, n_rows):
    """Columns that say much the same in other words, all with holes, so that surrogates have work to do."""
    hidden = rng.integers(0, 6, n_rows)
    columns, values = [], []
    for place in range(int(rng.integers(2, 5))):
        noisy = np.where(rng.random(n_rows) < 0.3, rng.integers(0, 6, n_rows), hidden)
        missing = rng.random(n_rows) < 0.25
        scale = str(rng.choice(["numeric", "nominal", "ordinal"]))
        if scale == "numeric":
            x = (noisy if rng.random() < 0.5 else 5 - noisy) + 0.25 * rng.integers(0, 2, n_rows)
            x[missing] = np.nan
        else:
            x = noisy.astype(np.int32)
            x[missing] = -1
        levels = () if scale == "numeric" else tuple("abcdef")
        columns.append(Column(f"c{place}", scale, levels))
        values.append(x)
    return Table(Schema(tuple(columns)), tuple(values), n_rows), hidden


def random_problem(rng, task):
    n_rows = int(rng.integers(4, 70))
    table, hidden = twin_table(rng, n_rows)
    if rng.random() < 0.3:
        table = random_table(rng, n_rows, int(rng.integers(2, 5)), 0.2)
    noise = rng.random(n_rows) < 0.2
    if task == "classification":
        codes = np.where(noise, rng.integers(0, 3, n_rows), hidden // 2)
        return table, ClassTarget(("x", "y", "z"), codes.astype(np.int32))
    return table, np.where(noise, rng.integers(0, 6, n_rows), hidden) / 4 + 0.5


def random_weights(rng, n_rows):
    kind = rng.integers(3)
    if kind == 0:
        return read_weights(None, n_rows)
    weight = rng.integers(1, 4, n_rows) if kind == 1 else rng.random(n_rows) + 0.1
    return read_weights(weight, n_rows)


def assert_same_surrogates(ours, theirs):
    assert_same_tree(ours, theirs)
    assert ours.surrogates == theirs.surrogates
    assert ours.follows_surrogates == theirs.follows_surrogates


@pytest.mark.parametrize("rule", ["two_each_way", "rpart"])
@pytest.mark.parametrize("agreement", ["all", "known"])
@pytest.mark.parametrize("criterion", ["gini", "twoing", "squared_error", "poisson"])
@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_trees_with_surrogates_agree(criterion, agreement, rule, seed):
    rng = np.random.default_rng(seed)
    task = "classification" if criterion in ("gini", "twoing") else "regression"
    table, target = random_problem(rng, task)
    recipe = Recipe(
        criterion,
        nominal=str(rng.choice(["subset", "one_vs_rest"])),
        limits=random_limits(rng, task),
        missing=str(rng.choice(POLICIES)),
        n_surrogates=int(rng.integers(0, 4)),
        agreement=agreement,
        surrogate_rule=rule,
        task=task,
    )
    weights = random_weights(rng, table.n_rows)
    plain = grow(MemoryEngine(table, target, weights, reads=recipe.reads), recipe)
    assert_same_surrogates(native.grow(table, target, weights, recipe), plain)


@pytest.mark.parametrize("rule", ["two_each_way", "rpart"])
@pytest.mark.parametrize("agreement", ["all", "known"])
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_median_tree_has_the_same_surrogates(agreement, rule, seed):
    """Rows weigh the same here: the native engine breaks the last of ties by sums without weights."""
    rng = np.random.default_rng(seed)
    table, y = random_problem(rng, "regression")
    recipe = Recipe(
        "absolute_error",
        missing="surrogates_then_majority",
        agreement=agreement,
        surrogate_rule=rule,
        task="regression",
    )
    plain = grow(MemoryEngine(table, y, reads="values"), recipe)
    assert_same_surrogates(native.grow(table, y, read_weights(None, len(y)), recipe), plain)


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_surrogates_of_a_root_need_no_more_than_two_tabulations(seed):
    rng = np.random.default_rng(seed)
    table, target = random_problem(rng, "classification")
    recipe = Recipe(
        "gini", limits=Limits(max_depth=1), missing="surrogates_then_majority", task="classification"
    )
    tree = native.grow(table, target, read_weights(None, table.n_rows), recipe)
    split = tree.split(0)
    if split is None:
        return
    engine = MemoryEngine(table, target)
    [against_y] = engine.tabulate([0])
    [against_branches] = engine.tabulate([0], against={0: split})
    higher = higher_branch(against_y[split.column], split)
    found = best_surrogates(against_branches, table.schema, recipe, split, higher)
    kept = tree.surrogates_of(0)
    assert [(each.split, each.turned, each.value, each.adjusted) for each in found] == [
        (each.split, each.turned, each.value, each.adjusted) for each in kept
    ]


def test_a_criterion_of_ones_own_can_follow_surrogates():
    rng = np.random.default_rng(5)
    table, target = random_problem(rng, "classification")

    def gini_gain(children):
        weight = children.sum(axis=2)
        within = weight - (children**2).sum(axis=2) / weight
        whole = children.sum(axis=1)
        total = whole.sum(axis=1)
        return total - (whole**2).sum(axis=1) / total - within.sum(axis=1)

    own, known = (
        Recipe(
            criterion, limits=Limits(max_depth=2), missing="surrogates_then_majority", task="classification"
        )
        for criterion in (gini_gain, "gini")
    )
    ours, theirs = (grow(MemoryEngine(table, target), recipe) for recipe in (own, known))
    assert len(ours.surrogates.column) > 0
    assert ours.surrogates == theirs.surrogates
