from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit, StratifiedKFold

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_weights
from bough.engines.native import grow_folds
from bough.errors import ParameterError
from bough.growing.criterion import CRITERIA
from bough.growing.job import GrowingJob
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.learners.folds import drawn_folds, read_folds, shuffled_runs
from bough.tree import Tree

ALL_CRITERIA = [(task, name) for task, names in CRITERIA.items() for name in names]
SCALE_FREE = ("misclassification", "gini", "twoing", "squared_error")
MISSING = ("majority", "stop", "surrogates_then_stop", "surrogates_then_majority")


def random_table(rng, n_rows):
    columns, values = [], []
    for c in range(int(rng.integers(1, 5))):
        missing = rng.random(n_rows) < rng.choice([0.0, 0.2])
        if rng.random() < 0.6:
            x = rng.integers(0, 6, n_rows).astype(float) if rng.random() < 0.5 else rng.normal(size=n_rows)
            x[missing] = np.nan
            columns.append(Column(f"c{c}", "numeric"))
        else:
            levels = tuple(f"l{i}" for i in range(rng.integers(1, 7)))
            x = rng.integers(0, len(levels), n_rows).astype(np.int32)
            x[missing] = -1
            columns.append(Column(f"c{c}", rng.choice(["nominal", "ordinal"]), levels))
        values.append(x)
    return Table(Schema(tuple(columns)), tuple(values), n_rows)


def random_sample(rng, task, n_rows, unit):
    """A target and weights that are multiples of a unit."""
    weight = rng.integers(0, 9, n_rows) * unit if rng.random() < 0.6 else None
    weights = read_weights(weight, n_rows)
    own = rng.integers(1, 9, n_rows) * unit if rng.random() < 0.4 else None
    if own is not None and weight is not None:
        own = np.where(weight > 0, own, 0.0)
    if task == "regression":
        y = rng.integers(0, 5, n_rows) * 0.5
        return WeightedTarget(
            y + (y.sum() == 0), weights, split_weight=own, prior_events=float(rng.integers(0, 2))
        )
    k = int(rng.integers(2, 5))
    target = ClassTarget(tuple(range(k)), rng.integers(0, k, n_rows).astype(np.int32))
    loss = rng.integers(1, 4, (k, k)) * (1.0 - np.eye(k)) if rng.random() < 0.4 else None
    scale = rng.integers(1, 4, k) * 0.5 if rng.random() < 0.4 else None
    return WeightedTarget(target, weights, split_weight=own, class_scale=scale, loss_matrix=loss)


def random_recipe(rng, task, criterion):
    limits = Limits(
        min_samples_leaf=int(rng.integers(1, 4)),
        max_leaf_nodes=[None, 6][int(rng.random() < 0.2)],
        min_improvement=float(rng.choice([0.0, 0.1])),
        min_risk=float(rng.choice([0.0, 0.05])),
    )
    return Recipe(
        criterion,
        limits=limits,
        missing=str(rng.choice(MISSING)),
        n_competitors=int(rng.integers(0, 3)),
        n_surrogates=int(rng.integers(0, 4)),
        agreement=str(rng.choice(["all", "known"])),
        surrogate_rule=str(rng.choice(["two_each_way", "rpart"])),
        zero_rates=bool(rng.random() < 0.5),
        task=task,
    )


@pytest.mark.parametrize(("task", "criterion"), ALL_CRITERIA)
@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_the_tree_of_a_fold_is_that_of_the_rows_outside_it(task, criterion, seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(6, 60))
    # The unit in which weights are counted depends on their sum unless they are whole; a logarithm, or a
    # root, of a sum in another unit is rounded otherwise.
    unit = float(rng.choice([0.125, 1.0])) if criterion in SCALE_FREE else 1.0
    table, sample = random_table(rng, n_rows), random_sample(rng, task, n_rows, unit)
    recipe = random_recipe(rng, task, criterion)
    n_folds = int(rng.integers(2, 5))
    folds = rng.permutation(np.arange(n_rows) % (n_folds + 1) - 1).astype(np.int32)
    weight = sample.weights.weight
    kept = [np.flatnonzero(folds != fold) for fold in range(n_folds)]
    events = np.zeros(n_rows) if isinstance(sample.target, ClassTarget) else sample.target
    for rows in [np.arange(n_rows), *kept]:
        counts = rows if weight is None else rows[weight[rows] > 0]
        if len(counts) == 0 or (criterion == "poisson" and not events[counts].any()):
            return
    whole, *trees = grow_folds(GrowingJob(table, sample, recipe, folds, n_jobs=2))
    assert whole == grow_folds(GrowingJob(table, sample, recipe))[0]
    assert len(trees) == n_folds
    # A tree of a fold has no competitors, and no surrogates if it routes every row of the table without.
    routes_all = all(
        column.scale != "nominal" and not is_missing(values).any()
        for column, values in zip(table.schema.columns, table.columns, strict=True)
    )
    recipe = replace(recipe, n_competitors=0, n_surrogates=0 if routes_all else recipe.n_surrogates)
    for rows, tree in zip(kept, trees, strict=True):
        assert_same(tree, grow_folds(GrowingJob(table.take(rows), sample.take(rows), recipe))[0])


