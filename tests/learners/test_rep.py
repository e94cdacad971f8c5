"""REPTree: pruned on a fold, which is then fitted in; classes and numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import bough
from bough.errors import ParameterError, TableError


def steps(n_rows=300, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n_rows),
            "noise": rng.normal(size=n_rows),
            "level": pd.Categorical(rng.choice(list("pqr"), n_rows)),
        }
    ).mask(rng.random((n_rows, 3)) < missing)
    signal = 5.0 * (X["number"].fillna(0) > 0) + (X["level"] == "p")
    return X, (signal + rng.normal(size=n_rows)).to_numpy()


def test_all_rows_are_in_the_tree_in_the_end():
    X, y = steps()
    assert bough.REPTreeRegressor().fit(X, y).tree_.weight[0] == 300
    assert bough.REPTreeRegressor().fit(X, y).tree_.statistics[0, 0] == pytest.approx(y.mean())
    assert bough.REPTreeClassifier().fit(X, y > 2).tree_.statistics[0].sum() == 300


def test_pruning_takes_out_what_noise_put_in():
    X, y = steps()
    grown, pruned = (bough.REPTreeRegressor(prune=prune).fit(X, y) for prune in ("none", "reduced_error"))
    assert pruned.get_n_leaves() < grown.get_n_leaves() / 4
    X_new, y_new = steps(seed=1)
    assert pruned.score(X_new, y_new) > grown.score(X_new, y_new)


def test_the_seed_chooses_the_fold():
    X, y = steps()
    trees = [bough.REPTreeRegressor(random_state=seed).fit(X, y).tree_ for seed in (1, 1, 2)]
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


@pytest.mark.parametrize("prune", ["none", "reduced_error", "error_based", "mdl", "pessimistic"])
def test_classification_trees_are_sound_under_every_pruning(prune):
    X, y = steps(missing=0.1)
    model = bough.REPTreeClassifier(prune=prune).fit(X, np.where(y > 2, "high", "low"))
    model.tree_.check()
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_incomplete_rows_get_a_mean_of_the_branches():
    X, y = steps(missing=0.1)
    model = bough.REPTreeRegressor().fit(X, y)
    model.tree_.check()
    empty = X.iloc[:1].mask(np.ones((1, 3), dtype=bool))
    assert model.predict(empty)[0] == pytest.approx(y.mean(), abs=0.5)


def test_limits_hold():
    X, y = steps()
    assert bough.REPTreeRegressor(max_depth=2, prune="none").fit(X, y).get_depth() == 2
    assert bough.REPTreeRegressor(min_variance_fraction=1.0, prune="none").fit(X, y).get_n_leaves() <= 3
    few = bough.REPTreeRegressor(min_samples_branch=40, prune="none").fit(X[["number"]], y).tree_
    inner = np.flatnonzero(~few.is_leaf)
    assert all(sorted(few.weight[few.children(node)])[-2] >= 40 for node in inner)


def test_numbers_far_from_zero_lose_no_digits():
    X, y = steps()
    near, far = (bough.REPTreeRegressor(prune="none").fit(X, y + shift).tree_ for shift in (0.0, 1e9))
    assert far.column.tolist()[:3] == near.column.tolist()[:3]
    assert far.risk[0] == pytest.approx(near.risk[0], rel=1e-5)


def test_a_tree_may_be_very_deep():
    y = 1.3 ** np.arange(500)
    X = np.arange(500.0)[:, None]
    model = bough.REPTreeRegressor(min_variance_fraction=0.0, min_samples_branch=1, prune="none").fit(X, y)
    assert model.get_depth() > 100
    labels = np.arange(500) % 2
    for prune in ("reduced_error", "mdl", "pessimistic", "error_based"):
        bough.REPTreeClassifier(min_samples_branch=1, prune=prune).fit(X, labels).predict(X)


def test_any_number_of_threads_grows_the_same_tree():
    X, y = steps(n_rows=20000)
    assert (
        bough.REPTreeRegressor(n_jobs=1).fit(X, y).tree_ == bough.REPTreeRegressor(n_jobs=2).fit(X, y).tree_
    )


def test_bad_parameters_are_named():
    X, y = steps(n_rows=20)
    for parameters, message in (
        ({"cv": 1}, "cv is 1"),
        ({"random_state": 2**40}, "random_state is"),
        ({"min_variance_fraction": -1.0}, "min_variance_fraction is -1.0"),
        ({"missing": "majority"}, "missing is 'majority'; REPTreeRegressor can do 'fractional', 'refuse'"),
        ({"prune": "hard"}, "prune is 'hard'"),
    ):
        with pytest.raises(ParameterError, match=message):
            bough.REPTreeRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize("learner", [bough.REPTreeClassifier, bough.REPTreeRegressor])
def test_missing_values_are_refused_where_asked(learner):
    X, y = [[float(i)] for i in range(30)], [0] * 15 + [1] * 15
    model = learner(missing="refuse").fit(X, y)
    assert (model.tree_.recipe["missing"], learner().fit(X, y).tree_.recipe["missing"]) == (
        "refuse",
        "fractional",
    )
    for refused in (
        lambda: learner(missing="refuse").fit([*X[:-1], [None]], y),
        lambda: model.predict([[None]]),
    ):
        with pytest.raises(TableError, match=r"missing='refuse' allows none.*'fractional'"):
            refused()


def test_a_splitter_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"cv is KFold.*; it must be a whole number of at least 2"):
        bough.REPTreeClassifier(cv=KFold(3)).fit([[1.0], [2.0]], [0, 1])
