"""Types that the whole package names alike."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from typing_extensions import TypeIs  # part of type checkers, no dependency

Floats: TypeAlias = npt.NDArray[np.float64]
"""An array of 64-bit floats."""

Ints: TypeAlias = npt.NDArray[np.int32]
"""An array of 32-bit whole numbers."""

Longs: TypeAlias = npt.NDArray[np.int64]
"""An array of 64-bit whole numbers."""

Keys: TypeAlias = npt.NDArray[np.uint64]
"""An array of 64-bit keys."""

Rows: TypeAlias = npt.NDArray[np.intp]
"""The positions of some rows."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""A truth value for each row, or for each entry."""

Task: TypeAlias = Literal["classification", "regression"]
"""Whether a class or a number is predicted."""

Smoothing: TypeAlias = Literal["none", "laplace"] | float
"""How class probabilities are smoothed; a number is the m of the m-estimate."""


def is_whole(value: object) -> TypeIs[int]:
    """Whether a value is a whole number, of Python or of numpy; True and False are none.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    # Python's own numbers are recognized by their type, since checks against abstract classes take long.
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
