"""CART prunes by its own ways and by all others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

import bough
from bough.errors import ParameterError, TargetError
from bough.pruning import ErrorBased, ReducedError, error_based, mdl, pessimistic, reduced_error


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {"a": rng.normal(size=240), "b": rng.normal(size=240), "c": rng.choice(list("xyz"), 240)}
    )
    y = np.where(X["a"] + 0.5 * (X["c"] == "x") + rng.normal(0, 0.7, 240) > 0.3, "yes", "no")
    X["a"] = X["a"].where(rng.random(240) > 0.2)
    return X, y


@pytest.mark.parametrize(("word", "prune"), [("pessimistic", pessimistic), ("mdl", mdl)])
def test_a_word_is_the_function_on_the_tree_grown(drawn, word, prune):
    model = bough.CARTClassifier(prune=word).fit(*drawn)
    assert model.grown_tree_ == bough.CARTClassifier(prune="none").fit(*drawn).tree_
    # The recipe of the pruned tree says that its learner pruned it.
    assert replace(model.tree_, recipe={}) == replace(prune(model.grown_tree_), recipe={})
    assert model.tree_.n_leaves < model.grown_tree_.n_leaves
    model.tree_.check()


def test_rows_held_out_follow_surrogates(drawn):
    X, y = drawn
    held_out = X[180:], y[180:]
    model = bough.CARTClassifier(prune=ReducedError(tuning=held_out)).fit(X[:180], y[:180])
    grown, pruned = model.grown_tree_, model.tree_
    assert replace(pruned, recipe={}) == replace(reduced_error(grown, *held_out), recipe={})
    assert pruned.surrogates is not None
    pruned.check()
    errors = (pruned.predict(held_out[0]) != held_out[1]).sum()
    # From the leaves up, no subtree is left that makes no fewer errors than its root.
    for node in np.flatnonzero(~pruned.is_leaf).tolist():
        assert (pruned.snip(node).predict(held_out[0]) != held_out[1]).sum() > errors


def test_reduced_error_counts_what_errors_cost(drawn):
    X, y = drawn
    loss = {("yes", "no"): 6.0}
    model = bough.CARTClassifier(loss_matrix=loss, prune=ReducedError(tuning=(X, y))).fit(X, y)

    def cost(tree):
        answers = tree.predict(X)
        return 6.0 * ((y == "yes") & (answers == "no")).sum() + ((y == "no") & (answers == "yes")).sum()

    for node in np.flatnonzero(~model.tree_.is_leaf).tolist():
        assert cost(model.tree_.snip(node)) > cost(model.tree_)


def test_branches_are_raised_only_where_nothing_hangs_on_their_place(drawn):
    X, y = drawn
    with_surrogates = bough.CARTClassifier(prune="error_based").fit(X, y)
    assert replace(with_surrogates.tree_, recipe={}) == replace(
        error_based(with_surrogates.grown_tree_, subtree_raising=False), recipe={}
    )
    plain = bough.CARTClassifier(missing="majority", prune=ErrorBased()).fit(X, y)
    assert plain.tree_.recipe["prune"]["steps"][0]["subtree_raising"] is True


def test_combinations_are_pruned_on_rows_held_out(drawn):
    X, y = drawn
    model = bough.CARTClassifier(combinations="linear", prune="reduced_error").fit(X, y)
    assert model.tree_.n_leaves < model.grown_tree_.n_leaves
    model.tree_.check()


@pytest.mark.parametrize("word", ["pessimistic", "error_based", "mdl"])
def test_counts_of_errors_know_no_losses(drawn, word):
    with pytest.raises(TargetError, match=f"{word} counts misclassified rows, but this tree was grown with"):
        bough.CARTClassifier(loss_matrix={("yes", "no"): 6.0}, prune=word).fit(*drawn)


def test_every_word_is_named_where_one_is_not_known(drawn):
    words = "'one_se', 'minimum', 'cp', 'none', 'reduced_error', 'pessimistic', 'error_based', 'mdl'"
    for learner in (bough.CARTClassifier, bough.CARTRegressor):
        with pytest.raises(ParameterError, match=f"prune is 'hard'; it must be {words} or one of"):
            learner(prune="hard").recipe()


def test_what_does_not_go_together_is_refused():
    with pytest.raises(ParameterError, match=r"cp is 0.1; it must be 0 with prune='mdl'"):
        bough.CARTClassifier(prune="mdl", cp=0.1).recipe()
    with pytest.raises(ParameterError, match=r"ccp_alpha is 0.1; it must be None with prune='mdl'"):
        bough.CARTClassifier(prune="mdl", ccp_alpha=0.1).recipe()
    with pytest.raises(ParameterError, match="prune is 'reduced_error'; it must be one of 'one_se'"):
        bough.CARTRegressor("poisson", prune="reduced_error").recipe()
    with pytest.raises(ParameterError, match="prune is 'mdl'; it must be one of 'one_se'"):
        bough.CARTSurvival(prune="mdl").recipe()


@pytest.mark.parametrize("path", ["weakest_link", "rpart"])
@pytest.mark.parametrize("learner", [bough.CARTClassifier, bough.CARTRegressor])
def test_the_prices_of_the_pruning_path_give_its_trees(learner, path):
    """Each price gives the tree of its risk, and just below it the tree before."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + rng.normal(size=150) > 0).astype(int)
    weight = rng.integers(1, 4, 150)
    found = learner(path=path, prune="cp", cp=0.3).cost_complexity_pruning_path(X, y, weight)
    assert (np.diff(found.ccp_alphas) > 0).all()
    assert found.ccp_alphas[0] == 0
    leaves = []
    for alpha, impurity in zip(found.ccp_alphas, found.impurities, strict=True):
        tree = learner(path=path, ccp_alpha=alpha * (1 + 1e-9)).fit(X, y, weight).tree_
        assert tree.risk[tree.is_leaf].sum() / weight.sum() == pytest.approx(impurity, abs=1e-12)
        leaves.append(tree.n_leaves)
    assert leaves == sorted(set(leaves), reverse=True)
    assert leaves[-1] == 1


def test_the_pruning_path_of_numbers_is_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    limits = {"min_samples_leaf": 10}
    ours = bough.CARTRegressor(**limits).cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeRegressor(random_state=0, **limits).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(theirs.ccp_alphas, rel=1e-6)
    assert ours.impurities == pytest.approx(theirs.impurities, rel=1e-6)
