"""Losses of one's own, several quantiles at once, and Cox's and the exponential loss in boosting."""

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss
from tests.ensembles import plain_boosting

import bough
from bough.errors import ParameterError, TargetError

RNG = np.random.default_rng(2)
N = 500
X = np.round(RNG.normal(size=(N, 4)), 1)
Y = X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=N)
CLASSES = (Y > 0).astype(int)


def squared(y, score):
    return score - y, np.ones(len(y))


def logistic(y, score):
    share = 1 / (1 + np.exp(-score))
    return share - y, share * (1 - share)


def with_values(function, values):
    def own(y, score):
        return function(y, score)

    own.values = values
    return own


def test_hazards_that_overflow_say_how_to_limit_the_steps():
    rng = np.random.default_rng(2)
    rows, time, status = rng.normal(size=(200, 5)), rng.exponential(size=200), rng.random(200) < 0.5
    learner = bough.GradientBoostingSurvival(min_samples_leaf=1, max_iter=500, learning_rate=0.3)
    with pytest.raises(ParameterError, match="Limit the steps by max_delta_step=1, or choose a greater min"):
        learner.fit(rows, (time, status))
    limited = learner.set_params(max_delta_step=1.0, max_iter=20)
    assert np.isfinite(limited.fit(rows, (time, status)).predict(rows)).all()


@pytest.mark.parametrize(
    ("learner", "own", "named", "y"),
    [
        (bough.GradientBoostingRegressor, squared, "squared_error", Y),
        (bough.GradientBoostingClassifier, logistic, "log_loss", CLASSES),
    ],
)
def test_a_loss_of_ones_own_gives_the_model_of_the_same_named_loss(learner, own, named, y):
    weights = RNG.random(N) + 0.5
    mine, theirs = (
        learner(loss=loss, max_iter=15, random_state=0).fit(X, y, weights).model_ for loss in (own, named)
    )
    np.testing.assert_allclose(mine.scores(X), theirs.scores(X), rtol=1e-7, atol=1e-7)
    assert mine.link == theirs.link


def test_a_loss_of_ones_own_stops_early_by_its_values():
    own = with_values(logistic, lambda y, score: np.logaddexp(0, score) - y * score)
    mine, theirs = (
        bough.GradientBoostingClassifier(loss=loss, early_stopping=True, random_state=0).fit(X, CLASSES)
        for loss in (own, "log_loss")
    )
    assert mine.n_iter_ == theirs.n_iter_ < 100
    np.testing.assert_allclose(mine.validation_loss_, theirs.validation_loss_, rtol=1e-7)
    with pytest.raises(ParameterError, match="loss logistic has no `values`"):
        bough.GradientBoostingClassifier(loss=logistic, early_stopping=True).fit(X, CLASSES)


def test_the_recipe_names_a_loss_of_ones_own(tmp_path):
    model = bough.GradientBoostingRegressor(loss=squared, max_iter=3).fit(X, Y).model_
    assert model.recipe["settings"]["loss"] == {"function": "squared"}
    model.save(tmp_path / "own.json")
    assert bough.load(tmp_path / "own.json") == model
    assert bough.regrow(model, X, Y, objects={"squared": squared}) == model
    with pytest.raises(ParameterError, match="The recipe names 'squared'"):
        bough.regrow(model, X, Y)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda y, s: s - y, "returned ndarray; a pair of arrays is wanted"),
        (lambda y, s: (s - y, 1.0), r"returned hessians of shape \(\); one number for each of 500 rows"),
        (lambda y, s: (np.where(y == y[3], np.nan, s - y), y * 0 + 1), "nan as the gradient of row 3"),
        (lambda y, s: (s - y, np.full(len(y), np.inf)), "inf as the hessian of row 0"),
        (lambda y, s: (s - y, np.full(len(y), -1.0)), "-1 as the hessian of row 0. None may be negative"),
        (lambda y, s: ("a", "b"), "returned a gradient that is no array of real numbers"),
        (lambda y, s: (1j * s, np.ones(N)), "returned a gradient that is no array of real numbers"),
        (lambda y, s: (s - y, np.zeros(len(y))), "a hessian of 0 for every row at a score of 0"),
    ],
)
def test_a_loss_that_returns_something_else_is_refused(answer, message):
    with pytest.raises(ParameterError, match=message):
        bough.GradientBoostingRegressor(loss=answer).fit(X, Y)


