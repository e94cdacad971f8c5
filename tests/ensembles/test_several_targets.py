"""Forests of several targets."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

import bough

RNG = np.random.default_rng(11)
X = pd.DataFrame(
    {"a": RNG.normal(size=200), "b": RNG.choice(list("uvwx"), size=200), "c": RNG.normal(size=200)}
)
X.loc[RNG.random(200) < 0.1, "c"] = np.nan
NUMBERS = pd.DataFrame(
    {"height": 2 * X.a + RNG.normal(size=200), "width": (X.b < "w") * 5.0 + RNG.normal(size=200) / 9}
)
CLASSES = pd.DataFrame({"sign": np.where(X.a > 0, "yes", "no"), "part": (X.b < "w") + (X.a > 1) * 2})
REGRESSORS = [bough.RandomForestRegressor, bough.ExtraTreesRegressor]
CLASSIFIERS = [bough.RandomForestClassifier, bough.ExtraTreesClassifier]


def fitted(learner, **parameters):
    y = CLASSES if learner in CLASSIFIERS else NUMBERS
    return learner(10, random_state=3, **parameters).fit(X, y), y


@pytest.mark.parametrize("learner", REGRESSORS + CLASSIFIERS)
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3}, {"max_leaf_nodes": 6}, {"missing": "majority"}])
def test_predictions_are_means_over_the_trees(learner, limits):
    model, _ = fitted(learner, **limits)
    trees = model.forest_.trees
    for tree in trees:
        tree.check()
    if learner in REGRESSORS:
        assert model.predict(X) == pytest.approx(np.mean([tree.predict(X) for tree in trees], axis=0))
        return
    shares = model.predict_proba(X)
    for position, own in enumerate(shares):
        of_trees = [tree.predict_proba(X)[position] for tree in trees]
        assert own == pytest.approx(np.mean(of_trees, axis=0))
        assert (model.classes_[position][own.argmax(axis=1)] == model.predict(X)[:, position]).all()


@pytest.mark.parametrize("learner", REGRESSORS + CLASSIFIERS)
def test_leaves_hold_the_statistics_of_their_rows(learner):
    model, y = fitted(learner, bootstrap=False, min_samples_leaf=4)
    tree = model.forest_.trees[0]
    ends = tree.apply(X)
    for name in y:
        one = tree.target(name)
        for leaf in np.unique(ends):
            own = y[name][ends == leaf]
            assert one.cases[leaf] == len(own)
            if learner in REGRESSORS:
                assert one.answer(leaf) == pytest.approx(own.mean())
                assert one.risk[leaf] == pytest.approx(((own - own.mean()) ** 2).sum(), abs=1e-9)
            else:
                assert one.class_weights()[leaf].tolist() == [sum(own == label) for label in one.classes]


@pytest.mark.parametrize("learner", REGRESSORS + CLASSIFIERS)
def test_threads_files_pickles_and_regrow_keep_the_forest(learner, tmp_path):
    model, y = fitted(learner)
    assert fitted(learner, n_jobs=1)[0].forest_ == model.forest_
    assert pickle.loads(pickle.dumps(model)).forest_ == model.forest_
    assert bough.regrow(model.forest_, X, y) == model.forest_
    for name in ("forest.json", "forest.bough"):
        model.forest_.save(tmp_path / name)
        loaded = bough.load(tmp_path / name)
        assert loaded == model.forest_
        assert (loaded.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("learner", REGRESSORS + CLASSIFIERS)
def test_the_forest_of_a_target_predicts_its_column(learner):
    model, y = fitted(learner)
    for position, name in enumerate(y):
        one = model.forest_.target(name)
        one.check()
        assert one.target_name == name
        expected = model.predict(X)[:, position]
        if learner in REGRESSORS:
            assert one.predict(X) == pytest.approx(expected)
        else:
            assert one.predict_proba(X) == pytest.approx(model.predict_proba(X)[position])


def test_a_single_tree_on_all_rows_is_the_exact_tree():
    rows = X[["a"]].to_numpy()
    exact = bough.TreeRegressor(min_samples_leaf=5).fit(rows, NUMBERS).tree_
    forest = bough.RandomForestRegressor(1, bootstrap=False, min_samples_leaf=5).fit(rows, NUMBERS)
    [tree] = forest.forest_.trees
    assert tree.n_nodes == exact.n_nodes
    assert tree.predict(rows) == pytest.approx(exact.predict(rows))
    assert tree.gain == pytest.approx(exact.gain, rel=1e-5, abs=1e-9, nan_ok=True)


def test_out_of_bag_scores_are_means_over_the_targets():
    numbers = bough.RandomForestRegressor(40, oob_score=True, random_state=3).fit(X, NUMBERS)
    classes = bough.RandomForestClassifier(40, oob_score=True, random_state=3).fit(X, CLASSES)
    assert numbers.oob_prediction_.shape == (200, 2)
    assert [each.shape for each in classes.oob_decision_function_] == [(200, 2), (200, 4)]
    seen = numbers.oob_times_ > 0
    error = np.square(NUMBERS - numbers.oob_prediction_)[seen].mean()
    assert numbers.oob_score_ == pytest.approx((1 - error / NUMBERS[seen].var(ddof=0)).mean())
    assert 0.9 < classes.oob_score_ < 1


def test_the_accuracy_is_scikit_learns():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 6))
    y = (
        np.stack([rows[:, 0] * 2, rows[:, 1] ** 2, rows[:, 0] * rows[:, 2]], axis=1)
        + rng.normal(size=(600, 3)) / 4
    )
    ours = bough.RandomForestRegressor(60, random_state=0).fit(rows[:400], y[:400])
    theirs = RandomForestRegressor(60, random_state=0).fit(rows[:400], y[:400])
    assert ours.score(rows[400:], y[400:]) == pytest.approx(theirs.score(rows[400:], y[400:]), abs=0.03)
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, abs=0.05)


def test_balanced_classes_weigh_the_same_in_every_sample():
    weights = {"class_weight": "balanced_subsample"}
    [one] = bough.RandomForestClassifier(1, random_state=0, **weights).fit(X, CLASSES.sign).forest_.trees
    [two] = (
        bough.RandomForestClassifier(1, random_state=0, **weights)
        .fit(X, np.stack([CLASSES.sign, np.zeros(200)], axis=1))
        .forest_.trees
    )
    assert two.target(0).statistics[0] == pytest.approx(one.statistics[0])


@pytest.mark.parametrize(
    ("learner", "parameters"),
    [
        (bough.RandomForestClassifier, {"voting": "hard"}),
        (bough.RandomForestClassifier, {"cutoff": [0.5, 0.5]}),
        (bough.RandomForestRegressor, {"quantiles": True}),
        (bough.RandomForestRegressor, {"bias_correction": True}),
    ],
)
def test_parameters_of_one_target_are_refused(learner, parameters):
    with pytest.raises(bough.errors.ParameterError, match=next(iter(parameters))):
        fitted(learner, **parameters)


def test_methods_of_one_target_are_refused():
    model, y = fitted(bough.RandomForestClassifier)
    for refused in (
        lambda: model.votes(X),
        lambda: model.permutation_importance(X, y),
        lambda: model.staged_error(X, y),
        lambda: bough.evaluate(model, X, y),
    ):
        with pytest.raises(bough.errors.TargetError, match=r"2 targets \('sign', 'part'\)"):
            refused()
