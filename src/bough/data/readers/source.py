"""Columns as a reader returns them, before their scales are decided: numbers, or codes of levels."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.times import Unit
from bough.errors import ColumnTypeError

FloatArray: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]

GREATEST_WHOLE = 2**53
"""Up to this magnitude float64 represents every integer exactly."""


LevelOrder: TypeAlias = Literal["sorted", "categories", "ordered"]


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
    order: LevelOrder = "sorted"


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
