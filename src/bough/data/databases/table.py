"""A table that stays where it is: in DuckDB, in PostgreSQL, or in files that DuckDB reads."""

from __future__ import annotations

import glob
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Self

from bough.data.databases.database import Database, Scratch
from bough.data.databases.duckdb import RELATION, DuckDB
from bough.data.duck import FUNCTIONS, DuckTable, table_suffix
from bough.data.files import MISSING_TEXT
from bough.data.sql import literal, quote
from bough.data.urls import is_url
from bough.errors import ParameterError, TableError

_URLS = ("postgresql://", "postgres://")
_DATABASES = (".duckdb", ".ddb", ".db")


class DatabaseTable:
    """A table, a view or a query in a database, or files that DuckDB reads, whose rows are not loaded.

    `fit` of a learner takes it as X, with the name of a column as y, and grows the tree where the rows are.

    >>> import duckdb
    >>> from bough import TreeClassifier
    >>> connection = duckdb.connect()
    >>> _ = connection.execute("CREATE TABLE visits (n INTEGER, buys VARCHAR)")
    >>> _ = connection.execute("INSERT INTO visits VALUES (1, 'no'), (4, 'yes')")
    >>> visits = DatabaseTable.open(connection, "visits")
    >>> visits.names
    ('n', 'buys')
    >>> TreeClassifier(max_bins=64).fit(visits, "buys").tree_.condition(1)
    'n < 2.5'
    """

    fetch_rows: bool = True
    """Whether the bins of the rows of small nodes may be fetched, so that their subtrees are grown here."""
    temporary_tables: bool = True
    """Whether temporary tables may be written, which belong to the session."""
    _owns_connection: bool = False

    def __init__(self, database: Database, relation: str, shown: str, files: tuple[str, ...] = ()) -> None:
        self.database, self.relation, self.shown = database, relation, shown
        self._files = files
        self.types = database.types(relation)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in their order."""
        return tuple(self.types)

    @classmethod
    def open(
        cls,
        source: Any,
        table: str | None = None,
        *,
        query: str | None = None,
        fetch_rows: bool = True,
        temporary_tables: bool = True,
    ) -> DatabaseTable:
        """Return a table of a source: a connection, a URL or a path; name a table, or give a query.

        | source                                  | table                                                   |
        |-----------------------------------------|---------------------------------------------------------|
        | a connection of DuckDB or psycopg       | `table`, perhaps `"schema.table"`, or `query`           |
        | `"warehouse.duckdb"`                    | the same; also `"warehouse.duckdb::orders"`             |
        | `"postgresql://user@host/name"`         | the same                                                |
        | a relation of DuckDB                    | the relation                                            |
        | a Parquet, CSV or JSON file, a pattern, | the rows of all files                                   |
        | or a folder of such files               |                                                         |

        A connection that is made here is closed by `close`, or at the end of a `with` block. A database file
        is opened for reading only. With `fetch_rows=False` only sums leave the database.
        Otherwise the bins of the rows of small nodes are fetched too, which is faster for deep trees. With
        `temporary_tables=False` nothing is written: every level computes the bins anew, which is slower.

        >>> DatabaseTable.open("nowhere.parquet")
        Traceback (most recent call last):
        bough.errors.TableError: nowhere.parquet does not exist; name a file, a pattern or a folder of
        Parquet, CSV or JSON files, a DuckDB database such as 'warehouse.duckdb::orders', or a URL.
        """
        if isinstance(source, DatabaseTable):
            return source
        opened = cls._opened(source, table, query)
        opened.fetch_rows, opened.temporary_tables = fetch_rows, temporary_tables
        opened._owns_connection = isinstance(source, str | PathLike)
        return opened

    @classmethod
    def _opened(cls, source: Any, table: str | None, query: str | None) -> DatabaseTable:
        if isinstance(source, str | PathLike):
            return _of_path(str(source), table, query)
        if is_relation(source):
            return cls(DuckDB(source), RELATION, "The relation")
        if type(source).__module__.split(".")[0] == "psycopg":
            from bough.data.databases.postgresql import PostgreSQL

            relation, shown = _relation("The connection", table, query)
            return cls(PostgreSQL(source, shown), relation, shown)
        if hasattr(source, "cursor") and hasattr(source, "execute"):
            relation, shown = _relation("The connection", table, query)
            return cls(DuckDB(source, shown), relation, shown)
        raise ParameterError.of("source", type(source).__name__, "a connection, a relation, a URL or a path")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if it was made for this table from a URL or a path.

        >>> import duckdb
        >>> connection = duckdb.connect()
        >>> with DatabaseTable.open(connection, query="SELECT 1 AS a") as table:
        ...     names = table.names
        >>> connection.execute("SELECT 2").fetchone()
        (2,)
        """
        if self._owns_connection:
            self.database.close()

    def select(self, names: Sequence[str], *, known: str | None = None) -> DatabaseTable:
        """Return the table with some of its columns, without the rows in which the column `known` is NULL.

        >>> import duckdb
        >>> table = DatabaseTable.open(duckdb.sql("SELECT 1 AS a, 2 AS b"))
        >>> table.select(["b"]).names
        ('b',)
        """
        where = "" if known is None else f" WHERE {quote(known)} IS NOT NULL"
        query = f"SELECT {', '.join(map(quote, names))} FROM {self.relation}{where}"
        selected = DatabaseTable(self.database, f"({query}) AS selected", self.shown, self._files)
        selected.fetch_rows, selected.temporary_tables = self.fetch_rows, self.temporary_tables
        return selected

    @contextmanager
    def snapshot(self) -> Iterator[Scratch]:
        """Within this context all statements see one state of the table; yields the temporary tables."""
        before = self._state()
        with self.database.scratch() as scratch:
            yield scratch
        self.check_unchanged(before)

    def check_unchanged(self, before: tuple[Any, ...]) -> None:
        """Raise if the files of the table are not those of an earlier state."""
        if self._state() != before:
            raise TableError(f"{self.shown} was changed during the fit; fit again when nobody writes to it.")

    def _state(self) -> tuple[Any, ...]:
        """Return the size and the time of change of each file; a database has snapshots of its own."""
        try:
            found = [(name, Path(name).stat()) for name in self._files]
            return tuple([(name, each.st_size, each.st_mtime_ns) for name, each in found])
        except OSError as error:
            raise TableError(f"{self.shown} cannot be read: {error}.") from None


