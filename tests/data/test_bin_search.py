"""The bin of a value in DuckDB, held against a search in the list of bounds."""

import duckdb
import numpy as np
import pytest

from bough.data.databases.bin_search import bin_expression
from bough.data.databases.duckdb import DuckDB
from bough.data.databases.postgresql import PostgreSQL

RNG = np.random.default_rng(0)
TINY = 5e-324
BOUNDS = {
    "none": [],
    "one": [0.0],
    "few": [-1.0, 0.0, 2.5],
    "even": np.arange(1, 64) / 64,
    "ranks of a bell": np.quantile(RNG.normal(size=5000), np.arange(1, 64) / 64),
    "255 bins": np.quantile(RNG.normal(size=5000), np.arange(1, 255) / 255),
    "heavy tails": np.quantile(RNG.standard_cauchy(20000), np.arange(1, 255) / 255),
    "one tail": np.quantile(np.exp(3 * RNG.normal(size=20000)), np.arange(1, 255) / 255),
    "infinities": [-np.inf, -3.0, -1.0, 0.0, 0.5, 1.0, 4.0, 6.0, np.inf],
    "nothing but infinities": [-np.inf, np.inf],
    "whole range": [-1.7e308, -1e308, -1e300, 0.0, 1e300, 1e308, 1.5e308, 1.7e308],
    "tiny": [TINY * each for each in (1, 2, 3, 5, 8, 13, 21, 34)],
    "around zero": [-1e-300, -TINY, 0.0, TINY, 1e-300, 1e-200, 1e-100, 1.0],
    "neighbours": 1.0 + np.arange(1, 40) * np.finfo(float).eps,
    "far from zero": 1e9 + np.arange(40) / 7,
    "many": np.cumsum(RNG.random(3000)),
}


@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_a_value_gets_the_bin_that_a_search_finds(bounds):
    bounds = np.array(bounds, dtype=float)
    low, high = (bounds[0], bounds[-1]) if len(bounds) else (0.0, 1.0)
    between = RNG.random(2000) * (np.clip(high, -1e150, 1e150) - np.clip(low, -1e150, 1e150)) + low
    neighbours = [np.nextafter(bounds, -np.inf), bounds, np.nextafter(bounds, np.inf)]
    extremes = [-np.inf, -1.79e308, -1.0, -TINY, -0.0, 0.0, TINY, 1.0, 1.79e308, np.inf]
    values = np.concatenate([*neighbours, between[~np.isnan(between)], extremes])
    with duckdb.connect() as connection:
        connection.register("given", {"x": values})
        found = connection.execute(
            f"SELECT {bin_expression('x', bounds.tolist(), 7777)} AS bin FROM given"
        ).fetchnumpy()["bin"]
        [(missing,)] = connection.execute(
            f"SELECT {bin_expression('x', bounds.tolist(), 7777)} FROM (SELECT CAST(NULL AS DOUBLE) AS x)"
        ).fetchall()
    np.testing.assert_array_equal(found, np.searchsorted(bounds, values, side="right"))
    assert missing == 7777


def test_bounds_that_lie_evenly_need_no_case():
    assert "CASE" not in bin_expression("x", BOUNDS["ranks of a bell"], 64)
    assert "CASE" in bin_expression("x", BOUNDS["one tail"], 255)


@pytest.mark.parametrize("database", [DuckDB, PostgreSQL])
def test_a_column_of_one_bin_tells_missing_values_apart(database):
    own = object.__new__(database)
    assert own.bin_code("x", [], 1, None) == "CASE WHEN x IS NULL THEN 1 ELSE 0 END"
