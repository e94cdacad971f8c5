"""Generalized Gini, Σ C(j given i) p_i p_j: its value, its trees, and how losses and priors enter."""

import numpy as np
import pytest

import bough
from bough.data.scales import Scales
from bough.engines.memory import MemoryEngine
from bough.errors import ParameterError
from bough.growing import criterion
from bough.growing.growth import grow
from bough.growing.limits import Limits
from bough.inspect.rivals import rivals
from bough.learners.fitting import fit_tree
from bough.learners.reading import read_training

RNG = np.random.default_rng(0)
N = 300
X = np.column_stack([RNG.normal(size=(N, 3)).round(1), RNG.integers(0, 5, N)])
Y = np.array(["a", "b", "c"])[
    np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2 + (X[:, 3] == 2) + RNG.normal(size=N), [-0.3, 1.2])
]
LOSS = np.array([[0.0, 1.0, 6.0], [2.0, 0.0, 1.0], [3.0, 0.5, 0.0]])


def cart(**parameters):
    options = {"criterion": "generalized_gini", "prune": "none", "max_depth": 4, "categorical_features": [3]}
    return bough.CARTClassifier(**(options | parameters))


def splits_of(tree):
    return [tree.split(node) for node in range(tree.n_nodes)]


def test_impurity_and_value_follow_the_formula():
    for _ in range(50):
        loss = RNG.integers(0, 9, (4, 4)).astype(float)
        np.fill_diagonal(loss, 0)
        children = RNG.integers(0, 20, (2, 4)) + np.eye(2, 4)

        def impurity(counts, loss=loss):
            share = counts / counts.sum()
            return share @ loss @ share

        weights = children.sum(axis=1)
        within = sum(w * impurity(child) for w, child in zip(weights, children, strict=True)) / weights.sum()
        fall = impurity(children.sum(axis=0)) - within
        assert criterion.impurity("generalized_gini", children[0], loss_matrix=loss) == pytest.approx(
            impurity(children[0])
        )
        assert criterion.value("generalized_gini", children, loss_matrix=loss) == pytest.approx(
            max(fall, 0), abs=1e-12
        )


def test_a_split_that_raises_the_impurity_has_value_0():
    # To confuse a and c costs 100: a node that b dilutes is better than one without it.
    loss = [[0, 1, 100], [1, 0, 1], [100, 1, 0]]
    assert criterion.value("generalized_gini", [[0, 2, 0], [1, 0, 1]], loss_matrix=loss) == 0


def test_without_losses_it_is_gini():
    ours, gini = cart().fit(X, Y).tree_, cart(criterion="gini").fit(X, Y).tree_
    assert splits_of(ours) == splits_of(gini)
    np.testing.assert_allclose(ours.gain, gini.gain)


def test_with_two_classes_losses_do_not_change_the_splits():
    y = np.where(Y == "a", "a", "other")
    costly = cart(loss_matrix={("a", "other"): 10}).fit(X, y).tree_
    gini = cart(criterion="gini").fit(X, y).tree_
    assert splits_of(costly) == splits_of(gini)
    assert (costly.answer_codes() != gini.answer_codes()).any()
    altered = cart(criterion="gini", loss_matrix={("a", "other"): 10}).fit(X, y).tree_
    assert splits_of(altered) != splits_of(gini)


def test_losses_of_three_classes_change_the_splits():
    assert splits_of(cart(loss_matrix=LOSS).fit(X, Y).tree_) != splits_of(cart().fit(X, Y).tree_)


def test_only_the_sum_of_both_losses_of_a_pair_counts_in_splits():
    one, both = cart(loss_matrix=LOSS), cart(loss_matrix=(LOSS + LOSS.T) / 2)
    assert splits_of(one.fit(X, Y).tree_) == splits_of(both.fit(X, Y).tree_)


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
@pytest.mark.parametrize("weighted", [False, True])
def test_growth_is_that_of_the_readable_loop(nominal, weighted):
    values = X.copy()
    values[RNG.random(X.shape) < 0.1] = np.nan
    weight = RNG.integers(1, 4, N) if weighted else None
    recipe = bough.Recipe(
        "generalized_gini",
        nominal,
        Limits(max_depth=4),
        task="classification",
        loss_matrix=LOSS,
        scales=Scales(categorical_features=[3]),
    )
    training = read_training(recipe, values, Y, weight)
    fast = fit_tree(recipe, training).tree
    readable = grow(MemoryEngine(training.table, training.target, training.weights), recipe)
    assert splits_of(fast) == splits_of(readable)
    np.testing.assert_array_equal(fast.gain, readable.gain)


def test_priors_are_the_shares_that_losses_meet():
    counts = {label: int((label == Y).sum()) for label in "abc"}
    prior = {"a": 0.5, "b": 0.25, "c": 0.25}
    by_prior = cart(loss_matrix=LOSS, prior=prior, max_depth=2).fit(X, Y).tree_
    weight = np.array([prior[label] / counts[label] * N for label in Y])
    by_weight = cart(loss_matrix=LOSS, max_depth=2).fit(X, Y, sample_weight=weight).tree_
    assert splits_of(by_prior) == splits_of(by_weight)


def test_candidates_and_rivals_read_the_losses_of_the_tree():
    tree = cart(loss_matrix=LOSS).fit(X, Y).tree_
    listed = bough.candidates(tree, X, Y)
    assert max(each.criteria["generalized_gini"] for each in listed) == pytest.approx(tree.gain[0])
    best = rivals(tree, X, Y)[0][0]
    assert best.chosen
    assert best.value == pytest.approx(tree.gain[0])


def test_cross_validated_pruning_and_files_keep_it(tmp_path):
    model = cart(loss_matrix=LOSS, prune="one_se").fit(X, Y)
    model.tree_.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json") == model.tree_
    assert bough.regrow(model.tree_, X, Y) == model.tree_


def test_what_cannot_read_losses_refuses_them():
    with pytest.raises(ParameterError, match=r"loss_matrix is .* given for 'generalized_gini' alone"):
        criterion.value("gini", [[1, 2], [3, 0]], loss_matrix=[[0, 1], [1, 0]])
    with pytest.raises(ParameterError, match="2 rows of 2 finite numbers of at least 0"):
        criterion.impurity("generalized_gini", [1, 2], loss_matrix=[[0, -1], [1, 0]])
    with pytest.raises(ParameterError, match=r"criterion is 'generalized_gini'.*with combinations"):
        cart(combinations="linear", missing="majority").fit(X, Y)
    with pytest.raises(ParameterError, match="criterion is 'generalized_gini'"):
        bough.RandomForestClassifier(5, criterion="generalized_gini").fit(X, Y)
