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
    assert settings_of(model)["max_samples"] == 0.85
    assert settings_of(model)["linear_leaves"]


def test_leaves_of_numbers_are_linear():
    y = 3 * X[:, 0] - X[:, 1] + 0.1 * RNG.normal(size=N)
    models = {
        kind: bough.GradientBoostingRegressor(linear_leaves=kind, random_state=0).fit(X[:160], y[:160])
        for kind in ("auto", True, False)
    }
    assert models["auto"].model_ == models[True].model_
    assert models["auto"].model_.leaf_models is not None
    assert models[False].model_.leaf_models is None
    errors = {kind: np.mean((model.predict(X[160:]) - y[160:]) ** 2) for kind, model in models.items()}
    assert errors["auto"] < 0.8 * errors[False]


def test_the_mean_of_linear_models_is_the_sum_of_their_trees(tmp_path):
    model = bough.GradientBoostingRegressor(max_leaf_nodes=3, random_state=0).fit(X, Y).model_
    trees = [model.tree(i).predict(X) for i in range(model.n_trees)]
    assert model.predict(X) == pytest.approx(model.start[0] + np.sum(trees, axis=0), rel=1e-9)
    model.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model


@pytest.mark.parametrize(
    "parameters", [{"monotonic_cst": np.array([1, 0, 0, 0])}, {"max_delta_step": 2.0}], ids=["array", "step"]
)
def test_what_linear_leaves_do_not_support_turns_them_off(parameters):
    model = bough.GradientBoostingRegressor(random_state=0, **parameters).fit(X, Y)
    assert "linear_leaves" not in settings_of(model)
    assert settings_of(model)["fold_mean"]


def test_leaves_are_not_linear_without_numeric_columns_and_for_classes():
    words = bough.GradientBoostingRegressor(random_state=0).fit([["ab"[i % 2]] for i in range(N)], Y)
    classes = bough.GradientBoostingClassifier(random_state=0).fit(X, Y > 0)
    for model in (words, classes):
        assert model.model_.leaf_models is None
        assert not {"linear_leaves", "ridge", "auto"} & set(settings_of(model))


def test_a_word_for_linear_leaves_is_refused():
    with pytest.raises(bough.errors.ParameterError, match="linear_leaves is 'yes'; it must be True, False"):
        bough.GradientBoostingRegressor(linear_leaves="yes").fit(X, Y)


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
