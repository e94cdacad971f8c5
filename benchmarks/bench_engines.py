"""Time trees that are grown where the rows are: in DuckDB, from Parquet files, and in partitions of Dask.

    python benchmarks/bench_engines.py duckdb --rows 1000000 --columns 28 --threads 1 --json duckdb.json
    python benchmarks/bench_engines.py inline --rows 1000000 --columns 28
    python benchmarks/bench_engines.py parquet --rows 10000000 --memory-limit 1GB
    python benchmarks/bench_engines.py dask
    python benchmarks/bench_engines.py forest --rows 100000 --columns 10 --trees 8
    python benchmarks/bench_engines.py growth --rows 200000 --columns 10 --depth 6
    python benchmarks/bench_engines.py plan --rows 10000000000 --columns 100 --workers 100 --cores 16

Of DuckDB it prints the time of the bins and of each level, that of a plain GROUP BY of each column by leaf,
that of one query for each node and column, and that of native growth in memory. Of Dask it prints the time
that a level takes, also with hardly any rows, by workers and partitions, and the CPU time of all processes.
Times of DuckDB are CPU times of all threads. `inline` does without temporary tables. `forest` prints the CPU
time of a forest in partitions and of the same one in memory, without a cluster. `growth` prints the CPU time
of a tree and of ten boosted ones, and its growth if one size is doubled. `--json` writes all figures.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

import bough
from bough.data.databases.database import Parameters
from bough.data.databases.duckdb import DuckDB

clock = time.process_time
figures: dict[str, object] = {}
"""What was measured, by its name."""


class TimedDuckDB(DuckDB):
    """A connection that notes the time of its queries."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(connection)
        self.times: list[tuple[str, float]] = []

    def rows(self, query: str, parameters: Parameters | None = None) -> list[tuple[object, ...]]:
        """Run a statement and note its time."""
        return self._timed(query, lambda: super(TimedDuckDB, self).rows(query, parameters))

    def arrays(self, query: str, parameters: Parameters | None = None) -> list[np.ndarray]:
        """Run a query and note its time, that of fetching included."""
        return self._timed(query, lambda: super(TimedDuckDB, self).arrays(query, parameters))

    def _timed(self, query, run):
        # DuckDB computes a result while it is fetched, so the time of execute alone says little.
        begin = clock()
        found = run()
        self.times.append((query, clock() - begin))
        return found

    def total(self, part: str) -> float:
        """Return the time of the queries that have a part in common."""
        return sum(each for query, each in self.times if part in query)


def seconds(run) -> float:
    begin = clock()
    run()
    return clock() - begin


def drawn_rows(n: int, m: int) -> str:
    """Return the query of n rows of m random numbers and two classes."""
    listed = ", ".join(f"random() AS x{column}" for column in range(m))
    drawn = f"SELECT {listed}, random() AS noise FROM range({n})"
    return f"SELECT * EXCLUDE (noise), x0 + x1 * x2 + noise / 2 > 0.9 AS y FROM ({drawn})"