def is_missing(values):
    return np.isnan(values) if values.dtype == float else values < 0


def assert_same(ours: Tree, theirs: Tree) -> None:
    ours.check()
    for name in ("parent", "column", "cut", "gain", "weight", "cases", "statistics", "risk"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    assert replace(ours, recipe=theirs.recipe) == theirs


@given(st.integers(2, 12), st.integers(2, 80), st.integers(1, 4), st.integers(0, 99))
@settings(deadline=None)
def test_drawn_folds_have_the_same_size_and_share_of_each_class(n_folds, n_rows, k, seed):
    codes = np.random.default_rng(seed).integers(0, k, n_rows).astype(np.int32)
    n_folds = min(n_folds, n_rows)
    folds = drawn_folds(n_folds, ClassTarget(tuple(range(k)), codes), n_rows, seed)
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1
    for code in range(k):
        counts = np.bincount(folds[codes == code], minlength=n_folds)
        assert counts.max() - counts.min() <= 2


def test_numbers_are_shared_out_by_rank():
    y = np.random.default_rng(0).normal(size=100)
    folds = drawn_folds(10, y, 100, 3)
    runs = folds[np.argsort(y)].reshape(10, 10)
    assert (np.sort(runs, axis=1) == np.arange(10)).all()


def test_a_seed_draws_the_same_folds_and_another_others():
    y = np.arange(50.0)
    first, again, other = (drawn_folds(5, y, 50, seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_given_folds_are_kept_by_the_rows_that_are_left():
    rows = np.array([0, 2, 3, 5])
    folds = read_folds(["b", "x", "a", "b", "y", "a"], np.zeros(4), rows, 6, 0)
    assert folds.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("splitter", [KFold(4), KFold(3, shuffle=True, random_state=0), StratifiedKFold(4)])
def test_a_splitter_of_scikit_learn_gives_its_folds(splitter):
    codes = (np.arange(24) % 2).astype(np.int32)
    target, rows = ClassTarget((0, 1), codes), np.arange(24)
    folds = read_folds(splitter, target, rows, 24, 0)
    pairs = list(splitter.split(np.zeros((24, 1)), codes))
    for fold, (_, left_out) in enumerate(pairs):
        assert np.flatnonzero(folds == fold).tolist() == left_out.tolist()
    assert (read_folds(pairs, target, rows, 24, 0) == folds).all()


@pytest.mark.parametrize("splitter", [ShuffleSplit(3, random_state=0), PredefinedSplit([-1, 0, 1, 0, 1, 1])])
def test_a_splitter_that_does_not_leave_each_row_out_once_is_refused(splitter):
    with pytest.raises(ParameterError, match="row"):
        read_folds(splitter, np.zeros(6), np.arange(6), 6, 0)


def test_more_folds_than_rows_leave_each_row_out():
    assert sorted(read_folds(10, np.arange(4.0), np.arange(4), 4, 0).tolist()) == [0, 1, 2, 3]
    assert read_folds(10, np.zeros(1), np.arange(1), 1, 0) is None


@pytest.mark.parametrize("length", [2, 3, 10, 17])
def test_runs_are_those_of_single_permutations(length):
    ours, numpys = np.random.RandomState(4), np.random.RandomState(4)
    ours.standard_normal(), numpys.standard_normal()  # leaves half of a pair for the next call
    expected = np.concatenate([numpys.permutation(length) for _ in range(150)])
    np.testing.assert_array_equal(shuffled_runs(ours, length, 150), expected)
    assert ours.standard_normal() == numpys.standard_normal()
    assert ours.randint(1 << 30) == numpys.randint(1 << 30)


def test_runs_of_another_generator():
    ours, numpys = (np.random.RandomState(np.random.PCG64(4)) for _ in range(2))
    expected = np.concatenate([numpys.permutation(5) for _ in range(50)])
    np.testing.assert_array_equal(shuffled_runs(ours, 5, 50), expected)


@pytest.mark.parametrize("key", [np.arange(90) % 7, np.arange(90) % 4 / 4, np.arange(90) * 1e5 % 7e5])
def test_drawn_folds_sort_by_the_target_and_then_at_random(key):
    key = key.astype(float)
    folds = drawn_folds(10, key, 90, 3)
    random = np.random.RandomState(3)
    order = np.lexsort((random.permutation(90), key))
    expected = np.concatenate([random.permutation(10) for _ in range(9)])
    np.testing.assert_array_equal(folds[order], expected)
