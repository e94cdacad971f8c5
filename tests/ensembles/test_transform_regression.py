"""Transform regression: the variant's definition, the number of stages, chains in files, what is refused."""

import json

import numpy as np
import pytest
from tests.ensembles import plain_transform as plain

import bough
from bough.errors import FormatError, ParameterError

RNG = np.random.default_rng(5)
N = 300
X = RNG.uniform(size=(N, 3))
Y = np.sin(6 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2 + RNG.normal(size=N) / 20
NEW = RNG.uniform(size=(500, 3))
TRUE = np.sin(6 * NEW[:, 0]) * NEW[:, 1] + NEW[:, 2] ** 2


def linear_tree(X, y):
    return bough.LinearTreeRegressor().fit(X, y).predict


def test_stages_are_those_of_the_reference():
    model = bough.TransformRegressor(max_iter=3, early_stopping=False).fit(X, Y)
    made = plain.stages(X, Y, linear_tree, 3)
    np.testing.assert_allclose(model.predict(NEW), plain.predict(made, NEW), rtol=1e-9, atol=1e-12)
    assert model.n_iter_ == 3
    assert len(model.model_.members) == 3 * 4


def test_rows_held_out_choose_the_number_of_stages():
    kept = bough.TransformRegressor(refit=False).fit(X, Y)
    assert kept.n_iter_ == kept.validation_errors_.argmin() + 1
    again = bough.TransformRegressor().fit(X, Y)
    fixed = bough.TransformRegressor(max_iter=kept.n_iter_, early_stopping=False).fit(X, Y)
    np.testing.assert_array_equal(again.predict(NEW), fixed.predict(NEW))
    np.testing.assert_array_equal(again.validation_errors_, kept.validation_errors_)


def test_stages_err_less_than_one_linear_tree():
    stages = bough.TransformRegressor().fit(X, Y).predict(NEW)
    tree = bough.LinearTreeRegressor().fit(X, Y).predict(NEW)
    assert np.mean((stages - TRUE) ** 2) < 0.8 * np.mean((tree - TRUE) ** 2)


@pytest.mark.parametrize("refit", [True, False])
def test_the_model_is_saved_and_regrown(refit, tmp_path):
    model = bough.TransformRegressor(refit=refit, random_state=2).fit(X, Y).model_
    model.save(tmp_path / "model.json")
    again = bough.load(tmp_path / "model.json")
    assert again == model == bough.regrow(model, X, Y)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))


def test_a_file_whose_chain_reads_ahead_is_refused(tmp_path):
    path = tmp_path / "model.json"
    bough.TransformRegressor(max_iter=1, early_stopping=False).fit(X, Y).model_.save(path)
    document = json.loads(path.read_text())
    document.pop("sha256", None)
    document["columns"][1] = [1, 4]
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match=r"columns\[1\]"):
        bough.load(path)


def test_levels_missing_values_and_names_of_members_are_read():
    levels = RNG.choice([*"abc"], N)
    y = X[:, 0] + (levels == "b")
    rows = {"member 0": X[:, 0].copy(), "level": levels}
    rows["member 0"][:5] = np.nan
    import pandas as pd

    model = bough.TransformRegressor().fit(pd.DataFrame(rows), y)
    assert np.mean((model.predict(pd.DataFrame(rows))[5:] - y[5:]) ** 2) < 1e-3
    assert model.feature_importances_.min() > 0.05


def test_importance_is_of_the_columns_that_y_depends_on():
    noisy = np.column_stack([X, RNG.uniform(size=N)])
    importances = bough.TransformRegressor().fit(noisy, Y).feature_importances_
    assert importances[3] < 0.05
    assert importances.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"max_iter": 0}, "max_iter is 0"),
        ({"n_iter_no_change": 1.5}, "n_iter_no_change is 1.5"),
        ({"validation_fraction": 0}, "validation_fraction is 0"),
        ({"early_stopping": "yes"}, "early_stopping is 'yes'"),
        ({"ridge": -1}, "ridge is -1"),
        ({"missing": "learned"}, "missing is 'learned'"),
    ],
)
def test_bad_parameters_are_refused(parameters, named):
    with pytest.raises(ParameterError, match=named):
        bough.TransformRegressor(**parameters).fit(X, Y)
