"""Give a column its scale: the one requested or that of its dtype, or the one in an existing schema."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.readers.features import ScaleRequest
from bough.data.readers.source import Coded, Codes, FloatArray, Numbers, Raw, Times, missing_codes, shown
from bough.data.schema import Column, Level, kind_of
from bough.data.times import UNIT_WORDS, converted, time_words
from bough.errors import ParameterError, SchemaError, TableError

Values: TypeAlias = npt.NDArray[Any]


def scaled(name: str, raw: Raw, request: ScaleRequest) -> tuple[Column, Values]:
    """Return a column with the scale requested for it, or else with the scale of its dtype.

    >>> scaled("age", Numbers(np.array([31.0, 42.0])), ScaleRequest())
    (Column(name='age', scale='numeric', levels=()), array([31., 42.]))
    >>> scaled("zip", Numbers(np.array([31.0, 42.0, 31.0]), whole=True), ScaleRequest("nominal"))
    (Column(name='zip', scale='nominal', levels=(31, 42)), array([0, 1, 0], dtype=int32))
    """
    if isinstance(raw, Times):
        if request.scale in (None, "numeric"):
            return Column(name, "numeric", unit=raw.unit), raw.values
        raw = code_times(raw)
    if request.levels is not None:
        return _given_levels(name, raw, request.levels)
    if request.scale == "numeric":
        raw = _as_numbers(raw)
    if isinstance(raw, Numbers):
        if request.scale in (None, "numeric"):
            return Column(name, "numeric"), raw.values
        raw = code_numbers(raw)
    if request.scale == "ordinal" and raw.order == "sorted" and kind_of(raw.levels[:1]) == "text":
        raise ParameterError(
            f"ordinal_features names {name!r}, which is text: the order of its levels is not known. Give "
            f"them in increasing order, such as ordinal_features={{{name!r}: {_some(raw.levels)}}}."
        )
    if request.scale in (None, "numeric"):
        return Column(name, "ordinal" if raw.order == "ordered" else "nominal", raw.levels), raw.codes
    return Column(name, request.scale, raw.levels), raw.codes


def fitted(column: Column, raw: Raw) -> Values:
    """Return the values of a column in the form of a schema's column; levels unknown there get the code −1.

    >>> size = Column("size", "ordinal", ("s", "l"))
    >>> fitted(size, Coded(("l", "m", "s"), np.array([0, 1, 2, -1], dtype=np.int32)))
    array([ 1, -1,  0, -1], dtype=int32)
    >>> fitted(Column("age", "numeric"), Coded(("old",), np.array([0], dtype=np.int32)))
    Traceback (most recent call last):
    bough.errors.SchemaError: Column 'age' is text; the tree was grown on numbers.
    Turn it into numbers, or grow the tree again on a table like this one.
    """
    if column.scale == "numeric":
        return _fitted_numbers(column, raw if isinstance(raw, Times) else _as_numbers(raw))
    if isinstance(raw, Times):
        raw = code_times(raw)
    kind = column.kind
    if kind is not None and _kind(raw) != kind and _has_values(raw):
        raise _unfit(column.name, _kind(raw), kind)
    if isinstance(raw, Numbers):
        return (
            _codes_of_numbers(column.levels, raw.values)
            if kind == "numbers"
            else missing_codes(len(raw.values))
        )
    if raw.levels == column.levels:
        return raw.codes
    if _kind(raw) != kind:
        return missing_codes(len(raw.codes))
    return np.append(column.level_codes(raw.levels), np.int32(-1))[raw.codes]


def _fitted_numbers(column: Column, raw: Raw) -> Values:
    if isinstance(raw, Numbers) and column.unit is None:
        return raw.values
    if isinstance(raw, Times) and column.unit is not None:
        values = converted(raw.values, raw.unit, column.unit)
        if values is not None:
            return values
    if _has_values(raw):
        raise _unfit(column.name, _kind(raw), "numbers" if column.unit is None else UNIT_WORDS[column.unit])
    return np.full(len(raw.codes if isinstance(raw, Coded) else raw.values), np.nan)


def code_times(raw: Times) -> Coded:
    """Turn dates, times or durations into codes of levels of text, in their order.

    >>> code_times(Times(np.array([1.0, np.nan, 0.0]), "date"))
    Coded(levels=('1970-01-01', '1970-01-02'), codes=array([ 1, -1,  0], dtype=int32), order='categories')
    """
    coded = code_numbers(Numbers(raw.values, whole=True))
    return Coded(
        tuple([time_words(raw.unit, float(level)) for level in coded.levels]), coded.codes, "categories"
    )


def with_new_levels(column: Column, raw: Raw) -> Column:
    """Return the column with the levels that occur and that it does not have appended to its own.

    >>> with_new_levels(Column("size", "nominal", ("s",)), Coded(("l", "m"), np.array([0], np.int32))).levels
    ('s', 'l')
    """
    if column.scale == "numeric" or not _has_values(raw) or column.kind not in (None, _kind(raw)):
        return column
    coded = (
        code_numbers(raw) if isinstance(raw, Numbers) else code_times(raw) if isinstance(raw, Times) else raw
    )
    occurring = np.unique(coded.codes[coded.codes >= 0]).tolist()
    new = [coded.levels[code] for code in occurring if column.level_code(coded.levels[code]) < 0]
    return replace(column, levels=(*column.levels, *new)) if new else column


def _as_numbers(raw: Numbers | Coded) -> Numbers | Coded:
    """Return a categorical of numbers as these numbers, and anything else as it is."""
    if isinstance(raw, Numbers) or kind_of(raw.levels[:1]) != "numbers":
        return raw
    # NaN is the last entry, which the code −1 of missing values indexes.
    return Numbers(np.array([*raw.levels, np.nan], dtype=np.float64)[raw.codes])


def code_numbers(raw: Numbers) -> Coded:
    """Turn numbers into codes; the levels are the distinct values, sorted.

    >>> code_numbers(Numbers(np.array([2.0, np.nan, 1.0]), whole=True))
    Coded(levels=(1, 2), codes=array([ 1, -1,  0], dtype=int32), order='sorted')
    """
    present = ~np.isnan(raw.values)
    if present.all():
        levels, codes = _distinct(raw.values)
    else:
        codes = missing_codes(len(raw.values))
        levels, codes[present] = _distinct(raw.values[present])
    # Adding 0 turns −0 into 0, so that both are one level.
    return Coded(tuple((levels.astype(np.int64) if raw.whole else levels + 0).tolist()), codes)


def _distinct(values: FloatArray) -> tuple[npt.NDArray[Any], Codes]:
    """Return the distinct values, sorted, and the position of each value among them.

    Whole numbers of a small range are counted instead of sorted.
    """
    if values.size and np.isfinite(values).all() and np.array_equal(values, np.floor(values)):
        low = values.min()
        span = float(values.max()) - float(low)
        if span <= 4 * values.size + 1000:
            offset = (values - low).astype(np.int64)
            occurs = np.zeros(int(span) + 1, dtype=np.bool_)
            occurs[offset] = True
            position = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
            return np.flatnonzero(occurs).astype(values.dtype) + low, position[offset]
    levels, codes = np.unique(values, return_inverse=True)
    return levels, codes.astype(np.int32)


def _codes_of_numbers(levels: tuple[Level, ...], values: FloatArray) -> Codes:
    numbers = np.array(levels, dtype=np.float64)
    order = np.argsort(numbers, kind="stable")
    place = np.searchsorted(numbers, values, sorter=order)
    code = order[np.minimum(place, len(levels) - 1)]
    return np.where(numbers[code] == values, code, -1).astype(np.int32)


def _given_levels(name: str, raw: Raw, levels: tuple[Level, ...]) -> tuple[Column, Codes]:
    try:
        column = Column(name, "ordinal", levels)
    except SchemaError as error:
        raise ParameterError(f"ordinal_features gives {name!r} the levels {shown(levels)}. {error}") from None
    if column.kind is not None and _kind(raw) != column.kind and _has_values(raw):
        raise ParameterError(
            f"ordinal_features gives {name!r} the levels {shown(levels)}, which are {column.kind}; "
            f"the column holds {_kind(raw)}. Give the levels as the column has them."
        )
    codes = fitted(column, raw)
    if isinstance(raw, Coded):
        outside = np.flatnonzero((codes < 0) & (raw.codes >= 0))
        value: Level | None = raw.levels[raw.codes[outside[0]]] if outside.size else None
    else:
        outside = np.flatnonzero((codes < 0) & ~np.isnan(raw.values))
        value = raw.values[outside[0]].item() if outside.size else None
    if outside.size:
        raise TableError(
            f"Column {name!r} holds {value!r} in row {outside[0]}, which is not among the levels that "
            f"ordinal_features gives it: {shown(levels)}. Add it there, or make it missing."
        )
    return column, codes


def _some(levels: tuple[Level, ...]) -> str:
    listed = [*map(repr, levels[:5]), *(["…"] if len(levels) > 5 else [])]
    return f"[{', '.join(listed)}]"


def _kind(raw: Raw) -> str | None:
    if isinstance(raw, Times):
        return UNIT_WORDS[raw.unit]
    return "numbers" if isinstance(raw, Numbers) else kind_of(raw.levels[:1])


def _has_values(raw: Raw) -> bool:
    if isinstance(raw, Coded):
        return bool((raw.codes >= 0).any())
    return not np.isnan(raw.values).all()


def _unfit(name: str, got: str | None, want: str) -> SchemaError:
    return SchemaError(
        f"Column {name!r} is {got}; the tree was grown on {want}. "
        f"Turn it into {want}, or grow the tree again on a table like this one."
    )
