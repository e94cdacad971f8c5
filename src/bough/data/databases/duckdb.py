"""DuckDB: a connection, or a relation, which is all that leads to its connection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough.data.databases.bin_search import bin_expression
from bough.data.databases.database import ROWS_AT_A_TIME, ColumnKind, Database, Parameters
from bough.data.duck_errors import duck_errors
from bough.data.sql import literal

if TYPE_CHECKING:
    import duckdb

_WHOLE_BITS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_KINDS: dict[str, ColumnKind] = {
    **dict.fromkeys(_WHOLE_BITS, "whole"),
    **dict.fromkeys([f"U{name}" for name in _WHOLE_BITS], "whole"),
    "FLOAT": "number",
    "DOUBLE": "number",
    "VARCHAR": "text",
    "UUID": "text",
    "BOOLEAN": "truth",
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIMESTAMP_S": "datetime",
    "TIMESTAMP_MS": "datetime",
    "TIMESTAMP_NS": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime_utc",
    "TIME": "time",
    "INTERVAL": "duration",
    # A column that is nothing but NULL: all of its values are missing.
    '"NULL"': "number",
}


class DuckDB(Database):
    """A connection to DuckDB, or a relation of one; only a connection binds parameters.

    A relation does not lead to its connection, but runs statements there. Values are then written as literals
    by `bough.data.sql.literal`.

    >>> import duckdb
    >>> database = DuckDB(duckdb.connect())
    >>> database.types("(SELECT 1 AS a, 'b' AS b) AS t")
    {'a': 'INTEGER', 'b': 'VARCHAR'}
    """

    name: ClassVar[str] = "DuckDB"
    most_fetched: ClassVar[int] = 2**22
    list_types: ClassVar[tuple[str, str, str]] = ("VARCHAR[]", "DOUBLE[]", "INTEGER[]")
    is_in_process: ClassVar[bool] = True

    def __init__(self, source: duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation, shown: str = "") -> None:
        self._source, self._shown = source, shown or "The table"
        self.runs_by_relation = hasattr(source, "query_df") is False and not hasattr(source, "cursor")

    def rows(self, query: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """Run a statement and return the rows of its result, if it has any."""
        with self._own_errors():
            found = self._run(query, parameters)
            return [] if found is None else found.fetchall()

    def arrays(self, query: str, parameters: Parameters | None = None) -> list[npt.NDArray[np.float64]]:
        """Run a query whose result holds numbers only, and return its columns."""
        with self._own_errors():
            columns = self._run(query, parameters).fetchnumpy()
        return [np.ma.getdata(column).astype(np.float64, copy=False) for column in columns.values()]

    def batches(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query without parameters, and yield the rows of its result some at a time."""
        with self._own_errors():
            found = self._run(query, None)
            while rows := found.fetchmany(ROWS_AT_A_TIME):
                yield rows

    @contextmanager
    def transaction(self) -> Iterator[bool]:
        """Begin a transaction, unless the caller has begun one, and undo it at the end."""
        import duckdb

        # Every statement outside of a transaction is one of its own.
        first, second = (self.rows("SELECT txid_current()") for _ in range(2))
        if first == second:
            yield False
            return
        self.rows("BEGIN TRANSACTION")
        try:
            yield True
        finally:
            # Where the connection is lost or closed, so is the transaction.
            with suppress(duckdb.Error):
                self._run("ROLLBACK", None)

    def close(self) -> None:
        """Close the connection; a relation has none of its own."""
        if not self.runs_by_relation:
            self._source.close()

    def types(self, relation: str) -> dict[str, str]:
        """Return the type of each column of a relation."""
        return {name: type_ for name, type_, *_ in self.rows(f"DESCRIBE SELECT * FROM {relation}")}

    def kind(self, type_: str) -> ColumnKind | None:
        """Return what columns of a type hold."""
        if type_.startswith("DECIMAL"):
            return "number"
        return "enum" if type_.startswith("ENUM(") else _KINDS.get(type_)

    def enum_levels(self, type_: str) -> tuple[str, ...]:
        """Return the values of an enumerated type in their order."""
        return tuple([level for (level,) in self.rows(f"SELECT unnest(enum_range(NULL::{type_}))")])

    def time_number(self, column: str, kind: ColumnKind) -> str:
        """Return the expression of a date, a time or a duration as a whole number, NULL if infinite."""
        if kind == "date":
            return f"date_diff('day', DATE '1970-01-01', {column})"
        if kind == "datetime":
            return f"epoch_us(CAST({column} AS TIMESTAMP))"
        return f"epoch_us({column})"

    def bin_code(self, value: str, lowest: Sequence[float], missing: int, parameters: Parameters) -> str:
        """Return the expression of the code of a value; see `bough.data.databases.bin_search`."""
        return bin_expression(value, lowest, missing)

    def unnested(self, levels: str, codes: str) -> str:
        """Return a relation with the columns level and code of two lists."""
        return f"(SELECT unnest({levels}) AS level, unnest({codes}) AS code)"

    def quotient(self, dividend: str, divisor: str) -> str:
        """Return the expression of the whole quotient of two whole numbers."""
        return f"CAST({dividend} AS HUGEINT) // CAST({divisor} AS HUGEINT)"

    def code_type(self, n_codes: int) -> str:
        """Return the smallest type that holds codes from 0 to `n_codes` − 1."""
        return "UTINYINT" if n_codes <= 2**8 else "USMALLINT"

    def hash(self, text: str) -> str:
        """Return the expression of the first 32 bits of the MD5 hash of a text, as a whole number."""
        return f"CAST(concat('0x', substr(md5({text}), 1, 8)) AS BIGINT)"

    def parameters(self) -> Parameters:
        """Return an empty list of parameters for a statement."""
        return _Literals() if self.runs_by_relation else Parameters()

    def _run(self, query: str, parameters: Parameters | None) -> Any:
        source: Any = self._source
        if self.runs_by_relation:
            return source.query(RELATION, query)
        return source.execute(query, parameters.values if parameters is not None else None)

    def _own_errors(self) -> AbstractContextManager[None]:
        return duck_errors(self._shown, lambda error: str(error).split("\nLINE ")[0].strip()[:300])


RELATION = "bough_relation"
"""The name under which statements that a relation runs refer to it."""


class _Literals(Parameters):
    """Parameters that are written into the text of a statement, for connections that cannot bind them."""

    def add(self, value: Any, type_: str) -> str:
        if isinstance(value, list):
            return f"CAST([{', '.join(map(literal, value))}] AS {type_})"
        return f"CAST({literal(value)} AS {type_})"
