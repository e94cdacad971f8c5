"""Reader of numpy arrays, nested lists, and objects that convert themselves to arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.readers.checks import check_shape, check_whole, refuse_type
from bough.data.readers.objects import read_objects
from bough.data.readers.source import Coded, Numbers, Raw, Source, Times
from bough.data.times import numbers_of_times
from bough.errors import TableError


def array_source(X: Any) -> Source:
    """Return a 2-D array or nested lists as a `Source`; the columns are named x0, x1 and so on.

    >>> source = array_source([[1.5, "a"], [2.5, "b"]])
    >>> source.names, source.n_rows
    (('x0', 'x1'), 2)
    >>> source.read(0)
    Numbers(values=array([1.5, 2.5]), whole=False)
    """
    array = plain_array(X)
    if array.dtype.names is not None:
        raise TableError(
            f"X is a structured array with fields {', '.join(map(repr, array.dtype.names))}; "
            "give a frame instead, such as pandas.DataFrame(X), or a plain 2-D array."
        )
    if array.ndim != 2:
        raise TableError(_not_2d(array))
    n_rows, n_columns = array.shape
    check_shape(n_rows, n_columns)
    names = positional_names(n_columns)
    columns = tuple(array.T)
    return Source(names, False, n_rows, lambda position: read_values(names[position], columns[position]))


def is_plain_floats(X: Any) -> bool:
    """Return whether X is a 2-D array of float32 or float64 that native code can read as it is.

    >>> is_plain_floats(np.zeros((2, 3))), is_plain_floats(np.zeros((2, 3), dtype=int))
    (True, False)
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.size > 0
        and X.dtype.kind == "f"
        and X.dtype.itemsize in (4, 8)
        and X.dtype.isnative
        and X.flags.aligned
    )


def plain_array(X: Any, name: str = "X") -> npt.NDArray[Any]:
    """Return X as a plain numpy array, not copied if it is one; lists keep the types of their values.

    >>> plain_array([[1, "a"]])
    array([[1, 'a']], dtype=object)
    """
    if type(X) is np.ndarray:
        return X
    if isinstance(X, np.ma.MaskedArray):
        raise TableError(f"{name} is a masked array; mark missing values by NaN: {name}.filled(numpy.nan).")
    if isinstance(X, list | tuple):
        # numpy's default dtype would turn [1, "a"] into two strings.
        try:
            return np.array(X, dtype=object)
        except ValueError as error:
            raise TableError(
                f"{name} has rows of different lengths ({error}); make them equally long."
            ) from None
    return np.asarray(X)


def read_values(name: str, values: npt.NDArray[Any]) -> Raw:
    """Read a 1-D array; the values are a view of it if it is float32 or float64.

    >>> read_values("age", np.array([31, 42]))
    Numbers(values=array([31., 42.]), whole=True)
    >>> read_values("windy", np.array([True, False]))
    Coded(levels=(False, True), codes=array([1, 0], dtype=int32), order='sorted')
    """
    dtype = values.dtype
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return Numbers(_native(values))
    if dtype.kind in "iu":
        if dtype.itemsize == 8 and values.size:
            check_whole(name, int(values.min()), int(values.max()))
        return Numbers(values.astype(np.float64), whole=True)
    if dtype.kind == "b":
        return Coded((False, True), values.astype(np.int32))
    if dtype.kind == "U":
        levels, codes = np.unique(values, return_inverse=True)
        return Coded(tuple(levels.tolist()), codes.astype(np.int32))
    if dtype.kind in "OT":
        return read_objects(name, values.tolist())
    if dtype.kind in "Mm":
        return Times(*numbers_of_times(values))
    raise refuse_type(name, "bytes" if dtype.kind == "S" else str(dtype))


def _native(values: npt.NDArray[Any]) -> Any:
    # float32 represents every float16. Native code cannot read swapped bytes or unaligned values.
    if values.dtype.itemsize == 2:
        return values.astype(np.float32)
    if values.dtype.isnative and values.flags.aligned:
        return values
    return values.astype(values.dtype.newbyteorder("="))


@lru_cache(maxsize=64)
def positional_names(n_columns: int) -> tuple[str, ...]:
    """Return the names of columns that have none.

    >>> positional_names(2)
    ('x0', 'x1')
    """
    return tuple([f"x{position}" for position in range(n_columns)])


def _not_2d(array: npt.NDArray[Any]) -> str:
    if array.ndim > 2:
        return f"X must be a table of rows and columns; found an array with {array.ndim} dimensions, want 2."
    if array.ndim == 1 and array.size and isinstance(array[0], list | tuple):
        return "X has rows of different lengths; make them equally long, with None where a value is missing."
    if array.ndim == 1 and array.size and isinstance(array[0], dict):
        return "X is a list of dicts; give a frame instead, such as pandas.DataFrame(X)."
    if array.ndim == 1 and not array.size:
        return "X is empty: 0 sample(s), while a minimum of 1 is required. Reshape your data into rows."
    return (
        f"Expected 2D array, got {'1D' if array.ndim else 'scalar'} array instead. Reshape your data: "
        "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row."
    )