def bench_duckdb(n: int, m: int, bins: int, depth: int, threads: int, repeats: int) -> None:
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    connection.execute(f"CREATE TABLE rows AS {drawn_rows(n, m)}")
    learner = bough.TreeClassifier(max_bins=bins, max_depth=depth)
    learner.fit([[0.0], [1.0]], [0, 1])
    opened = bough.DatabaseTable.open(connection, "rows", fetch_rows=False)
    whole = min(seconds(lambda: learner.fit(opened, "y")) for _ in range(repeats))
    database = TimedDuckDB(connection)
    table = bough.DatabaseTable(database, "rows", "rows")
    table.fetch_rows = False
    tree = learner.fit(table, "y").tree_
    levels = [each for query, each in database.times if "GROUPING SETS" in query]
    print(f"a tree: {whole:.2f} s, {tree.n_leaves} leaves")
    print(f"levels: {', '.join(f'{each:.2f}' for each in levels)} s")
    written = database.total("INSERT")
    cuts = sum(each for query, each in database.times if query.startswith("SELECT NULLIF"))
    print(f"cuts {cuts:.2f} s, temporary tables {written:.2f} s, all levels {sum(levels):.2f} s")
    codes = ", ".join(f"CAST(floor(x{column} * 64) AS UTINYINT) AS c{column}" for column in range(m))
    connection.execute(
        f"CREATE TEMP TABLE coded AS SELECT {codes}, CAST(floor(x0 * 128) AS INTEGER) AS leaf, y FROM rows"
    )

    def grouped(column: int, where: str = "") -> None:
        connection.execute(
            f"SELECT leaf, y, c{column}, count(*) FROM coded {where} GROUP BY ALL"
        ).fetchnumpy()

    plain = seconds(lambda: [grouped(column) for column in range(m)])
    print(f"a plain GROUP BY of each column by 128 leaves: {plain:.2f} s")
    print(f"a level is at most {max(levels) / plain:.2f} × that, {np.mean(levels) / plain:.2f} × on average")
    ones = [
        seconds(lambda: [grouped(column % m, "WHERE leaf = 7") for column in range(20)]) / 20
        for _ in range(repeats)
    ]
    one = min(ones)
    n_nodes = int((~tree.is_leaf).sum())
    naive = one * n_nodes * m
    print(f"a query for each node and column: {naive:.1f} s, {naive / sum(levels):.1f} × all levels")
    print(f"the same with bins and cuts: {(naive + cuts + written) / whole:.1f} × the tree")
    frame = connection.sql("SELECT * FROM rows").fetchnumpy()
    X = np.column_stack([frame[f"x{column}"] for column in range(m)])
    native = seconds(lambda: learner.fit(X, frame["y"]))
    print(f"native growth in memory: {native:.2f} s")
    print("the same tree:", np.array_equal(learner.tree_.cut, tree.cut, equal_nan=True))
    figures.update(
        tree=whole,
        levels=levels,
        cuts=cuts,
        written=written,
        plain_group_by=plain,
        greatest_level_by_plain=max(levels) / plain,
        queries_by_node_and_column=naive,
        these_by_levels=naive / sum(levels),
        these_by_tree=(naive + cuts + written) / whole,
        native=native,
    )


def bench_inline(n: int, m: int, bins: int, depth: int, threads: int) -> None:
    """Grow a tree without temporary tables: every level computes the bins anew."""
    with duckdb.connect() as connection:
        connection.execute(f"SET threads = {threads}")
        connection.execute(f"CREATE TABLE rows AS {drawn_rows(n, m)}")
        learner = bough.TreeClassifier(max_bins=bins, max_depth=depth)
        for written in (True, False):
            table = bough.DatabaseTable.open(connection, "rows", fetch_rows=False, temporary_tables=written)
            taken = seconds(lambda table=table: learner.fit(table, "y"))
            figures[f"temporary_tables={written}"] = taken
            print(f"{'with' if written else 'without'} temporary tables: {taken:.1f} s", flush=True)


def bench_forest(n: int, m: int, bins: int, depth: int, n_trees: int) -> None:
    """Grow a forest in eight partitions of this process, and the same one in memory."""
    import dask
    import dask.dataframe as dd
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((n, m))).add_prefix("x").assign(id=np.arange(n))
    frame["y"] = frame["x0"] + frame["x1"] * frame["x2"] + rng.random(n) / 2 > 0.9
    settings = {"max_bins": bins, "max_depth": depth, "random_state": 0, "row_key": "id"}
    distant = bough.RandomForestClassifier(n_trees, **settings)
    here = bough.RandomForestClassifier(n_trees, sampling="hash", **settings)
    native = bough.RandomForestClassifier(n_trees, max_depth=depth, random_state=0)
    with dask.config.set(scheduler="synchronous"):
        parts = dd.from_pandas(frame, npartitions=8).persist()
        figures["dask"] = seconds(lambda: distant.fit(parts, "y"))
    X = frame.drop(columns="y")
    figures["memory"] = seconds(lambda: here.fit(X, frame["y"]))
    figures["without_bins"] = seconds(lambda: native.fit(X.drop(columns="id"), frame["y"]))
    print(", ".join(f"{name} {value:.2f} s" for name, value in figures.items()))
    print("the same forest:", distant.model_ == here.model_)


