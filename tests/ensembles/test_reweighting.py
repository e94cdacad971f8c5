"""AdaBoost, AdaBoost.R2, LogitBoost and BrownBoost: their papers' definitions, scikit-learn's, their laws."""

import numpy as np
import pytest
import sklearn.ensemble
from scipy.special import erf
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.ensembles import plain_reweighting as plain

import bough
from bough.errors import ParameterError, TargetError
from bough.growing.draws import read_seed
from bough.tree.model_answers import softmax

RNG = np.random.default_rng(3)
N = 240
X = RNG.normal(size=(N, 3)).round(2)
SCORE = X[:, 0] + X[:, 1] ** 2 - 1
TWO = (SCORE + RNG.normal(size=N) / 2 > 0).astype(int)
THREE = np.digitize(SCORE + RNG.normal(size=N) / 2, [-0.6, 0.8])
NUMBERS = SCORE + RNG.normal(size=N) / 4
WEIGHTS = RNG.integers(1, 4, size=N).astype(float)
OURS = (
    bough.AdaBoostClassifier(n_estimators=6),
    bough.AdaBoostClassifier(n_estimators=6, variant="real"),
    bough.LogitBoostClassifier(n_estimators=6),
    bough.BrownBoostClassifier(n_estimators=6),
)


def classify(depth):
    def fit(rows, y, weights):
        return bough.TreeClassifier(max_depth=depth).fit(rows, y, weights * len(rows)).predict

    return fit


def shares(depth):
    def fit(rows, y, weights):
        return (
            bough.TreeClassifier(max_depth=depth, smoothing="laplace")
            .fit(rows, y, weights * len(rows))
            .predict_proba
        )

    return fit


def regress(rows, z, weights):
    return bough.TreeRegressor(max_depth=2).fit(rows, z, weights).predict


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_discrete_adaboost_is_that_of_freund_and_schapire(y):
    learner = bough.AdaBoostClassifier(bough.TreeClassifier(max_depth=2), n_estimators=12, variant="discrete")
    model = learner.fit(X, y, WEIGHTS)
    hypotheses, votes, errors = plain.adaboost_m1(X, y, WEIGHTS, classify(2), 12)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, votes, rtol=1e-9)
    assert (model.predict(X) == plain.voted(hypotheses, votes, X, 3)).all()


def test_samme_is_that_of_zhu_and_others():
    model = bough.AdaBoostClassifier(bough.TreeClassifier(max_depth=2), n_estimators=12).fit(
        X, THREE, WEIGHTS
    )
    hypotheses, votes, errors = plain.samme(X, THREE, WEIGHTS, classify(2), 12, 3)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, votes, rtol=1e-9)
    assert (model.predict(X) == plain.voted(hypotheses, votes, X, 3)).all()


def test_real_adaboost_is_that_of_friedman_and_others():
    inner = bough.TreeClassifier(max_depth=2, smoothing="laplace")
    model = bough.AdaBoostClassifier(inner, n_estimators=8, variant="real").fit(X, TWO)
    F = plain.real_adaboost(X, TWO, np.ones(N), shares(2), 8)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * F)), rtol=1e-7)
    three = bough.AdaBoostClassifier(inner, n_estimators=8, variant="real").fit(X, THREE)
    F = plain.samme_r(X, THREE, np.ones(N), shares(2), 8, 3)
    wanted = np.exp(F / 2) / np.exp(F / 2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(three.predict_proba(X), wanted, rtol=1e-7)


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_adaboost_agrees_with_scikit_learn(y, rate):
    ours = bough.AdaBoostClassifier(
        bough.TreeClassifier(max_depth=2), n_estimators=20, learning_rate=rate
    ).fit(X, y, WEIGHTS)
    theirs = sklearn.ensemble.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2, random_state=0), n_estimators=20, learning_rate=rate
    ).fit(X, y, WEIGHTS)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert (mine == other).all()
    stages = zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True)
    for mine, other in stages:
        np.testing.assert_allclose(mine, other, atol=1e-12)
    np.testing.assert_array_equal(ours.decision_function(X), mine)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", OURS, ids=["samme", "real", "logitboost", "brownboost"])
