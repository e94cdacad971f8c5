"""Reduced-error pruning, from the leaves up and greedily, on a tuning set and on rows held out."""

import numpy as np
import pytest
from tests.pruning.small_trees import all_prunings, noisy, small_tree

import bough
from bough.errors import ParameterError, TargetError
from bough.pruning import ReducedError, reduced_error


def errors(tree, X, y):
    return int((tree.predict(X) != y).sum())


@pytest.mark.parametrize("seed", range(12))
def test_no_pruning_has_fewer_errors_and_of_equals_it_is_the_smallest(seed):
    tree, (X, y) = small_tree(seed), noisy(seed + 100)
    pruned = reduced_error(tree, X, y)
    best = min((errors(one, X, y), one.n_leaves) for one in all_prunings(tree))
    assert (errors(pruned, X, y), pruned.n_leaves) == best


def greedily(tree, X, y):
    """The algorithm as the course writes it: try every inner node, keep the best tree while it is better."""
    while True:
        tried = [tree.snip(node) for node in np.flatnonzero(~tree.is_leaf)]
        best = min(tried, key=lambda one: errors(one, X, y), default=tree)
        if errors(best, X, y) >= errors(tree, X, y):
            return tree
        tree = best


@pytest.mark.parametrize("seed", range(12))
def test_the_greedy_way_is_the_courses(seed):
    tree, (X, y) = small_tree(seed, max_leaf_nodes=12), noisy(seed + 100)
    ours, theirs = reduced_error(tree, X, y, greedy=True), greedily(tree, X, y)
    assert ours.n_children.tolist() == theirs.n_children.tolist()
    assert ours.cases.tolist() == theirs.cases.tolist()


def five_bits(rng):
    """Thirty-two records of five bits; y is the last, and in a quarter of them its opposite."""
    X = (np.arange(32)[:, None] >> np.arange(4, -1, -1)) & 1
    y = X[:, 4].copy()
    y[rng.choice(32, 8, replace=False)] ^= 1
    return X, y


@pytest.mark.parametrize("greedy", [False, True])
def test_on_noise_the_full_tree_has_62_and_a_half_percent_and_the_pruned_one_75(greedy):
    full_rate, pruned_rate, n_draws = 0.0, 0.0, 150
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        X, y = five_bits(rng)
        full = bough.CARTClassifier("entropy", prune="none").fit(X, y).tree_
        assert (full.predict(X) == y).all()
        tuning = [five_bits(rng) for _ in range(20)]
        X_tune, y_tune = (np.concatenate(part) for part in zip(*tuning, strict=True))
        pruned = reduced_error(full, X_tune, y_tune, greedy=greedy)
        X_test, y_test = five_bits(rng)
        full_rate += (full.predict(X_test) == y_test).mean() / n_draws
        pruned_rate += (pruned.predict(X_test) == y_test).mean() / n_draws
    assert full_rate == pytest.approx(0.625, abs=0.02)
    assert pruned_rate == pytest.approx(0.75, abs=0.02)


def test_numbers_are_pruned_by_squared_errors():
    rng = np.random.default_rng(0)
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 20, 0.0, 10.0)
    tree = bough.CARTRegressor(prune="none").fit(X, y + rng.normal(size=40)).tree_
    pruned = reduced_error(tree, X, y)
    assert ((pruned.predict(X) - y) ** 2).sum() < ((tree.predict(X) - y) ** 2).sum()
    assert pruned.n_leaves < tree.n_leaves
    assert pruned.condition(1) == tree.condition(1)


def test_backfitting_adds_the_rows_to_the_leaves():
    tree, (X, y) = small_tree(3), noisy(103)
    pruned = reduced_error(tree, X, y, backfit=True)
    assert pruned.weight[0] == tree.weight[0] + len(y)
    leaves = pruned.apply(X)
    for leaf in np.unique(leaves):
        before = reduced_error(tree, X, y).statistics[leaf]
        assert (
            pruned.statistics[leaf].tolist()
            == (before + np.bincount(y[leaves == leaf], minlength=2)).tolist()
        )
    pruned.check()


def test_backfitting_numbers_gives_the_mean_of_all_rows():
    X = np.arange(10.0)[:, None]
    tree = bough.CARTRegressor(max_depth=1).fit(X, [0.0] * 5 + [10.0] * 5).tree_
    pruned = reduced_error(tree, [[1.0], [8.0]], [1.0, 9.0], backfit=True)
    assert pruned.statistics[:, 0].tolist() == pytest.approx([5.0, 1 / 6, 59 / 6])
    assert pruned.risk[1] == pytest.approx(5 / 6)
    pruned.check()


@pytest.mark.parametrize("learner", [bough.CARTClassifier, bough.TreeClassifier, bough.C45Classifier])
def test_every_learner_can_hold_out_rows_or_take_a_tuning_set(learner):
    X, y = noisy(1, n_rows=300)
    whole = learner(prune="none").fit(X, y).tree_
    held_out = learner(prune=ReducedError(cv=4)).fit(X, y).tree_
    assert held_out.weight[0] == 225
    tuned = learner(prune=ReducedError(tuning=noisy(2, n_rows=200))).fit(X, y).tree_
    assert tuned.weight[0] == 300
    assert tuned.n_leaves <= whole.n_leaves
    assert tuned.recipe["prune"]["steps"][0]["by"] == "reduced error"


def test_id3_and_regression_trees_too():
    X, y = noisy(1, n_rows=300)
    assert (
        bough.ID3Classifier(categorical_features="all", prune="reduced_error").fit(X, y).tree_.weight[0]
        == 200
    )
    assert bough.CARTRegressor(prune="reduced_error").fit(X, y).tree_.weight[0] == 200


def test_folds_share_classes_evenly_and_do_not_overlap():
    y = np.array([0] * 20 + [1] * 10, dtype=np.int32)
    from bough import _core

    folds = np.array([_core.fold_of_rows(y, 30, 5, fold, 7) for fold in range(5)])
    assert (folds.sum(axis=0) == 1).all()
    assert ((folds * y).sum(axis=1) == 2).all()


def test_fewer_rows_than_folds_are_not_parted():
    assert bough.CARTClassifier(prune="reduced_error").fit([[0], [1]], [0, 1]).get_n_leaves() == 2


def test_bad_settings_are_refused():
    with pytest.raises(ParameterError, match="cv is 1; it must be a whole number of at least 2"):
        ReducedError(cv=1)
    with pytest.raises(ParameterError, match="random_state is 'x'"):
        ReducedError(random_state="x")
    with pytest.raises(ParameterError, match="tuning is 'list'"):
        ReducedError(tuning=[1, 2])
    with pytest.raises(TargetError, match="y holds 5, which is not a class of the tree"):
        reduced_error(small_tree(0), [[0.0, 1.0]], [5])
    with pytest.raises(TargetError, match="X has 1 rows and y has 2"):
        reduced_error(small_tree(0), [[0.0, 1.0]], [0, 1])
