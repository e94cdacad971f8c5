"""Boosting of several numbers at once: leaves have a value for each."""

import numpy as np
import pytest
from tests.ensembles import plain_boosting

import bough
from bough.errors import ParameterError

RNG = np.random.default_rng(9)
N = 400
X = np.round(RNG.normal(size=(N, 3)), 1)
Y = np.column_stack([X[:, 0] + X[:, 1] * X[:, 2], X[:, 0] ** 2, RNG.normal(size=N)])
Y += 0.3 * RNG.normal(size=Y.shape)
PARAMETERS = {"max_iter": 6, "max_leaf_nodes": 6, "min_samples_leaf": 10}


def plain_tree(rows, gradient, l2, max_leaves, least):
    """The leaves of a tree that is grown by the sum of the gains of all targets: rows and values."""

    def gain(some):
        return (gradient[some].sum(axis=0) ** 2).sum() / (len(some) + l2)

    def best(some):
        found = (0.0, None)
        for column in range(rows.shape[1]):
            values = np.unique(rows[:, column])
            for cut in (values[1:] + values[:-1]) / 2:
                goes = rows[some, column] < cut
                left, right = some[goes], some[~goes]
                if min(len(left), len(right)) < least:
                    continue
                value = gain(left) + gain(right) - gain(some)
                if value > found[0] * (1 + 1e-9):
                    found = (value, (left, right))
        return found

    leaves = [(np.arange(len(rows)), best(np.arange(len(rows))))]
    while len(leaves) < max_leaves:
        at = max(range(len(leaves)), key=lambda i: leaves[i][1][0])
        if leaves[at][1][1] is None:
            break
        left, right = leaves[at][1][1]
        leaves[at] = (left, best(left))
        leaves.append((right, best(right)))
    return [(some, -gradient[some].sum(axis=0) / (len(some) + l2)) for some, _ in leaves]


@pytest.mark.parametrize("l2", [0.0, 5.0])
def test_boosting_follows_its_definition(l2):
    score = np.tile(Y.mean(axis=0), (N, 1))
    for _ in range(6):
        for rows, value in plain_tree(X, score - Y, l2, 6, 10):
            score[rows] += 0.1 * value
    model = bough.GradientBoostingRegressor(l2_regularization=l2, **PARAMETERS).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), score, rtol=1e-9, atol=1e-9)
    assert model.n_iter_ == 6 == len(model.model_.trees)


def test_one_target_twice_is_boosted_as_once():
    once = bough.GradientBoostingRegressor(**PARAMETERS).fit(X, Y[:, 0])
    twice = bough.GradientBoostingRegressor(**PARAMETERS).fit(X, Y[:, [0, 0]])
    np.testing.assert_allclose(twice.predict(X)[:, 1], once.predict(X), rtol=1e-9)
    wanted, _ = plain_boosting.boost(
        X, Y[:, 0], plain_boosting.squared, Y[:, 0].mean(), 6, max_leaves=6, min_samples_leaf=10
    )
    np.testing.assert_allclose(twice.predict(X)[:, 0], wanted, rtol=1e-9)


def test_levels_missing_values_and_weights_are_used():
    levels = RNG.integers(0, 5, N)
    rows = np.column_stack([np.where(RNG.random(N) < 0.3, np.nan, X[:, 0]), levels])
    y = np.column_stack([np.isnan(rows[:, 0]) * 2.0, levels % 2 * 3.0])
    learner = bough.GradientBoostingRegressor(categorical_features=[1], max_iter=80, level_smoothing=0)
    np.testing.assert_allclose(learner.fit(rows, y).predict(rows), y, atol=0.01)
    weight = RNG.integers(1, 3, N)
    weighted = learner.fit(rows, Y[:, :2], sample_weight=weight).predict(rows)
    repeated = learner.fit(np.repeat(rows, weight, axis=0), np.repeat(Y[:, :2], weight, axis=0)).predict(rows)
    assert np.corrcoef(weighted[:, 0], repeated[:, 0])[0, 1] > 0.9


def test_the_model_is_kept_in_files_regrows_and_has_each_target(tmp_path):
    one, three = (
        bough.GradientBoostingRegressor(max_samples=0.6, random_state=0, n_jobs=n, **PARAMETERS)
        .fit(X, Y)
        .model_
        for n in (1, 3)
    )
    assert one == three == bough.regrow(one, X, Y)
    one.save(tmp_path / "several.json")
    assert bough.load(tmp_path / "several.json") == one
    for k, name in enumerate(("y0", "y1", "y2")):
        np.testing.assert_array_equal(one.target(name).predict(X), one.predict(X)[:, k])
    np.testing.assert_allclose(one.start + sum(tree.predict(X) for tree in one.trees), one.predict(X))
    assert "y0" in str(one.tree(0))


@pytest.mark.parametrize("stopping", [{}, {"cv": 3}, {"refit": True}])
def test_boosting_stops_by_the_mean_error_of_all_targets(stopping):
    learner = bough.GradientBoostingRegressor(early_stopping=True, random_state=0, **stopping)
    model = learner.fit(X, Y)
    assert model.n_iter_ == 1 + model.validation_loss_.argmin() < 100
    held = bough.GradientBoostingRegressor().fit(X[:300], Y[:300], X_val=X[300:], y_val=Y[300:])
    error = ((held.predict(X[300:]) - Y[300:]) ** 2).mean() / 2
    assert error == pytest.approx(held.validation_loss_.min(), rel=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [{"loss": "huber"}, {"max_delta_step": 1.0}, {"monotonic_cst": [1, 0, 0]}, {"drop_rate": 0.1},
     {"level_features": 0.5}, {"variant": "gbm"}],
)  # fmt: skip
def test_what_is_defined_for_one_target_is_refused(parameters):
    with pytest.raises(ParameterError, match="several columns"):
        bough.GradientBoostingRegressor(**parameters).fit(X, Y)
