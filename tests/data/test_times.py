"""Dates, times and durations are numbers that print as what they are, wherever they come from."""

import dataclasses
import datetime as dt
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bough
from bough.data.schema import Column
from bough.data.table import Table
from bough.data.times import UNITS, cut_time_words, objects_of_numbers, time_words
from bough.errors import ParameterError, SchemaError, TargetError

RNG = np.random.default_rng(3)
DAYS = RNG.integers(0, 500, 120)
SECONDS = RNG.integers(0, 500 * 86400, 120)
FRAME = pl.DataFrame(
    {
        "day": [dt.date(2023, 1, 1) + dt.timedelta(int(each)) for each in DAYS],
        "at": [dt.datetime(2023, 1, 1) + dt.timedelta(seconds=int(each)) for each in SECONDS],
        "zone": [
            dt.datetime(2023, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=int(each)) for each in SECONDS
        ],
        "clock": [(dt.datetime(2023, 1, 1) + dt.timedelta(seconds=int(each))).time() for each in SECONDS],
        "took": [dt.timedelta(seconds=int(each)) for each in SECONDS],
    }
)
UNIT_OF = dict(zip(FRAME.columns, ("date", "datetime", "datetime_utc", "time", "duration"), strict=True))


def halved(name):
    """A table of one column, and classes that it separates in the middle."""
    return FRAME.select(name), np.where(FRAME[name].rank("dense").to_numpy() > 60, "late", "early")


@pytest.mark.parametrize("name", FRAME.columns)
def test_every_library_reads_the_same_numbers(name):
    frame = FRAME.select(name)
    expected = Table.read(frame)
    assert expected.schema[0] == Column(name, "numeric", unit=UNIT_OF[name])
    pandas = frame.to_pandas()
    others = [frame.to_arrow(), pandas, frame.lazy(), frame.to_arrow().to_pandas(types_mapper=pd.ArrowDtype)]
    others.append(pd.DataFrame({name: pd.Series(frame[name].to_list(), dtype=object)}))
    for other in others:
        assert Table.read(other) == expected
        assert Table.fit_to(other, expected.schema) == expected
    assert (
        Table.read([[each] for each in frame[name].to_list()]).columns[0].tolist()
        == expected.columns[0].tolist()
    )
    if name not in ("zone", "clock"):
        array = pandas[name].to_numpy().astype("m8[ns]" if name == "took" else "M8[ns]")
        assert Table.read(array[:, None]).columns[0].tolist() == expected.columns[0].tolist()


def test_what_is_missing_stays_missing():
    frame = pd.DataFrame(
        {"day": [pd.Timestamp("2024-01-01"), pd.NaT], "took": [pd.NaT, pd.Timedelta(1, "s")]}
    )
    table = Table.read(frame)
    assert [np.isnan(values).tolist() for values in table.columns] == [[False, True], [True, False]]
    assert table.values("day").tolist() == [dt.date(2024, 1, 1), None]


def test_dates_with_times_at_midnight_are_dates_and_others_are_not():
    midnight = pd.DataFrame({"d": pd.to_datetime(["2024-01-01", "2024-01-03"])})
    assert Table.read(midnight).schema[0].unit == "date"
    assert Table.read(midnight + pd.Timedelta(1, "s")).schema[0].unit == "datetime"
    schema = Table.read(midnight).schema
    # A date with a time counts by its date.
    assert Table.fit_to(midnight + pd.Timedelta(23, "h"), schema) == Table.read(midnight)
    times = Table.read(midnight + pd.Timedelta(1, "s")).schema
    assert Table.fit_to(midnight, times).values("d").tolist() == midnight["d"].dt.to_pydatetime().tolist()


