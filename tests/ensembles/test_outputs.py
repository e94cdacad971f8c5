"""What forests tell beside their answers, checked against its definition."""

import numpy as np
import pytest
from sklearn.base import clone

import bough
from bough.errors import ParameterError, TargetError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4)).round(2)
CLASSES = np.where(X[:, 0] + RNG.normal(size=150) > 0, "yes", "no")
NUMBERS = X[:, 0] * 3 + X[:, 1] + RNG.normal(size=150)


@pytest.fixture(scope="module")
def classifier():
    return bough.RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, CLASSES)


@pytest.fixture(scope="module")
def regressor():
    return bough.RandomForestRegressor(60, oob_score=True, quantiles=True, random_state=0).fit(X, NUMBERS)


def test_out_of_bag_is_what_trees_say_of_rows_they_did_not_draw(classifier):
    out = classifier.in_bag() == 0
    shares = np.stack([tree.predict_proba(X) for tree in classifier.forest_.trees], axis=1)
    expected = (shares * out[:, :, None]).sum(axis=1) / out.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(classifier.oob_decision_function_, expected, atol=1e-12)
    np.testing.assert_array_equal(classifier.oob_times_, out.sum(axis=1))
    answer = classifier.classes_[expected.argmax(axis=1)]
    assert classifier.oob_score_ == pytest.approx((answer == CLASSES).mean())
    assert classifier.oob_error_curve_[-1, 0] == pytest.approx(1 - classifier.oob_score_)
    assert classifier.oob_confusion_.sum() == 150
    assert classifier.oob_confusion_[0, 1] == ((CLASSES == "no") & (answer == "yes")).sum()


def test_out_of_bag_of_numbers(regressor):
    out = regressor.in_bag() == 0
    said = np.stack([tree.predict(X) for tree in regressor.forest_.trees], axis=1)
    expected = (said * out).sum(axis=1) / out.sum(axis=1)
    np.testing.assert_allclose(regressor.oob_prediction_, expected)
    assert regressor.oob_error_curve_[-1] == pytest.approx(((NUMBERS - expected) ** 2).mean())
    np.testing.assert_allclose(regressor.oob_errors_, NUMBERS - expected)


def test_error_on_other_rows_after_each_tree(classifier, regressor):
    curve = classifier.staged_error(X, CLASSES)
    assert curve.shape == (60, 3)
    assert curve[-1, 0] == pytest.approx((classifier.predict(X) != CLASSES).mean())
    assert regressor.staged_error(X, NUMBERS)[-1] == pytest.approx(
        ((regressor.predict(X) - NUMBERS) ** 2).mean()
    )
    with pytest.raises(TargetError, match="maybe"):
        classifier.staged_error(X[:2], ["yes", "maybe"])


def test_quantiles_are_those_of_the_rows_that_share_leaves(regressor):
    asked = X[:5]
    weight = np.zeros((5, 150))
    for tree, drawn in zip(regressor.forest_.trees, regressor.in_bag().T, strict=True):
        same = tree.apply(asked)[:, None] == tree.apply(X)
        weight += same * drawn / (same * drawn).sum(axis=1, keepdims=True)
    order = np.argsort(NUMBERS)
    share = np.cumsum(weight[:, order], axis=1) / weight.sum(axis=1, keepdims=True)
    for quantile in (0.1, 0.5, 0.9):
        expected = NUMBERS[order][(share >= quantile - 1e-6).argmax(axis=1)]
        np.testing.assert_allclose(regressor.predict_quantiles(asked, quantile)[:, 0], expected)
    with pytest.raises(ParameterError, match="quantiles is False"):
        bough.RandomForestRegressor(2).fit(X, NUMBERS).predict_quantiles(X)
    with pytest.raises(ParameterError, match="from 0 to 1"):
        regressor.predict_quantiles(X, 1.5)


