"""Prunings that need no other rows: pessimistic, error-based, and by description length."""

import numpy as np
import pandas as pd
import pytest
from tests.pruning.small_trees import all_prunings, noisy, small_tree

import bough
from bough.errors import ParameterError, TargetError
from bough.example_models import cars_tree, iris_tree
from bough.pruning import (
    ErrorBased,
    description_length,
    error_based,
    expected_errors,
    mdl,
    pessimistic,
)


def test_a_subtree_must_be_a_standard_error_better():
    # As a leaf, node 2 errs on 50 of 100 + 1/2. Its leaves err on 5 and 1, with 1/2 each: 7 ± 2.55.
    assert pessimistic(iris_tree()).n_leaves == 3
    assert pessimistic(iris_tree(), standard_errors=17).n_leaves == 3
    assert pessimistic(iris_tree(), standard_errors=17.1).n_leaves == 2


@pytest.mark.parametrize("seed", range(8))
def test_without_a_standard_error_a_leaf_costs_half_a_case(seed):
    tree = small_tree(seed, max_leaf_nodes=12)
    pruned = pessimistic(tree, standard_errors=0)

    def counted(one):
        return one.risk[one.is_leaf].sum() + one.n_leaves / 2

    assert counted(pruned) <= counted(tree)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_no_pruning_takes_fewer_bits(seed, n_classes):
    tree = small_tree(seed, n_classes=n_classes)
    lengths = [description_length(one) for one in all_prunings(tree)]
    assert description_length(mdl(tree)) == pytest.approx(min(lengths), rel=1e-12)


def test_each_part_of_a_description_counts():
    # One node: 1 bit for a leaf, 1 for its class, log2(51) for the number of exceptions, and which they are.
    leaf = iris_tree().snip(0)
    which = float(sum(np.log2(range(101, 151))) - sum(np.log2(range(1, 51))))
    assert description_length(leaf) == pytest.approx(1 + np.log2(3) + np.log2(101) + which + 100)


@pytest.mark.parametrize("estimate", ["c4.5", "j48"])
@pytest.mark.parametrize("seed", range(6))
def test_without_raising_the_statistics_are_enough(seed, estimate):
    X, y = noisy(seed)
    tree = bough.CARTClassifier(prune="none").fit(X, y).tree_
    from_rows = error_based(tree, X, y, subtree_raising=False, estimate=estimate)
    from_statistics = error_based(tree, subtree_raising=False, estimate=estimate)
    assert from_rows.n_children.tolist() == from_statistics.n_children.tolist()
    assert from_rows.statistics.tolist() == from_statistics.statistics.tolist()
    from_rows.check()


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_a_raised_branch_are_those_that_come_down_it(seed):
    X, y = noisy(seed, n_rows=120)
    tree = bough.CARTClassifier(prune="none").fit(X, y).tree_
    pruned = error_based(tree, X, y)
    assert np.bincount(pruned.apply(X), minlength=pruned.n_nodes)[pruned.is_leaf].tolist() == (
        pruned.cases[pruned.is_leaf].tolist()
    )
    assert pruned.weight[0] == tree.weight[0]
    pruned.check()


def test_the_less_confidence_the_smaller_the_tree():
    X, y = noisy(4, n_rows=300)
    tree = bough.CARTClassifier(prune="none").fit(X, y).tree_
    sizes = [error_based(tree, X, y, confidence=c).n_leaves for c in (0.001, 0.01, 0.1, 0.25, 0.5)]
    assert sizes == sorted(sizes)
    assert sizes[0] < tree.n_leaves


def test_trees_of_every_kind_of_split_are_pruned():
    rng = np.random.default_rng(0)
    n = 200
    X = pd.DataFrame(
        {
            "level": pd.Categorical(rng.choice(list("pqrs"), n)),
            "size": pd.Categorical(rng.choice(list("SML"), n), list("SML"), ordered=True),
            "number": rng.normal(size=n),
        }
    ).mask(rng.random((n, 3)) < 0.1)
    y = rng.integers(0, 3, n)
    for nominal in ("subset", "complete", "one_vs_rest"):
        tree = bough.TreeClassifier(nominal=nominal).fit(X, y).tree_
        for pruned in (error_based(tree, X, y), mdl(tree), pessimistic(tree)):
            pruned.check()
            assert pruned.n_leaves < tree.n_leaves


def test_leaves_without_errors_are_expected_to_make_some():
    leaf = bough.CARTClassifier(prune="none").fit([[0.0]] * 6, ["a"] * 6).tree_
    # 1 - 0.25^(1/6) of 6 cases.
    assert expected_errors(leaf) == pytest.approx(6 * (1 - 0.25 ** (1 / 6)), rel=1e-6)


def test_bad_settings_are_refused():
    with pytest.raises(ParameterError, match="X is None; it must be the rows the tree was grown on"):
        error_based(iris_tree())
    for wrong in (0, -1, 25, "much", True, float("nan")):
        with pytest.raises(ParameterError, match="confidence is"):
            ErrorBased(confidence=wrong)
    with pytest.raises(ParameterError, match=r"estimate is 'c5.0'; it must be 'c4.5' or 'j48'"):
        error_based(iris_tree(), subtree_raising=False, estimate="c5.0")
    with pytest.raises(ParameterError, match="standard_errors is -1"):
        pessimistic(iris_tree(), standard_errors=-1)
    for prune in (pessimistic, mdl, expected_errors):
        with pytest.raises(TargetError, match="this tree predicts numbers"):
            prune(cars_tree())
    with pytest.raises(TargetError, match="this tree predicts numbers"):
        bough.CARTRegressor(prune="mdl").fit([[0.0], [1.0]], [0.0, 1.0])
