"""The target of a ranking: a grade for each row, and the group of rows that it is ranked in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.readers import vector_of
from bough.data.readers.scale import code_numbers
from bough.data.readers.source import Coded, Numbers
from bough.errors import ParameterError, TableError, TargetError
from bough.types import Floats

Groups = npt.NDArray[np.int32]

_MOST_GRADE = 62


def read_groups(groups: Any, n_rows: int, name: str = "groups") -> Groups:
    """Read an id for each row as codes; the ids may be text or finite numbers, in any order.

    >>> read_groups(["q7", "q2", "q7"], 3)
    array([1, 0, 1], dtype=int32)
    >>> read_groups([1, None, 2], 3)
    Traceback (most recent call last):
    bough.errors.ParameterError: groups has no id in row 1; give one for each row, or leave such rows out.
    >>> read_groups([1.0, float("inf")], 2)
    Traceback (most recent call last):
    bough.errors.ParameterError: groups is inf in row 1; an id is a finite number or text.
    """
    if groups is None:
        raise ParameterError(
            f"{name} is None; a ranking needs an id for each row, of the group it is ranked in."
        )
    raw = groups if isinstance(groups, Numbers | Coded) else _read_ids(groups, n_rows, name)
    if isinstance(raw, Numbers) and np.isinf(raw.values).any():
        row = int(np.argmax(np.isinf(raw.values)))
        found = float(raw.values[row])
        raise ParameterError(f"{name} is {found!r} in row {row}; an id is a finite number or text.")
    codes = (code_numbers(raw) if isinstance(raw, Numbers) else raw).codes
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ParameterError(f"{name} has no id in row {row}; give one for each row, or leave such rows out.")
    return np.asarray(codes, dtype=np.int32)


def _read_ids(groups: Any, n_rows: int, name: str) -> Numbers | Coded:
    try:
        vector = vector_of(name, groups)
        if vector is not None and vector.shape == (n_rows,):
            return vector.read()
    except TableError as error:
        raise ParameterError(f"{name} cannot be read as ids: {error}") from None
    words = f"a {type(groups).__name__}" if vector is None else f"of shape {vector.shape}"
    raise ParameterError(f"{name} is {words}; it must have an id for each of {n_rows} rows.")


def check_ranking(y: Floats, groups: Groups) -> None:
    """Raise if there is nothing to learn from the order of the rows in their groups.

    >>> check_ranking(np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1], np.int32))
    Traceback (most recent call last):
    bough.errors.TargetError: The group of row 2 has this row alone, and a ranking compares rows of a group.
    Leave such rows out.
    """
    counts = np.bincount(groups)
    if (counts == 1).any():
        row = int(np.argmax(counts[groups] == 1))
        raise TargetError(
            f"The group of row {row} has this row alone, and a ranking compares rows of a group. Leave such "
            "rows out."
        )
    check_orders(y, groups)


def check_orders(y: Floats, groups: Groups) -> None:
    """Raise if the rows of each group have the same grade, so that all orders of them are as good.

    >>> check_orders(np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1], np.int32))
    Traceback (most recent call last):
    bough.errors.TargetError: y is the same for all rows of each group, so that no order is better than
    another.
    """
    counts = np.bincount(groups)
    lowest, highest = np.full(len(counts), np.inf), np.full(len(counts), -np.inf)
    np.minimum.at(lowest, groups, y)
    np.maximum.at(highest, groups, y)
    if not (highest > lowest).any():
        raise TargetError(
            "y is the same for all rows of each group, so that no order is better than another."
        )


def gains_of(y: Floats, gain: str) -> Floats:
    """Return the gains of grades: 2ʸ − 1 ("exponential", as in LightGBM) or y ("linear", as in scikit-learn).

    >>> gains_of(np.array([0.0, 1.0, 2.0]), "exponential")
    array([0., 1., 3.])
    """
    if (y < 0).any():
        row = int(np.argmax(y < 0))
        raise TargetError(f"y is {float(y[row])!r} in row {row}; the grades of a ranking are at least 0.")
    if gain == "linear":
        return y
    if (y > _MOST_GRADE).any():
        row = int(np.argmax(y > _MOST_GRADE))
        raise TargetError(
            f"y is {float(y[row])!r} in row {row}, and its gain 2**y - 1 is too large. Choose gain='linear', "
            "or give grades such as 0 to 4."
        )
    return np.asarray(np.exp2(y) - 1)
