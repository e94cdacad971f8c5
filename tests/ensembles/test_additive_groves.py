"""Additive Groves: the paper's definition, the size of the lowest error, files, SQL, and what is refused."""

import numpy as np
import pytest
from tests.ensembles import plain_groves as plain

import bough
from bough.errors import ParameterError, TargetError
from bough.growing.draws import RowSampling, read_seed

RNG = np.random.default_rng(8)
N = 120
X = np.round(RNG.uniform(-1, 1, size=(N, 3)), 2)
Y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + RNG.normal(size=N) / 10
TWO = np.where(Y > 0, "up", "down")
SMALL = {"n_estimators": 3, "max_grove_size": 2, "min_leaf_fraction": 0.1}


@pytest.mark.parametrize("variant", ["dynamic", "layered"])
def test_groves_are_those_of_the_paper(variant):
    rows, y, shares = X[:60].round(1), Y[:60], [0.5, 0.2, 0.1]
    parameters = {"n_estimators": 2, "max_grove_size": 3, "min_leaf_fraction": 0.1}
    model = bough.AdditiveGrovesRegressor(**parameters, variant=variant).fit(rows, y)
    bags = RowSampling("with_replacement", (60,)).rows(60, seed=read_seed(0), n_trees=2)
    found, errors = plain.groves(rows, y, bags, shares, 3, 0.002, variant == "dynamic")
    np.testing.assert_allclose(model.oob_errors_, errors, rtol=1e-9)
    layer, size = np.unravel_index(errors.argmin(), errors.shape)
    assert (model.leaf_fraction_, model.grove_size_) == (shares[layer], size + 1)
    np.testing.assert_allclose(model.predict(rows), found[layer, size], rtol=1e-9, atol=1e-12)


def test_the_model_is_a_sum_of_as_many_trees_as_bags_have():
    model = bough.AdditiveGrovesRegressor(**SMALL).fit(X, Y)
    assert model.model_.n_trees == 3 * model.grove_size_
    by_tree = sum(tree.predict(X) for tree in model.model_.trees)
    np.testing.assert_allclose(model.predict(X), by_tree, rtol=1e-9, atol=1e-12)


def test_several_trees_fit_a_sum_better_than_one():
    errors = bough.AdditiveGrovesRegressor(n_estimators=8, max_grove_size=2).fit(X, Y).oob_errors_
    assert errors[:, 1:].min() < 0.8 * errors[:, 0].min()


def test_two_classes_are_numbers_from_minus_one_to_one():
    model = bough.AdditiveGrovesClassifier(**SMALL).fit(X, TWO)
    numbers = bough.AdditiveGrovesRegressor(**SMALL).fit(X, np.where(TWO == "up", 1.0, -1.0))
    share = (1 + np.clip(numbers.predict(X), -1, 1)) / 2
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], share, rtol=1e-9, atol=1e-12)
    assert (model.predict(X) == np.where(share > 0.5, "up", "down")).all()
    assert model.score(X, TWO) > 0.9


@pytest.mark.parametrize("name", ["AdditiveGrovesClassifier", "AdditiveGrovesRegressor"])
def test_the_model_is_saved_and_regrown(name, tmp_path):
    y = TWO if name == "AdditiveGrovesClassifier" else Y
    model = getattr(bough, name)(**SMALL, random_state=5).fit(X, y).model_
    model.save(tmp_path / "model.json")
    assert bough.load(tmp_path / "model.json") == model == bough.regrow(model, X, y)


def test_levels_missing_values_and_weights_are_read():
    rows = [[float(x), level] for x, level in zip(X[:, 0], RNG.choice([*"abc"], N), strict=True)]
    rows[3][0] = rows[5][0] = float("nan")
    y = np.array([0.0 if x != x else x + (level == "b") for x, level in rows])
    model = bough.AdditiveGrovesRegressor(**SMALL).fit(rows, y, sample_weight=RNG.uniform(1, 2, N))
    assert np.mean((model.predict(rows) - y) ** 2) < 0.1 * np.var(y)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"max_grove_size": 0}, "max_grove_size is 0"),
        ({"min_leaf_fraction": 0.0}, "min_leaf_fraction is 0.0"),
        ({"min_leaf_fraction": 0.7}, "min_leaf_fraction is 0.7"),
        ({"variant": "fast"}, "variant is 'fast'"),
        ({"tol": 0}, "tol is 0"),
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"max_bins": 1}, "max_bins is 1"),
    ],
)
def test_bad_parameters_are_refused(parameters, named):
    with pytest.raises(ParameterError, match=named):
        bough.AdditiveGrovesRegressor(**parameters).fit(X, Y)


def test_there_must_be_two_classes():
    with pytest.raises(TargetError, match="y has 3 classes"):
        bough.AdditiveGrovesClassifier().fit(X, np.digitize(Y, [-0.5, 0.5]))
    with pytest.raises(TargetError, match="y has 1 class"):
        bough.AdditiveGrovesClassifier().fit(X, ["up"] * N)
