"""Read CSV, JSON and Parquet files with DuckDB, as columns of numbers or of level codes.

DuckDB codes text itself, so that no value of a row becomes a Python object. The separator and the names of a
CSV file are taken from its first line, and the types from all of its rows, not from a sample.
"""

from __future__ import annotations

import glob
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.data.delimited import check_names, fault_of, first_line
from bough.data.duck_errors import duck_errors
from bough.data.readers.checks import check_shape, check_whole, refuse_type
from bough.data.readers.source import Coded, Numbers, Raw, Source, Times
from bough.data.sql import literal, quote
from bough.data.times import Unit, numbers_of_times
from bough.errors import ColumnTypeError, TableError

if TYPE_CHECKING:
    import duckdb

FUNCTIONS = {
    ".csv": "read_csv",
    ".txt": "read_csv",
    ".tsv": "read_csv",
    ".tab": "read_csv",
    ".json": "read_json",
    ".ndjson": "read_json",
    ".jsonl": "read_json",
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
}
"""The DuckDB function that reads a file, by the file's suffix."""

# Several files may have their columns in different orders. With hive partitioning, a file in a folder named
# "year=2024" would be given a column "year".
_FILES = "union_by_name = true, hive_partitioning = false"
_TIMES = ("DATE", "TIME", "INTERVAL")
"""How the types of dates, times and durations begin."""
_WHOLE_BITS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_WHOLE = frozenset(_WHOLE_BITS) | {f"U{name}" for name in _WHOLE_BITS}
# A query takes time in proportion to all columns of the table, so columns of few rows are fetched together.
_MOST_CELLS = 2**20
_MOST_AT_ONCE = 1000
# Text of more rows is coded by DuckDB, column by column.
_FEW_ROWS = 2**10