def test_a_loss_that_returns_nan_in_a_later_round_is_refused():
    def breaks(y, score):
        return np.where(np.abs(score).max() < 0.5, score - y, np.nan), np.ones(len(y))

    with pytest.raises(ParameterError, match="loss breaks returned nan as the gradient of row 0"):
        bough.GradientBoostingRegressor(loss=breaks).fit(X, Y)
    own = with_values(squared, lambda y, score: np.full(len(y), np.nan))
    with pytest.raises(ParameterError, match="loss own returned nan as the loss of row 0"):
        bough.GradientBoostingRegressor(loss=own, early_stopping=True).fit(X, Y)


def test_a_loss_may_write_to_its_arguments():
    def writes(y, score):
        score -= y
        y *= 0
        return score, np.ones(len(y))

    y = Y.copy()
    model = bough.GradientBoostingRegressor(loss=writes, max_iter=5).fit(X, y)
    np.testing.assert_array_equal(y, Y)
    clean = bough.GradientBoostingRegressor(loss=squared, max_iter=5).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), clean.predict(X), rtol=1e-12)


def test_an_error_within_a_loss_is_raised():
    def broken(y, score):
        raise ZeroDivisionError("by hand")

    with pytest.raises(ZeroDivisionError, match="by hand"):
        bough.GradientBoostingRegressor(loss=broken).fit(X, Y)


def test_losses_of_two_classes_refuse_three():
    three = np.digitize(Y, [-0.5, 0.5])
    for loss, name in ((logistic, "logistic"), ("exponential", "'exponential'")):
        with pytest.raises(TargetError, match=f"y has 3 classes, but loss={name} is about two"):
            bough.GradientBoostingClassifier(loss=loss).fit(X, three)


def test_the_exponential_loss_follows_the_definition():
    sign = 2 * CLASSES - 1

    def exponential(y, score):
        return -sign * np.exp(-sign * score), np.exp(-sign * score)

    start = np.log(CLASSES.mean() / (1 - CLASSES.mean())) / 2
    wanted, _ = plain_boosting.boost(X, CLASSES, exponential, start, 8, max_leaves=6, min_samples_leaf=10)
    learner = bough.GradientBoostingClassifier(
        loss="exponential", max_iter=8, max_leaf_nodes=6, min_samples_leaf=10
    )
    model = learner.fit(X, CLASSES)
    np.testing.assert_allclose(model.decision_function(X), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * wanted)), rtol=1e-9)


OF_THREE = np.digitize(Y, [-0.5, 0.5])


@pytest.mark.parametrize("weighted", [False, True])
def test_one_vs_all_is_a_model_of_each_class_against_the_others(weighted):
    weights = RNG.integers(1, 4, N) if weighted else None
    model = bough.GradientBoostingClassifier(loss="one_vs_all", max_iter=12).fit(X, OF_THREE, weights)
    alone = np.column_stack(
        [
            bough.GradientBoostingClassifier(max_iter=12)
            .fit(X, np.equal(OF_THREE, k), weights)
            .decision_function(X)
            for k in range(3)
        ]
    )
    np.testing.assert_array_equal(model.decision_function(X), alone)
    shares = 1 / (1 + np.exp(-alone))
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), rtol=1e-14)
    np.testing.assert_array_equal(model.predict(X), shares.argmax(axis=1))


