"""The drop-in for histogram gradient boosting has scikit-learn's semantics, and bough's trees."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn._loss.loss import HalfTweedieLoss
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.inspection import partial_dependence

import bough.sklearn as dropin

CLASSIFIER, REGRESSOR = "HistGradientBoostingClassifier", "HistGradientBoostingRegressor"


def both(name, **parameters):
    return [getattr(module, name)(**parameters) for module in (dropin, sklearn.ensemble)]


def numbers(n_rows=250, n_columns=3):
    """Rows of so few values that every one of them has a bin, whatever the version of scikit-learn."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.1 * random.normal(size=n_rows)


def mixed(n_rows=400):
    """Rows with missing values and a column of categories, and two classes."""
    random = np.random.default_rng(1)
    X = np.column_stack([random.normal(size=(n_rows, 2)), random.integers(0, 7, size=n_rows)])
    y = (X[:, 0] > 0) ^ (X[:, 2] % 3 == 0)
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "gamma", "poisson", "quantile"])
def test_predictions_are_those_of_scikit_learn(loss):
    X, y = numbers()
    more = {"quantile": 0.7} if loss == "quantile" else {}
    ours, own = both(REGRESSOR, loss=loss, max_iter=5, min_samples_leaf=30, **more)
    y = np.exp(y / 3) if loss in ("gamma", "poisson") else y
    # scikit-learn computes gradients in 32 bits, and interpolates the medians and quantiles of leaves.
    atol = 0.03 if loss in ("absolute_error", "quantile") else 0
    np.testing.assert_allclose(ours.fit(X, y).predict(X), own.fit(X, y).predict(X), rtol=1e-4, atol=atol)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_classes_are_those_of_scikit_learn(n_classes):
    X, y = make_classification(200, 4, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=0)
    ours, own = (each.fit(X, y) for each in both(CLASSIFIER, max_iter=3, max_leaf_nodes=3))
    np.testing.assert_allclose(ours.decision_function(X), own.decision_function(X), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), own.predict_proba(X), rtol=1e-4)


@pytest.mark.parametrize("scoring", ["loss", "r2", None])
@pytest.mark.parametrize("validation_fraction", [0.2, None])
def test_early_stopping_is_that_of_scikit_learn(scoring, validation_fraction):
    X, y = numbers()
    ours, own = both(
        REGRESSOR,
        early_stopping=True,
        scoring=scoring,
        validation_fraction=validation_fraction,
        n_iter_no_change=2,
        tol=0.15,
        min_samples_leaf=30,
        random_state=0,
    )
    assert ours.fit(X, y).n_iter_ == own.fit(X, y).n_iter_ < 100
    np.testing.assert_allclose(ours.train_score_, own.train_score_, rtol=1e-4)
    np.testing.assert_allclose(ours.validation_score_, own.validation_score_, rtol=1e-4)
    assert len(list(ours.staged_predict(X))) == ours.n_iter_


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "gamma", "poisson", "quantile"])
def test_scores_of_rounds_are_the_losses_of_their_predictions(loss):
    X, y = numbers()
    y, weight = np.exp(y / 3), np.arange(len(y)) % 3 + 0.5
    parts = (X[:200], y[:200], weight[:200]), (X[200:], y[200:], weight[200:])
    (X, y, weight), (X_val, y_val, weight_val) = parts
    quantile = 0.3 if loss == "quantile" else None
    model = dropin.HistGradientBoostingRegressor(
        loss=loss, quantile=quantile, max_iter=4, early_stopping=True
    )
    model.fit(X, y, weight, X_val=X_val, y_val=y_val, sample_weight_val=weight_val)
    for (rows, truth, own), scores in zip(parts, (model.train_score_, model.validation_score_), strict=True):
        for score, raw in zip(scores[1:], model._staged_raw_predict(rows), strict=True):
            loss_of_round = model._loss(y_true=truth, raw_prediction=raw[:, 0], sample_weight=own)
            assert score == pytest.approx(-loss_of_round, rel=1e-9)