class DuckTable:
    """A file that DuckDB reads, or several with the same columns; only the columns asked for are loaded."""

    def __init__(
        self,
        paths: Sequence[Path],
        suffix: str,
        shown: str,
        missing_text: Sequence[str],
        connection: duckdb.DuckDBPyConnection | None = None,
        *,
        same_columns: bool = True,
    ) -> None:
        import duckdb

        self._connection = duckdb.connect() if connection is None else connection
        self._shown = shown
        self._block = range(0)
        self._ahead: dict[str, Any] = {}
        self._files = {shown: paths[0]} if len(paths) == 1 else {str(path): path for path in paths}
        self._function = FUNCTIONS[suffix]
        self._arguments: dict[str, Any] = {"path": list(map(_without_patterns, paths))}
        if self._function == "read_csv":
            self._arguments |= {"separator": self._separator(), "missing": list(missing_text)}
        self._own_types = types = self._types()
        if same_columns:
            self._check_columns()
        self._words = self._spelled_otherwise([name for name, type_ in types.items() if type_ == "BOOLEAN"])
        if len(paths) > 1:
            # What is text in one file may look like numbers in another.
            self._words += tuple([name for name, type_ in types.items() if type_ == "VARCHAR"])
        self.names = tuple(types)
        self.dates = tuple([name for name, type_ in types.items() if type_.startswith(_TIMES)])

    def close(self) -> None:
        """Close the connection to DuckDB."""
        self._connection.close()

    def source(self, names: Sequence[str], text: Collection[str] = (), truth: Collection[str] = ()) -> Source:
        """Load these columns; those in `text` are text, and those in `truth` may be any truth values.

        Text means a CSV file's fields as they are, whatever they look like; other files have types.
        """
        text = {*text, *(name for name in self._words if name not in truth)}
        as_text = text if self._function == "read_csv" else ()
        types = self._own_types | dict.fromkeys(as_text, "VARCHAR")
        for name in names:
            _check_type(name, types[name])
        columns = ", ".join(map(quote, names)) or "NULL"
        with self._plain_errors():
            self._connection.execute(
                f"CREATE OR REPLACE TEMP TABLE loaded AS SELECT {columns} FROM {self._call(text)}",
                self._arguments,
            ).fetchall()
            n_rows = self._connection.execute("SELECT count(*) FROM loaded").fetchall()[0][0]
        try:
            check_shape(n_rows, len(names))
        except TableError as error:
            raise TableError(f"{self._shown}: {error}") from None
        self._block = range(0)
        at_once = max(1, min(_MOST_CELLS // n_rows, _MOST_AT_ONCE))

        def read(position: int) -> Raw:
            if at_once > 1 and position not in self._block:
                self._block = range(position, min(position + at_once, len(names)))
                block = {name: types[name] for name in names[position : self._block.stop]}
                with self._plain_errors():
                    self._ahead = self._fetched_together(block, n_rows)
            return self._read(names[position], types)

        return Source(tuple(names), True, n_rows, read)

    def relation(self) -> str:
        r"""Return the SQL that stands after FROM and reads the files with the types they have here.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "visits.csv"
        ...     _ = file.write_text("n,buys\n1,no\n4,yes\n")
        ...     table = DuckTable([file], ".csv", "visits.csv", ["", "NA"])
        ...     "'buys': 'VARCHAR'" in table.relation()
        True
        """
        call = self._call(self._words)
        if self._function == "read_csv":
            # Replaced before the paths, which may hold any text.
            missing = ", ".join(map(literal, self._arguments["missing"]))
            call = call.replace("$separator", literal(self._arguments["separator"]), 1)
            call = call.replace("$missing", f"[{missing}]", 1)
        return call.replace("$path", f"[{', '.join(map(literal, self._arguments['path']))}]", 1)

    def _fetched_together(self, types: dict[str, str], n_rows: int) -> dict[str, Any]:
        """Return the results of the expressions that reading each of some columns needs."""
        columns = [(quote(name), type_) for name, type_ in types.items()]
        expressions = [
            column if type_ == "VARCHAR" else _number(column, type_)
            for column, type_ in columns
            if not type_.startswith(("VARCHAR", *_TIMES)) or (type_ == "VARCHAR" and n_rows <= _FEW_ROWS)
        ]
        whole = [_extremes(column) for column, type_ in columns if type_ in _WHOLE]
        found: dict[str, Any] = {}
        if expressions:
            listed = ", ".join(f"{each} AS c{number}" for number, each in enumerate(expressions))
            fetched = self._connection.execute(f"SELECT {listed} FROM loaded").fetchnumpy()
            found |= dict(zip(expressions, fetched.values(), strict=True))
        if whole:
            row = self._connection.execute(f"SELECT {', '.join(whole)} FROM loaded").fetchall()[0]
            found |= dict(zip(whole, zip(row[::2], row[1::2], strict=True), strict=True))
        return found

    def _call(self, text: Collection[str] = ()) -> str:
        if self._function == "read_parquet":
            return f"read_parquet($path, {_FILES})"
        if self._function == "read_json":
            return f"read_json($path, sample_size = -1, {_FILES})"
        types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in text)
        forced = f", types = {{{types}}}" if types else ""
        return (
            "read_csv($path, header = true, skip = 0, delim = $separator, quote = '\"', escape = '\"', "
            f"nullstr = $missing, sample_size = -1, auto_detect = true, {_FILES}{forced})"
        )

    def _separator(self) -> str:
        """Return the separator of the CSV files, once their first lines are checked."""
        separators = {}
        for shown, path in self._files.items():
            names, separators[shown] = first_line(path, shown)
            check_names(names, shown)
        if len({*separators.values()}) > 1:
            raise TableError(f"{self._shown}: the files have different separators: {separators}.")
        return next(iter(separators.values()))

    def _check_columns(self) -> None:
        """Refuse several files that do not have the same columns."""
        if len(self._files) == 1:
            return
        for shown, path in self._files.items():
            own = self._types([path])
            for name in self._own_types:
                if name not in own:
                    raise TableError(
                        f"{shown} has no column {name!r}, which another file of {self._shown} has."
                    )

    def _fault(self) -> str | None:
        """Return what is wrong with the first CSV file that has a fault."""
        if self._function != "read_csv":
            return None
        for shown, path in self._files.items():
            fault = fault_of(path, shown, *first_line(path, shown))
            if fault is not None:
                return fault if shown == self._shown else f"{shown}: {fault}"
        return None

    def _types(self, paths: Sequence[Path] | None = None) -> dict[str, str]:
        arguments = self._arguments
        if paths is not None:
            arguments = arguments | {"path": list(map(_without_patterns, paths))}
        with self._plain_errors():
            rows = self._connection.execute(f"DESCRIBE SELECT * FROM {self._call()}", arguments).fetchall()
        return {name: type_ for name, type_, *_ in rows}

    def _spelled_otherwise(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those columns of a CSV file that have other words than true and false, such as yes and no.

        DuckDB reads them as truth values; here they are text, so that they are shown as the file has them.
        """
        if self._function != "read_csv" or not names:
            return ()
        tests = ", ".join(f"bool_and(lower(trim({quote(name)})) IN ('true', 'false'))" for name in names)
        with self._plain_errors():
            [spelled] = self._connection.execute(
                f"SELECT {tests} FROM {self._call(names)}", self._arguments
            ).fetchall()
        return tuple([name for name, plain in zip(names, spelled, strict=True) if plain is False])

    def _read(self, name: str, types: dict[str, str]) -> Raw:
        with self._plain_errors():
            return self._raw(name, types[name])

    def _raw(self, name: str, type_: str) -> Raw:
        column = quote(name)
        if type_ == "VARCHAR":
            return self._coded(column)
        if type_ == "BOOLEAN":
            return Coded((False, True), self._codes(_number(column, type_)))
        if type_.startswith(_TIMES):
            return self._times(column, type_)
        if type_ in _WHOLE:
            extremes = self._ahead.pop(_extremes(column), None) or self._rows(_extremes(column))[0]
            if extremes[0] is not None:
                check_whole(name, *map(int, extremes))
        values = self._fetched(_number(column, type_))
        return Numbers(np.ma.filled(values, np.nan), whole=type_ in _WHOLE)

    def _times(self, column: str, type_: str) -> Times:
        dated, utc = type_.startswith(("DATE", "TIMESTAMP")), type_ == "TIMESTAMP WITH TIME ZONE"
        fine = type_ == "TIMESTAMP_NS"
        plain = utc or fine or not dated
        since = f"epoch_{'ns' if fine else 'us'}({column if plain else f'CAST({column} AS TIMESTAMP)'})"
        found = self._fetched(since)
        whole, missing = np.ma.getdata(found).astype(np.int64), np.ma.getmaskarray(found)
        if not dated:
            unit: Unit = "duration" if type_ == "INTERVAL" else "time"
            return Times(np.where(missing, np.nan, whole.astype(np.float64)), unit)
        moments = whole.view("datetime64[ns]" if fine else "datetime64[us]")
        moments[missing] = np.array("NaT", dtype=moments.dtype)
        return Times(*numbers_of_times(moments.astype("M8[D]") if type_ == "DATE" else moments, utc=utc))

    def _coded(self, column: str) -> Raw:
        if column in self._ahead:
            return _coded(np.ma.asanyarray(self._ahead.pop(column)))
        execute = self._connection.execute
        execute("DROP TYPE IF EXISTS level").fetchall()
        execute(
            f"CREATE TEMP TYPE level AS ENUM "
            f"(SELECT DISTINCT {column} FROM loaded WHERE {column} IS NOT NULL ORDER BY {column})"
        ).fetchall()
        levels = tuple([level for (level,) in execute("SELECT unnest(enum_range(NULL::level))").fetchall()])
        codes = self._codes(f"enum_code(CAST({column} AS level))")
        return Coded(levels, codes) if levels else Numbers(np.full(len(codes), np.nan))

    def _codes(self, expression: str) -> npt.NDArray[np.int32]:
        codes = self._fetched(expression)
        return np.ma.filled(codes.astype(np.int32), -1)

    def _fetched(self, expression: str) -> npt.NDArray[Any]:
        values = self._ahead.pop(expression, None)
        if values is None:
            query = self._connection.execute(f"SELECT {expression} AS fetched FROM loaded")
            values = query.fetchnumpy()["fetched"]
        array: npt.NDArray[Any] = np.ma.asanyarray(values)
        return array

    def _rows(self, expressions: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(f"SELECT {expressions} FROM loaded").fetchall()

    def _plain_errors(self) -> AbstractContextManager[None]:
        return duck_errors(self._shown, lambda error: self._fault() or _reason(error))


def table_suffix(path: Path) -> str:
    """Return the suffix that tells what a file holds, in small letters, without the .gz of a compressed one.

    >>> [table_suffix(Path(name)) for name in ("a.CSV", "a.csv.gz", "a.parquet", "a.parquet.gz", "a")]
    ['.csv', '.csv', '.parquet', '.gz', '']
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"] and suffixes[-2:-1] not in ([".parquet"], [".pq"]):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _number(column: str, type_: str) -> str:
    kept = {"BOOLEAN": "TINYINT", "FLOAT": "FLOAT"}.get(type_, "DOUBLE")
    return f"CAST({column} AS {kept})"


def _extremes(column: str) -> str:
    return f"min({column}), max({column})"


def _coded(texts: npt.NDArray[Any]) -> Raw:
    """Return texts of a few rows as codes."""
    missing = np.ma.getmaskarray(texts)
    levels = tuple(sorted({*texts[~missing].tolist()}))
    code = {level: number for number, level in enumerate(levels)}
    known = [-1 if none else code[text] for text, none in zip(texts.data, missing, strict=True)]
    codes = np.array(known, dtype=np.int32)
    return Coded(levels, codes) if levels else Numbers(np.full(len(codes), np.nan))


def _without_patterns(path: Path) -> str:
    """Return the path for DuckDB, which expands "[", "*" and "?" anywhere, and "~" at the beginning."""
    return glob.escape(str(path.absolute()))


def _check_type(name: str, type_: str) -> None:
    known = type_ in _WHOLE or type_ in ("VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE")
    if known or type_.startswith(("DECIMAL", *_TIMES)):
        return
    got = "JSON values of different types" if type_ == "JSON" else type_
    raise ColumnTypeError(f"{refuse_type(name, got)} Or leave the column out.")


def _reason(error: Exception) -> str:
    """Return the first lines of DuckDB's message, without the query, cut short where they are long."""
    lines = str(error).split("\nLINE ")[0].split("\n")
    reason = " ".join([line.strip() for line in lines if line.strip()][:3])
    return reason if len(reason) <= 300 else f"{reason[:299]}…"