@pytest.mark.parametrize("method", ["oob", "quantile"])
def test_intervals_hold_about_as_many_numbers_as_they_say(method):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(1500, 4))
    y = rows[:, 0] * 3 + rows[:, 1] + rng.normal(size=1500)
    options = {"min_samples_leaf": 10, "oob_score": True, "quantiles": True, "random_state": 0}
    model = bough.RandomForestRegressor(100, **options).fit(rows, y)
    fresh = np.random.default_rng(1).normal(size=(2000, 4))
    truth = fresh[:, 0] * 3 + fresh[:, 1] + np.random.default_rng(2).normal(size=2000)
    low, high = model.predict_interval(fresh, 0.9, method).T
    assert 0.82 < ((low <= truth) & (truth <= high)).mean() < 0.97


def test_jackknife_tells_where_a_forest_is_unsure():
    model = bough.RandomForestRegressor(500, random_state=0).fit(X, NUMBERS)
    spread = model.predict_std(X)
    assert (spread >= 0).all()
    assert 0.1 < spread.mean() < 1.5
    low, high = model.predict_interval(X, 0.9, "jackknife").T
    assert (low <= high).all()


def test_proximity_counts_common_leaves(classifier):
    leaves = classifier.apply(X)
    expected = (leaves[:, None] == leaves).mean(axis=2)
    np.testing.assert_allclose(classifier.proximity(X, sparse=False), expected, rtol=1e-6)
    np.testing.assert_allclose(classifier.proximity(X, sparse=True).toarray(), expected, rtol=1e-6)
    out = classifier.in_bag() == 0
    both = out[:, None] & out
    near = ((leaves[:, None] == leaves) & both).sum(axis=2) / np.maximum(both.sum(axis=2), 1)
    np.fill_diagonal(near, 1)
    np.testing.assert_allclose(classifier.proximity(X, oob=True, sparse=False), near, rtol=1e-6)
    np.testing.assert_allclose(classifier.proximity(X, oob=True, sparse=True).toarray(), near, rtol=1e-6)


def test_outliers_and_prototypes():
    rows = np.r_[RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2)) + 6, [[6.0, 6.0]]]
    y = ["a"] * 60 + ["b"] * 60 + ["a"]
    model = bough.RandomForestClassifier(100, min_samples_leaf=5, random_state=0).fit(rows, y)
    assert model.outlier_scores(rows, y).argmax() == 120
    typical = model.prototypes(rows, y)
    assert abs(typical["a"]["x0"]) < 1
    assert abs(typical["b"]["x0"] - 6) < 1


def test_importance_finds_the_columns_that_matter(classifier, regressor):
    found = classifier.permutation_importance(X, CLASSES, by_case=True)
    assert found.mean.argmax() == 0
    assert found.by_class.shape == (4, 2)
    times = classifier.oob_times_
    drop = found.by_case * times[:, None]
    np.testing.assert_allclose(drop, drop.round(), atol=1e-9)
    assert regressor.permutation_importance(X, NUMBERS).mean.argmax() == 0
    assert classifier.debiased_importance(X, CLASSES).argmax() == 0
    with pytest.raises(ParameterError, match="150"):
        classifier.permutation_importance(X[:10], CLASSES[:10])


def test_bias_correction_is_the_line_through_answers_out_of_bag():
    model = bough.RandomForestRegressor(60, bias_correction=True, random_state=0).fit(X, NUMBERS)
    plain = bough.RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, NUMBERS)
    slope, intercept = np.polyfit(plain.oob_prediction_, NUMBERS, 1)
    np.testing.assert_allclose(model.predict(X), intercept + slope * plain.predict(X))


def test_samples_by_class_and_stratum():
    sizes = {"no": 10, "yes": 20}
    model = bough.RandomForestClassifier(5, max_samples=sizes, random_state=0).fit(X, CLASSES)
    drawn = model.in_bag()
    assert (drawn[CLASSES == "no"].sum(axis=0) == 10).all()
    assert (drawn[CLASSES == "yes"].sum(axis=0) == 20).all()
    strata = np.arange(150) % 3
    model = bough.RandomForestClassifier(5, max_samples=[5, 6, 7], replace=False, random_state=0)
    drawn = model.fit(X, CLASSES, strata=strata).in_bag()
    assert drawn.max() == 1
    assert [drawn[strata == each, 0].sum() for each in range(3)] == [5, 6, 7]
    once = bough.RandomForestClassifier(5, replace=False).fit(X, CLASSES).in_bag()
    assert (once.sum(axis=0) == 95).all()