def test_periods_count_by_their_first_moment_and_intervals_are_ordered_levels():
    months = pd.DataFrame({"m": pd.period_range("2024-01", periods=3, freq="M")})
    table = Table.read(months)
    assert table.values("m").tolist() == [dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 3, 1)]
    ages = pd.cut([5, 15, 25, np.nan], [0, 10, 20, 30])
    levels = ("(0, 10]", "(10, 20]", "(20, 30]")
    for column in (pd.Series(ages), pd.Series(ages.astype(object)), pd.Series(pd.arrays.IntervalArray(ages))):
        read = Table.read(pd.DataFrame({"age": column}))
        assert read.schema[0] == Column("age", "ordinal", levels)
        assert read.columns[0].tolist() == [0, 1, 2, -1]
    model = bough.TreeClassifier().fit(pd.DataFrame({"age": ages[:3]}), ["no", "no", "yes"])
    assert model.tree_.condition(1) == "age <= '(10, 20]'"


@pytest.mark.parametrize("name", FRAME.columns)
def test_thresholds_print_as_values_of_the_column_everywhere(name, tmp_path):
    X, y = halved(name)
    tree = bough.CARTClassifier(prune="none").fit(X, y).tree_
    unit, numbers = UNIT_OF[name], tree._table(X).columns[0]
    words = tree.condition(1).removeprefix(f"{name} < ")
    below, above = (time_words(unit, numbers[y == label].max()) for label in ("early", "late"))
    assert words == cut_time_words(unit, tree.cut[0], (tree.cut_below[0], tree.cut_above[0]))
    assert unit == "duration" or below < words <= above
    assert words in tree.text()
    assert words in str(tree.rules())
    assert words in str(bough.candidates(X, y))
    assert f"< {words}" in tree.to_dot()
    tree.save(tmp_path / "tree.json")
    loaded = bough.load(tmp_path / "tree.json")
    assert loaded == tree
    assert loaded.schema[0].unit == unit
    assert loaded.condition(1) == tree.condition(1)
    by_value = bough.C45Classifier().fit(X, y).tree_
    beside = by_value.cut_below[0], by_value.cut_above[0]
    assert time_words(unit, by_value.cut[0]) == below
    assert by_value.condition(1) == f"{name} <= {cut_time_words(unit, by_value.cut[0], beside, closed=True)}"
    tree.report(X, y).save(tmp_path / "tree.html")
    assert words in (tmp_path / "tree.html").read_text(encoding="utf-8")


