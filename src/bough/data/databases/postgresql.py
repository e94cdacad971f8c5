"""PostgreSQL, through psycopg (`pip install bough[postgres]`)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough.data.databases.database import ROWS_AT_A_TIME, ColumnKind, Database, Parameters
from bough.errors import ParameterError, TableError

if TYPE_CHECKING:
    import psycopg

_KINDS: dict[str, ColumnKind] = {
    "smallint": "whole",
    "integer": "whole",
    "bigint": "whole",
    "real": "number",
    "double precision": "number",
    "numeric": "number",
    "text": "text",
    "character varying": "text",
    "character": "text",
    "uuid": "text",
    "boolean": "truth",
    "date": "date",
    "timestamp without time zone": "datetime",
    "timestamp with time zone": "datetime_utc",
    "time without time zone": "time",
    "interval": "duration",
}
_ENUM = "enum "


def connect(url: str) -> psycopg.Connection[Any]:
    """Connect to the server of a URL; no error shows the URL, which may hold a password."""
    try:
        import psycopg
    except ImportError:
        raise TableError("PostgreSQL needs psycopg: pip install 'bough[postgres]'.") from None
    try:
        return psycopg.connect(url, autocommit=True)
    except psycopg.Error as error:
        reason = _without_password(str(error).strip(), url)
        raise TableError(f"PostgreSQL cannot be reached: {reason}") from None


class PostgreSQL(Database):
    """A connection to a PostgreSQL server, of psycopg."""

    name: ClassVar[str] = "PostgreSQL"
    most_fetched: ClassVar[int] = 2**16
    list_types: ClassVar[tuple[str, str, str]] = ("text[]", "double precision[]", "integer[]")

    def __init__(self, connection: psycopg.Connection[Any], shown: str = "") -> None:
        self._connection, self._shown = connection, shown or "The table"

    def rows(self, query: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """Run a statement and return the rows of its result, if it has any."""
        return self._named_rows(query, parameters)[1]

    def _named_rows(
        self, query: str, parameters: Parameters | None
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run a statement and return the names and the rows of its result; none if it has no result."""
        import psycopg

        values = [] if parameters is None else parameters.values
        with self._own_errors(), psycopg.RawCursor(self._connection) as cursor:
            cursor.execute(query.encode(), values)
            if cursor.description is None:
                return [], []
            return [each.name for each in cursor.description], cursor.fetchall()

    def arrays(self, query: str, parameters: Parameters | None = None) -> list[npt.NDArray[np.float64]]:
        """Run a query whose result holds numbers only, and return its columns."""
        names, rows = self._named_rows(query, parameters)
        return [*np.array(rows, dtype=np.float64).reshape(len(rows), len(names)).T]

    def batches(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query without parameters, and yield the rows of its result some at a time."""
        with (
            self.transaction(),
            self._own_errors(),
            self._connection.cursor(name=f"bough_{uuid.uuid4().hex[:12]}") as cursor,
        ):
            cursor.execute(query.encode())
            while rows := cursor.fetchmany(ROWS_AT_A_TIME):
                yield rows

    @contextmanager
    def transaction(self) -> Iterator[bool]:
        """Begin a transaction, unless the caller has begun one, and undo it at the end."""
        import psycopg
        from psycopg.pq import TransactionStatus

        if self._connection.info.transaction_status != TransactionStatus.IDLE:
            [(level,)] = self.rows("SHOW transaction_isolation")
            if level not in ("repeatable read", "serializable"):
                raise ParameterError(
                    f"The connection is within a transaction whose isolation level is {level!r}: it does not "
                    "see one state of the table. Commit it, or begin it with ISOLATION LEVEL REPEATABLE READ."
                )
            yield False
            return
        with self._own_errors():
            self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try:
            yield True
        finally:
            # Where the connection is lost, so is the transaction.
            with suppress(psycopg.Error):
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def allows_temporary_tables(self) -> bool:
        """Return whether this session may create temporary tables; a replica or a reader may not."""
        [(allowed,)] = self.rows(
            "SELECT has_database_privilege(current_database(), 'TEMP') AND NOT pg_is_in_recovery() "
            "AND current_setting('transaction_read_only') = 'off'"
        )
        return bool(allowed)

    def types(self, relation: str) -> dict[str, str]:
        """Return the type of each column of a relation."""
        with self._own_errors(), self._connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {relation} LIMIT 0".encode())
            found = [(each.name, each.type_code) for each in cursor.description or ()]
        parameters = Parameters()
        listed = parameters.add([code for _, code in found], "oid[]")
        names = self.rows(
            f"SELECT oid, format_type(oid, NULL), typtype = 'e' FROM pg_type WHERE oid = ANY ({listed})",
            parameters,
        )
        known = {oid: f"{_ENUM}{name}" if is_enum else name for oid, name, is_enum in names}
        return {name: known.get(code, "unknown") for name, code in found}

    def kind(self, type_: str) -> ColumnKind | None:
        """Return what columns of a type hold."""
        return "enum" if type_.startswith(_ENUM) else _KINDS.get(type_)

    def enum_levels(self, type_: str) -> tuple[str, ...]:
        """Return the values of an enumerated type in their order."""
        parameters = Parameters()
        name = parameters.add(type_.removeprefix(_ENUM), "text")
        rows = self.rows(
            f"SELECT enumlabel FROM pg_enum WHERE enumtypid = {name}::regtype ORDER BY enumsortorder",
            parameters,
        )
        return tuple([level for (level,) in rows])

    def time_number(self, column: str, kind: ColumnKind) -> str:
        """Return the expression of a date, a time or a duration as a whole number, NULL if infinite."""
        number = f"extract(epoch FROM {column}) * 1000000"
        if kind == "date":
            number = f"{column} - DATE '1970-01-01'"
        return (
            f"({number})"
            if kind in ("time", "duration")
            else f"(CASE WHEN isfinite({column}) THEN {number} END)"
        )

    def bin_code(self, value: str, lowest: Sequence[float], missing: int, parameters: Parameters) -> str:
        """Return the expression of the code of a value; PostgreSQL searches the bounds by bisection."""
        if len(lowest) == 0:
            return f"CASE WHEN {value} IS NULL THEN {missing} ELSE 0 END"
        bounds = parameters.add([float(each) for each in lowest], "double precision[]")
        return f"coalesce(width_bucket({value}, {bounds}), {missing})"

    def unnested(self, levels: str, codes: str) -> str:
        """Return a relation with the columns level and code of two lists."""
        return f"(SELECT level, code FROM unnest({levels}, {codes}) AS given(level, code))"

    def quotient(self, dividend: str, divisor: str) -> str:
        """Return the expression of the whole quotient of two whole numbers."""
        return f"div(CAST({dividend} AS numeric), CAST({divisor} AS numeric))"

    def code_type(self, n_codes: int) -> str:
        """Return the smallest type that holds codes from 0 to `n_codes` − 1."""
        return "smallint" if n_codes <= 2**15 else "integer"

    def hash(self, text: str) -> str:
        """Return the expression of the first 32 bits of the MD5 hash of a text, as a whole number."""
        return f"CAST(CAST(('x' || substr(md5({text}), 1, 8)) AS bit(32)) AS bigint)"

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except KeyboardInterrupt:
            self._settle()
            raise
        except psycopg.errors.QueryCanceled:
            raise KeyboardInterrupt from None
        except psycopg.Error as error:
            reason = str(error).split("\nLINE ")[0].strip()
            raise TableError(f"{self._shown} cannot be read: {reason[:300]}") from None

    def _settle(self) -> None:
        """Cancel a query that an interrupt has left running, so that the connection can be used again."""
        import psycopg
        from psycopg.pq import TransactionStatus

        server = self._connection.pgconn
        if server.transaction_status != TransactionStatus.ACTIVE:
            return
        with suppress(psycopg.Error):
            self._connection.cancel_safe()
            while server.get_result() is not None:
                pass


def _without_password(text: str, url: str) -> str:
    """Return a message without the password of a URL."""
    from psycopg.conninfo import conninfo_to_dict

    try:
        password = conninfo_to_dict(url).get("password")
    except Exception:
        # What is no URL of PostgreSQL may hold a password anywhere.
        return "the URL is not one of PostgreSQL, such as postgresql://user@host/name."
    return text.replace(str(password), "…") if password else text
