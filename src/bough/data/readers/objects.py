"""Reader of columns of Python objects, whose kind is found from the type of each value."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from itertools import repeat
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np

from bough.data.readers.checks import check_whole, refuse_type
from bough.data.readers.levels import written
from bough.data.readers.source import Coded, Numbers, Raw, Times, shown
from bough.data.schema import KindOfLevels
from bough.data.times import numbers_of_objects
from bough.errors import ColumnTypeError, TableError

_Type: TypeAlias = type[Any]


def read_objects(name: str, values: list[Any]) -> Raw:
    """Read a column of Python values: all numbers, all text or all truth values.

    None, NaN, pandas.NA and NaT are missing. A column whose values are all missing is read as numbers.

    >>> read_objects("size", ["s", None, "l"])
    Coded(levels=('l', 's'), codes=array([ 1, -1,  0], dtype=int32), order='sorted')
    >>> read_objects("age", [1, 2.5, None])
    Numbers(values=array([1. , 2.5, nan]), whole=False)
    >>> read_objects("age", [1, "two"])
    Traceback (most recent call last):
    bough.errors.ColumnTypeError: Column 'age' mixes int and str, such as 1 and 'two':
    each argument must be a string or a number,
    and all in a column of one kind. Turn all its values into text, or all into numbers.
    """
    kinds = {type_: _kind(type_) for type_ in set(map(type, values))}
    for type_, kind in kinds.items():
        if kind is None:
            raise refuse_type(name, f"values of type {type_.__name__}", _example(values, type_))
    if len(set(kinds.values()) - {"missing"}) > 1 and _only_nan(values, _of_kind(kinds, "numbers")):
        kinds |= dict.fromkeys(_of_kind(kinds, "numbers"), "missing")
    present = set(kinds.values()) - {"missing"}
    if len(present) > 1:
        raise _mixed(name, values, kinds)
    if present <= {"dates", "durations", "times of day", "periods", "intervals"} and present:
        missing = frozenset(_of_kind(kinds, "missing"))
        known_or_none = [None if type(value) in missing else value for value in values]
        return _read_times(name, known_or_none, next(iter(present)))
    if present == {"text"}:
        return _code_text(values, _of_kind(kinds, "text"))
    if present == {"truth values"}:
        codes = map({False: 0, True: 1}.get, values, repeat(-1))
        return Coded((False, True), np.fromiter(codes, np.int32, len(values)))
    return _read_numbers(name, values, kinds)


_ObjectKind: TypeAlias = Literal["missing", "dates", "durations", "times of day", "periods", "intervals"]
_KindOrMissing: TypeAlias = KindOfLevels | _ObjectKind


_TIMES: tuple[tuple[tuple[_Type, ...], _ObjectKind], ...] = (
    ((dt.date, np.datetime64), "dates"),
    ((dt.timedelta, np.timedelta64), "durations"),
    ((dt.time,), "times of day"),
)


def _kind(type_: _Type) -> _KindOrMissing | None:
    if type_ is type(None) or (
        type_.__name__ in ("NAType", "NaTType") and type_.__module__.startswith("pandas")
    ):
        return "missing"
    for types, kind in _TIMES:
        if issubclass(type_, types):
            return kind
    if type_.__module__.startswith("pandas") and type_.__name__ in ("Period", "Interval"):
        return "periods" if type_.__name__ == "Period" else "intervals"
    if issubclass(type_, str):
        return "text"
    if issubclass(type_, bool | np.bool_):
        return "truth values"
    if issubclass(type_, Real | Decimal) and not issubclass(type_, np.longdouble | np.timedelta64):
        return "numbers"
    return None


def _of_kind(kinds: dict[_Type, _KindOrMissing | None], kind: _KindOrMissing) -> tuple[_Type, ...]:
    return tuple(type_ for type_, its in kinds.items() if its == kind)


def _only_nan(values: list[Any], types: Iterable[_Type]) -> bool:
    types = frozenset(types)
    try:
        return all(value != value for value in values if type(value) in types)
    except ArithmeticError:  # comparing a Decimal's signalling NaN raises
        return False


def _example(values: list[Any], type_: _Type) -> str:
    return shown(next(value for value in values if type(value) is type_))


def _mixed(name: str, values: list[Any], kinds: dict[_Type, _KindOrMissing | None]) -> ColumnTypeError:
    by_kind = {kind: type_ for type_, kind in kinds.items() if kind != "missing"}
    first, second = sorted(by_kind.values(), key=lambda type_: type_.__name__)[:2]
    return ColumnTypeError(
        f"Column {name!r} mixes {first.__name__} and {second.__name__}, such as {_example(values, first)} "
        f"and {_example(values, second)}: each argument must be a string or a number, and all in a column "
        "of one kind. Turn all its values into text, or all into numbers."
    )


def _code_text(values: list[Any], types: tuple[_Type, ...]) -> Coded:
    # Subclasses of str (of numpy, enumerations) may define another hash or text, so compare their characters.
    text = {value: str.__str__(value) for value in set(values) if type(value) in types}
    levels = sorted(set(text.values()))
    code = dict(zip(levels, range(len(levels)), strict=True))
    if types != (str,):
        code = {value: code[level] for value, level in text.items()}
    codes = np.fromiter(map(code.get, values, repeat(-1)), np.int32, len(values))
    return Coded(tuple(levels), codes)


def _read_times(name: str, values: list[Any], kind: str | None) -> Raw:
    if kind == "intervals":
        levels = sorted({value for value in values if value is not None})
        code = {level: code for code, level in enumerate(levels)}
        codes = np.fromiter((code.get(value, -1) for value in values), np.int32, len(values))
        return Coded(tuple(map(written, levels)), codes, "ordered")
    if kind == "periods":
        values = [None if value is None else value.start_time for value in values]
    try:
        return Times(*numbers_of_objects(values))
    except (OverflowError, TypeError, ValueError) as error:
        raise ColumnTypeError(f"Column {name!r} holds {kind} that cannot be read: {error}.") from None


def _read_numbers(name: str, values: list[Any], kinds: dict[_Type, _KindOrMissing | None]) -> Numbers:
    missing = frozenset(_of_kind(kinds, "missing"))
    if missing:
        values = [math.nan if type(value) in missing else value for value in values]
    try:
        numbers = np.array(values, dtype=np.float64)
    except (OverflowError, ValueError) as error:
        raise TableError(
            f"Column {name!r} holds a number that float64 cannot hold ({error}). Scale it down."
        ) from None
    types = _of_kind(kinds, "numbers")
    if any(issubclass(type_, Integral) for type_ in types):
        great = np.flatnonzero(np.abs(numbers) >= 2.0**53)
        for whole in (values[row] for row in great if isinstance(values[row], Integral)):
            check_whole(name, int(whole), int(whole))
    return Numbers(numbers, whole=bool(types) and all(issubclass(type_, Integral) for type_ in types))
