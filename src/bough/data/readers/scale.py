"""Give a column its scale: the one requested or that of its dtype, or the one in an existing schema."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.readers.features import ScaleRequest
from bough.data.readers.source import Coded, Codes, FloatArray, Numbers, Raw, missing_codes, shown
from bough.data.schema import Column, Kind, Level, kind_of
from bough.errors import ParameterError, SchemaError, TableError

Values: TypeAlias = npt.NDArray[Any]


def scaled(name: str, raw: Raw, request: ScaleRequest) -> tuple[Column, Values]:
    """Return a column with the scale requested for it, or else with the scale of its dtype.

    >>> scaled("age", Numbers(np.array([31.0, 42.0])), ScaleRequest())
    (Column(name='age', scale='numeric', levels=()), array([31., 42.]))
    >>> scaled("zip", Numbers(np.array([31.0, 42.0, 31.0]), whole=True), ScaleRequest("nominal"))
    (Column(name='zip', scale='nominal', levels=(31, 42)), array([0, 1, 0], dtype=int32))
    """
    if request.levels is not None:
        return _given_levels(name, raw, request.levels)
    if request.scale == "numeric":
        raw = _as_numbers(raw)
    if isinstance(raw, Numbers):
        if request.scale in (None, "numeric"):
            return Column(name, "numeric"), raw.values
        raw = code_numbers(raw)
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
        raw = _as_numbers(raw)
        if isinstance(raw, Numbers):
            return raw.values
        if _has_values(raw):
            raise _unfit(column.name, _kind(raw), "numbers")
        return np.full(len(raw.codes), np.nan)
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


def _as_numbers(raw: Raw) -> Raw:
    """Return a categorical of numbers as these numbers, and anything else as it is."""
    if not isinstance(raw, Coded) or kind_of(raw.levels[:1]) != "numbers":
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


def _kind(raw: Raw) -> Kind | None:
    return "numbers" if isinstance(raw, Numbers) else kind_of(raw.levels[:1])


def _has_values(raw: Raw) -> bool:
    if isinstance(raw, Numbers):
        return not np.isnan(raw.values).all()
    return bool((raw.codes >= 0).any())


def _unfit(name: str, got: Kind | None, want: Kind) -> SchemaError:
    return SchemaError(
        f"Column {name!r} is {got}; the tree was grown on {want}. "
        f"Turn it into {want}, or grow the tree again on a table like this one."
    )