def bench_parquet(n: int, m: int, bins: int, depth: int, memory_limit: str, threads: int) -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = '{folder}/spill'; SET preserve_insertion_order = false")
        parts = 10
        for part in range(parts):
            connection.execute(f"COPY ({drawn_rows(n // parts, m)}) TO '{folder}/part{part}.parquet'")
        size = sum(each.stat().st_size for each in Path(folder).glob("*.parquet"))
        connection.execute(f"SET memory_limit = '{memory_limit}'; SET threads = {threads}")
        rows = connection.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet')")
        learner = bough.TreeClassifier(max_bins=bins, max_depth=depth)
        begin, cpu = time.perf_counter(), clock()
        tree = learner.fit(rows, "y").tree_
        print(f"{n} rows × {m}, {size / 2**30:.2f} GiB of Parquet, memory limit {memory_limit}:")
        figures.update(wall=time.perf_counter() - begin, cpu=clock() - cpu, bytes=size, leaves=tree.n_leaves)
        print(f"{figures['wall']:.0f} s, {figures['cpu']:.0f} s of CPU, {tree.n_leaves} leaves")


def cpu_of_all() -> float:
    """Return the CPU time of this process and of the workers that it started."""
    import psutil

    own = psutil.Process()
    times = [each.cpu_times() for each in (own, *own.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def bench_dask(n: int, m: int, bins: int, depth: int) -> None:
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster

    from bough.engines.partitioned import PartitionedRows

    PartitionedRows.most_fetched_codes = 0
    rng = np.random.default_rng(0)
    for n_workers in (1, 2):
        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster),
        ):
            for n_partitions in (2, 8, 32):
                for rows in (10 * n_partitions, n):
                    frame = pd.DataFrame(rng.random((rows, m))).add_prefix("x")
                    frame["y"] = frame["x0"] + frame["x1"] * frame["x2"] > 0.7
                    given = dd.from_pandas(frame, npartitions=n_partitions).persist()
                    learner = bough.TreeClassifier(max_bins=bins, max_depth=depth)
                    learner.fit(given, "y")
                    asked = []
                    histograms = PartitionedRows.histograms

                    def timed(self, leaves, asked=asked, histograms=histograms):
                        begin, cpu = time.perf_counter(), cpu_of_all()
                        found = [*histograms(self, leaves)]
                        asked.append((time.perf_counter() - begin, cpu_of_all() - cpu))
                        return found

                    PartitionedRows.histograms = timed
                    begin = time.perf_counter()
                    learner.fit(given, "y")
                    whole = time.perf_counter() - begin
                    PartitionedRows.histograms = histograms
                    named = f"{n_workers} workers, {n_partitions} partitions, {rows} rows"
                    level, level_cpu = np.mean(asked, axis=0).tolist()
                    figures[named] = {"tree": whole, "level": level, "level_cpu": level_cpu}
                    print(
                        f"{n_workers} workers, {n_partitions:2} partitions, {rows:7} rows: {whole:.2f} s, "
                        f"a level {level:.3f} s, {level_cpu:.3f} s of CPU in all processes",
                        flush=True,
                    )


def cpu_times(n: int, m: int, depth: int, n_partitions: int, bins: int) -> list[float]:
    """Return the CPU times of a tree in DuckDB, of one in partitions, and of ten rounds of boosting there."""
    import dask
    import dask.dataframe as dd
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((n, m))).add_prefix("x")
    frame["y"] = frame["x0"] + frame["x1"] * frame["x2"] + rng.random(n) / 2 > 0.9
    tree = bough.TreeClassifier(max_bins=bins, max_depth=depth)
    boosted = bough.GradientBoostingClassifier(
        max_bins=bins, max_iter=10, max_depth=depth, max_leaf_nodes=None, growth="level", n_jobs=1
    )
    with duckdb.connect() as connection, dask.config.set(scheduler="synchronous"):
        connection.execute("SET threads = 1")
        connection.register("given", frame)
        connection.execute("CREATE TABLE rows AS SELECT * FROM given")
        table = bough.DatabaseTable.open(connection, "rows", fetch_rows=False)
        parts = dd.from_pandas(frame, npartitions=n_partitions).persist()
        return [
            seconds(lambda: tree.fit(table, "y")),
            seconds(lambda: tree.fit(parts, "y")),
            seconds(lambda: boosted.fit(parts, "y")),
        ]


