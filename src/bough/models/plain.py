"""Conversion between arrays and the plain values that JSON can represent, with checks of every value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from bough.errors import FormatError
from bough.tree.arrays import KINDS

Entered = TypeVar("Entered")

_GREATEST = float(np.finfo(np.float64).max)
_INFINITIES = {"inf": math.inf, "-inf": -math.inf}
_KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}


def plain(value: object, place: str) -> Any:
    """Return a value in a form that JSON can represent: tuples as lists, numpy numbers as Python numbers.

    Any other type raises `FormatError`.

    >>> plain({"max_depth": np.int64(3), "steps": (1, 2)}, "recipe")
    {'max_depth': 3, 'steps': [1, 2]}
    >>> plain({"alpha": float("inf")}, "recipe")
    Traceback (most recent call last):
    bough.errors.FormatError: At recipe.alpha: inf cannot be written as JSON
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict) and all(type(name) is str for name in value):
        return {name: plain(member, f"{place}.{name}") for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member, f"{place}[{position}]") for position, member in enumerate(value)]
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    raise FormatError(place, f"{value!r} cannot be written as JSON")


def is_finite(value: object) -> bool:
    """Whether a value of a file is a number within float64; whole numbers may be beyond it.

    >>> is_finite(1.5), is_finite(10**400), is_finite(True)
    (True, False, False)
    """
    return type(value) in (int, float) and abs(value) <= _GREATEST  # type: ignore[arg-type]


def array_to_json(array: npt.NDArray[Any], name: str) -> list[Any]:
    """Return an array as a list: kinds of split by name, NaN as None, infinities as "inf" and "-inf".

    >>> array_to_json(np.array([2.45, np.nan, -np.inf]), "cut")
    [2.45, None, '-inf']
    """
    if name == "kind":
        return [KINDS[code] for code in array.tolist()]
    values: npt.NDArray[Any] = array
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        values = array.astype(object)
        values[np.isnan(array)] = None
        for text, infinity in _INFINITIES.items():
            values[array == infinity] = text
    return list(values.tolist())


def array_from(values: object, place: str, dtype: type[np.generic] = np.float64) -> npt.NDArray[Any]:
    """Return an array of one dimension, from a list that `array_to_json` wrote or an array of a zip.

    >>> array_from([0, 1.5], "nodes.column", np.int32)
    Traceback (most recent call last):
    bough.errors.FormatError: At nodes.column[1]: 1.5, but a whole number is wanted
    """
    if isinstance(values, np.ndarray):
        return _of_type(values, place, dtype, 1)
    listed = _list(values, place)
    if place.endswith(".kind"):
        return _kinds(listed, place)
    if np.dtype(dtype).kind in "iu":
        return _whole(listed, place, dtype)
    return _single(_floats(listed, place), place, dtype)


def rows_from(values: object, place: str, dtype: type[np.generic] = np.float64) -> npt.NDArray[Any]:
    """Return an array of two dimensions, from a list of rows or an array of a zip.

    >>> rows_from([[0, 1], [5, 0]], "loss_matrix")
    array([[0., 1.],
           [5., 0.]])
    """
    if isinstance(values, np.ndarray):
        return _of_type(values, place, dtype, 2)
    return _single(_rows(_list(values, place), place), place, dtype)


def entries(values: object, place: str, read: Callable[[Any, str], Entered]) -> tuple[Entered, ...]:
    """Return the entries of a list, each read with its own place.

    >>> entries([1, 7], "rules", lambda value, place: position(value, place, 5))
    Traceback (most recent call last):
    bough.errors.FormatError: At rules[1]: 7; a whole number from 0 to 4 is wanted
    """
    return tuple([read(each, f"{place}[{number}]") for number, each in enumerate(_list(values, place))])


def number(value: object, place: str, most: float = math.inf) -> float:
    """Return a finite number; with `most`, one from 0 to this.

    >>> number(-1, "cases", 10)
    Traceback (most recent call last):
    bough.errors.FormatError: At cases: -1; a number from 0 to 10 is wanted
    """
    bounded = most < math.inf
    if not is_finite(value) or (bounded and not 0 <= value <= most):  # type: ignore[operator]
        wanted = f"a number from 0 to {most:g}" if bounded else "a finite number"
        raise FormatError(place, f"{value!r}; {wanted} is wanted")
    return float(value)  # type: ignore[arg-type]