def test_the_greatest_decision_is_predicted(learner, y):
    if learner is OURS[3] and y is THREE:
        return
    model = learner.fit(X, y)
    decisions = model.decision_function(X)
    assert decisions.shape == ((N,) if y is TWO else (N, 3))
    np.testing.assert_array_equal(
        decisions > 0 if y is TWO else decisions.argmax(axis=1), model.predict(X).astype(int)
    )
    if learner is OURS[1] or learner is OURS[2]:
        shares = softmax(decisions[:, None] if y is TWO else decisions)
        np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_adaboost_r2_agrees_with_scikit_learn_and_with_drucker(loss):
    inner = bough.TreeRegressor(max_depth=2, min_samples_leaf=12)
    ours = bough.AdaBoostRegressor(inner, n_estimators=6, loss=loss, random_state=5).fit(X, NUMBERS)
    seed = read_seed(5)
    theirs = sklearn.ensemble.AdaBoostRegressor(
        DecisionTreeRegressor(max_depth=2, min_samples_leaf=12),
        n_estimators=6,
        loss=loss,
        random_state=seed,
    ).fit(X, NUMBERS)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)
    numbers = np.random.RandomState(seed)

    def draw(p):
        numbers.randint(np.iinfo(np.int32).max)
        return numbers.choice(N, size=N, p=p)

    of_loss = {"linear": lambda x: x, "square": np.square, "exponential": lambda x: 1 - np.exp(-x)}[loss]

    def fits(rows, y):
        return bough.TreeRegressor(max_depth=2, min_samples_leaf=12).fit(rows, y).predict

    fitted, votes, errors = plain.adaboost_r2(X, NUMBERS, fits, of_loss, 6, draw)
    np.testing.assert_allclose(ours.estimator_errors_, errors, rtol=1e-9)
    each = np.stack([predict(X) for predict in fitted], axis=1)
    wanted = [plain.weighted_median(row, votes) for row in each.tolist()]
    np.testing.assert_allclose(ours.predict(X), wanted, rtol=1e-9)


def test_adaboost_r2_can_weigh_instead_of_drawing():
    model = bough.AdaBoostRegressor(n_estimators=5, bootstrap=False).fit(X, NUMBERS)
    first = bough.TreeRegressor(max_depth=3).fit(X, NUMBERS)
    assert model.model_.members[0] == first.tree_
    assert model.score(X, NUMBERS) > first.score(X, NUMBERS)


def test_logitboost_is_that_of_friedman_hastie_and_tibshirani():
    learner = bough.LogitBoostClassifier(bough.TreeRegressor(max_depth=2), n_estimators=15, max_response=3.0)
    wanted = plain.logitboost(X, TWO, regress, 15, 3.0)
    np.testing.assert_allclose(learner.fit(X, TWO).predict_proba(X)[:, 1], wanted, rtol=1e-7)
    wanted = plain.logitboost_classes(X, THREE, regress, 15, 3.0, 3)
    model = learner.fit(X, THREE)
    np.testing.assert_allclose(model.predict_proba(X), wanted, rtol=1e-7)
    assert len(model.estimators_) == 45
    log_loss = -np.log(wanted[np.arange(N), THREE]).mean()
    assert model.training_loss_[-1] == pytest.approx(log_loss, rel=1e-7)
    assert len(list(model.staged_predict(X))) == 15


@pytest.mark.parametrize("error", [0.05, 0.2])
def test_brownboost_solves_the_differential_equation_of_freund(error):
    model = bough.BrownBoostClassifier(target_error=error, n_estimators=30, min_correlation=0.02).fit(X, TWO)
    sign, c = np.where(TWO == 1, 1, -1), bough.ensembles.brown.total_time(error)
    alphas, remaining, r = plain.brownboost(X, sign, classify(1), c, 0.02, 30)
    np.testing.assert_allclose(model.estimator_weights_ * c**0.5, alphas, rtol=1e-5)
    np.testing.assert_allclose(model.remaining_time_, remaining, rtol=1e-5, atol=1e-7)
    margins = 2 * model.predict_proba(X)[:, 1] - 1
    np.testing.assert_allclose(margins, erf(sign * r / c**0.5), rtol=1e-5, atol=1e-7)


def test_brownboost_keeps_the_potential_and_ends_with_its_error():
    model = bough.BrownBoostClassifier(bough.TreeClassifier(max_depth=2), target_error=0.25).fit(X, TWO)
    np.testing.assert_allclose(model.potential_, 0.25, rtol=1e-9)
    assert (np.diff(model.remaining_time_) < 0).all()
    assert model.remaining_time_[-1] == 0
    p = 2 * model.predict_proba(X)[:, 1] - 1
    assert np.abs(np.where(TWO == 1, 1, -1) - p).mean() == pytest.approx(0.25, rel=1e-9)


@pytest.mark.slow
def test_brownboost_gives_up_on_noise_and_adaboost_does_not():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 5))
    truth = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    noisy = np.where(rng.random(1500) < 0.2, 1 - truth, truth)
    inner = bough.TreeClassifier(max_depth=3)
    brown = bough.BrownBoostClassifier(inner, target_error=0.4).fit(rows[:750], noisy[:750])
    ada = bough.AdaBoostClassifier(inner, n_estimators=200).fit(rows[:750], noisy[:750])
    assert (brown.predict(rows[750:]) == truth[750:]).mean() > (ada.predict(rows[750:]) == truth[750:]).mean()