def test_one_vs_all_stops_by_the_sum_of_its_losses_and_is_kept_in_files(tmp_path):
    learner = bough.GradientBoostingClassifier(loss="one_vs_all", max_iter=200, random_state=0)
    model = learner.fit(X[:400], OF_THREE[:400], X_val=X[400:], y_val=OF_THREE[400:])
    scores, sign = model.decision_function(X[400:]), 2 * (OF_THREE[400:, np.newaxis] == np.arange(3)) - 1
    loss = np.logaddexp(0, -sign * scores).sum(axis=1).mean()
    assert model.validation_loss_[model.n_iter_ - 1] == pytest.approx(loss, rel=1e-9)
    assert model.n_iter_ < 200
    assert model.model_.tree(1).target_name == "score of 1"
    assert bough.regrow(model.model_, X[:400], OF_THREE[:400]) == model.model_
    model.model_.save(tmp_path / "model.json")
    loaded = bough.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    for n_jobs in (1, 2):
        again = learner.set_params(n_jobs=n_jobs).fit(
            X[:400], OF_THREE[:400], X_val=X[400:], y_val=OF_THREE[400:]
        )
        assert again.model_ == model.model_


def test_several_quantiles_never_cross_and_lose_nothing_by_it():
    shares = [0.05, 0.25, 0.5, 0.75, 0.95]
    model = bough.GradientBoostingRegressor(loss="quantile", quantile=shares, max_iter=60).fit(X, Y)
    scores, predicted = model.model_.scores(X), model.predict(X)
    assert predicted.shape == (N, 5)
    assert (np.diff(scores, axis=1) < 0).any()
    assert (np.diff(predicted, axis=1) >= 0).all()
    before, after = (
        sum(mean_pinball_loss(Y, each[:, k], alpha=share) for k, share in enumerate(shares))
        for each in (scores, predicted)
    )
    assert after <= before


def test_several_quantiles_are_those_of_a_model_each():
    shares = [0.2, 0.8]
    both = bough.GradientBoostingRegressor(loss="quantile", quantile=shares, max_iter=10).fit(X, Y)
    for k, share in enumerate(shares):
        one = bough.GradientBoostingRegressor(loss="quantile", quantile=share, max_iter=10).fit(X, Y)
        np.testing.assert_array_equal(both.model_.scores(X)[:, k], one.model_.scores(X)[:, 0])


@pytest.mark.parametrize("shares", [[0.5], [0.9, 0.1], [0.1, 1.5], ["a", 0.5], []])
def test_quantiles_must_ascend_between_0_and_1(shares):
    with pytest.raises(ParameterError, match="quantile"):
        bough.GradientBoostingRegressor(loss="quantile", quantile=shares).fit(X, Y)


def test_gbm_refuses_the_quantile_1_by_name():
    learner = bough.GradientBoostingRegressor(loss="quantile", quantile=1.0, variant="gbm")
    with pytest.raises(ParameterError, match=r"quantile is 1\.0; it must be a number below 1"):
        learner.fit([[1.0], [2.0]], [1.0, 2.0])


def test_several_quantiles_are_kept_in_files(tmp_path):
    model = bough.GradientBoostingRegressor(loss="quantile", quantile=[0.1, 0.9], max_iter=4).fit(X, Y).model_
    model.save(tmp_path / "quantiles.json")
    assert bough.load(tmp_path / "quantiles.json") == model
    assert bough.regrow(model, X, Y) == model


def test_boosted_cox_is_that_of_the_plain_reference():
    random = np.random.default_rng(11)
    rows = random.integers(0, 9, size=(120, 3)).astype(float)
    # Whole times, so that events tie.
    time = np.ceil(random.exponential(20 * np.exp(-rows[:, 0] / 4 + (rows[:, 1] > 4))))
    status = (random.random(120) < 0.7).astype(float)
    score, splits = plain_boosting.boost(
        rows, np.stack([time, status], axis=1), plain_boosting.cox, 0.0, 6, max_leaves=5, min_samples_leaf=8
    )
    model = bough.GradientBoostingSurvival(
        max_iter=6, learning_rate=0.1, max_leaf_nodes=5, min_samples_leaf=8, min_hessian=0.0
    ).fit(rows, (time, status))
    np.testing.assert_allclose(np.log(model.predict(rows)), score, atol=1e-6)
    assert [tree.n_leaves - 1 for tree in model.model_.trees] == [len(each) for each in splits]


