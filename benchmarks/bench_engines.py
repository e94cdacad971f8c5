"""Time a tree of depth 8 that DuckDB grows, against a plain GROUP BY of the same columns.

    python benchmarks/bench_engines.py --rows 1000000 --columns 28

It prints the time of binning and of each level with temporary tables, that of a plain GROUP BY of each column
by leaf, that of one query for each node and column, and that of native growth from histograms in memory.
"""

import argparse
import time

import duckdb
import numpy as np

import bough
from bough.data.databases.database import Parameters
from bough.data.databases.duckdb import DuckDB


class TimedDuckDB(DuckDB):
    """A connection that notes the time of its queries."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(connection)
        self.times: list[tuple[str, float]] = []

    def _run(self, query: str, parameters: Parameters | None) -> object:
        begin = time.perf_counter()
        found = super()._run(query, parameters)
        self.times.append((query, time.perf_counter() - begin))
        return found


def seconds(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    begin = time.perf_counter()
    connection.execute(query).fetchnumpy()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--bins", type=int, default=64)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--memory-limit", default=None)
    arguments = parser.parse_args()
    n, m = arguments.rows, arguments.columns
    connection = duckdb.connect()
    if arguments.memory_limit:
        connection.execute(f"SET memory_limit = '{arguments.memory_limit}'")
    listed = ", ".join(f"random() AS x{column}" for column in range(m))
    connection.execute(f"CREATE TABLE drawn AS SELECT {listed}, random() AS noise FROM range({n})")
    connection.execute(
        "CREATE TABLE rows AS SELECT * EXCLUDE (noise), x0 + x1 * x2 + noise / 2 > 0.9 AS y FROM drawn"
    )
    learner = bough.TreeClassifier(max_bins=arguments.bins, max_depth=arguments.depth)
    database = TimedDuckDB(connection)
    begin = time.perf_counter()
    tree = learner.fit(bough.DatabaseTable(database, "rows", "rows"), "y").tree_
    whole = time.perf_counter() - begin
    levels = [each for query, each in database.times if "cell" in query or "GROUPING SETS" in query]
    filled = [each for query, each in database.times if query.startswith("INSERT")]
    print(f"DuckDB: {whole:.2f} s in all, {filled[0]:.2f} s to write the bins, {tree.n_leaves} leaves")
    print("levels:", ", ".join(f"{each:.2f}" for each in levels), "s")
    codes = ", ".join(f"CAST(floor(x{column} * 64) AS UTINYINT) AS c{column}" for column in range(m))
    connection.execute(
        f"CREATE TEMP TABLE coded AS SELECT {codes}, CAST(floor(x0 * 128) AS INTEGER) AS leaf, y FROM rows"
    )
    plain = sum(
        seconds(connection, f"SELECT leaf, y, c{column}, count(*) FROM coded GROUP BY ALL")
        for column in range(m)
    )
    one = seconds(connection, "SELECT y, c1, count(*) FROM coded WHERE leaf = 7 GROUP BY ALL")
    print(f"a plain GROUP BY of each column by 128 leaves: {plain:.2f} s")
    n_nodes = int((~tree.is_leaf).sum())
    print(f"a query for each node and column: {one * n_nodes * m:.1f} s ({n_nodes} × {m} × {one:.4f} s)")
    frame = connection.sql("SELECT * FROM rows").fetchnumpy()
    X = np.column_stack([frame[f"x{column}"] for column in range(m)])
    begin = time.perf_counter()
    in_memory = learner.fit(X, frame["y"]).tree_
    print(f"native growth in memory: {time.perf_counter() - begin:.2f} s")
    print("the same tree:", np.array_equal(in_memory.cut, tree.cut, equal_nan=True))


if __name__ == "__main__":
    main()
