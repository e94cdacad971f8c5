"""Places where a table may be, for tests that every engine must pass: each holds a frame as a table."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.export.databases import postgres

from bough import DatabaseTable
from bough.engines.partitioned import PartitionedRows
from bough.engines.sql import SQLRows

Place = Callable[[pd.DataFrame], Any]

_TYPES = {"b": "boolean", "i": "bigint", "f": "double precision", "M": "timestamp"}


@contextmanager
def in_duckdb(folder: Path) -> Iterator[Place]:
    """A table of a connection."""
    with duckdb.connect() as connection:

        def place(frame: pd.DataFrame) -> DatabaseTable:
            connection.register("given", frame)
            connection.execute("CREATE OR REPLACE TABLE orders AS SELECT * FROM given")
            return DatabaseTable.open(connection, "orders")

        yield place


@contextmanager
def in_duckdb_by_levels(folder: Path) -> Iterator[Place]:
    """The same, with every level of the tree counted in the database."""
    with by_levels(), in_duckdb(folder) as place:
        yield place


@contextmanager
def by_levels() -> Iterator[None]:
    """Within this context, no subtree is grown apart."""
    with pytest.MonkeyPatch.context() as patch:
        for rows in (SQLRows, PartitionedRows):
            patch.setattr(rows, "most_fetched_codes", 0)
        yield


@contextmanager
def in_relation(folder: Path) -> Iterator[Place]:
    """A relation, which does not lead to its connection."""
    with duckdb.connect() as connection:
        yield lambda frame: DatabaseTable.open(connection.from_df(frame))


@contextmanager
def in_database_file(folder: Path) -> Iterator[Place]:
    """A table of a database file, by its path."""

    def place(frame: pd.DataFrame) -> DatabaseTable:
        path = folder / f"w{len(list(folder.iterdir()))}.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.register("given", frame)
            connection.execute("CREATE TABLE orders AS SELECT * FROM given")
        return DatabaseTable.open(f"{path}::orders")

    yield place


@contextmanager
def in_parquet(folder: Path) -> Iterator[Place]:
    """A folder of two Parquet files."""

    def place(frame: pd.DataFrame) -> DatabaseTable:
        inner = folder / f"parts{len(list(folder.iterdir()))}"
        inner.mkdir()
        for number, part in enumerate((frame[: len(frame) // 3], frame[len(frame) // 3 :])):
            part.to_parquet(inner / f"part{number}.parquet", index=False)
        return DatabaseTable.open(str(inner))

    yield place


@contextmanager
def in_postgresql(folder: Path) -> Iterator[Place]:
    """A table of a PostgreSQL server."""
    import psycopg

    with (
        by_levels(),
        postgres() as server,
        psycopg.connect(
            host=str(server.folder), dbname="postgres", user="postgres", autocommit=True
        ) as connection,
    ):

        def place(frame: pd.DataFrame) -> DatabaseTable:
            fill(connection, frame)
            return DatabaseTable.open(connection, "orders")

        place.connection = connection  # type: ignore[attr-defined]
        place.server = server  # type: ignore[attr-defined]
        yield place


def fill(connection: Any, frame: pd.DataFrame) -> None:
    """Make the table orders of a PostgreSQL database."""
    from bough.data.sql import quote

    columns = ", ".join(
        f"{quote(name)} {_TYPES.get(frame[name].dtype.kind, 'text')}" for name in frame.columns
    )
    connection.execute(f"DROP TABLE IF EXISTS orders; CREATE TABLE orders ({columns})")
    with connection.cursor() as cursor, cursor.copy("COPY orders FROM STDIN") as copy:
        for row in frame.itertuples(index=False):
            copy.write_row([None if each is None or each != each else _plain(each) for each in row])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@contextmanager
def in_dask(folder: Path) -> Iterator[Place]:
    """A Dask DataFrame of three partitions, computed by threads."""
    import dask.dataframe as dd

    yield lambda frame: dd.from_pandas(frame, npartitions=3, sort=False)


@contextmanager
def in_dask_by_levels(folder: Path) -> Iterator[Place]:
    """The same, with every level of the tree counted in the partitions."""
    with by_levels(), in_dask(folder) as place:
        yield place


@contextmanager
def in_dask_processes(folder: Path) -> Iterator[Place]:
    """Partitions on two workers, which are processes."""
    with local_cluster(), in_dask_by_levels(folder) as place:
        yield place


@contextmanager
def local_cluster(n_workers: int = 2) -> Iterator[Any]:
    """A cluster of Dask on this machine, on any free ports; yields its client."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def in_spark(folder: Path) -> Iterator[Place]:
    """A Spark DataFrame of three partitions."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def place(frame: pd.DataFrame) -> Any:
        return session.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).repartition(3)

    try:
        with by_levels():
            yield place
    finally:
        session.stop()


DATABASES = {
    "duckdb": in_duckdb,
    "duckdb_by_levels": in_duckdb_by_levels,
    "relation": in_relation,
    "file": in_database_file,
    "parquet": in_parquet,
    "postgresql": in_postgresql,
}
PLACES = DATABASES | {
    "dask": in_dask,
    "dask_by_levels": in_dask_by_levels,
    "dask_processes": in_dask_processes,
    "spark": in_spark,
}
