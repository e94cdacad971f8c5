"""Forests on bins in memory: draws by hash, packing of trees, and what forests have besides."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from tests.engines.rows import random_frame

import bough
from bough import RandomForestClassifier, RandomForestRegressor
from bough.ensembles.packing import packed
from bough.errors import ParameterError, SchemaError, TargetError
from bough.growing.hashed_draws import RowDraw, column_order, row_keys, tree_key


@pytest.fixture(scope="module")
def rows():
    frame = random_frame(1, n=250, task="numbers").assign(id=np.arange(250))
    return frame.drop(columns="target"), frame["target"]


def learner(**parameters):
    given = {"max_bins": 32, "sampling": "hash", "row_key": "id", "random_state": 0, "max_features": 2}
    return RandomForestRegressor(**({"n_estimators": 6} | given | parameters))


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


SPARSE_DRAWS = [
    (3, {}, {}),
    (60, {"max_samples": 1}, {}),
    (60, {}, {"id": 0}),
    (4, {}, {"weight": [1, 0, 0, 0]}),
    (60, {"replace": False, "max_samples": 0.01}, {}),
]


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize(("n", "parameters", "given"), SPARSE_DRAWS, ids=str)
def test_a_tree_that_draws_no_row_has_all_rows(n, parameters, given):
    X = pd.DataFrame({"x": np.arange(n), "id": given.get("id", np.arange(n))})
    model = learner(n_estimators=20, max_features=None, **parameters)
    model.fit(X, np.full(n, 5.0), given.get("weight"))
    assert model.predict(X[["x"]]).tolist() == [5.0] * n
    drawn = model.in_bag()
    cases = np.array([tree.cases[0] for tree in model.forest_.trees])
    assert np.array_equal(np.nansum(drawn, axis=0), cases)
    assert cases.min() > 0
    classes = np.where(np.arange(n) == 0, "first", "other")
    classifier = RandomForestClassifier(20, max_bins=8, sampling="hash", row_key="id", **parameters)
    shares = classifier.fit(X, classes, given.get("weight")).predict_proba(X[["x"]])
    assert shares.sum(axis=1) == pytest.approx(1.0)


def test_a_tree_that_draws_only_a_class_of_weight_0_has_all_rows():
    X = pd.DataFrame({"x": np.arange(40), "id": np.arange(40)})
    y = np.where(np.arange(40) < 3, "rare", "other")
    model = RandomForestClassifier(
        20, max_bins=8, sampling="hash", row_key="id", random_state=0, class_weight={"other": 0, "rare": 1}
    ).fit(X, y)
    assert (model.predict(X[["x"]]) == "rare").all()
    every = (model.in_bag() == 1).all(axis=0)
    assert every.any()
    cases = np.array([tree.cases[0] for tree in model.forest_.trees])
    assert cases[every] == pytest.approx(3.0)


HASHED = {"max_bins": 16, "row_key": "id", "random_state": 0}


@pytest.mark.parametrize(
    "classifier",
    [
        RandomForestClassifier(4, sampling="hash", **HASHED),
        RandomForestClassifier(4, bootstrap=False, **HASHED),
        bough.CARTClassifier(sampling="hash", **HASHED),
    ],
    ids=["forest", "without bootstrap", "cart"],
)
def test_rows_to_predict_may_have_the_row_key(classifier):
    numbers = np.random.default_rng(0).normal(size=(90, 2))
    X = pd.DataFrame(numbers, columns=["a", "b"]).assign(id=[f"row {number}" for number in range(90)])
    y = pd.Series(np.where(numbers[:, 0] > 0, "yes", "no"), name="answer")
    model, without = classifier.fit(X, y), X.drop(columns="id")
    assert np.array_equal(model.predict_proba(X), model.predict_proba(without))
    assert model.score(X, y) == model.score(without, y)
    assert np.array_equal(model.model_.predict(X), model.predict(without))
    assert cross_val_score(classifier, X, y, cv=2).min() > 0.5
    assert bough.evaluate(model, X, y).measures == bough.evaluate(model, without, y).measures
    assert bough.evaluate(model.model_, X, y).measures == bough.evaluate(model, without, y).measures
    for reported in (model, model.model_):
        assert bough.report(reported, X, y, cv=2, n_draws=1).facts["judged"]["measures"]
    assert type(classifier).__name__ in str(bough.compare(X, y, [classifier], cv=2))
    assert bough.regrow(model.model_, X, y) == model.model_
    with pytest.raises(SchemaError, match="unseen at fit time:\n- other"):
        model.predict(X.rename(columns={"id": "other"}))


def test_cuts_beyond_single_precision_are_kept():
    X = np.array([[-3e300], [-1e300], [1e300], [3e300]] * 3)
    y = np.arange(12.0) % 4
    model = RandomForestRegressor(2, max_bins=8, bootstrap=False).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize(
    "model", [RandomForestRegressor(2, max_bins=8, bootstrap=False), bough.TreeRegressor(max_bins=8)], ids=str
)
def test_numbers_too_close_for_the_grid_are_refused(model):
    X, y = np.arange(20.0)[:, None], np.random.default_rng(0).normal(size=20)
    for factor in (1e-305, 1e-310):
        with pytest.raises(TargetError, match="too close for max_bins; multiply y by a power of 10"):
            model.fit(X, y * factor)
    answers = model.fit(X, y * 1e-280).predict(X)
    assert (np.abs(answers) <= np.abs(y).max() * 1e-280).all()
    assert (model.fit(X, np.full(20, 1e-310)).predict(X) == 1e-310).all()
