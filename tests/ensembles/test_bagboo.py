"""BagBoo: the mean of boosted models of its samples, less variance than boosting, files."""

import numpy as np
import pytest
from tests.ensembles import plain_boosting

import bough

RNG = np.random.default_rng(6)
N = 400
X = RNG.normal(size=(N, 4))
NUMBERS = X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=N)
CLASSES = np.array(["low", "middle", "high"])[np.digitize(NUMBERS, [-0.5, 1.5])]
RARE = np.where(np.arange(N) % 100 == 0, "rare", "common")


def members(model):
    """The rows and the columns of each member of a fitted model."""
    return zip(model.estimators_samples_, model.estimators_features_, strict=True)


def test_bagboo_is_the_mean_of_boosted_models_of_its_samples():
    model = bough.BagBooRegressor(n_estimators=4, random_state=1).fit(X, NUMBERS)
    total = np.zeros(N)
    for rows, columns in members(model):
        inner = bough.GradientBoostingRegressor(max_iter=20, max_leaf_nodes=8)
        total += inner.fit(X[np.ix_(rows, columns)], NUMBERS[rows]).predict(X[:, columns])
    np.testing.assert_allclose(model.predict(X), total / 4, rtol=1e-9, atol=1e-9)
    classes = bough.BagBooClassifier(n_estimators=3, random_state=1).fit(X, CLASSES)
    shares = np.zeros((N, 3))
    for rows, columns in members(classes):
        inner = bough.GradientBoostingClassifier(max_iter=20, max_leaf_nodes=8)
        shares += inner.fit(X[np.ix_(rows, columns)], CLASSES[rows]).predict_proba(X[:, columns])
    np.testing.assert_allclose(classes.predict_proba(X), shares / 3, rtol=1e-9, atol=1e-9)


def test_every_sample_has_rows_of_all_classes():
    model = bough.BagBooClassifier(n_estimators=6, random_state=0).fit(X, RARE)
    for rows, _ in members(model):
        assert set(RARE[rows]) == {"rare", "common"}
        assert abs(len(rows) - N / 2) <= 1


@pytest.mark.slow
def test_bagging_lowers_the_variance_of_boosting():
    new = RNG.normal(size=(200, 4))
    one = bough.GradientBoostingRegressor(max_iter=20, max_leaf_nodes=8, learning_rate=0.3)
    many = bough.BagBooRegressor(one, n_estimators=15, max_features=None, random_state=0)
    draws = [RNG.integers(N, size=N) for _ in range(8)]
    spread = [
        np.std([learner.fit(X[rows], NUMBERS[rows]).predict(new) for rows in draws], axis=0).mean()
        for learner in (one, many)
    ]
    assert spread[1] < 0.8 * spread[0]


@pytest.mark.parametrize("name", ["BagBooClassifier", "BagBooRegressor"])
def test_the_model_is_saved_and_regrown(name, tmp_path):
    y = CLASSES if name == "BagBooClassifier" else NUMBERS
    model = getattr(bough, name)(n_estimators=3, random_state=0).fit(X, y).model_
    model.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model == bough.regrow(model, X, y)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_members_are_plain_boosted_models_of_their_samples(kind):
    rows = X.round(1)
    limits = {"max_iter": 5, "max_leaf_nodes": 4, "min_samples_leaf": 15, "l2_regularization": 0.0}
    if kind == "numbers":
        y, loss = NUMBERS, plain_boosting.squared
        inner = bough.GradientBoostingRegressor(**limits)
        model = bough.BagBooRegressor(inner, n_estimators=2, random_state=3).fit(rows, y)
    else:
        y, loss = (NUMBERS > 0).astype(float), plain_boosting.logistic
        inner = bough.GradientBoostingClassifier(**limits)
        model = bough.BagBooClassifier(inner, n_estimators=2, random_state=3).fit(rows, y)
    answers = np.zeros(N)
    for number, (drawn, columns) in enumerate(members(model)):
        sample, own = rows[np.ix_(drawn, columns)], y[drawn]
        mean = own.mean()
        start = mean if kind == "numbers" else np.log(mean / (1 - mean))
        wanted, _ = plain_boosting.boost(sample, own, loss, start, 5, max_leaves=4, min_samples_leaf=15)
        member = model.estimators_[number]
        if kind == "numbers":
            found = member.predict(sample)
            answers += member.predict(rows[:, columns])
        else:
            shares = member.predict_proba(sample)[:, 1]
            found = np.log(shares / (1 - shares))
            answers += member.predict_proba(rows[:, columns])[:, 1]
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    ours = model.predict(rows) if kind == "numbers" else model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(ours, answers / 2, rtol=1e-9, atol=1e-9)