def test_cox_stops_by_the_partial_likelihood_of_validation_rows():
    time, status = RNG.exponential(np.exp(-2 * Y)), (RNG.random(N) < 0.7).astype(float)
    model = bough.GradientBoostingSurvival(max_iter=300, random_state=0)
    model.fit(X[:300], (time[:300], status[:300]), X_val=X[300:], y_val=(time[300:], status[300:]))
    assert model.n_iter_ < 300
    score = np.log(model.predict(X[300:]))
    risk = [np.exp(score[time[300:] >= each]).sum() for each in time[300:]]
    loss = (status[300:] * (np.log(risk) - score)).mean()
    assert loss == pytest.approx(model.validation_loss_.min(), rel=1e-9)
    assert model.score(X[300:], (time[300:], status[300:])) > 0.65


@pytest.mark.parametrize(
    "loss", [{}, {"loss": "quantile", "quantile": [0.3, 0.7]}], ids=["mean", "quantiles"]
)
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_intervals_hold_the_share_of_new_rows_that_they_state(loss, level):
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(3000, 3))
    y = rows[:, 0] + rng.normal(size=3000) * (1 + (rows[:, 1] > 0))
    learner = bough.GradientBoostingRegressor(early_stopping=True, cv=4, max_iter=60, random_state=0, **loss)
    low, high = learner.fit(rows[:1000], y[:1000]).predict_interval(rows[1000:], level=level).T
    assert ((low <= y[1000:]) & (y[1000:] <= high)).mean() == pytest.approx(level, abs=0.06)


@pytest.mark.parametrize("level", [0.05, 0.3])
def test_intervals_of_quantiles_do_not_cross_at_a_low_level(level):
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(2000, 3))
    y = rows[:, 0] + rng.normal(size=2000) * np.exp(rows[:, 1])
    learner = bough.GradientBoostingRegressor(
        loss="quantile", quantile=[0.1, 0.9], early_stopping=True, cv=4, max_iter=40, random_state=0
    )
    low, high = learner.fit(rows[:1000], y[:1000]).predict_interval(rows[1000:], level=level).T
    assert (low <= high).all()
    assert (low < high).any()
    assert ((low <= y[1000:]) & (y[1000:] <= high)).mean() == pytest.approx(level, abs=0.06)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_intervals_of_positive_numbers_begin_at_0_or_above(loss):
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(2000, 3))
    y = rng.gamma(1.0, np.exp(rows[:, 0]))
    learner = bough.GradientBoostingRegressor(
        loss=loss, early_stopping=True, cv=4, max_iter=60, random_state=0
    )
    low, high = learner.fit(rows[:1000], y[:1000]).predict_interval(rows[1000:]).T
    assert low.min() == 0
    assert ((low <= y[1000:]) & (y[1000:] <= high)).mean() == pytest.approx(0.9, abs=0.05)


def test_intervals_need_folds_and_enough_rows():
    with pytest.raises(ParameterError, match="fit with early_stopping=True and cv"):
        bough.GradientBoostingRegressor(max_iter=2).fit(X, Y).predict_interval(X)
    learner = bough.GradientBoostingRegressor(early_stopping=True, cv=2, max_iter=2, random_state=0)
    model = learner.fit(X[:30], Y[:30])
    assert np.isinf(model.predict_interval(X[:1], level=0.99)).all()
    with pytest.raises(ParameterError, match="level is 0"):
        model.predict_interval(X, level=0)