def bench_growth(n: int, m: int, bins: int, depth: int) -> None:
    from bough.engines.partitioned import PartitionedRows

    PartitionedRows.most_fetched_codes = 0
    base = {"rows": n, "columns": m, "depth": depth, "partitions": 8}
    cpu_times(1000, m, 2, 2, bins)
    print("CPU seconds in DuckDB, on Dask, and of ten boosted trees on Dask; in brackets × the first line")
    first = None
    for doubled in (None, *base):
        sizes = base | ({} if doubled is None else {doubled: 2 * base[doubled]})
        times = cpu_times(*sizes.values(), bins)
        first = first or times
        named = ", ".join(f"{value} {name}" for name, value in sizes.items())
        figures[named] = times
        shown = "  ".join(f"{each:.2f} ({each / own:.2f})" for each, own in zip(times, first, strict=True))
        print(f"{named}: {shown}", flush=True)


def plan(n: int, m: int, bins: int, depth: int, n_workers: int, n_cores: int) -> None:
    """Print what a tree of n rows would cost on a cluster, from the costs of a value measured here."""
    import pickle

    import pandas as pd

    from bough.data.schema import Column, Schema
    from bough.engines import partition_coding, partitioned
    from bough.growing.fit_grid import FitGrid

    rows, rng = 200_000, np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((rows, m))).add_prefix("x").assign(y=rng.random(rows) < 0.5)
    names = tuple(frame.columns[:-1])
    roles = partition_coding.ColumnRoles(names, "y")
    schema = Schema(tuple([Column(name, "numeric") for name in names]))
    training = partition_coding.TrainingInPartitions(roles, schema, (False, True))
    highest = [np.arange(1, bins + 1) / bins] * m
    value, kept = rows * m, []
    read = seconds(lambda: partition_coding.summarized(frame, roles)) / value
    pivots = dict(enumerate(highest))
    search = seconds(lambda: partition_coding.cases_between(frame, training, pivots)) / value
    code = seconds(
        lambda: kept.append(partition_coding.coded(frame, training, highest, FitGrid(), None))
    ) / value  # fmt: skip
    position = partitioned.Position()
    counts = []
    count = seconds(lambda: counts.append(partitioned._histograms(kept[0], position, [0]))) / value
    leaf = len(pickle.dumps(counts[0]))
    costs = {"summarized": read, "counted between pivots": search, "coded": code, "counted in a level": count}
    print("a value:", ", ".join(f"{each * 1e9:.0f} ns {name}" for name, each in costs.items()))
    print(f"the histogram of a leaf: {leaf / 1000:.0f} kB")
    of_core = n * m / n_workers / n_cores
    print(f"bins: {n * m / n_workers / 1e9:.0f} GB on each worker")
    print(f"cuts and bins: {of_core * (read + 2 * search + code):.0f} s, reading not counted")
    n_partitions = max(n_workers * n_cores, n * m // 10**9)
    for level in range(depth):
        leaves = max(1, 2**level // 2)
        share = 1.0 if level == 0 else 0.5
        moved = n_partitions * leaves * leaf / n_workers
        print(
            f"level {level}: at most {leaves} leaves counted, {of_core * share * count:.0f} s, "
            f"{moved / 1e6:.0f} MB from each worker, {leaves * leaf / 1e6:.1f} MB to the client"
        )
    print(f"{n_partitions} partitions of {n / n_partitions:.0f} rows")
    figures.update(costs, histogram_bytes=leaf, n_partitions=n_partitions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=["duckdb", "inline", "parquet", "dask", "forest", "growth", "plan"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--bins", type=int, default=64)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--memory-limit", default="1GB")
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1, help="of DuckDB")
    parser.add_argument("--repeats", type=int, default=3, help="of DuckDB's tree, of which the least counts")
    parser.add_argument("--trees", type=int, default=8, help="of a forest")
    parser.add_argument("--json", type=Path, help="where to write the figures too")
    given = parser.parse_args()
    sizes = given.rows, given.columns, given.bins, given.depth
    run = {
        "duckdb": lambda: bench_duckdb(*sizes, given.threads, given.repeats),
        "inline": lambda: bench_inline(*sizes, given.threads),
        "parquet": lambda: bench_parquet(*sizes, given.memory_limit, given.threads),
        "dask": lambda: bench_dask(*sizes),
        "forest": lambda: bench_forest(*sizes, given.trees),
        "growth": lambda: bench_growth(*sizes),
        "plan": lambda: plan(*sizes, given.workers, given.cores),
    }
    run[given.engine]()
    if given.json is not None:
        given.json.write_text(json.dumps(vars(given) | {"figures": figures}, indent=2, default=str))


if __name__ == "__main__":
    main()