@pytest.mark.parametrize("learner", OURS, ids=repr)
def test_a_weight_of_two_is_the_row_twice(learner):
    weighted = learner.fit(X, TWO, WEIGHTS).predict_proba(X)
    times = WEIGHTS.astype(int)
    twice = learner.fit(np.repeat(X, times, axis=0), np.repeat(TWO, times)).predict_proba(X)
    np.testing.assert_allclose(weighted, twice, rtol=1e-6)


INNER = (
    bough.C45Classifier(),
    bough.CARTClassifier(max_depth=2),
    bough.OneRClassifier(),
    bough.RIPPERClassifier(random_state=1),
    bough.C50Classifier(rules=True),
    bough.CHAIDClassifier(max_depth=2),
    bough.RandomForestClassifier(3, max_depth=2),
    bough.GradientBoostingClassifier(max_iter=3, max_leaf_nodes=3),
    bough.LogitBoostClassifier(n_estimators=2),
    bough.BaggingClassifier(n_estimators=2),
)


@pytest.mark.parametrize("inner", INNER, ids=lambda inner: type(inner).__name__)
@pytest.mark.parametrize("variant", ["samme", "real"])
def test_any_classifier_can_be_boosted_saved_and_regrown(inner, variant, tmp_path):
    rows = [[*map(float, row), "abc"[i % 3]] for i, row in enumerate(X.tolist())]
    model = bough.AdaBoostClassifier(inner, n_estimators=3, variant=variant, random_state=0).fit(rows, TWO)
    model.model_.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model.model_
    assert bough.regrow(model.model_, rows, TWO) == model.model_
    assert (bough.load(tmp_path / "model.json").predict(rows) == model.predict(rows)).all()


def test_a_perfect_learner_ends_the_rounds():
    model = bough.AdaBoostClassifier(bough.TreeClassifier()).fit(X, TWO)
    assert len(model.estimators_) == 1
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.score(X, TWO) == 1


def test_what_cannot_be_boosted_is_refused():
    constant = np.zeros((4, 1))
    for learner in OURS:
        with pytest.raises(TargetError, match="one class only"):
            learner.fit(X, ["a"] * N)
    with pytest.raises(ParameterError, match="no better than chance"):
        bough.AdaBoostClassifier().fit(constant, [0, 1, 0, 1])
    with pytest.raises(ParameterError, match=r"no correlation with y above min_correlation \(0.01\)"):
        bough.BrownBoostClassifier().fit(constant, [0, 1, 0, 1])
    with pytest.raises(ParameterError, match="variant='discrete' needs one below"):
        bough.AdaBoostClassifier(variant="discrete").fit([[0], [0], [0], [1], [1]], [0, 1, 2, 1, 2])
    with pytest.raises(TargetError, match=r"3 classes\. Only binary classification"):
        bough.BrownBoostClassifier().fit(X, THREE)
    with pytest.raises(ParameterError, match=r"estimator.*a regressor"):
        bough.LogitBoostClassifier(bough.TreeClassifier()).fit(X, TWO)
    with pytest.raises(ParameterError, match=r"estimator.*one of bough's learners"):
        bough.AdaBoostClassifier(DecisionTreeClassifier()).fit(X, TWO)


@pytest.mark.parametrize(
    ("learner", "parameters"),
    [
        (bough.AdaBoostClassifier, {"variant": "fuzzy"}),
        (bough.AdaBoostClassifier, {"learning_rate": 0}),
        (bough.AdaBoostClassifier, {"n_estimators": 0}),
        (bough.AdaBoostClassifier, {"verbose": -1}),
        (bough.AdaBoostRegressor, {"loss": "huber"}),
        (bough.AdaBoostRegressor, {"bootstrap": "yes"}),
        (bough.LogitBoostClassifier, {"max_response": 0.5}),
        (bough.BrownBoostClassifier, {"target_error": 0.0}),
        (bough.BrownBoostClassifier, {"target_error": 1.0}),
        (bough.BrownBoostClassifier, {"min_correlation": 2.0}),
        (bough.BrownBoostClassifier, {"min_correlation": 1.0}),
    ],
)
def test_wrong_parameters_are_refused_by_name(learner, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        learner(**parameters).fit(X, TWO)


@pytest.mark.parametrize("rate", [1e3, 1e300])
@pytest.mark.parametrize(
    "learner",
    [
        *(bough.AdaBoostClassifier(variant=variant) for variant in ("samme", "discrete", "real")),
        *(bough.AdaBoostRegressor(loss=loss) for loss in ("linear", "square", "exponential")),
        bough.AdaBoostRegressor(bootstrap=False),
    ],
    ids=repr,
)
def test_an_extreme_learning_rate_leaves_no_gaps(learner, rate):
    learner.set_params(learning_rate=rate, n_estimators=10, random_state=0)
    for weight in (None, 10.0 ** np.linspace(-100, 250, len(X))):
        assert np.isfinite(learner.fit(X, TWO, weight).predict(X)).all()
        assert np.isfinite(learner.estimator_weights_).all()
