"""Columns of text and categories as levels and codes, computed by the column's own library for speed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from bough.data.readers.checks import check_whole, refuse_type
from bough.data.readers.source import Coded, Codes, LevelOrder
from bough.data.schema import Level, kind_of
from bough.errors import SchemaError

_WRITTEN = {"Interval", "Period", "Timestamp", "Timedelta", "date", "datetime", "time", "timedelta"}
"""Types of categories whose text is the level; intervals are ordered."""


def written(level: object) -> str:
    """Return a category that is neither text, a truth value nor a number as text.

    >>> import pandas as pd
    >>> written(pd.Interval(0.0, 10.0)), written(pd.Period("2024-01"))
    ('(0, 10]', '2024-01')
    """
    # Intervals of whole numbers are those of floats in a column with missing values.
    return re.sub(r"\.0(?=[,\])])", "", str(level)) if type(level).__name__ == "Interval" else str(level)


def code_text(native: Any, library: str) -> Coded:
    """Turn a column of text into codes; its levels are the values that occur, sorted by code point.

    >>> import pyarrow
    >>> code_text(pyarrow.chunked_array([["s", None, "l"]]), "pyarrow")
    Coded(levels=('l', 's'), codes=array([ 1, -1,  0], dtype=int32), order='sorted')
    """
    if library == "polars":
        return _code_polars_text(native)
    if library == "pyarrow":
        return _sorted(_code_arrow(native.dictionary_encode()))
    codes, levels = native.factorize(sort=True)
    return Coded(tuple(levels.tolist()), codes.astype(np.int32))


def code_categories(name: str, native: Any, library: str) -> Coded:
    """Turn a column of categories into codes; its levels are all categories, in their order.

    A polars Categorical has no categories of its own (all columns of the process share them), so it is read
    as text. A polars Enum is ordered.

    >>> import pyarrow
    >>> sizes = pyarrow.DictionaryArray.from_arrays([1, 0, None], ["s", "m", "l"], ordered=True)
    >>> code_categories("size", pyarrow.chunked_array([sizes]), "pyarrow")
    Coded(levels=('s', 'm', 'l'), codes=array([ 1,  0, -1], dtype=int32), order='ordered')
    """
    if library == "polars":
        coded = _code_polars_categories(native)
    elif library == "pyarrow":
        coded = _code_arrow(native)
    elif hasattr(native.array, "__arrow_array__") and not hasattr(native.dtype, "categories"):
        coded = _code_arrow(native.array.__arrow_array__())
    else:
        order: LevelOrder = "ordered" if native.cat.ordered else "categories"
        codes = native.cat.codes.to_numpy().astype(np.int32)
        coded = Coded(tuple(native.cat.categories.tolist()), codes, order)
        kinds = {type(level).__name__ for level in coded.levels}
        if kinds <= _WRITTEN and kinds:
            return Coded(
                tuple(map(written, coded.levels)), codes, "ordered" if kinds == {"Interval"} else order
            )
    _check_categories(name, coded)
    return coded


def _code_polars_text(series: Any) -> Coded:
    levels = series.drop_nulls().unique().sort()
    codes = series.replace_strict(levels, np.arange(len(levels), dtype=np.int32), default=np.int32(-1))
    return Coded(tuple(levels.to_list()), codes.to_numpy().astype(np.int32))


def _code_polars_categories(series: Any) -> Coded:
    if type(series.dtype).__name__ != "Enum":
        return _code_polars_text(series.cast(str))
    codes = series.to_physical().cast(int).fill_null(-1).to_numpy().astype(np.int32)
    return Coded(tuple(series.dtype.categories.to_list()), codes, "ordered")


def _code_arrow(column: Any) -> Coded:
    # Chunks may have different dictionaries; after unifying, all have that of the first chunk.
    column = column.unify_dictionaries()
    chunks = [chunk.indices.cast("int32").fill_null(-1).to_numpy() for chunk in column.chunks]
    codes: Codes = np.concatenate(chunks)
    listed = column.chunk(0).dictionary.to_pylist()
    order: LevelOrder = "ordered" if column.type.ordered else "categories"
    # An Arrow dictionary may contain a value twice, and may contain null.
    code: dict[Level, int] = {}
    for level in listed:
        if level is not None and level == level:
            code.setdefault(level, len(code))
    if len(code) < len(listed):
        codes = np.array([*(code.get(level, -1) for level in listed), -1], dtype=np.int32)[codes]
    return Coded(tuple(code), codes, order)


def _sorted(coded: Coded) -> Coded:
    rising = sorted(range(len(coded.levels)), key=coded.levels.__getitem__)
    # The code −1 indexes the last entry, which is −1.
    code = np.full(len(coded.levels) + 1, -1, dtype=np.int32)
    code[rising] = np.arange(len(rising), dtype=np.int32)
    return Coded(tuple([coded.levels[old] for old in rising]), code[coded.codes])


def _check_categories(name: str, coded: Coded) -> None:
    try:
        kind = kind_of(coded.levels)
    except SchemaError:
        raise refuse_type(name, f"categories of type {_type_names(coded.levels)}") from None
    if kind == "numbers":
        for level in coded.levels:
            if isinstance(level, int):
                check_whole(name, level, level)


def _type_names(levels: Iterable[object]) -> str:
    return " and ".join(sorted({type(level).__name__ for level in levels}))
