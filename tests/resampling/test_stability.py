"""Stability: the split of a signal recurs, that of a coin does not, and near ties are listed."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bough
from bough import plot
from bough.inspect.rivals import rivals
from bough.resampling.regrowth import regrower

mpl.use("agg")


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"signal": rng.normal(size=300), "noise": rng.normal(size=300), "kind": rng.choice(list("ab"), 300)}
    )
    return X, pd.Series(np.where(X["signal"] > 0.2, "yes", "no"), name="y")


def test_a_signal_comes_back_every_time(drawn):
    X, y = drawn
    found = bough.stability(bough.TreeClassifier().fit(X, y), X, y, n_draws=15)
    assert found.returns[0] == 1
    assert found.root_columns == {"signal": 1.0}
    assert found.agreement > 0.98
    assert found.column_use.tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(found.returns[1:]).all()


def test_noise_comes_back_less_than_a_signal_and_answers_vary(drawn):
    X, _ = drawn
    y = np.random.default_rng(1).integers(0, 2, 300)
    found = bough.stability(bough.TreeClassifier(max_depth=4).fit(X, y), X, y, n_draws=20)
    assert found.agreement < 0.9
    assert np.nanmin(found.returns) < 0.5
    assert found.varies.max() > 0.2
    assert found.disagreement[0] == pytest.approx(found.varies.mean())


def test_two_columns_alike_are_a_near_tie(drawn):
    X, y = drawn
    twin = X.assign(twin=X["signal"] * 2)
    found = bough.stability(bough.TreeClassifier().fit(twin, y), twin, y, n_draws=3)
    assert [rival.column for rival in found.near_ties[0]] == [0, 3]
    assert "near tie" in str(found)


def test_figures_are_those_of_trees_grown_from_weights(drawn):
    X, _ = drawn
    y = X["signal"] + X["noise"] ** 2
    model = bough.TreeRegressor(max_leaf_nodes=6).fit(X, y)
    found = bough.stability(model, X, y, n_draws=6, random_state=3)
    rng = np.random.default_rng(3)
    weights = [np.bincount(rng.integers(0, 300, 300), minlength=300) for _ in range(6)]
    trees = [clone(model).fit(X, y, sample_weight=weight) for weight in weights]
    answers = np.array([tree.predict(X) for tree in trees])
    assert found.varies == pytest.approx(answers.std(axis=0))
    assert found.n_leaves.tolist() == [tree.get_n_leaves() for tree in trees]
    roots = [tree.tree_.column[0] == model.tree_.column[0] for tree in trees]
    assert found.returns[0] == np.mean(roots)


def test_a_tree_alone_is_as_stable_as_its_estimator(drawn):
    X, y = drawn
    noisy = np.where(np.arange(300) % 7 == 0, "no", y)
    model = bough.TreeClassifier(max_depth=3).fit(X, noisy)
    by_model, by_tree = (bough.stability(each, X, noisy, n_draws=8) for each in (model, model.tree_))
    assert by_model.returns == pytest.approx(by_tree.returns, nan_ok=True)
    assert by_model.varies == pytest.approx(by_tree.varies)


def test_what_cannot_be_grown_again_is_refused(drawn):
    X, y = drawn
    tree = bough.TreeClassifier(max_depth=3).fit(X, y).tree_
    with pytest.raises(bough.BoughError, match="cannot be grown again"):
        bough.stability(tree.snip(0), X, y)
    assert regrower(tree, X, y[::-1].reset_index(drop=True)) is None
    with pytest.raises(bough.BoughError, match="n_draws is 0"):
        bough.stability(tree, X, y, n_draws=0)
    with pytest.raises(bough.BoughError, match="margin is 1"):
        bough.stability(tree, X, y, margin=1)


def test_rivals_are_the_best_candidates_of_each_column(drawn):
    X, y = drawn
    noisy = np.where(np.arange(300) % 7 == 0, "no", y)
    tree = bough.TreeClassifier(max_depth=3).fit(X, noisy).tree_
    for node, ranked in rivals(tree, X, noisy).items():
        every = bough.candidates(tree, X, noisy, node=node)
        for rival in ranked:
            name = tree.schema[rival.column].name
            best = max(each.criteria["gini"] for each in every if each.variable == name)
            assert rival.value == pytest.approx(best)
        assert ranked[0].chosen
        assert ranked[0].value == pytest.approx(tree.gain[node])


def test_the_picture_marks_every_split(drawn):
    X, y = drawn
    noisy = np.where(np.arange(300) % 7 == 0, "no", y)
    found = bough.stability(bough.TreeClassifier(max_depth=3).fit(X, noisy), X, noisy, n_draws=4)
    words = [text.get_text() for text in plot.stability(found).texts]
    assert sum("%" in word for word in words) == (~found.tree.is_leaf).sum()


def test_a_split_that_separates_missing_values_has_no_quartiles():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    x[::2] = np.nan
    model = bough.TreeClassifier().fit(x[:, None], np.isnan(x))
    found = bough.stability(model, x[:, None], np.isnan(x), n_draws=4, random_state=0)
    assert model.tree_.condition(1) == "x0 is missing"
    assert found.returns[0] == 1.0
    assert 0 not in found.cuts
