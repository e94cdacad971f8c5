"""Sparse tables: columns of which only some numbers are stored, and all others are 0.

They are read from scipy's sparse matrices and arrays. Growth needs the stored numbers by column, prediction
by row; each order is computed when it is first needed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from bough.data.schema import Column, Schema


def is_sparse(data: Any) -> bool:
    """Whether the data are a sparse matrix or array of scipy.

    >>> import scipy.sparse
    >>> is_sparse(scipy.sparse.eye(2)), is_sparse([[1.0]])
    (True, False)
    """
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(data))


class Stored(NamedTuple):
    """The stored numbers of a sparse table in one order: column by column, or row by row.

    Those of column or row i lie from `start[i]` to `start[i + 1]`; `indices` are their rows or columns.
    """

    start: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    value: npt.NDArray[Any]


class SparseColumn(NDArrayOperatorsMixin):
    """A column of a sparse table; numpy's functions and operators take it for an array of all its values.

    >>> import scipy.sparse
    >>> column = SparseColumns(scipy.sparse.csr_array([[0.0, 2.5], [0.0, 0.0]]))[1]
    >>> column.rows, column.values, np.asarray(column)
    (array([0], dtype=int32), array([2.5]), array([2.5, 0. ]))
    >>> column > 1
    array([ True, False])
    """

    def __init__(self, rows: npt.NDArray[np.int32], values: npt.NDArray[Any], n_rows: int) -> None:
        self.rows, self.values, self.shape = rows, values, (n_rows,)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self.values.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        every = np.zeros(self.shape, dtype=self.dtype if dtype is None else dtype)
        every[self.rows] = self.values
        return every

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        every = [np.asarray(each) if isinstance(each, SparseColumn) else each for each in inputs]
        return getattr(ufunc, method)(*every, **options)

    def __getitem__(self, rows: Any) -> Any:
        return np.asarray(self)[rows]

    def astype(self, dtype: Any, copy: bool = True) -> npt.NDArray[Any]:
        """Return all values as an array, which is always new."""
        return self.__array__(dtype)


class SparseColumns(Sequence[npt.NDArray[Any]]):
    """The columns of a sparse table, read from a CSR or CSC matrix of floats, which is not changed.

    Each is a `SparseColumn`, which is used like an array.

    >>> import scipy.sparse
    >>> columns = SparseColumns(scipy.sparse.csr_array([[0.0, 2.5], [1.5, 0.0]]))
    >>> len(columns), columns.by_row.indices
    (2, array([1, 0], dtype=int32))
    """

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self._matrix.shape[0])

    def __len__(self) -> int:
        return int(self._matrix.shape[1])

    @overload
    def __getitem__(self, position: int) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[npt.NDArray[Any]]: ...
    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            return [self[each] for each in range(len(self))[position]]
        start, rows, values = self.by_column
        position = range(len(self))[position]
        here = slice(start[position], start[position + 1])
        return SparseColumn(rows[here], values[here], self.n_rows)

    @cached_property
    def by_column(self) -> Stored:
        """The stored numbers column by column, with their rows in ascending order."""
        return _stored(_canonical(self._matrix.tocsc(), self._matrix))

    @cached_property
    def by_row(self) -> Stored:
        """The stored numbers row by row, with their columns in ascending order."""
        return _stored(_canonical(self._matrix.tocsr(), self._matrix))

    def take(self, rows: Any) -> SparseColumns:
        """Return some rows, given by position or as a slice.

        >>> import scipy.sparse
        >>> SparseColumns(scipy.sparse.csr_array([[1.0], [0.0], [2.0]])).take([2, 1])[0].astype(float)
        array([2., 0.])
        """
        if self._matrix.format != "csr":
            self._matrix = self._matrix.tocsr()
        return SparseColumns(self._matrix[rows])

    def select(self, columns: Sequence[int]) -> SparseColumns:
        """Return some columns, given by position.

        >>> import scipy.sparse
        >>> SparseColumns(scipy.sparse.csr_array([[1.0, 2.0]])).select([1])[0].values
        array([2.])
        """
        if self._matrix.format != "csc":
            self._matrix = self._matrix.tocsc()
        return SparseColumns(self._matrix[:, list(columns)])

    def beside(self, other: SparseColumns) -> SparseColumns:
        """Return the columns followed by those of another table of the same rows.

        >>> import scipy.sparse
        >>> columns = SparseColumns(scipy.sparse.csr_array([[1.0]]))
        >>> len(columns.beside(columns))
        2
        """
        from scipy.sparse import hstack

        return SparseColumns(hstack([self._matrix, other._matrix], format="csc"))

    def __getstate__(self) -> dict[str, Any]:
        return {"_matrix": self._matrix}


def stored_values(column: npt.NDArray[Any] | SparseColumn) -> npt.NDArray[Any]:
    """Return the stored values of a column: all of a dense one; those of a sparse one hold every NaN of it.

    >>> import scipy.sparse
    >>> stored_values(SparseColumns(scipy.sparse.csr_array([[0.0], [np.nan]]))[0])
    array([nan])
    """
    return column.values if isinstance(column, SparseColumn) else column


@lru_cache(maxsize=8)
def sparse_schema(n_columns: int) -> Schema:
    """Return the schema of a sparse table: numeric columns named x0, x1 and so on.

    >>> sparse_schema(2).names
    ('x0', 'x1')
    """
    return Schema(tuple([Column(f"x{position}", "numeric") for position in range(n_columns)]))


def _canonical(converted: Any, given: Any) -> Any:
    if converted.has_canonical_format:
        return converted
    if converted is given or np.may_share_memory(converted.data, given.data):
        converted = converted.copy()
    converted.sum_duplicates()
    return converted


def _stored(matrix: Any) -> Stored:
    return Stored(
        np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        np.ascontiguousarray(matrix.indices, dtype=np.int32),
        np.ascontiguousarray(matrix.data),
    )