@pytest.mark.parametrize("options", [{"loss": "absolute_error"}, {"loss": "quantile", "quantile": 0.8}])
@pytest.mark.parametrize("direction", [1, -1])
def test_directions_hold_where_leaves_are_quantiles(options, direction):
    columns = [direction, 0, 0, -direction]
    model = bough.GradientBoostingRegressor(monotonic_cst=columns, max_iter=40, **options).fit(X, Y)
    free = bough.GradientBoostingRegressor(max_iter=40, **options).fit(X, Y)
    falls = False
    for column in (0, 3):
        steps = np.repeat(X[:50, None], 41, axis=1)
        steps[:, :, column] = np.linspace(-2, 2, 41)
        rises, unbound = (
            np.diff(each.predict(steps.reshape(-1, 4)).reshape(50, 41)) for each in (model, free)
        )
        assert (columns[column] * rises >= 0).all()
        falls |= bool((columns[column] * unbound < 0).any())
    assert falls


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
def test_steps_of_leaves_are_limited(loss):
    limit = {"max_delta_step": 0.01, "max_iter": 1, "learning_rate": 1.0}
    limit |= {"quantile": 0.7} if loss == "quantile" else {}
    model = bough.GradientBoostingRegressor(loss=loss, **limit).fit(X, Y)
    answers = model.predict(X)
    assert 0 < np.ptp(answers) <= 0.02 + 1e-12


def test_levels_without_any_weight_on_the_grid_do_not_disturb_the_others():
    level = np.repeat(np.arange(7), 30)
    y = np.array([0.0, 5, 0, 2, 5, 0, 5])[level]
    weight = np.where(level == 3, 1e-20, 1.0)
    model = bough.GradientBoostingRegressor(
        categorical_features=[0],
        level_smoothing=0,
        max_iter=1,
        learning_rate=1.0,
        max_leaf_nodes=2,
        l2_regularization=0.0,
        min_samples_leaf=1,
    ).fit(level[:, None].astype(str), y, sample_weight=weight)
    known = level != 3
    np.testing.assert_allclose(model.predict(level[:, None].astype(str))[known], y[known], atol=1e-6)


def test_small_numbers_are_boosted_as_their_multiples():
    large, small = (
        bough.GradientBoostingRegressor(max_iter=5).fit(X, Y * scale).predict(X) / scale
        for scale in (1.0, 2.0**-500)
    )
    np.testing.assert_allclose(small, large, rtol=1e-9)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
@pytest.mark.parametrize("linear_leaves", [False, True])
def test_predictions_beyond_float64_are_refused_by_the_learning_rate(loss, linear_leaves):
    X, y = np.arange(60.0).reshape(-1, 1), np.where(np.arange(60) < 30, 1e-3, 1e3)
    learner = bough.GradientBoostingRegressor(
        loss=loss, max_iter=1, learning_rate=1e300, linear_leaves=linear_leaves
    )
    with pytest.raises(ParameterError, match="Choose a learning_rate below"):
        learner.fit(X, y)


def test_rows_of_little_weight_hardly_widen_an_interval():
    noisy = np.arange(N) % 2 == 0
    y, weight = np.where(noisy, 100 * Y, Y), np.where(noisy, 1e-6, 1.0)
    learner = bough.GradientBoostingRegressor(max_iter=20, early_stopping=True, cv=3, random_state=0)
    width = np.diff(learner.fit(X, y, weight).predict_interval(X[:1])).item()
    assert width < 3 * np.diff(learner.fit(X, Y).predict_interval(X[:1])).item()
    assert width < np.diff(learner.fit(X, y).predict_interval(X[:1])).item() / 10


@pytest.mark.parametrize(
    ("learner", "loss", "message"),
    [
        (bough.GradientBoostingClassifier, "poisson", "y holds classes .*'poisson' is for numbers"),
        (bough.GradientBoostingRegressor, "log_loss", "y holds numbers .*'log_loss' is for classes"),
        (bough.GradientBoostingRegressor, "logloss", "one of 'squared_error', .*'tweedie'\\.$"),
    ],
)
def test_a_loss_of_another_kind_of_y_is_refused_as_such(learner, loss, message):
    with pytest.raises(ParameterError, match=message):
        learner(loss=loss).fit(X, (Y > 0).astype(int))
