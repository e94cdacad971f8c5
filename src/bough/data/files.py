"""Read tables from files: DuckDB reads CSV, JSON and Parquet, and pyarrow or polars reads Arrow files.

A column of text or of truth values is nominal, one of numbers, dates or durations numeric. Missing values
stay missing. In a CSV file true and false, in any case, are truth values; other words, such as yes and no,
are text.
"""

from __future__ import annotations

import difflib
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from bough.data.duck import FUNCTIONS, DuckTable, table_suffix
from bough.data.readers.features import ScaleRequest
from bough.data.readers.scale import fitted, scaled
from bough.data.readers.source import Numbers, Raw, Source
from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.urls import is_url
from bough.data.wide import WideTable, is_wide
from bough.errors import ParameterError, TableError

MISSING_TEXT = ("", "NA")
"""Fields of a CSV file that stand for a missing value, unless the caller names others."""

STDIN = "-"
"""The path that means standard input."""

_ARROW = (".arrow", ".feather", ".ipc")


class FileTable(Protocol):
    """A table in a file, open for reading."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in their order."""

    @property
    def dates(self) -> tuple[str, ...]:
        """The names of the columns that hold dates, times or durations."""

    def source(self, names: Sequence[str], text: Collection[str] = (), truth: Collection[str] = ()) -> Source:
        """Load these columns; where the file leaves types open, those in `text` are text.

        Words such as yes and no are text, except in columns named in `truth`.
        """


def read_table(
    path: str | PathLike[str],
    columns: Sequence[str] | None = None,
    *,
    schema: Schema | None = None,
    categorical_features: Collection[str] = (),
    ordinal_features: Mapping[str, Sequence[Level]] | None = None,
    missing_text: Sequence[str] = MISSING_TEXT,
) -> Table:
    r"""Read a table from a CSV, JSON, Parquet or Arrow file, without pandas or polars.

    All columns are read, or those named in `columns`, in that order. Text and truth values are nominal;
    numbers, dates, times and durations are numeric. `missing_text` lists the fields of a CSV file that are
    missing values. Columns in `categorical_features` are nominal whatever their type, and those in
    `ordinal_features` are ordinal with the levels given, in increasing order. With `schema`, the columns of
    the schema are read with its scales and levels, so that a tree grown on it can predict from the table.

    >>> import bough
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "visitors.csv"
    ...     _ = file.write_text("referrer,visits,buys\nsearch,1,no\n,4,yes\nsearch,5,yes\n")
    ...     visitors = read_table(file)
    ...     X = read_table(file, ["referrer", "visits"])
    >>> model = bough.TreeClassifier().fit(X, visitors.values("buys"))
    >>> model.tree_.condition(1)
    'visits < 2.5'
    """
    if schema is not None and (columns is not None or categorical_features or ordinal_features):
        raise ParameterError("schema defines which columns are read and how; leave the other options out.")
    with open_table(str(path), missing_text) as table:
        if schema is not None:
            check_known(schema.names, table.names, str(path))
            return fit_columns(table, schema)
        names = table.names if columns is None else columns
        requested = [*categorical_features, *(ordinal_features or ())]
        check_known([*names, *requested], table.names, str(path))
        return read_columns(table, names, nominal=categorical_features, ordinal=ordinal_features)


@contextmanager
def open_table(path: str, missing_text: Sequence[str] = MISSING_TEXT) -> Iterator[FileTable]:
    r"""Open the table in a file by its suffix; "-" is CSV on standard input.

    If there is no file of this name, it is a pattern, and the rows of all files that match it are one table.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "visitors.csv"
    ...     _ = file.write_text("referrer,visits\nsearch,1\n,2\n")
    ...     with open_table(str(file)) as table:
    ...         print(table.names)
    ('referrer', 'visits')
    """
    if path == STDIN:
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            file.write(sys.stdin.buffer.read())
            file.flush()
            with _duck_table([Path(file.name)], ".csv", "Standard input", missing_text) as table:
                yield table
        return
    paths = _files_of(path)
    suffixes = {table_suffix(each) for each in paths}
    suffix = suffixes.pop()
    if suffixes or (suffix in _ARROW and len(paths) > 1):
        raise TableError(
            f"{path} stands for {len(paths)} files; they must all be CSV, all JSON or all Parquet."
        )
    if suffix in _ARROW:
        yield _ArrowTable(paths[0])
    elif suffix in FUNCTIONS:
        with _duck_table(paths, suffix, path, missing_text) as table:
            yield table
    else:
        known = ", ".join([*FUNCTIONS, *_ARROW])
        raise TableError(
            f"{path} does not have the suffix of a table; rename or convert it to one of {known}."
        )


def _duck_table(
    paths: list[Path], suffix: str, shown: str, missing_text: Sequence[str]
) -> AbstractContextManager[FileTable]:
    if is_wide(paths, suffix, shown):
        return closing(WideTable(paths[0], shown, missing_text))
    return closing(DuckTable(paths, suffix, shown, missing_text))