def test_a_cutoff_moves_the_line_between_classes(classifier):
    eager = bough.RandomForestClassifier(60, cutoff={"yes": 0.2, "no": 0.8}, random_state=0).fit(X, CLASSES)
    expected = np.where(
        classifier.predict_proba(X)[:, 1] / 0.2 > classifier.predict_proba(X)[:, 0] / 0.8, "yes", "no"
    )
    np.testing.assert_array_equal(eager.predict(X), expected)


def test_bagging_is_the_mean_of_any_learner():
    text = np.where(X > 0, "high", "low").astype(object)
    model = bough.BaggingClassifier(bough.ID3Classifier(), 30, oob_score=True, random_state=0).fit(
        text, CLASSES
    )
    expected = np.mean([one.predict_proba(text) for one in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(text), expected)
    assert 0.5 < model.oob_score_ < 1
    some = bough.BaggingRegressor(n_estimators=5, max_features=2, random_state=0).fit(X, NUMBERS)
    assert all(len(columns) == 2 for columns in some.estimators_features_)
    again = bough.BaggingRegressor(n_estimators=2, max_features=2, random_state=0, warm_start=True).fit(
        X, NUMBERS
    )
    again.set_params(n_estimators=5).fit(X, NUMBERS)
    np.testing.assert_array_equal(again.predict(X), some.predict(X))
    with pytest.raises(ParameterError, match="estimator"):
        bough.BaggingClassifier("tree").fit(X, CLASSES)


def test_intervals_out_of_bag_hold_their_level_on_few_rows():
    held = []
    for repeat in range(40):
        rng = np.random.default_rng(repeat)
        rows = rng.normal(size=(560, 4))
        y = rows[:, 0] * 3 + rows[:, 1] + rng.normal(size=560)
        model = bough.RandomForestRegressor(200, max_features=2, oob_score=True, random_state=repeat)
        low, high = model.fit(rows[:60], y[:60]).predict_interval(rows[60:], 0.9).T
        held.append(((low <= y[60:]) & (y[60:] <= high)).mean())
    error = np.std(held, ddof=1) / np.sqrt(len(held))
    assert error < 0.01
    assert abs(np.mean(held) - 0.9) < 3 * error


def test_the_jackknife_leaves_out_one_row_at_a_time():
    model = bough.RandomForestRegressor(400, random_state=0).fit(X, NUMBERS)
    asked, out = X[:7], model.in_bag() == 0
    said = np.stack([tree.predict(asked) for tree in model.forest_.trees], axis=1)
    mean = said.mean(axis=1)
    variance = sum((said[:, without].mean(axis=1) - mean) ** 2 for without in out) * 149 / 150
    # The share p of trees that did not draw a row is about 1/e, which makes 1/p - 1 about e - 1.
    noise = (1 / out.mean(axis=1) - 1).sum() / 400 * said.var(axis=1) * 149 / 150
    assert noise == pytest.approx((np.e - 1) * 150 / 400 * said.var(axis=1), rel=0.03)
    np.testing.assert_allclose(model.predict_std(asked) ** 2, variance - noise)


@pytest.mark.parametrize("classes", [True, False])
def test_impurity_importance_is_what_the_splits_of_the_trees_gained(classes, classifier, regressor):
    model = classifier if classes else regressor
    expected = np.zeros(4)
    for tree in model.forest_.trees:
        weight = tree.weight
        share = tree.statistics / weight[:, None]
        risk = weight * (1 - np.square(share).sum(axis=1)) if classes else tree.risk
        for node in np.flatnonzero(tree.column >= 0):
            first = tree.first_child[node]
            expected[tree.column[node]] += risk[node] - risk[first : first + 2].sum()
    np.testing.assert_allclose(model.impurity_importance(), expected / 60, rtol=1e-5)


def test_permutation_importance_is_what_a_shuffle_loses(classifier):
    rng = np.random.default_rng(0)
    out = classifier.in_bag() == 0
    lost = np.zeros((60, 4))
    for number, tree in enumerate(classifier.forest_.trees):
        rows = np.flatnonzero(out[:, number])
        own = (tree.predict(X[rows]) == CLASSES[rows]).mean()
        for column in range(4):
            for _ in range(5):
                shuffled = X[rows].copy()
                shuffled[:, column] = rng.permutation(shuffled[:, column])
                lost[number, column] += (own - (tree.predict(shuffled) == CLASSES[rows]).mean()) / 5
    found = classifier.permutation_importance(X, CLASSES, n_repeats=5)
    # Both means of five shuffles scatter by much less than the standard error between trees.
    assert (np.abs(found.mean - lost.mean(axis=0)) < found.sd).all()
    np.testing.assert_allclose(found.sd, lost.std(axis=0) / np.sqrt(60), rtol=0.25)
    with pytest.raises(ParameterError, match="n_repeats is 0"):
        classifier.permutation_importance(X, CLASSES, n_repeats=0)


def test_outlier_scores_and_prototypes_are_those_of_their_definitions(classifier):
    near = classifier.proximity(X, sparse=False)
    for label in ("no", "yes"):
        own = label == CLASSES
        raw = 150 / np.square(near[np.ix_(own, own)]).sum(axis=1)
        off = raw - np.median(raw)
        expected = off / (1.4826 * np.median(np.abs(off)))
        np.testing.assert_allclose(classifier.outlier_scores(X, CLASSES)[own], expected)
    many = min((label == CLASSES).sum() for label in ("no", "yes")) - 1
    nearest = np.argsort(-near, axis=1, kind="stable")[:, :many]
    counts = (CLASSES[nearest] == "yes").sum(axis=1)
    members = nearest[counts.argmax()]
    expected = np.median(X[members[CLASSES[members] == "yes"]], axis=0)
    np.testing.assert_allclose(list(classifier.prototypes(X, CLASSES)["yes"].values()), expected)


LEARNERS_OF_CLASSES = [
    bough.CARTClassifier(),
    bough.C45Classifier(),
    bough.C50Classifier(),
    bough.REPTreeClassifier(),
    bough.ExtraTreesClassifier(5),
]


@pytest.mark.parametrize("learner", LEARNERS_OF_CLASSES, ids=lambda each: type(each).__name__)
def test_any_learner_is_bagged_by_mean_or_by_vote(learner):
    soft, hard = (
        bough.BaggingClassifier(learner, 5, voting=voting, random_state=0).fit(X, CLASSES)
        for voting in ("soft", "hard")
    )
    said = np.array([one.predict_proba(X) for one in soft.estimators_])
    np.testing.assert_allclose(soft.predict_proba(X), said.mean(axis=0))
    votes = np.mean([one.predict(X)[:, None] == hard.classes_ for one in hard.estimators_], axis=0)
    np.testing.assert_allclose(hard.predict_proba(X), votes)


def test_a_row_without_weight_is_absent_in_bagging():
    weight = np.r_[np.zeros(50), np.ones(100)]
    learner = bough.BaggingRegressor(n_estimators=20, oob_score=True, random_state=0)
    model, without = clone(learner).fit(X, NUMBERS, weight), learner.fit(X[50:], NUMBERS[50:])
    assert model.model_ == without.model_
    assert model.oob_score_ == without.oob_score_
    assert np.isnan(model.oob_prediction_[:50]).all()
    np.testing.assert_array_equal(model.oob_prediction_[50:], without.oob_prediction_)
    samples = zip(model.estimators_samples_, without.estimators_samples_, strict=True)
    assert all(np.array_equal(drawn, others + 50) for drawn, others in samples)
    assert bough.regrow(model.model_, X, NUMBERS, weight) == model.model_
