"""Growth in a database: what is left behind, transactions, types, faults, and what is refused."""

import signal
import threading

import duckdb
import pandas as pd
import pytest
from tests.engines.places import DATABASES, in_duckdb, in_duckdb_by_levels, in_postgresql
from tests.engines.rows import NAMES, random_frame, same
from tests.interrupts import ctrl_c_after

import bough
from bough import (
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    DatabaseTable,
    TreeClassifier,
)
from bough.data.databases.database import Scratch
from bough.engines.sql import SQLRows
from bough.errors import ColumnTypeError, ParameterError, TableError, TargetError, WeightError
from bough.progress import watched

OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in DATABASES if name != "duckdb_by_levels"]


@pytest.fixture(scope="module", params=["duckdb_by_levels", *OTHERS])
def place(request, tmp_path_factory):
    with DATABASES[request.param](tmp_path_factory.mktemp(request.param)) as made:
        yield made


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with in_postgresql(tmp_path_factory.mktemp("server")) as made:
        yield made


@pytest.mark.slow
def test_without_temporary_tables_the_tree_is_the_same(place, monkeypatch):
    frame = random_frame(6, task="numbers", weights="fractions")
    learner = CARTRegressor(max_bins=9, prune="none", max_depth=8)
    table = place(frame)
    same(
        learner.fit(table, "target", sample_weight="w").tree_,
        learner.fit(without_temporary_tables(table, monkeypatch), "target", sample_weight="w").tree_,
    )


def without_temporary_tables(table, monkeypatch):
    """Return the table, in whose database no temporary table may be created from now on."""
    monkeypatch.setattr(Scratch, "create", lambda *_: pytest.fail("a temporary table was created"))
    table.temporary_tables = False
    return table


@pytest.mark.slow
@pytest.mark.parametrize("how", ["no privilege", "read only"])
def test_where_temporary_tables_are_not_allowed_the_fit_does_without_and_says_so(server, how):
    import psycopg

    frame = random_frame(23)
    learner = CARTClassifier(max_bins=8, prune="none", max_depth=4)
    before = learner.fit(server(frame), "target").tree_
    admin = server.connection
    admin.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT SELECT ON orders TO reader")
    admin.execute("REVOKE TEMP ON DATABASE postgres FROM PUBLIC")
    options = "-c default_transaction_read_only=on" if how == "read only" else ""
    user = "postgres" if how == "read only" else "reader"
    try:
        with psycopg.connect(
            host=str(server.server.folder), dbname="postgres", user=user, autocommit=True, options=options
        ) as own:
            table = DatabaseTable.open(own, "orders")
            with pytest.warns(UserWarning, match="may not create temporary tables"):
                same(before, learner.fit(table, "target").tree_)
    finally:
        admin.execute("GRANT TEMP ON DATABASE postgres TO PUBLIC; DROP OWNED BY reader; DROP ROLE reader")


@pytest.mark.parametrize("fetch_rows", [False, True])
def test_rows_are_fetched_only_if_they_may_be(tmp_path, monkeypatch, fetch_rows):
    fetched = []
    fetch = SQLRows._fetched
    monkeypatch.setattr(
        SQLRows, "_fetched", lambda self, leaves: fetched.append(leaves) or fetch(self, leaves)
    )
    # Other tests of this module count every level in the database.
    monkeypatch.setattr(SQLRows, "most_fetched_codes", 2**24)
    frame = random_frame(21)
    learner = CARTClassifier(max_bins=8, prune="none")
    with in_duckdb(tmp_path) as place:
        connection = place(frame).database._source
        tree = learner.fit(DatabaseTable.open(connection, "orders", fetch_rows=fetch_rows), "target").tree_
    assert bool(fetched) == fetch_rows
    same(tree, learner.fit(frame[NAMES], frame["target"]).tree_)


