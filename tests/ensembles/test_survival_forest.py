"""Random forests of censored times: against plain ones, laws, and the ways in and out."""

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.ensembles import plain_survival

import bough
import bough._core as _core
from bough.errors import BoughError, ParameterError

RNG = np.random.default_rng(5)
N = 80
X = RNG.normal(size=(N, 3)).round(2)
FAILURE = RNG.exponential(np.exp(-1.5 * X[:, 0] * (X[:, 1] > 0)))
END = RNG.exponential(2.0, size=N)
TIME = np.minimum(FAILURE, END).round(2) + 0.01
STATUS = (FAILURE <= END).astype(float)
Y = (TIME, STATUS)


@pytest.mark.parametrize("weight", [np.ones(N), RNG.integers(1, 4, size=N).astype(float)])
def test_statistics_of_all_splits_are_log_rank_statistics(weight):
    found = _core.logrank_statistics(TIME, STATUS, weight)
    rows = np.arange(N)
    wanted = [plain_survival.logrank(TIME, STATUS, weight, rows <= last) for last in rows[:-1]]
    np.testing.assert_allclose(found[:-1], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", [{"bootstrap": False}, {"random_state": 3}])
def test_trees_are_plain_ones(options):
    model = bough.RandomForestSurvival(
        3, max_features=None, min_samples_leaf=5, min_samples_split=12, **options
    )
    model.fit(X, Y)
    counts = model._samples.draws(3)
    for number in range(3):
        drawn = counts[:, number].astype(float)
        kept = drawn > 0
        tree = plain_survival.grow(X[kept], TIME[kept], STATUS[kept], drawn[kept], TIME, split=12, leaf=5)
        # Other rows may lie on a cut, which is a 32-bit number in a forest.
        wanted = [plain_survival.answer(tree, row) for row in X[kept]]
        np.testing.assert_allclose(model.forest_.trees[number].predict(X[kept]), wanted, rtol=1e-9)


def test_the_cumulative_hazard_is_the_mean_of_that_of_leaves_and_sums_to_the_mortality():
    model = bough.RandomForestSurvival(4, random_state=0).fit(X, Y)
    rows, times = X[:5], np.array([0.05, 0.4, 3.0])
    counts, leaves = model._samples.draws(4), model.forest_.apply(bough.Table.read(X))
    wanted = np.zeros((5, 3))
    for number in range(4):
        for row in range(5):
            same = (leaves[:, number] == leaves[row, number]) & (counts[:, number] > 0)
            weight = counts[same, number].astype(float)
            wanted[row] += plain_survival.nelson_aalen(TIME[same], STATUS[same], weight, times) / 4
    np.testing.assert_allclose(model.predict_cumulative_hazard(rows, times), wanted, atol=1e-12)
    np.testing.assert_allclose(
        model.predict_cumulative_hazard(rows, TIME).sum(axis=1), model.predict(rows), rtol=1e-9
    )
    np.testing.assert_allclose(model.predict_survival(rows, times), np.exp(-wanted))
    assert (np.diff(model.predict_cumulative_hazard(rows), axis=1) >= 0).all()


def test_the_concordance_beats_that_of_a_tree_on_new_rows():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 5))
    failure = rng.exponential(np.exp(-rows[:, 0] - rows[:, 1] * (rows[:, 2] > 0)))
    end = rng.exponential(3.0, size=600)
    time, status = np.minimum(failure, end) + 1e-3, failure <= end
    train, test = (rows[:400], (time[:400], status[:400])), (rows[400:], (time[400:], status[400:]))
    forest = bough.RandomForestSurvival(random_state=0, oob_score=True).fit(*train)
    tree = bough.CARTSurvival().fit(*train)
    assert forest.score(*test) > max(0.7, tree.score(*test) + 0.02)
    assert forest.oob_score_ > 0.65
    assert forest.feature_importances_[:3].min() > forest.feature_importances_[3:].max()


def frame():
    return pd.DataFrame(
        {
            "maker": np.array(["a", "b", "c"])[(X[:, 1] > 0).astype(int) + (X[:, 2] > 1)],
            "load": np.where(RNG.random(N) < 0.2, np.nan, X[:, 0]),
            "size": pd.Categorical(
                np.array(["S", "M", "L"])[np.digitize(X[:, 2], [-0.5, 0.5])], ["S", "M", "L"], ordered=True
            ),
        }
    )


def test_levels_missing_values_files_sql_and_regrowth(tmp_path):
    rows = frame()
    model = bough.RandomForestSurvival(10, random_state=1).fit(rows, Y)
    forest = model.model_
    forest.save(tmp_path / "forest.zip")
    loaded = bough.load(tmp_path / "forest.zip")
    assert loaded == forest
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    assert bough.regrow(forest, rows, Y) == forest
    found = duckdb.sql(f"SELECT {bough.export.to_sql(forest)} AS answer FROM rows").df()["answer"]
    np.testing.assert_allclose(found, model.predict(rows), rtol=1e-9)
    assert bough.report(model).facts["tiles"]


def test_threads_and_the_order_of_trees_do_not_matter_and_weights_repeat_rows():
    one, two = (bough.RandomForestSurvival(8, random_state=0, n_jobs=n).fit(X, Y) for n in (1, 2))
    assert one.forest_ == two.forest_
    weight = RNG.integers(0, 3, size=N)
    again = np.repeat(np.arange(N), weight)
    options = {"bootstrap": False, "max_features": None, "random_state": 0}
    weighted = bough.RandomForestSurvival(1, **options).fit(X, Y, weight)
    repeated = bough.RandomForestSurvival(1, **options).fit(X[again], (TIME[again], STATUS[again]))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    "given",
    [
        {"n_estimators": 0},
        {"max_features": "many"},
        {"min_samples_leaf": 0},
        {"missing": "learned"},
        {"oob_score": True, "bootstrap": False},
        {"seek": "yes"},
        {"random_state": -1},
    ],
)
def test_bad_parameters_are_refused_by_name(given):
    with pytest.raises(ParameterError, match=next(iter(given))):
        bough.RandomForestSurvival(**given).fit(X, Y)


def test_bad_targets_are_refused():
    with pytest.raises(BoughError, match="time"):
        bough.RandomForestSurvival().fit(X, (-TIME, STATUS))
    with pytest.raises(BoughError, match=r"event|status"):
        bough.RandomForestSurvival().fit(X, (TIME, np.zeros(N)))
    model = bough.RandomForestSurvival(2).fit(X, Y)
    with pytest.raises(ParameterError, match="times"):
        model.predict_survival(X, times=[np.nan])


@pytest.mark.parametrize("factor", [0.37, 1e-3, 1e-9])
def test_a_common_factor_of_weights_does_not_matter(factor):
    weight = RNG.random(N) + 0.5
    first, second = (
        bough.RandomForestSurvival(5, random_state=1).fit(X, Y, sample_weight=weight * each).predict(X)
        for each in (1.0, factor)
    )
    np.testing.assert_allclose(first, second, rtol=1e-9)
    assert len(np.unique(first)) > 5


def test_late_rows_of_small_weight_have_finite_hazards():
    weight = np.where(np.median(TIME) > TIME, 1e12, 1e-4)
    model = bough.RandomForestSurvival(5, random_state=0).fit(X, Y, sample_weight=weight)
    assert np.isfinite(model.predict(X)).all()