def is_relation(X: Any) -> bool:
    """Return whether X is a relation of DuckDB.

    >>> import duckdb
    >>> is_relation(duckdb.sql("SELECT 1")), is_relation([1])
    (True, False)
    """
    module = sys.modules.get("duckdb")
    return module is not None and isinstance(X, module.DuckDBPyRelation)


def is_in_database(X: Any, y: Any) -> bool:
    """Return whether X is a table that stays where it is, and y names its target.

    >>> is_in_database("orders.parquet", "churned"), is_in_database([[1.0]], [1.0])
    (True, False)
    """
    return isinstance(X, DatabaseTable) or (
        isinstance(y, str) and (isinstance(X, str | PathLike) or is_relation(X))
    )


def is_database(path: str) -> bool:
    """Return whether a path is that of a database: a URL, or a DuckDB file, perhaps with the name of a table.

    >>> [is_database(path) for path in ("postgresql://host/shop", "shop.db::orders", "orders.csv")]
    [True, True, False]
    """
    if path.startswith(_URLS):
        return True
    name, _, own = path.partition("::")
    return Path(name).suffix.lower() in _DATABASES or (bool(own) and Path(name).is_file())


def _of_path(path: str, table: str | None, query: str | None) -> DatabaseTable:
    if path.startswith(_URLS):
        from bough.data.databases.postgresql import PostgreSQL, connect

        relation, shown = _relation("The database", table, query)
        return DatabaseTable(PostgreSQL(connect(path), shown), relation, shown)
    scheme, _, rest = path.partition("://")
    if rest:
        raise TableError(
            f"Tables are not read from URLs that begin with {scheme}://; use postgresql://user@host/name, or "
            "the path of files or of a DuckDB database."
        )
    name, _, own = path.partition("::")
    if is_database(path):
        return _of_database_file(name, own or table, query)
    if table is not None or query is not None:
        # The path is not shown: a connection string may hold a password.
        wanted = "None: the source is not a database, such as warehouse.duckdb or postgresql://user@host/name"
        raise ParameterError.of("table" if query is None else "query", table or query, wanted)
    if is_url(path):
        raise TableError(
            "A connection string was given where a table is expected; use postgresql://user@host/name, or "
            "the path of files or of a DuckDB database."
        )
    import duckdb

    files = _files(path)
    suffix = _one_suffix(path, files)
    connection = duckdb.connect()
    if FUNCTIONS[suffix] == "read_csv":
        # The columns have the types that they have where the files are loaded.
        read = DuckTable([*map(Path, files)], suffix, path, MISSING_TEXT, connection, same_columns=False)
        relation = read.relation()
    else:
        listed = ", ".join(literal(glob.escape(each)) for each in files)
        # The type of a column of JSON is that of all its rows, not of the first 20,480.
        every = ", sample_size = -1" if FUNCTIONS[suffix] == "read_json" else ""
        relation = f"{FUNCTIONS[suffix]}([{listed}], union_by_name = true, hive_partitioning = false{every})"
    return DatabaseTable(DuckDB(connection, path), relation, path, files)


