"""ABC-Boost: its papers' definition, its laws, files and SQL, and what it refuses."""

import numpy as np
import pytest
from tests.ensembles import plain_abcboost as plain

import bough
from bough.errors import ParameterError

RNG = np.random.default_rng(3)
N = 300
X = np.round(RNG.normal(size=(N, 3)), 1)
SCORES = np.column_stack([X[:, 0], X[:, 1] * X[:, 2], X[:, 1] - 0.5, X[:, 2] ** 2 - 1])
CODES = (SCORES + RNG.gumbel(size=SCORES.shape) / 2).argmax(axis=1)
Y = np.array(["oak", "ash", "elm", "yew"])[CODES]
SMALL = {"max_iter": 6, "max_leaf_nodes": 5, "min_samples_leaf": 10}


def bases(model):
    """The base class of each round: the one that has a tree in all sets of a tree for each class."""
    k = model.n_scores
    sizes = np.diff(model.arrays["tree_start"]).reshape(-1, k - 1, k)
    return [int(np.flatnonzero((each > 1).all(axis=0))[0]) for each in sizes]


@pytest.mark.parametrize("interval", [1, 3])
@pytest.mark.parametrize("variant", ["logitboost", "mart"])
def test_abcboost_is_that_of_li(variant, interval):
    learner = bough.ABCBoostClassifier(
        max_iter=4, max_leaf_nodes=4, min_samples_leaf=10, variant=variant, base_interval=interval
    )
    rows, y = X[:150], Y[:150]
    model = learner.fit(rows, y).model_
    labels, codes = np.unique(y, return_inverse=True)
    wanted, found = plain.abcboost(
        rows, codes, 4, variant == "mart", interval, max_leaves=4, min_samples_leaf=10
    )
    np.testing.assert_allclose(model.scores(rows), wanted, rtol=1e-9, atol=1e-9)
    assert bases(model) == found
    assert list(model.classes) == labels.tolist()


def test_the_sum_of_the_scores_does_not_change():
    model = bough.ABCBoostClassifier(**SMALL).fit(X, Y).model_
    for scores in model.staged_scores(X):
        np.testing.assert_allclose(scores.sum(axis=1), model.start.sum(), atol=1e-9)


def test_two_classes_are_boosted_as_by_gradient_boosting():
    two = np.where(CODES > 1, "yes", "no")
    ours = bough.ABCBoostClassifier(**SMALL).fit(X, two).model_
    usual = bough.GradientBoostingClassifier(**SMALL).fit(X, two).model_
    np.testing.assert_array_equal(ours.scores(X), usual.scores(X))


def test_rounds_are_counted_whatever_the_number_of_trees():
    learner = bough.ABCBoostClassifier(**SMALL).fit(X, Y)
    assert learner.n_iter_ == 6
    assert learner.model_.n_trees == 6 * 3 * 4
    *_, last = learner.staged_predict_proba(X)
    np.testing.assert_array_equal(last, learner.predict_proba(X))
    assert sum(1 for _ in learner.staged_predict(X)) == 6
    first = learner.model_.first_rounds(2)
    np.testing.assert_array_equal(first.scores(X), learner.model_.scores(X, n_rounds=2))


@pytest.mark.parametrize("how", [{"cv": 3}, {"refit": True}, {}])
def test_held_out_rows_choose_the_rounds(how):
    learner = bough.ABCBoostClassifier(
        max_iter=40, learning_rate=0.5, early_stopping=True, n_iter_no_change=3, **how
    )
    learner.fit(X, Y)
    assert learner.n_iter_ == learner.validation_loss_.argmin() + 1 < 40
    assert learner.score(X, Y) > 0.7


@pytest.mark.parametrize("variant", ["logitboost", "mart"])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_the_model_does_not_depend_on_threads(variant, share):
    large = np.tile(X, (70, 1)) + RNG.normal(size=(70 * N, 3)) / 5
    labels = np.tile(Y, 70)
    learner = bough.ABCBoostClassifier(max_iter=2, variant=variant, max_samples=share)
    one, two = (learner.set_params(n_jobs=n).fit(large, labels).model_ for n in (1, 2))
    assert one == two


@pytest.mark.parametrize("variant", ["logitboost", "mart"])
def test_the_model_is_saved_and_regrown(variant, tmp_path):
    model = bough.ABCBoostClassifier(**SMALL, variant=variant, base_interval=2).fit(X, Y).model_
    model.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model == bough.regrow(model, X, Y)
    assert model.first_rounds(6) == model


def test_importance_counts_the_gain_of_each_tree_once():
    model = bough.ABCBoostClassifier(**SMALL).fit(X, Y).model_
    splits, column = model.arrays["first_child"] >= 0, model.arrays["column"]
    gain = (model.arrays["gain"] * model.arrays["weight"])[splits]
    np.testing.assert_allclose(np.bincount(column[splits], gain, 3), model.importance())
    assert (gain == 0).sum() == splits.sum() / 2


def test_weights_count_as_repetitions():
    weight = np.random.default_rng(9).integers(1, 4, N)
    twice = np.repeat(np.arange(N), weight)
    for variant in ("logitboost", "mart"):
        learner = bough.ABCBoostClassifier(max_iter=3, variant=variant, min_samples_leaf=1, max_leaf_nodes=4)
        weighted = learner.fit(X, Y, sample_weight=weight).predict_proba(X)
        np.testing.assert_allclose(weighted, learner.fit(X[twice], Y[twice]).predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"base_interval": 0}, "base_interval is 0"),
        ({"base_interval": True}, "base_interval is True"),
        ({"variant": "bough"}, "variant is 'bough'"),
        ({"drop_rate": 0.1}, "drop_rate is 0.1"),
        ({"linear_leaves": True}, "linear_leaves is True"),
        ({"warm_start": True}, "warm_start is True"),
        ({"variant": "mart", "path_smoothing": 2.0}, "path_smoothing is 2.0"),
        ({"max_iter": 0}, "max_iter is 0"),
    ],
)
def test_what_it_cannot_do_is_refused(parameters, named):
    with pytest.raises(ParameterError, match=named):
        bough.ABCBoostClassifier(**parameters).fit(X, Y)


def test_gradient_boosting_has_no_variant_of_abcboost():
    with pytest.raises(ParameterError, match="variant is 'mart'"):
        bough.GradientBoostingClassifier(variant="mart").fit(X, Y)
