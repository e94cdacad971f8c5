"""Reader of the data frames that narwhals supports: pandas, polars, pyarrow, DuckDB and others."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from bough.data.readers.array import read_values
from bough.data.readers.checks import check_shape, check_whole, refuse_type
from bough.data.readers.levels import code_categories, code_text
from bough.data.readers.objects import read_objects
from bough.data.readers.source import Coded, Codes, Numbers, Raw, Source, Times
from bough.data.schema import Level
from bough.data.table import Table
from bough.data.times import numbers_of_times
from bough.errors import ColumnTypeError, TableError

_Frame: TypeAlias = "nw.DataFrame[Any]"
_Series: TypeAlias = "nw.Series[Any]"


def as_frame(X: Any) -> _Frame | _Series | None:
    """Return X as a narwhals frame or series, or None if narwhals does not support it; collect lazy frames.

    >>> import pyarrow
    >>> as_frame(pyarrow.table({"age": [31]})).columns
    ['age']
    >>> as_frame("iris.csv") is None
    True
    """
    arrow, pandas = sys.modules.get("pyarrow"), sys.modules.get("pandas")
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        X = arrow.Table.from_batches([X])
    elif arrow is not None and isinstance(X, arrow.Array):
        X = arrow.chunked_array([X])
    elif pandas is not None and isinstance(X, pandas.Index | pandas.api.extensions.ExtensionArray):
        X = pandas.Series(X)
    frame = _of_narwhals(X)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame | nw.Series):
        return None
    if _library(frame) in ("pandas", "polars", "pyarrow"):
        return frame
    return nw.from_native(frame.to_pandas(), allow_series=True)


def collected(X: Any) -> Any:
    """Return a lazy frame collected, in its own library; anything else as it is.

    >>> import polars
    >>> type(collected(polars.LazyFrame({"age": [31]}))).__name__
    'DataFrame'
    """
    if _is_eager(X):
        return X
    frame = _of_narwhals(X)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


def with_ordered_levels(X: Any, columns: Mapping[str, tuple[Sequence[Level], Codes]]) -> Any:
    """Return a frame with some columns replaced by ordered categoricals of levels and codes, −1 if missing.

    Levels of polars are text.

    >>> import polars
    >>> frame = polars.DataFrame({"age": [31, 42], "size": ["s", "l"]})
    >>> with_ordered_levels(frame, {"age": (["young", "old"], np.array([0, -1], np.int32))}).rows()
    [('young', 's'), (None, 'l')]
    """
    frame = cast("_Frame", as_frame(X))
    made = {name: _ordered(frame, levels, codes) for name, (levels, codes) in columns.items()}
    native = frame.to_native()
    if _library(frame) == "pandas":
        return native.assign(**made)
    if _library(frame) == "polars":
        return native.with_columns(**made)
    for name, column in made.items():
        native = native.set_column(native.column_names.index(name), name, column)
    return native


def _ordered(frame: _Frame, levels: Sequence[Level], codes: Codes) -> Any:
    if _library(frame) == "pandas":
        import pandas as pd

        return pd.Categorical.from_codes(codes, cast("Any", list(levels)), ordered=True)
    if _library(frame) == "polars":
        import polars as pl

        texts = [str(level) for level in levels]
        return pl.Series([texts[code] if code >= 0 else None for code in codes], dtype=pl.Enum(texts))
    import pyarrow as pa

    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(levels), ordered=True)


def frame_source(frame: _Frame) -> Source:
    """Return a frame as a `Source` with its own column names; integer names become text.

    >>> import pyarrow
    >>> frame_source(nw.from_native(pyarrow.table({"age": [31, None]}))).read(0)
    Numbers(values=array([31., nan]), whole=True)
    """
    try:
        names = _text_names(frame.columns)
    except DuplicateError as error:
        raise _duplicate(error) from None
    check_shape(len(frame), len(names))
    columns = tuple(frame.iter_columns())
    return Source(names, True, len(frame), lambda position: read_series(names[position], columns[position]))


def read_series(name: str, series: _Series) -> Raw:
    """Read a column according to its dtype.

    >>> import pyarrow
    >>> read_series("windy", nw.from_native(pyarrow.chunked_array([[True, None]]), series_only=True))
    Coded(levels=(False, True), codes=array([ 1, -1], dtype=int32), order='sorted')
    """
    native, library = series.to_native(), _library(series)
    numpy_dtype = getattr(native, "dtype", None)
    if isinstance(numpy_dtype, np.dtype):
        # Read a plain pandas column as an array: narwhals would guess the type of a column of objects.
        return read_values(name, native.to_numpy())
    dtype = series.dtype
    if dtype.is_integer():
        return _read_integers(name, series)
    if dtype.is_float():
        return read_values(name, series.to_numpy())
    if dtype.is_decimal():
        return Numbers(series.cast(nw.Float64).to_numpy())
    if dtype == nw.Boolean:
        return Coded((False, True), series.cast(nw.Int32).fill_null(-1).to_numpy().astype(np.int32))
    if dtype == nw.String:
        return code_text(native, library)
    if dtype in (nw.Categorical, nw.Enum):
        return code_categories(name, native, library)
    if dtype.is_temporal():
        return _read_times(name, series)
    if dtype == nw.Object:
        return read_objects(name, series.to_list())
    if dtype == nw.Unknown and str(_native_type(native)).lower() == "null":
        return Numbers(np.full(len(series), np.nan))
    if str(_native_type(native)).lower().startswith(("period", "interval")):
        return read_objects(name, native.astype(object).tolist())
    raise refuse_type(name, str(_native_type(native)) if dtype == nw.Unknown else str(dtype))


def _native_type(native: Any) -> Any:
    return getattr(native, "dtype", None) or getattr(native, "type", type(native))


def _read_times(name: str, series: _Series) -> Raw:
    utc = isinstance(series.dtype, nw.Datetime) and series.dtype.time_zone is not None
    if utc:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype.kind not in "Mm":
        return read_objects(name, series.to_list())
    return Times(*numbers_of_times(values, utc=utc))


def _read_integers(name: str, series: _Series) -> Numbers:
    if series.null_count() == len(series):
        return Numbers(np.full(len(series), np.nan), whole=True)
    check_whole(name, int(series.min()), int(series.max()))
    return Numbers(series.cast(nw.Float64).to_numpy(), whole=True)


def _is_eager(X: Any) -> bool:
    """Return whether X is of a type that is never lazy; narwhals takes longer to say so than a small fit."""
    if isinstance(X, np.ndarray | list | tuple | Table):
        return True
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame | pandas.Series)


def _of_narwhals(X: Any) -> Any:
    try:
        return nw.from_native(X, allow_series=True, pass_through=True)
    except DuplicateError as error:
        raise _duplicate(error) from None


def _library(frame: _Frame | _Series) -> str:
    return frame.implementation.name.lower()


def _duplicate(error: DuplicateError) -> TableError:
    return TableError(f"{str(error).rstrip()}\nRename the columns so that each name occurs once.")


def _text_names(names: Sequence[Any]) -> tuple[str, ...]:
    types = {type(name) for name in names}
    whole = all(issubclass(type_, int | np.integer) and type_ is not bool for type_ in types)
    if not whole and not all(issubclass(type_, str) for type_ in types):
        raise ColumnTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted(type_.__name__ for type_ in types)} as feature name / column name types. "
            "Name all columns by strings, such as X.columns = X.columns.astype(str) in pandas."
        )
    if "" in names:
        raise TableError(f"Column {list(names).index('')} has an empty name; give it one.")
    return tuple([str(name) for name in names])