@pytest.mark.slow
def test_nothing_is_left_behind(tmp_path, server):
    frame = random_frame(7)
    with in_duckdb(tmp_path) as place:
        table = place(frame)
        CARTClassifier(max_bins=8, max_depth=9, prune="none").fit(table, "target")
        assert table.database.rows("SELECT table_name FROM duckdb_tables()") == [("orders",)]
    CARTClassifier(max_bins=8, max_depth=9, prune="none").fit(server(frame), "target")
    assert server.connection.execute("SELECT * FROM pg_class WHERE relname LIKE 'bough%'").fetchall() == []


def test_the_transaction_of_the_caller_stays_open(tmp_path):
    with in_duckdb(tmp_path) as place:
        table = place(random_frame(7))
        table.database.rows("BEGIN TRANSACTION")
        table.database.rows("CREATE TABLE kept AS SELECT 1 AS a")
        CARTClassifier(max_bins=8, prune="none").fit(table, "target")
        table.database.rows("COMMIT")
        assert table.database.rows("SELECT table_name FROM duckdb_tables() ORDER BY 1") == [
            ("kept",),
            ("orders",),
        ]


@pytest.mark.slow
def test_a_table_of_many_values_has_the_bins_of_memory(place, monkeypatch):
    """Where the distinct values are too many to fetch, the database finds the ranks."""
    table = place(random_frame(8, weights="whole"))
    monkeypatch.setattr(type(table.database), "most_fetched", 10)
    learner = TreeClassifier(max_bins=7, max_depth=4)
    frame = random_frame(8, weights="whole")
    memory = learner.fit(frame[NAMES], frame["target"], frame["w"]).tree_
    same(memory, learner.fit(table, "target", sample_weight="w").tree_)


TYPES = {
    "duckdb": "x::DECIMAL(12, 3) AS n, DATE '2024-01-01' + (x * 3)::INT AS d, TIMESTAMP '2024-01-01' + "
    "INTERVAL (x * 7) HOUR AS h, TIME '00:00' + INTERVAL (x) MINUTE AS m, x::FLOAT AS f, x % 2 = 0 AS b, "
    "(['low', 'mid', 'high'])[1 + x % 3]::mood AS e, (x % 5)::UTINYINT AS u",
    "postgresql": "x::numeric(12, 3) AS n, DATE '2024-01-01' + x * 3 AS d, TIMESTAMP '2024-01-01' + "
    "x * INTERVAL '7 hours' AS h, TIME '00:00' + x * INTERVAL '1 minute' AS m, x::real AS f, x % 2 = 0 AS b, "
    "(ARRAY['low', 'mid', 'high'])[1 + x % 3]::mood AS e, (x % 5)::smallint AS u",
}


@pytest.mark.slow
def test_types_of_both_databases_give_the_same_tree(server):
    """Decimals, dates, times, truth values and enumerated types; DuckDB's are also read into memory."""
    trees, target = [], "CASE WHEN x % 7 < 3 THEN 'p' ELSE 'q' END AS target"
    learner = TreeClassifier(max_bins=16, max_depth=6)
    with duckdb.connect() as connection:
        for run, name in ((connection, "duckdb"), (server.connection, "postgresql")):
            run.execute("CREATE TYPE mood AS ENUM ('low', 'mid', 'high')")
            rows = "range(0, 300) AS t(x)" if name == "duckdb" else "generate_series(0, 299) AS t(x)"
            run.execute(f"CREATE TABLE kinds AS SELECT {TYPES[name]}, {target} FROM {rows}")
            trees.append(learner.fit(DatabaseTable.open(run, "kinds"), "target").tree_)
        frame = connection.sql("SELECT * EXCLUDE (target) FROM kinds").to_arrow_table()
        answers = connection.sql("SELECT target FROM kinds").df()["target"]
        same(learner.fit(frame, answers).tree_, trees[0])
    same(*trees)
    units = {column.name: (column.scale, column.unit) for column in trees[0].schema}
    assert units["d"] == ("numeric", "date")
    assert units["h"] == ("numeric", "datetime")
    assert units["m"] == ("numeric", "time")
    assert units["e"] == ("nominal", None)