def test_rounds_until_a_stop_are_those_without_one():
    X, y = numbers()
    stopped = dropin.HistGradientBoostingRegressor(
        early_stopping=True, validation_fraction=None, n_iter_no_change=3, tol=0.1
    ).fit(X, y)
    plain = dropin.HistGradientBoostingRegressor(max_iter=stopped.n_iter_).fit(X, y)
    np.testing.assert_array_equal(stopped.predict(X), plain.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_to_sklearn_answers_the_same_for_missing_and_unknown_values(n_classes):
    X, y = mixed()
    y = y if n_classes == 2 else y + (X[:, 1] > 0.5)
    model = dropin.HistGradientBoostingClassifier(max_iter=20, categorical_features=[2]).fit(X, y)
    own = model.to_sklearn()
    assert type(own) is sklearn.ensemble.HistGradientBoostingClassifier
    new = np.vstack([X, [[np.nan, np.inf, 3.0], [-np.inf, 0.0, 30.0], [0.0, np.nan, np.nan]]])
    np.testing.assert_allclose(own.predict_proba(new), model.predict_proba(new), rtol=1e-12)
    assert own.n_iter_ == model.n_iter_


def test_splits_of_missing_against_known_values_go_to_sklearn():
    X = np.array([[-np.inf], [0.0], [1.0], [np.inf], [np.nan]] * 10)
    y = np.isnan(X[:, 0]).astype(float)
    model = dropin.HistGradientBoostingRegressor(min_samples_leaf=1, max_iter=3).fit(X, y)
    np.testing.assert_allclose(model.to_sklearn().predict(X[:5]), model.predict(X[:5]), rtol=1e-12)


def test_categories_of_frames_by_their_dtype():
    X, y = mixed()
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(color=pd.Categorical(X[:, 2].astype(str)))
    model = dropin.HistGradientBoostingClassifier(random_state=0).fit(frame, y)
    assert model.is_categorical_.tolist() == [False, False, True]
    assert model.score(frame, y) > 0.9
    unknown = frame.assign(color="none").iloc[:5]
    missing = frame.assign(color=pd.Categorical([None] * len(frame), categories=["0.0"])).iloc[:5]
    np.testing.assert_array_equal(model.predict_proba(unknown), model.predict_proba(missing))


def test_constraints_hold_where_categories_come_first():
    X, y = mixed()
    X = X[:, [0, 2, 1]]
    model = dropin.HistGradientBoostingRegressor(
        categorical_features=[1], monotonic_cst=[1, 0, 0], interaction_cst=[{0}, {1, 2}]
    ).fit(X, y.astype(float))
    grid = np.column_stack([np.linspace(-2, 2, 50), np.full(50, 3.0), np.zeros(50)])
    rising = model.predict(grid)
    assert (np.diff(rising) >= 0).all()
    assert rising[-1] > rising[0]
    other = np.column_stack([grid[:, 0], np.full(50, 1.0), np.ones(50)])
    # Column 0 meets no other column, so its effect does not depend on them.
    np.testing.assert_allclose(model.predict(other) - rising, model.predict(other)[0] - rising[0], atol=1e-9)


def test_warm_start_adds_rounds():
    X, y = numbers()
    grown = dropin.HistGradientBoostingRegressor(max_iter=4, warm_start=True).fit(X, y)
    grown.set_params(max_iter=9).fit(X, y)
    at_once = clone(grown).set_params(warm_start=False).fit(X, y)
    np.testing.assert_array_equal(grown.predict(X), at_once.predict(X))


def test_a_loss_of_scikit_learn_that_bough_has_not():
    X, y = numbers()
    model = dropin.HistGradientBoostingRegressor(loss=HalfTweedieLoss(power=1.2), max_iter=30)
    y = np.exp(y)
    constant = np.mean((y - y.mean()) ** 2)
    assert np.mean((y - model.fit(X, y).predict(X)) ** 2) < constant / 2


def test_partial_dependence_by_recursion_is_that_of_to_sklearn():
    X, y = numbers()
    model = dropin.HistGradientBoostingRegressor(max_iter=10).fit(X, y)
    ours, own = (
        partial_dependence(each, X, [0], method="recursion", kind="average")["average"]
        for each in (model, model.to_sklearn())
    )
    np.testing.assert_allclose(ours, own, rtol=1e-12)


def test_classes_of_weight_0_stay():
    X, y = mixed()
    weight = (~y).astype(float)
    model = dropin.HistGradientBoostingClassifier(max_iter=2).fit(X, y, sample_weight=weight)
    assert model.classes_.tolist() == [False, True]
    assert not model.predict(X).any()


def test_verbose_prints_a_summary(capsys):
    X, y = numbers()
    dropin.HistGradientBoostingRegressor(max_iter=2, verbose=1).fit(X, y)
    assert "Fit 2 trees in" in capsys.readouterr().out
