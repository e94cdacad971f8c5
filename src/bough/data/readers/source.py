"""Columns as a reader returns them, before their scales are decided: numbers, or codes of levels."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.times import Unit
from bough.errors import ColumnTypeError, TableError

FloatArray: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]

GREATEST_WHOLE = 2**53
"""Up to this magnitude float64 represents every integer exactly."""


Order: TypeAlias = Literal["sorted", "categories", "ordered"]


class Numbers(NamedTuple):
    """Numbers, NaN where missing; `whole` if their dtype is an integer type."""

    values: FloatArray
    whole: bool = False


class Times(NamedTuple):
    """Dates, times or durations as numbers of a unit, NaN where missing; see `bough.data.times`."""

    values: FloatArray
    unit: Unit


class Coded(NamedTuple):
    """Codes into levels, −1 where missing.

    `order` is the order of the levels: "sorted" by value, "categories" for the order of an unordered
    categorical, or "ordered" for that of an ordered one.
    """

    levels: tuple[Level, ...]
    codes: Codes
    order: Order = "sorted"


Raw: TypeAlias = Numbers | Times | Coded


class Source(NamedTuple):
    """A table in its own library; `read` reads the column at a position.

    `named` is true if the data have column names, and false if they are made from positions (x0, x1, …).
    """

    names: tuple[str, ...]
    named: bool
    n_rows: int
    read: Callable[[int], Raw]


class Vector(NamedTuple):
    """One value per row in its own library: its shape there, and `read`, which reads it as one dimension."""

    shape: tuple[int, ...]
    read: Callable[[], Numbers | Coded]


def refuse_sparse(name: str, data: Any) -> None:
    """Raise `ColumnTypeError` if the data are a sparse matrix.

    >>> refuse_sparse("X", [[1.0]])
    >>> import scipy.sparse
    >>> refuse_sparse("X", scipy.sparse.eye(2))
    Traceback (most recent call last):
    bough.errors.ColumnTypeError: X is a sparse dia_matrix, but dense data is required.
    Use X.toarray() to make it dense.
    """
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(data):
        raise ColumnTypeError(
            f"{name} is a sparse {type(data).__name__}, but dense data is required. "
            f"Use {name}.toarray() to make it dense."
        )


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise `TableError` if a table has no columns or no rows.

    >>> check_shape(0, 3)
    Traceback (most recent call last):
    bough.errors.TableError: Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required.
    """
    for count, what in ((n_columns, "feature(s)"), (n_rows, "sample(s)")):
        if count == 0:
            raise TableError(
                f"Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required."
            )


def check_whole(name: str, smallest: int, greatest: int) -> None:
    """Raise `TableError` if float64 cannot represent the integers of a column exactly.

    >>> check_whole("id", 0, 2**53)
    >>> check_whole("id", 0, 2**53 + 1)
    Traceback (most recent call last):
    bough.errors.TableError: Column 'id' holds 9007199254740993, beyond ±2**53, where integers
    are no longer exact as float64.
    Scale it down, cast it to float, or turn it into text if it is an identifier.
    """
    for value in (smallest, greatest):
        if abs(value) > GREATEST_WHOLE:
            raise TableError(
                f"Column {name!r} holds {value}, beyond ±2**53, where integers are no longer exact "
                "as float64. Scale it down, cast it to float, or turn it into text if it is an identifier."
            )


def refuse_type(name: str, got: str, example: str = "") -> ColumnTypeError:
    """Return the error for a column whose type has no scale, with advice on converting it.

    >>> raise refuse_type("name", "bytes")
    Traceback (most recent call last):
    bough.errors.ColumnTypeError: Column 'name' holds bytes: argument must be a string or a number
    (or a truth value, or a category of these). Decode it to text.
    """
    holds = f"{got}, such as {example}" if example else got
    if "complex" in got.lower():
        return ColumnTypeError(
            f"Complex data not supported: column {name!r} holds {holds}. Take its .real and .imag parts."
        )
    if "sparse" in got.lower():
        return ColumnTypeError(
            f"Column {name!r} is sparse: {holds}. Make it dense, with X.sparse.to_dense() in pandas."
        )
    return ColumnTypeError(
        f"Column {name!r} holds {holds}: argument must be a string or a number "
        f"(or a truth value, or a category of these). {_advice(got.lower())}"
    )


_ADVICE = (
    (
        ("date", "time", "duration", "period"),
        "Take numbers from it, such as .dt.year or .dt.total_seconds().",
    ),
    (("bytes", "binary"), "Decode it to text."),
    (("interval",), "Turn it into text, or give labels to the call that made the intervals."),
    (("list", "struct", "array", "dict", "tuple", "map"), "Spread it over columns of its own."),
    (("longdouble", "float96", "float128"), "Cast it to float64."),
)


def _advice(got: str) -> str:
    for words, advice in _ADVICE:
        if any(word in got for word in words):
            return advice
    return "Turn it into text or numbers, or leave the column out."


def missing_codes(n_rows: int) -> Codes:
    """Return the codes of a column in which every value is missing.

    >>> missing_codes(2)
    array([-1, -1], dtype=int32)
    """
    return np.full(n_rows, -1, dtype=np.int32)


def shown(value: Any) -> str:
    """Return a value as text for an error message, shortened if it is long.

    >>> shown("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    text = repr(value)
    return text if len(text) <= 40 else text[:38] + "…"
