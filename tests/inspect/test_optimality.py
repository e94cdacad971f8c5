"""The gap of a tree is true, and the nearly optimal trees are all there are."""

import numpy as np
import pytest
from tests.exhaustive_trees import Exhaustive, class_leaf, squared_leaf
from tests.learners.test_optimal import drawn_table, hard_table, nominal

import bough
from bough.errors import ParameterError


@pytest.mark.parametrize("size", ["depth", "leaves"])
def test_the_gap_of_a_greedy_tree(size):
    X, y = hard_table(200, 4)
    greedy = bough.CARTClassifier(max_depth=2, prune="none").fit(X, y)
    found = bough.optimality(greedy, X, y, size=size)
    best = bough.OptimalTreeClassifier(
        max_depth=2, max_leaf_nodes=None if size == "depth" else greedy.tree_.n_leaves
    ).fit(X, y)
    assert found.proved
    assert found.objective == pytest.approx(np.mean(greedy.predict(X) != y))
    assert found.lower_bound == pytest.approx(best.objective_)
    assert found.gap == found.objective - found.lower_bound
    assert found.best == best.tree_ or found.best.n_leaves <= greedy.tree_.n_leaves


def test_the_best_tree_has_no_gap_whatever_it_was_grown_by():
    X, y = hard_table(120, 3)
    best = bough.OptimalTreeClassifier(max_depth=2, loss_matrix={(0, 1): 3.0}).fit(X, y)
    found = bough.optimality(best.tree_, X, y)
    assert found.gap == pytest.approx(0.0)
    assert found.objective == pytest.approx(best.objective_)
    numbers = X[:, 0] + y
    regressor = bough.OptimalTreeRegressor(max_depth=2).fit(X, numbers)
    assert bough.optimality(regressor, X, numbers).gap == pytest.approx(0.0, abs=1e-9)


def test_a_stopped_search_leaves_a_true_gap():
    X, y = hard_table()
    greedy = bough.TreeClassifier(max_depth=3).fit(X, y)
    stopped = bough.optimality(greedy, X, y, time_limit=1e-9)
    proved = bough.optimality(greedy, X, y)
    assert not stopped.proved
    assert stopped.lower_bound <= proved.lower_bound
    assert stopped.gap >= proved.gap


def test_other_than_a_binary_tree_is_refused():
    X = [["a"], ["b"], ["c"]] * 4
    tree = bough.TreeClassifier(nominal="complete").fit(X, [0, 1, 2] * 4)
    with pytest.raises(ParameterError, match="3 branches"):
        bough.optimality(tree, X, [0, 1, 2] * 4)
    with pytest.raises(ParameterError, match="tree is"):
        bough.optimality("a tree", X, [0, 1, 2] * 4)


@pytest.mark.parametrize("seed", range(12))
def test_nearly_optimal_trees_are_all_there_are(seed):
    rng = np.random.default_rng(seed)
    kinds, missing = [("nn", 0.0), ("nc", 0.0), ("nn", 0.2), ("nc", 0.2)][seed % 4]
    n, k, alpha, depth = 14, 2 + seed % 2, (0.01, 0.04)[seed % 2], 2
    columns, X = drawn_table(rng, n, kinds, missing)
    y = rng.integers(0, k, n)
    reference = Exhaustive(
        columns, class_leaf(y, 1.0 - np.eye(k)[y]), nominal=nominal(kinds), split_cost=alpha * n, min_cases=2
    )
    values = np.array([value for value, _ in reference.values(np.arange(n), depth)]) / n + alpha
    margin = 0.3
    found = bough.nearly_optimal_trees(
        X, y, max_depth=depth, ccp_alpha=alpha, margin=margin, min_samples_leaf=2, max_trees=10**6
    )
    wanted = np.sort(values[values <= values.min() * (1 + margin) + 1e-9])
    assert found.n_trees == len(wanted)
    assert found.complete
    assert found.objectives == pytest.approx(wanted)
    losses = [tree.risk[tree.first_child < 0].sum() / n + alpha * tree.n_leaves for tree in found.trees]
    assert losses == pytest.approx(found.objectives)


@pytest.mark.parametrize("seed", range(8))
def test_nearly_optimal_regression_trees_are_all_there_are(seed):
    rng = np.random.default_rng(seed)
    kinds, missing = [("nn", 0.0), ("nc", 0.0), ("nn", 0.2), ("nc", 0.2)][seed % 4]
    n, alpha, depth, margin = 12, 0.05, 2, 0.2
    columns, X = drawn_table(rng, n, kinds, missing)
    y = rng.normal(size=n).round(1)
    weight = rng.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    total = weight.sum()
    reference = Exhaustive(
        columns, squared_leaf(y, weight), nominal=nominal(kinds), split_cost=alpha * total, cases=weight
    )
    values = np.array([value for value, _ in reference.values(np.arange(n), depth)]) / total + alpha
    found = bough.nearly_optimal_trees(
        X, y, weight, max_depth=depth, ccp_alpha=alpha, margin=margin, max_trees=10**6, task="regression"
    )
    wanted = np.sort(values[values <= values.min() * (1 + margin) + 1e-9])
    assert found.n_trees == len(wanted)
    assert found.complete
    assert found.objectives == pytest.approx(wanted)
    losses = [tree.risk[tree.first_child < 0].sum() / total + alpha * tree.n_leaves for tree in found.trees]
    assert losses == pytest.approx(found.objectives)


def test_more_trees_than_can_be_counted_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    with pytest.raises(ParameterError, match="too many trees are within it"):
        bough.nearly_optimal_trees(X, y, max_depth=2, ccp_alpha=0.0, margin=0.5, task="regression")
    with pytest.raises(ParameterError, match="task is 'ranking'"):
        bough.nearly_optimal_trees(X, y, task="ranking")


def test_a_list_cut_short_holds_the_best_trees_and_still_counts_all():
    X, y = hard_table(60, 3)
    every = bough.nearly_optimal_trees(X, y, margin=0.2, max_trees=10**6)
    few = bough.nearly_optimal_trees(X, y, margin=0.2, max_trees=5)
    assert few.n_trees == every.n_trees > 5
    assert not few.complete
    assert len(few.trees) <= 5
    assert few.objectives == pytest.approx(every.objectives[: len(few.objectives)])
    assert few.indispensable == every.indispensable
    use = every.column_use()
    assert [name for name, share in use.items() if share == 1.0] == list(every.indispensable)
    assert all(low <= mean <= high for low, mean, high in every.importance().values())


def test_an_indispensable_column_cannot_be_left_out():
    X, y = hard_table(80, 3)
    found = bough.nearly_optimal_trees(X, y, margin=0.05)
    for position, name in enumerate(("x0", "x1", "x2")):
        rest = np.delete(X, position, axis=1)
        best = bough.OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01).fit(rest, y).objective_
        assert (best > found.bound) == (name in found.indispensable)
