"""Forests on bins in memory: draws by hash, packing of trees, and what forests have besides."""

import numpy as np
import pandas as pd
import pytest
from tests.engines.rows import random_frame

import bough
from bough import RandomForestClassifier, RandomForestRegressor
from bough.ensembles.packing import packed
from bough.errors import ParameterError, TargetError
from bough.growing.hashed_draws import RowDraw, column_order, row_keys, tree_key


@pytest.fixture(scope="module")
def rows():
    frame = random_frame(1, n=250, task="numbers").assign(id=np.arange(250))
    return frame.drop(columns="target"), frame["target"]


def learner(**parameters):
    given = {"max_bins": 32, "sampling": "hash", "row_key": "id", "random_state": 0, "max_features": 2}
    return RandomForestRegressor(6, **(given | parameters))


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("replace", [False, True])
def test_rows_are_drawn_as_often_as_they_should(rate, replace):
    keys = row_keys(range(40_000), seed=3)
    drawn = np.array([RowDraw.of(tree, rate, replace=replace).counts(keys) for tree in range(4)])
    variance = rate if replace else rate * (1 - rate)
    error = np.sqrt(max(variance, 1e-12) / keys.size)
    assert np.abs(drawn.mean(axis=1) - rate).max() < 5 * error + 1e-9
    assert drawn.var(axis=1) == pytest.approx(variance, abs=0.05)
    if variance > 0:
        assert np.abs(np.corrcoef(drawn)[np.triu_indices(4, 1)]).max() < 5 / np.sqrt(keys.size)


def test_each_column_is_drawn_first_equally_often():
    first = [column_order(tree_key(5, number), 6)[0] for number in range(3000)]
    assert np.bincount(first, minlength=6) == pytest.approx(500, abs=110)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_out_of_bag_rows_are_those_with_no_draw(rows):
    X, y = rows
    model = learner(oob_score=True).fit(X, y)
    drawn = model.in_bag()
    assert drawn.shape == (250, 6)
    assert np.array_equal(model.oob_times_, (drawn == 0).sum(axis=1))
    trees = np.array([tree.predict(X.drop(columns="id")) for tree in model.forest_.trees]).T
    out = drawn == 0
    some = out.any(axis=1)
    means = np.where(out, trees, 0).sum(axis=1)[some] / out.sum(axis=1)[some]
    assert model.oob_prediction_[some] == pytest.approx(means, rel=1e-12)
    assert model.forest_.trees[0].cases[0] == drawn[:, 0].sum()


def test_the_model_is_saved_and_grown_again(rows, tmp_path):
    X, y = rows
    forest = learner().fit(X, y).model_
    forest.save(tmp_path / "forest.json")
    assert bough.load(tmp_path / "forest.json") == forest
    assert bough.regrow(forest, X, y) == forest
    forest.check()


def test_a_weight_of_two_is_the_row_twice_with_the_same_key(rows):
    X, y = rows
    weight = np.arange(250) % 3
    repeated = np.repeat(np.arange(250), weight)
    weighted = learner().fit(X, y, weight).model_
    assert weighted == learner().fit(X.iloc[repeated], y.iloc[repeated]).model_


def test_more_trees_begin_with_the_same_ones(rows):
    X, y = rows
    few = learner().fit(X, y)
    many = learner(warm_start=True).set_params(n_estimators=3).fit(X, y).set_params(n_estimators=6).fit(X, y)
    assert many.forest_ == few.forest_


@pytest.mark.parametrize("kind", ["subset", "ordered"])
def test_a_packed_forest_predicts_as_its_trees(kind):
    frame = random_frame(2, n=200)
    X = frame.drop(columns="target").assign(id=range(200), many=[f"l{i * 7 % 80}" for i in range(200)])
    model = RandomForestClassifier(
        4, max_bins=9, sampling="hash", row_key="id", nominal=kind, random_state=1, max_features=3
    ).fit(X, frame["target"])
    trees = [*model.forest_.trees]
    again = packed(trees)
    for name in ("nodes", "leaf", "special", "gain", "cases"):
        assert np.array_equal(getattr(again, name), getattr(model.forest_, name))
    new = X.drop(columns="id").sample(frac=1, random_state=0)
    new.iloc[:9, new.columns.get_loc("many")] = None
    mean = np.mean([tree.predict_proba(new) for tree in trees], axis=0)
    assert model.predict_proba(new) == pytest.approx(mean, rel=1e-12)


def test_cuts_that_no_float_holds_are_kept():
    X = pd.DataFrame({"x": 1.0 + np.arange(40) * 2.0**-40, "id": range(40)})
    y = np.arange(40) >= 20
    model = RandomForestClassifier(1, max_bins=40, bootstrap=False).fit(X[["x"]], y)
    assert (model.predict(X[["x"]]) == y).all()


@pytest.mark.parametrize(
    ("parameters", "error", "named"),
    [
        ({"sampling": "drawn"}, ParameterError, "sampling is 'drawn'; it must be 'hash' with max_bins"),
        ({"sampling": "md5"}, ParameterError, "sampling is 'md5'"),
        ({"max_bins": None}, ParameterError, "sampling is 'hash'; it must be 'drawn' unless max_bins"),
        ({"max_bins": None, "sampling": "drawn"}, ParameterError, "row_key is 'id'"),
        ({"row_key": "nr"}, TargetError, "row_key is 'nr', which is not a column"),
        ({"row_key": 3}, ParameterError, "row_key is 3"),
        ({"max_samples": 300}, ParameterError, "max_samples is 300"),
        ({"bootstrap": False, "max_samples": 0.5}, ParameterError, "max_samples is 0.5"),
        ({"criterion": "poisson"}, ParameterError, "max_bins is 32; it must be None under 'poisson'"),
    ],
    ids=str,
)
def test_parameters_that_do_not_fit_are_refused(rows, parameters, error, named):
    X, y = rows
    with pytest.raises(error, match=named):
        learner(**parameters).fit(X, y)


def test_strata_several_targets_and_sparse_rows_are_refused(rows):
    from scipy.sparse import csr_matrix

    X, y = rows
    with pytest.raises(ParameterError, match="strata"):
        learner().fit(X, y, strata=["a"] * 250)
    with pytest.raises(ParameterError, match="several columns"):
        learner().fit(X, np.column_stack([y, y]))
    with pytest.raises(ParameterError, match="sparse"):
        RandomForestRegressor(2, max_bins=8, bootstrap=False).fit(csr_matrix(np.eye(9)), np.arange(9.0))