@given(st.sampled_from(UNITS), st.floats(-1e15, 1e15), st.integers(-(10**15), 10**15))
def test_the_printed_threshold_separates_as_the_cut_does(unit, cut, value):
    cut, value = (cut / 1e9, value // 10**9) if unit == "date" else (cut, value)
    for closed in (False, True):
        words = cut_time_words(unit, cut, closed=closed)
        whole = np.floor(cut) if closed else np.ceil(cut)
        assert words == time_words(unit, whole)
        assert (value <= cut) == (value <= whole) if closed else (value < cut) == (value < whole)


@given(st.integers(-(10**15), 10**15), st.integers(1, 10**13), st.booleans())
def test_between_neighbours_the_threshold_is_round_and_separates_them(below, gap, closed):
    above, cut = below + gap, below + gap / 2
    words = cut_time_words("datetime", cut, (below, above), closed=closed)
    whole = int(np.datetime64(words.replace(" ", "T"), "us").astype(np.int64))
    assert below <= whole < above if closed else below < whole <= above
    if gap > 86_400e6:
        assert words.endswith(" 00:00:00")


@pytest.mark.parametrize("name", FRAME.columns)
def test_numbers_become_the_values_again(name):
    values = Table.read(FRAME.select(name)).columns[0]
    assert objects_of_numbers(values, UNIT_OF[name]).tolist() == FRAME[name].to_list()


@pytest.mark.parametrize("learner", [bough.CARTClassifier(prune="none"), bough.C50Classifier()])
def test_sql_asks_as_the_tree_does(learner):
    for name in FRAME.columns:
        rows, y = halved(name)
        tree = dataclasses.replace(
            learner.fit(rows, y).tree_, share=None, arithmetic="bough", smoothing="none"
        )
        expected = tree.predict(rows).tolist()
        answers = duckdb.sql(f"SELECT {tree.to_sql()} FROM rows").fetchall()
        assert [answer for (answer,) in answers] == expected
        if name in ("day", "at"):
            lite = sqlite3.connect(":memory:")
            lite.execute(f"CREATE TABLE t ({name} TEXT)")
            lite.executemany("INSERT INTO t VALUES (?)", [(str(each),) for each in rows[name]])
            assert [answer for (answer,) in lite.execute(f"SELECT {tree.to_sql()} FROM t")] == expected


def test_predict_checks_that_the_column_is_again_a_date():
    X, y = halved("day")
    model = bough.TreeClassifier().fit(X, y)
    for other, got in (
        (pl.DataFrame({"day": [19000.0]}), "is numbers"),
        (pl.DataFrame({"day": ["2023-05-01"]}), "is text"),
        (FRAME.select(day="took"), "is durations"),
        (FRAME.select(day="zone"), "is dates with times and a time zone"),
    ):
        with pytest.raises(SchemaError, match=f"Column 'day' {got}; the tree was grown on dates"):
            model.predict(other)
    numbers = bough.TreeClassifier().fit(pl.DataFrame({"day": np.arange(120.0)}), y)
    with pytest.raises(SchemaError, match="Column 'day' is dates; the tree was grown on numbers"):
        numbers.predict(X)
    assert model.predict(pl.DataFrame({"day": pl.Series([None], dtype=pl.Date)})).shape == (1,)


def test_dates_may_be_levels():
    X, y = halved("day")
    model = bough.TreeClassifier(categorical_features=["day"]).fit(X, y)
    assert model.tree_.schema[0].levels[0] == str(min(FRAME["day"]))
    assert (model.predict(X) == y).all()
    ordered = bough.TreeClassifier(ordinal_features=["day"]).fit(X, y).tree_.schema[0]
    assert (ordered.scale, list(ordered.levels)) == ("ordinal", sorted(ordered.levels))
    given = Table.read(X[:1], ordinal_features={"day": [str(FRAME["day"][0]), "2050-01-01"]})
    assert given.columns[0].tolist() == [0]


def test_a_target_of_dates_is_refused_by_name():
    X, _ = halved("day")
    for learner in (bough.TreeClassifier(), bough.TreeRegressor(), bough.RandomForestRegressor(5)):
        with pytest.raises(TargetError, match="Column 'y' holds dates"):
            learner.fit(X, FRAME["day"])


def test_other_parts_of_the_package_take_dates():
    X, y = halved("day")
    frame = X.to_pandas().assign(x=np.arange(120.0))
    cut = bough.EqualFrequencyDiscretizer(2, encode="interval").fit_transform(frame)
    assert sorted(set(cut[:, 0])) == [cut[:, 0].min(), cut[:, 0].max()]
    assert all("2023-" in each for each in set(cut[:, 0]))
    frame.loc[0, "day"] = None
    filled = bough.MeanImputer().fit_transform(frame)
    assert isinstance(filled[0, 0], dt.date)
    assert (pd.to_datetime(filled[1:, 0]) == frame["day"][1:]).all()
    for learner in (bough.RandomForestClassifier(5, random_state=0), bough.BaggingClassifier(random_state=0)):
        assert learner.fit(X, y).score(X, y) > 0.9
    assert "2023-" in str(bough.stability(bough.TreeClassifier(max_depth=1).fit(X, y), X, y, n_draws=5))
    combined = bough.CARTClassifier(combinations="linear").fit(frame.assign(z=-(frame["x"] ** 2)), y)
    assert all(0 not in formula.columns for formula in combined.tree_.formulas)
    with pytest.raises(ParameterError, match="combination_features has 'day', which is date"):
        bough.CARTClassifier(combinations="ratio", combination_features=["day", "x"]).fit(frame, y)