def position(value: object, place: str, n: int) -> int:
    """Return a whole number below `n`: the position of a column, a class or a level.

    >>> position(1, "column", 2)
    1
    """
    if type(value) is not int or not 0 <= value < n:
        raise FormatError(place, f"{value!r}; a whole number from 0 to {n - 1} is wanted")
    return value


def _list(values: object, place: str) -> list[Any]:
    if type(values) is not list:
        raise FormatError(place, f"a list is wanted, got {type(values).__name__}")
    return values


def _of_type(
    array: npt.NDArray[Any], place: str, dtype: type[np.generic], n_dimensions: int
) -> npt.NDArray[Any]:
    if array.dtype != dtype or array.ndim != n_dimensions:
        wanted = f"{np.dtype(dtype)} of {n_dimensions} dimensions"
        raise FormatError(place, f"holds {array.dtype} of {array.ndim} dimensions, where {wanted} is wanted")
    if place.endswith(".kind") and array.size and array.max() >= len(KINDS):
        raise FormatError(place, f"the kinds are numbered 0 to {len(KINDS) - 1}")
    return array


def _single(array: npt.NDArray[np.float64], place: str, dtype: type[np.generic]) -> npt.NDArray[Any]:
    if dtype is np.float64:
        return array
    with np.errstate(over="ignore"):
        single = array.astype(dtype)
    if not np.array_equal(single, array, equal_nan=True):
        raise FormatError(place, f"its values do not fit {np.dtype(dtype)}")
    return single


def _kinds(values: list[Any], place: str) -> npt.NDArray[np.uint8]:
    _demand(values, (str,), place, f"one of {', '.join(map(repr, KINDS))} is wanted")
    codes = [_KIND_CODES.get(kind, -1) for kind in values]
    if -1 in codes:
        wrong = codes.index(-1)
        raise FormatError(f"{place}[{wrong}]", f"{values[wrong]!r} is none of {', '.join(map(repr, KINDS))}")
    return np.array(codes, dtype=np.uint8)


def _rows(values: list[Any], place: str) -> npt.NDArray[np.float64]:
    _demand(values, (list,), place, "a list is wanted")
    widths = list(map(len, values))
    if len(set(widths)) > 1:
        wrong = next(node for node, width in enumerate(widths) if width != widths[0])
        raise FormatError(f"{place}[{wrong}]", f"has {widths[wrong]} entries, where {widths[0]} are wanted")
    width = widths[0] if widths else 0
    return _floats(list(chain.from_iterable(values)), place, width).reshape(len(values), width)


def _floats(values: list[Any], place: str, width: int | None = None) -> npt.NDArray[np.float64]:
    wanted = 'a number, null, "inf" or "-inf" is wanted'
    _demand(values, (float, int, type(None), str), place, wanted, width)
    if str in set(map(type, values)):
        named = [node for node, value in enumerate(values) if type(value) is str]
        wrong = next((node for node in named if values[node] not in _INFINITIES), None)
        if wrong is not None:
            raise FormatError(_at(place, wrong, width), f"{values[wrong]!r}, but {wanted}")
        values = [_INFINITIES.get(value, value) if type(value) is str else value for value in values]
    else:
        named = []
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        array = np.array([math.inf if _is_huge(value) else value for value in values], dtype=np.float64)
    overflown = np.isinf(array)
    overflown[named] = False
    if overflown.any():
        raise FormatError(_at(place, int(overflown.argmax()), width), "the number is too large")
    return array


def _is_huge(value: Any) -> bool:
    return type(value) is int and abs(value) > 2**1023


def _whole(values: list[Any], place: str, dtype: type[np.generic]) -> npt.NDArray[Any]:
    _demand(values, (int,), place, "a whole number is wanted")
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    if values and not limits.min <= min(values) <= max(values) <= limits.max:
        wrong = next(node for node, value in enumerate(values) if not limits.min <= value <= limits.max)
        raise FormatError(f"{place}[{wrong}]", f"{values[wrong]} is too large")
    return np.array(values, dtype=dtype)


def _demand(
    values: list[Any], types: Sequence[type], place: str, wanted: str, width: int | None = None
) -> None:
    if not set(map(type, values)) <= set(types):
        wrong = next(node for node, value in enumerate(values) if type(value) not in types)
        raise FormatError(_at(place, wrong, width), f"{values[wrong]!r}, but {wanted}")


def _at(place: str, position: int, width: int | None) -> str:
    return f"{place}[{position}]" if width is None else f"{place}[{position // width}][{position % width}]"