@pytest.mark.slow
def test_another_connection_does_not_change_the_fit(server, monkeypatch):
    """All statements of a fit see the table as it was at the first."""
    import psycopg

    frame = random_frame(11)
    learner = CARTClassifier(max_bins=8, prune="none", max_depth=5)
    before, table = learner.fit(server(frame), "target").tree_, server(frame)
    arrays, changed = type(table.database).arrays, []

    def change_and_run(self, *arguments):
        if not changed:
            changed.append(True)
            with psycopg.connect(host=str(server.server.folder), dbname="postgres", user="postgres") as other:
                other.execute(
                    "DELETE FROM orders WHERE a > 0; INSERT INTO orders (s, target) VALUES ('new', 'new')"
                )
        return arrays(self, *arguments)

    monkeypatch.setattr(type(table.database), "arrays", change_and_run)
    same(before, learner.fit(table, "target").tree_)
    assert changed


def test_files_that_change_during_the_fit_are_refused(tmp_path, monkeypatch):
    frame = random_frame(12)
    frame.to_parquet(tmp_path / "rows.parquet")
    table = DatabaseTable.open(tmp_path)
    arrays = type(table.database).arrays

    def change_and_run(self, *arguments):
        (tmp_path / "rows.parquet").touch()
        return arrays(self, *arguments)

    monkeypatch.setattr(type(table.database), "arrays", change_and_run)
    with pytest.raises(TableError, match="was changed during the fit"):
        CARTClassifier(max_bins=8, prune="none").fit(table, "target")


@pytest.mark.slow
def test_a_dropped_connection_is_a_clear_error(server, monkeypatch):
    import psycopg

    table = server(random_frame(13))
    own = psycopg.connect(host=str(server.server.folder), dbname="postgres", user="postgres", autocommit=True)
    table = DatabaseTable.open(own, "orders")
    arrays = type(table.database).arrays

    def kill_and_run(self, *arguments):
        server.connection.execute("SELECT pg_terminate_backend(%s)", [own.info.backend_pid])
        return arrays(self, *arguments)

    monkeypatch.setattr(type(table.database), "arrays", kill_and_run)
    with pytest.raises(TableError, match="Table 'orders' cannot be read"):
        CARTClassifier(max_bins=8).fit(table, "target")
    assert server.connection.execute("SELECT * FROM pg_class WHERE relname LIKE 'bough%'").fetchall() == []


@pytest.mark.slow
@pytest.mark.parametrize("type_", ["DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"])
def test_infinite_dates_are_missing_values(type_, server, tmp_path):
    dates = ["'infinity'", "'-infinity'", "NULL", *(f"'2020-01-{day:02} 07:00:00'" for day in range(1, 29))]
    rows = ", ".join(
        f"(CAST({date} AS {type_}), {'TRUE' if 2 < i < 12 else 'FALSE'})" for i, date in enumerate(dates)
    )
    query = f"SELECT * FROM (VALUES {rows}) AS given(x, target)"
    learner = TreeClassifier(max_bins=32, missing="own_level", min_samples_leaf=3, nominal="subset")
    trees = [
        learner.fit(DatabaseTable.open(connection, query=query), "target").tree_
        for connection in (duckdb.connect(), server.connection)
    ]
    same(*trees)
    assert 3.0 in trees[0].cases


