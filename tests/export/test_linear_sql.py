"""SQL of linear rules and of trees with linear models: databases give the predictions of the models."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import ParameterError

RNG = np.random.default_rng(3)
N = 300
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N).astype(float),
        "pay": RNG.normal(50, 12, N).round(2),
        "city": pd.Categorical(RNG.choice(["rome", "oslo", "lima", "cork"], N)),
        "member": RNG.random(N) < 0.5,
    }
)
COST = (
    np.where(TABLE["age"] > 50, 3.0 * TABLE["age"], 40.0 + TABLE["pay"] / 2)
    + 12.0 * TABLE["city"].isin(["oslo", "lima"])
    + 5.0 * TABLE["member"]
    + RNG.normal(size=N)
)
ASKED = TABLE.assign(city=TABLE["city"].astype(object), member=TABLE["member"].astype(object))
ASKED.loc[::17, "pay"] = np.nan
ASKED.loc[::23, "city"] = None
ASKED.loc[::29, "member"] = None
ASKED.loc[5, "city"] = "bonn"
ASKED.loc[7, "pay"] = np.inf
ASKED.loc[8, "age"] = -np.inf
LEARNERS = {
    "M5": bough.M5Regressor(),
    "linear tree": bough.LinearTreeRegressor(),
    "M5Rules": bough.M5RulesRegressor(),
    "M5Rules of means": bough.M5RulesRegressor(leaf="constant"),
    "Cubist": bough.CubistRegressor(),
    "Cubist of five": bough.CubistRegressor(n_estimators=5, unbiased=True),
}


def by_duckdb(sql):
    with duckdb.connect() as database:
        database.register("people", ASKED)
        return database.sql(f"SELECT {sql} AS answer FROM people").df()["answer"].to_numpy()


def by_sqlite(sql):
    with sqlite3.connect(":memory:") as database:
        ASKED.to_sql("people", database, index=False)
        return np.array(database.execute(f"SELECT {sql} FROM people").fetchall(), dtype=np.float64)[:, 0]


@pytest.mark.parametrize("ask", [by_duckdb, by_sqlite])
@pytest.mark.parametrize("name", LEARNERS)
def test_databases_predict_as_the_model_does(name, ask):
    model = LEARNERS[name].fit(TABLE, COST).model_
    assert ask(bough.export.to_sql(model)) == pytest.approx(model.predict(ASKED), rel=1e-9)


def test_rules_with_neighbours_are_refused():
    rules = bough.CubistRegressor(n_neighbors=3).fit(TABLE, COST).model_
    with pytest.raises(ParameterError, match="n_neighbors=0"):
        bough.export.to_sql(rules)


def test_conditions_on_dates_are_refused_by_the_name_of_the_column():
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=80), "x": np.arange(80.0) % 7})
    rules = bough.M5RulesRegressor().fit(days, np.abs(np.arange(80.0) - 40) ** 2).model_
    with pytest.raises(ParameterError, match="'day'"):
        bough.export.to_sql(rules)