def _of_database_file(path: str, table: str | None, query: str | None) -> DatabaseTable:
    import duckdb

    if not Path(path).is_file():
        raise TableError(
            f"{path} does not exist; name a DuckDB database, such as 'warehouse.duckdb::orders'."
        )
    relation, shown = _relation(path, table, query)
    try:
        connection = duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise TableError(f"{path} cannot be opened: {str(error)[:300]}") from None
    return DatabaseTable(DuckDB(connection, shown), relation, shown)


def _relation(where: str, table: str | None, query: str | None) -> tuple[str, str]:
    """Return the text that stands after FROM, and the name of the table in messages."""
    if (table is None) == (query is None):
        raise ParameterError(f"{where} holds many tables; give the name of one as table, or a query.")
    if table is not None:
        return ".".join(quote(part) for part in table.split(".")), f"Table {table!r}"
    return f"({str(query).strip().rstrip(';')}) AS bough_query", "The query"


def _files(path: str) -> tuple[str, ...]:
    """Return the files of a path, a pattern or a folder, sorted."""
    if Path(path).is_file():
        return (path,)
    if Path(path).is_dir():
        inside = _files_in(path)
        if not inside:
            raise TableError(
                f"{path} holds no Parquet, CSV or JSON files; name another folder, or a file or a pattern. "
                "Files and folders whose names begin with . or _ do not count."
            )
        return tuple(sorted(inside))
    matches = glob.glob(path, recursive=True)  # noqa: PTH207
    # A folder of a name such as out.parquet stands for its files, which a pattern may match, too.
    folders = [each for each in matches if Path(each).is_dir() and table_suffix(Path(each)) in FUNCTIONS]
    found = {each for each in matches if Path(each).is_file()}.union(*map(_files_in, folders))
    if not found:
        raise TableError(
            f"{path} does not exist; name a file, a pattern or a folder of Parquet, CSV or JSON files, a "
            "DuckDB database such as 'warehouse.duckdb::orders', or a URL."
        )
    return tuple(sorted(found))


def _files_in(folder: str) -> list[str]:
    """Return the files of a folder and of the folders in it that DuckDB reads, without hidden ones."""
    return [
        str(each)
        for each in Path(folder).rglob("*")
        if table_suffix(each) in FUNCTIONS
        and not any(part.startswith((".", "_")) for part in each.relative_to(folder).parts)
        and each.is_file()
    ]


def _one_suffix(path: str, files: Sequence[str]) -> str:
    """Return the suffix that all files have."""
    counts = Counter(table_suffix(Path(each)) for each in files)
    if len(counts) > 1:
        kinds = ", ".join(f"{count} {suffix or 'of none'}" for suffix, count in sorted(counts.items()))
        one = next(iter(counts)) or ".csv"
        pattern = f"{path}/*{one}" if Path(path).is_dir() else f"*{one}"
        raise TableError(
            f"{path} stands for files of different kinds ({kinds}), and they must all be of one kind; name "
            f"those of one kind by a pattern, such as '{pattern}'."
        )
    [suffix] = counts
    if suffix not in FUNCTIONS:
        raise TableError(
            f"{path} does not have the suffix of a table that is read in place; rename or convert it to one "
            f"of {', '.join(FUNCTIONS)}."
        )
    return suffix