@pytest.mark.parametrize("name", ["duckdb", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_folds_without_rows_are_those_of_memory(name, tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "target": ["a", "a", "b", "b", "b"]})
    learner = CARTClassifier(max_bins=4, cv=5, sampling="hash", min_samples_split=2, min_samples_leaf=1)
    # Rows of the same bins have the same hash: four bins leave one of five folds empty.
    expected = learner.fit(frame[["x"]], frame["target"]).tree_.to_json()
    with DATABASES[name](tmp_path) as place:
        assert learner.fit(place(frame), "target").tree_.to_json() == expected


def test_a_password_is_in_no_error(tmp_path):
    with pytest.raises(TableError, match="cannot be reached") as caught:
        DatabaseTable.open(f"postgresql://user:s3cr3t@/name?host={tmp_path}", "orders")
    assert "s3cr3t" not in str(caught.value)
    with pytest.raises(TableError) as caught:
        DatabaseTable.open("postgresql://user:s3cr3t@[host/name", "orders")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("learner", "options", "error", "named"),
    [
        (CARTClassifier(), {}, ParameterError, "max_bins is None"),
        (CARTClassifier(max_bins=8, prior="equal"), {}, ParameterError, "prior"),
        (CARTClassifier(max_bins=8, n_competitors=2), {}, ParameterError, "n_competitors"),
        (CARTClassifier(max_bins=8, prune="reduced_error"), {}, ParameterError, "prune is 'reduced_error'"),
        (CARTClassifier(max_bins=8, row_key="a", sampling="hash"), {}, ParameterError, "row_key is 'a'"),
        (CARTClassifier(max_bins=8), {"y": "targett"}, TableError, "did you mean 'target'"),
        (CARTClassifier(max_bins=8), {"y": "b"}, TargetError, "no value in"),
        (CARTClassifier(max_bins=8), {"sample_weight": "s"}, WeightError, "'s'"),
        (CARTClassifier(max_bins=8), {"sample_weight": "a"}, WeightError, "finite number"),
        (CARTRegressor(max_bins=8), {}, TargetError, "y is text"),
        (CARTRegressor("poisson"), {"y": "k"}, ParameterError, "criterion is 'poisson'"),
        (bough.C45Classifier(), {}, ParameterError, "C45Classifier does not grow trees in a database"),
        (CARTClassifier(max_bins=8), {"y": ["low"]}, ParameterError, "y is 'list'"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_by_name(tmp_path, learner, options, error, named):
    with in_duckdb(tmp_path) as place, pytest.raises(error, match=named):
        learner.fit(place(random_frame(14)), **({"y": "target"} | options))


def test_a_column_of_another_type_is_refused(tmp_path):
    with duckdb.connect() as connection, pytest.raises(ColumnTypeError, match="'x' holds INTEGER"):
        CARTClassifier(max_bins=8).fit(connection.sql("SELECT [1, 2] AS x, 'a' AS y"), "y")


@pytest.mark.slow
def test_four_million_rows_within_200_megabytes_give_the_same_tree(tmp_path):
    """The table itself is larger than the limit, so that it is read from a file."""
    columns = ", ".join(f"hash(i * {2 * c + 3}) % 100003 / 97.0 AS x{c}" for c in range(10))
    drawn = f"SELECT {columns} FROM range(4000000) AS rows(i)"
    query = f"SELECT *, x0 + x1 > 1000 AND x2 % 7 < 5 AS y FROM ({drawn})"
    path = tmp_path / "rows.duckdb"
    learner = TreeClassifier(max_bins=16, max_depth=4)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE many AS {query}")
        rows = connection.execute("SELECT * FROM many").fetchnumpy()
    frame = pd.DataFrame(rows)
    memory = learner.fit(frame.drop(columns="y"), frame["y"]).tree_
    config = {"memory_limit": "200MB", "threads": 2, "temp_directory": str(tmp_path / "spill")}
    with duckdb.connect(str(path), read_only=True, config=config) as limited:
        same(memory, learner.fit(DatabaseTable.open(limited, "many", fetch_rows=False), "y").tree_)


@pytest.mark.slow
def test_memory_limited_duckdb_grows_the_same_tree(tmp_path):
    frame = random_frame(15, n=20_000)
    learner = CARTClassifier(max_bins=32, prune="none", max_depth=8)
    memory = learner.fit(frame[NAMES], frame["target"]).tree_
    with duckdb.connect(
        config={"memory_limit": "60MB", "threads": 2, "temp_directory": str(tmp_path)}
    ) as limited:
        limited.register("given", frame)
        limited.execute("CREATE TABLE orders AS SELECT * FROM given")
        same(memory, learner.fit(DatabaseTable.open(limited, "orders"), "target").tree_)


def test_progress_is_reported_by_level(tmp_path):
    shares = []
    with in_duckdb_by_levels(tmp_path) as place, watched(shares.append):
        CARTClassifier(max_bins=8, max_depth=4, prune="none").fit(place(random_frame(18)), "target")
    assert len(shares) == 4
    assert shares[0] == 0.0
    assert shares == sorted(shares)


@pytest.mark.slow
def test_an_interrupt_cancels_the_query_and_leaves_nothing_behind(tmp_path):
    with in_duckdb(tmp_path) as place:
        table = place(random_frame(19))
        table.database.rows(
            "CREATE TABLE many AS SELECT a + random() AS x, b, k, target FROM orders, range(10000)"
        )
        with pytest.raises(KeyboardInterrupt), ctrl_c_after(1.0):
            CARTClassifier(max_bins=64).fit(DatabaseTable(table.database, "many", "many"), "target")
        assert len(table.database.rows("SELECT table_name FROM duckdb_tables()")) == 2


RUNNING = "SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"


def interrupt_once_it_runs(other, pid):
    """Send the signal of Ctrl-C as soon as the server runs a query of the fit."""
    while not other.execute(f"{RUNNING} AND pid = {pid} AND query LIKE '%many%'").fetchall():
        other.execute("SELECT pg_sleep(0.01)")
    signal.raise_signal(signal.SIGINT)


def begin_and_interrupt(database):
    """Send a query, and meet an interrupt before anyone waits for its result."""
    with database.transaction(), database._own_errors():
        database._connection.pgconn.send_query(b"SELECT pg_sleep(600)")
        raise KeyboardInterrupt


@pytest.mark.slow
def test_a_query_that_an_interrupt_left_running_is_cancelled(server):
    database = server(random_frame(22)).database
    with pytest.raises(KeyboardInterrupt):
        begin_and_interrupt(database)
    assert database.rows("SELECT 1") == [(1,)]
    with database.transaction() as begun:
        assert begun


@pytest.mark.slow
def test_an_interrupt_cancels_the_query_of_postgresql(server):
    import psycopg

    table = server(random_frame(22))
    table.database.rows("CREATE TABLE many AS SELECT a, b, k, target FROM orders, generate_series(1, 5000)")
    [[pid]] = table.database.rows("SELECT pg_backend_pid()")
    place = {"host": str(server.server.folder), "dbname": "postgres", "user": "postgres"}
    with psycopg.connect(**place, autocommit=True) as other:
        watcher = threading.Thread(target=interrupt_once_it_runs, args=(other, pid))
        watcher.start()
        with pytest.raises(KeyboardInterrupt):
            CARTClassifier(max_bins=64).fit(DatabaseTable(table.database, "many", "many"), "target")
        watcher.join()
        left = "SELECT relname FROM pg_class WHERE relname LIKE 'bough%'"
        # The server may take a moment to notice that the query is cancelled.
        for _ in range(300):
            if not other.execute(RUNNING).fetchall() and not other.execute(left).fetchall():
                break
            other.execute("SELECT pg_sleep(0.1)")
        assert other.execute(RUNNING).fetchall() == []
        assert other.execute(left).fetchall() == []
    table.database.rows("DROP TABLE many")


@pytest.mark.slow
@pytest.mark.parametrize("learner", [CARTClassifier(max_bins=9, cv=4), CHAIDClassifier(max_bins=6)], ids=repr)
def test_a_tree_of_a_database_is_grown_again_in_memory(tmp_path, learner):
    frame = random_frame(20)
    with in_duckdb(tmp_path) as place:
        tree = learner.fit(place(frame), "target").tree_
    assert tree.n_leaves > 2
    assert bough.regrow(tree, frame[NAMES], frame["target"]) == tree
