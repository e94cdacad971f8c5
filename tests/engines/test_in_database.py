"""The tree grown in a database is that of memory with the same bins, to the byte, wherever the table is."""

import signal
import threading
import warnings

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.engines.places import PLACES, in_duckdb, in_postgresql

import bough
from bough import (
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    CHAIDRegressor,
    DatabaseTable,
    ID3Classifier,
    TreeClassifier,
    TreeRegressor,
)
from bough.errors import ColumnTypeError, ParameterError, TableError, TargetError, WeightError
from bough.learners.fitting import fit_tree
from bough.learners.in_database import fit_in_database
from bough.learners.reading import read_training
from bough.progress import watched

NAMES = ["a", "b", "k", "s", "t", "one"]


OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in PLACES if name != "duckdb"]


@pytest.fixture(scope="module", params=["duckdb", *OTHERS])
def place(request, tmp_path_factory):
    with PLACES[request.param](tmp_path_factory.mktemp(request.param)) as made:
        yield made


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with in_postgresql(tmp_path_factory.mktemp("server")) as made:
        yield made


def random_frame(seed: int, n: int = 300, task: str = "classes", weights: str | None = None) -> pd.DataFrame:
    """Numeric, whole, nominal and truth columns with missing values, and a column of a single value."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": np.round(rng.normal(size=n), 1),
            "k": rng.integers(-3, 4, n),
            "s": rng.choice(["x", "it's", "é", 'q"q'], n).astype(object),
            "t": rng.random(n) < 0.5,
            "one": np.ones(n),
        }
    )
    score = frame.a + frame.b**2 + 1.5 * (frame.s == "x") + 0.5 * rng.normal(size=n)
    for name in ("a", "b"):
        frame.loc[rng.random(n) < 0.1, name] = np.nan
    frame["s"] = frame["s"].where(rng.random(n) > 0.1, None)
    frame["target"] = (
        np.array(["low", "mid", "high"])[np.digitize(score, [0, 1])] if task == "classes" else score
    )
    if weights is not None:
        frame["w"] = rng.integers(0, 3, n).astype(float) if weights == "whole" else rng.random(n)
    return frame


def both(place, learner, frame):
    """Fit a learner in memory and in a database; return both trees."""
    weight = "w" if "w" in frame else None
    names = [name for name in frame if name not in ("target", "w")]
    in_memory = learner.fit(frame[names], frame["target"], frame["w"] if weight else None).model_
    return in_memory, learner.fit(place(frame), "target", sample_weight=weight).model_


def same(one, other):
    assert one.n_leaves > 2
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_the_tree_is_that_of_memory(place, task, weights):
    """Deep enough that leaves are written to a new temporary table."""
    learner = (CARTClassifier if task == "classes" else CARTRegressor)(max_bins=16, prune="none", max_depth=9)
    same(*both(place, learner, random_frame(1, task=task, weights=weights)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [
        CARTClassifier(max_bins=9, cv=4, sampling="hash"),
        CARTRegressor(max_bins=9, cv=4, sampling="hash", min_samples_leaf=5),
        CARTClassifier(max_bins=9, prune="none", missing="surrogates_then_majority", max_depth=4),
        CARTRegressor(max_bins=9, prune="none", missing="surrogates_then_stop", max_depth=4),
        CARTClassifier(max_bins=9, ccp_alpha=0.01, class_weight="balanced"),
        CARTRegressor(max_bins=9, prune="cp", cp=0.02, cv=None),
        TreeClassifier("gain_ratio", max_bins=9, missing="learned", max_leaf_nodes=9),
        TreeClassifier("entropy", max_bins=9, nominal="complete", missing="own_level", max_depth=3),
        TreeClassifier("twoing", max_bins=9, missing="majority", max_depth=4, class_weight={"low": 2.5}),
        TreeClassifier("entropy", max_bins=9, max_branches=4, max_depth=3, prune="mdl"),
        TreeRegressor(max_bins=9, max_depth=4, nominal="one_vs_rest", min_samples_leaf=0.05),
        TreeClassifier(
            max_bins=5, categorical_features=["k"], ordinal_features={"s": ["x", "é", 'q"q', "it's"]}
        ),
    ],
    ids=repr,
)
def test_every_recipe_grows_the_tree_of_memory(place, learner):
    is_regression = isinstance(learner, CARTRegressor | TreeRegressor)
    same(
        *both(
            place, learner, random_frame(2, task="numbers" if is_regression else "classes", weights="whole")
        )
    )


@pytest.mark.slow
def test_id3_and_chaid_grow_the_tree_of_memory(place):
    frame = random_frame(3)
    levels = frame[["s", "t", "target"]].assign(k=frame["k"].astype(str))
    same(*both(place, ID3Classifier(missing="learned"), levels))
    for learner, task in ((CHAIDClassifier(max_bins=6), "classes"), (CHAIDRegressor(max_bins=6), "numbers")):
        frame = random_frame(4, task=task)
        recipe = bough.Recipe.from_json(learner.recipe().to_json() | {"max_bins": 6})
        memory = fit_tree(recipe, read_training(recipe, frame[NAMES], frame["target"])).tree
        same(memory, learner.fit(place(frame), "target").tree_)


@pytest.mark.slow
def test_folds_go_by_the_hash_of_a_key_in_any_order_of_rows(place):
    frame = random_frame(5).assign(id=np.arange(300))
    learner = CARTClassifier(max_bins=9, cv=4, sampling="hash", row_key="id")
    in_memory, in_place = both(place, learner, frame)
    same(in_memory, in_place)
    assert "id" not in in_memory.schema.names
    shuffled = learner.fit(place(frame.sample(frac=1, random_state=0)), "target")
    same(shuffled.tree_, in_memory)
    assert len(shuffled.cp_table_) > 1


@pytest.mark.slow
def test_cross_validated_risks_are_those_of_memory_where_a_leaf_answers_as_an_ancestor(place):
    rng = np.random.RandomState(3)
    x = rng.randint(4, size=24)
    y = np.array([-4.0, 0.0, 0.0, 4.0])[x] + rng.choice([-1, 1], size=24)
    frame = pd.DataFrame({"id": np.arange(24), "x": x.astype(float), "target": y})
    learner = CARTRegressor(max_bins=8, sampling="hash", row_key="id", cv=3)
    risks = learner.fit(frame[["id", "x"]], frame["target"]).cp_table_.cv_risk
    assert np.array_equal(learner.fit(place(frame), "target").cp_table_.cv_risk, risks)


def test_without_temporary_tables_the_tree_is_the_same(place):
    frame = random_frame(6, task="numbers", weights="fractions")
    learner = CARTRegressor(max_bins=9, prune="none", max_depth=8)
    table = place(frame)
    same(
        learner.fit(table, "target", sample_weight="w").tree_,
        fit_in_database(learner.recipe(), table, "target", "w", "CARTRegressor", scratch=False).tree,
    )


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


HOSTILE = '"; DROP TABLE orders; --'


def test_names_are_quoted_and_values_bound(place):
    frame = random_frame(9).rename(columns={"a": HOSTILE, "s": "$1 %s '"})
    frame["target"] = frame["target"].replace({"low": "'; DROP TABLE orders; --"})
    same(*both(place, CARTClassifier(max_bins=8, prune="none", max_depth=4), frame))


def test_nan_infinities_and_negative_zero_are_read_as_in_memory(place):
    rng = np.random.default_rng(10)
    x = rng.choice([-np.inf, -1.0, -0.0, 0.0, 2.5, np.inf, np.nan], 200)
    target = np.where(np.nan_to_num(x, nan=7.0) + rng.normal(size=200) > 0, "yes", "no")
    target[::7] = "no"
    frame = pd.DataFrame({"x": x, "z": rng.normal(size=200), "target": target})
    same(*both(place, TreeClassifier(max_bins=5, max_depth=4), frame))


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


def test_rows_without_any_value_are_left_out_with_a_warning(place):
    frame = random_frame(16)[["a", "s", "target"]]
    frame.loc[:20, ["a"]] = np.nan
    frame.loc[:20, ["s"]] = None
    learner = CARTClassifier(max_bins=8, prune="none", missing="surrogates_then_majority", max_depth=3)
    with pytest.warns(UserWarning, match="no value in any column"):
        in_memory, in_place = both(place, learner, frame)
    same(in_memory, in_place)


def test_a_fitted_learner_predicts(place):
    frame = random_frame(17)
    learner = CARTClassifier(max_bins=8).fit(place(frame), "target")
    assert learner.feature_names_in_.tolist() == NAMES
    assert learner.classes_.tolist() == ["high", "low", "mid"]
    with warnings.catch_warnings(action="error"):
        assert (learner.predict(frame[NAMES]) == frame["target"]).mean() > 0.6


def test_progress_is_reported_by_level(tmp_path):
    shares = []
    with in_duckdb(tmp_path) as place, watched(shares.append):
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
        timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            CARTClassifier(max_bins=64).fit(DatabaseTable(table.database, "many", "many"), "target")
        timer.join()
        assert len(table.database.rows("SELECT table_name FROM duckdb_tables()")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("learner", [CARTClassifier(max_bins=9, cv=4), CHAIDClassifier(max_bins=6)], ids=repr)
def test_a_tree_of_a_database_is_grown_again_in_memory(tmp_path, learner):
    frame = random_frame(20)
    with in_duckdb(tmp_path) as place:
        tree = learner.fit(place(frame), "target").tree_
    assert tree.n_leaves > 2
    assert bough.regrow(tree, frame[NAMES], frame["target"]) == tree