def _files_of(path: str) -> list[Path]:
    """Return the file of this name; if there is none, the files of its folder that match it, sorted."""
    if "://" in path or is_url(path):
        # It is not shown, because it may hold a password.
        raise TableError(
            "A table was given by a URL; name a file that holds it. Only a fit and `bough predict` read "
            "tables of databases where they are."
        )
    if Path(path).is_file():
        return [Path(path)]
    folder, pattern = Path(path).parent, Path(path).name
    files = [
        each
        for each in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if fnmatchcase(each.name, pattern) and each.is_file() and not each.name.startswith(".")
    ]
    if not files:
        what = "is a folder" if Path(path).is_dir() else "does not exist"
        raise TableError(f"{path} {what}; name a file that holds a table, or - for CSV on standard input.")
    return files


def read_columns(
    table: FileTable,
    names: Sequence[str],
    *,
    nominal: Collection[str] = (),
    ordinal: Mapping[str, Sequence[Level]] | None = None,
) -> Table:
    r"""Read the named columns; those in `nominal` and `ordinal` have that scale whatever their type.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "shirts.csv"
    ...     _ = file.write_text("colour,size\n1,m\n2,s\n,\n")
    ...     with open_table(str(file)) as table:
    ...         read = read_columns(table, table.names, nominal=["colour"], ordinal={"size": ["s", "m"]})
    >>> read.schema.columns
    (Column(name='colour', scale='nominal', levels=(1, 2)),
     Column(name='size', scale='ordinal', levels=('s', 'm')))
    >>> read.columns
    (array([ 0,  1, -1], dtype=int32), array([ 1,  0, -1], dtype=int32))
    """
    source = table.source(names, [name for name in (*nominal, *(ordinal or ())) if name in table.dates])
    requests = dict.fromkeys(nominal, ScaleRequest("nominal"))
    pairs = []
    for position, name in enumerate(names):
        raw = source.read(position)
        if ordinal and name in ordinal:
            requests[name] = ScaleRequest("ordinal", _levels_like(raw, name, ordinal[name]))
        pairs.append(scaled(name, raw, requests.get(name, ScaleRequest())))
    schema = Schema(tuple([column for column, _ in pairs]))
    return Table(schema, tuple([values for _, values in pairs]), source.n_rows)


def fit_columns(table: FileTable, schema: Schema) -> Table:
    r"""Read the columns of a schema, so that a tree grown on that schema can predict from the table.

    >>> from bough.data.schema import Column
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "letters.csv"
    ...     _ = file.write_text("postcode\n1012\n2514\n")
    ...     with open_table(str(file)) as table:
    ...         read = fit_columns(table, Schema((Column("postcode", "nominal", ("1012", "3011 AB")),)))
    >>> read.columns
    (array([ 0, -1], dtype=int32),)
    """
    text, truth = (
        [column.name for column in schema if column.kind == kind] for kind in ("text", "truth values")
    )
    source = table.source(schema.names, text, truth)
    columns = [fitted(column, source.read(position)) for position, column in enumerate(schema)]
    return Table(schema, tuple(columns), source.n_rows)


def check_known(names: Iterable[str], all_names: Sequence[str], what: str) -> None:
    """Raise `TableError` if a name is not among all names; the error suggests the most similar one.

    >>> check_known(["Sexx"], ["Class", "Sex"], "t.csv")
    Traceback (most recent call last):
    bough.errors.TableError: t.csv has no column 'Sexx'; did you mean 'Sex'? Its columns are 'Class', 'Sex'.
    """
    known = {*all_names}
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, all_names, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else "."
            columns = ", ".join(map(repr, all_names[:20])) + (", …" if len(all_names) > 20 else "")
            raise TableError(f"{what} has no column {name!r}{hint} Its columns are {columns}.")


class _ArrowTable:
    """An Arrow or Feather file, read by whichever of pyarrow and polars is installed."""

    def __init__(self, path: Path) -> None:
        import narwhals as nw

        self._frame: nw.DataFrame[Any] = nw.from_native(_read_arrow(path), eager_only=True)
        self.names = tuple(self._frame.columns)
        self.dates = tuple([name for name, type_ in self._frame.schema.items() if type_.is_temporal()])

    def source(self, names: Sequence[str], text: Collection[str] = (), truth: Collection[str] = ()) -> Source:
        from bough.data.readers import source_of

        return source_of(self._frame.select(list(names)).to_native())


def _read_arrow(path: Path) -> Any:
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError:
        return _read_arrow_with_polars(path)
    try:
        return feather.read_table(path)
    except pa.ArrowInvalid as error:
        raise TableError(f"{path} cannot be read: {error}") from None


def _read_arrow_with_polars(path: Path) -> Any:
    try:
        import polars as pl
    except ImportError:
        raise TableError(
            f"{path} is an Arrow file, which needs pyarrow or polars: pip install pyarrow, "
            "or convert it to Parquet."
        ) from None
    try:
        return pl.read_ipc(path)
    except pl.exceptions.PolarsError as error:
        raise TableError(f"{path} cannot be read: {error}") from None


def _levels_like(raw: Raw, name: str, levels: Sequence[Level]) -> tuple[Level, ...]:
    if not isinstance(raw, Numbers):
        return tuple(levels)
    try:
        return tuple([float(level) for level in levels])
    except ValueError:
        raise ParameterError(
            f"Column {name!r} is given the levels {', '.join(map(repr, levels))}, and it holds numbers; "
            "give numbers in increasing order."
        ) from None
