"""Missing values: the figures of the courses, Little's test, and what a tree finds of the reasons."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.utils.estimator_checks import parametrize_with_checks

import bough
from bough.missing_values import little_test

HEIGHT = [0] * 9 + [1] * 4 + [2] * 9
SPEED = [None, 2, None, 3, 1, 3, 1, None, 2, None, 4, None, 3, None, 4, None, 5, None, None, 3, None, None]


@parametrize_with_checks(
    [bough.MeanImputer(), bough.ConditionalMeanImputer(), bough.ConditionalMeanImputer([0])]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wind():
    return pd.DataFrame({"height": HEIGHT, "speed": [np.nan if each is None else each for each in SPEED]})


def test_the_wind_by_its_mean_and_by_its_conditional_mean(wind):
    plain = bough.MeanImputer().fit_transform(wind)[:, 1]
    alike = bough.ConditionalMeanImputer(given=["height"]).fit_transform(wind)[:, 1]
    assert plain.mean() == pytest.approx(2 * 6 / 11 + 3.5 * 2 / 11 + 4 * 3 / 11)
    assert alike.mean() == pytest.approx(2 * 9 / 22 + 3.5 * 4 / 22 + 4 * 9 / 22)
    assert alike[[0, 9, 13]].tolist() == [2, 3.5, 4]


def test_the_wind_is_missing_at_its_height(wind):
    found = bough.missingness(wind)
    assert found.shares.tolist() == [0, 0.5]
    assert found.available("height") == 1
    assert found.available("height", "speed") == found.complete == 0.5
    many = pd.concat([wind] * 20, ignore_index=True)
    told = bough.missingness(many).explain("speed")
    assert told.columns == {"height": 1.0}
    assert told.area > 0.6


def test_indicators_of_the_course():
    rows = [
        [0, 0, 0, 0, 0],
        [None, 0, 0, 0, 0],
        [1, 1, 1, 1, 0],
        [0, 0, None, 1, 1],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, None, 0, None, 1],
        [0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1],
        [1, 1, None, 1, 1],
    ]
    found = bough.missingness(pd.DataFrame(rows, columns=list("FLBDH")))
    assert found.indicators.sum(axis=0).tolist() == [1, 1, 2, 1, 0]
    assert np.argwhere(found.indicators).tolist() == [[1, 0], [3, 2], [6, 1], [6, 3], [9, 2]]
    assert found.complete == 0.6
    assert found.available("L", "F") == 0.8
    assert found.patterns()[0] == (6, ())


def test_complete_cases_become_rare():
    rng = np.random.default_rng(0)
    for width, share in ((20, 0.36), (50, 0.08)):
        rows = np.ones((20_000, width))
        rows[rng.random(rows.shape) < 0.05] = np.nan
        found = bough.missingness(rows)
        assert found.complete == pytest.approx(share, abs=0.01)
        assert found.complete_by_chance == pytest.approx(0.95**width, abs=0.01)


def test_littles_test_of_air_quality():
    air = pd.read_csv(Path(__file__).parents[1] / "golden" / "data" / "airquality_all.csv")
    found = bough.missingness(air).mcar()
    # naniar's mcar_test(airquality) in R prints 35.1, 14, 0.00142 and 4 patterns.
    assert found.statistic == pytest.approx(35.1, abs=0.05)
    assert (found.freedom, found.n_patterns) == (14, 4)
    assert found.p_value == pytest.approx(0.00142, abs=0.00002)


def test_littles_test_holds_its_level_and_finds_what_depends():
    rng = np.random.default_rng(1)
    rejected = 0
    for _ in range(100):
        rows = rng.normal(size=(150, 3)) @ np.array([[1, 0.5, 0.2], [0, 1, 0.4], [0, 0, 1]])
        rows[rng.random(rows.shape) < 0.15] = np.nan
        rejected += little_test(rows).p_value < 0.05
    assert rejected <= 12
    rows = rng.normal(size=(300, 2))
    rows[rows[:, 0] > 0.3, 1] = np.nan
    assert little_test(rows).p_value < 1e-6


def test_littles_test_does_not_depend_on_units():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(100, 3))
    rows[rng.random(rows.shape) < 0.2] = np.nan
    scaled = rows * [1e-6, 1.0, 1e6] + [5.0, -3.0, 1e7]
    assert little_test(scaled).statistic == pytest.approx(little_test(rows).statistic, rel=1e-5)
    with pytest.raises(bough.BoughError, match="two numeric columns"):
        little_test(rows[:, :1])


def test_chance_is_not_explained():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400)})
    frame.loc[rng.random(400) < 0.3, "b"] = np.nan
    found = bough.missingness(frame)
    assert not found.explain("b").explained
    assert "no other column predicts" in str(found)
    assert "cannot be determined from the table" in str(found)
    with pytest.raises(bough.BoughError, match="'a' is never missing"):
        found.explain("a")


def test_a_hidden_column_is_told():
    found = bough.missingness(pd.DataFrame({"a": [1.0, 2.0], "i": [np.nan, np.nan]}))
    assert found.hidden == ["i"]
    assert "Missing in every row: i" in str(found)


def test_the_mean_is_that_of_scikit_learn():
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(50, 3))
    rows[rng.random(rows.shape) < 0.2] = np.nan
    assert bough.MeanImputer().fit_transform(rows) == pytest.approx(SimpleImputer().fit_transform(rows))


def test_levels_names_and_new_groups_are_filled():
    frame = pd.DataFrame(
        {"city": ["x", "x", "y", None], "pay": [1.0, 3.0, 10.0, np.nan], "sex": ["f", "f", None, "m"]}
    )
    model = bough.ConditionalMeanImputer(given=["city"]).set_output(transform="pandas")
    filled = model.fit_transform(frame)
    assert filled.columns.tolist() == ["city", "pay", "sex"]
    assert filled["pay"].tolist() == [1.0, 3.0, 10.0, 14 / 3]
    assert filled["sex"].tolist() == ["f", "f", "f", "m"]
    new = pd.DataFrame({"city": ["z", "y"], "pay": [np.nan, np.nan], "sex": [None, None]})
    assert model.transform(new)["pay"].tolist() == [14 / 3, 10.0]
    with pytest.raises(bough.BoughError, match="no column 'town'"):
        bough.ConditionalMeanImputer(given=["town"]).fit(frame)
