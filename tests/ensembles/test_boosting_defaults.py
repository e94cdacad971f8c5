"""Gradient boosting without a number of rounds: what the table chooses, and what it does not."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bough

RNG = np.random.default_rng(6)
N = 240
X = RNG.normal(size=(N, 4))
Y = X[:, 0] + RNG.normal(size=N)


def settings_of(model):
    return model.model_.recipe["settings"]


def test_the_model_is_the_mean_of_models_without_each_fold():
    model = bough.GradientBoostingRegressor(random_state=0, n_jobs=1).fit(X, Y).model_
    assert model.recipe["settings"]["cv"] == 5
    assert model.recipe["settings"]["fold_mean"]
    assert bough.regrow(model, X, Y) == model
    # Each fold model starts at the mean of its rows, so that the start is near the mean of all.
    assert model.start[0] == pytest.approx(Y.mean(), abs=1e-9)
    three = bough.GradientBoostingRegressor(random_state=0, n_jobs=3).fit(X, Y).model_
    assert three == model


def test_settings_that_are_given_are_kept():
    model = bough.GradientBoostingRegressor(learning_rate=0.2, max_features=0.9, random_state=0).fit(X, Y)
    assert settings_of(model)["learning_rate"] == 0.2
    assert settings_of(model)["max_features"] == 0.9
    assert settings_of(model)["max_samples"] == 0.5


@pytest.mark.parametrize(
    "parameters",
    [{"max_iter": 7}, {"early_stopping": True}, {"loss": "absolute_error"}, {"drop_rate": 0.1}],
    ids=str,
)
def test_other_fits_have_the_usual_settings(parameters):
    model = bough.GradientBoostingRegressor(random_state=0, **parameters).fit(X, Y)
    assert settings_of(model)["learning_rate"] == 0.1
    assert "fold_mean" not in settings_of(model)
    assert "auto" not in settings_of(model)


def test_few_rows_and_rare_classes_have_the_usual_settings():
    few = bough.GradientBoostingRegressor().fit(X[:50], Y[:50])
    rare = bough.GradientBoostingClassifier().fit(X, np.arange(N) < 5)
    validated = bough.GradientBoostingRegressor().fit(X, Y, X_val=X[:20], y_val=Y[:20])
    assert all("fold_mean" not in settings_of(model) for model in (few, rare, validated))


def test_noise_is_not_learned():
    y = RNG.random(N) < 0.3
    model = bough.GradientBoostingClassifier(random_state=0).fit(X[: N // 2], y[: N // 2])
    loss = log_loss(y[N // 2 :], model.predict_proba(X[N // 2 :]))
    constant = log_loss(y[N // 2 :], np.full(N // 2, y[: N // 2].mean()))
    assert loss < constant + 0.05
