"""Reader of scipy's sparse matrices and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.readers.checks import check_shape, check_whole, refuse_type
from bough.data.schema import Schema
from bough.data.sparse import SparseColumns, sparse_schema
from bough.data.table import Table
from bough.errors import ColumnTypeError, ParameterError, SchemaError, TableError

_MOST_INDEX = 2**31 - 1


def read_sparse(X: Any, categorical_features: Any, ordinal_features: Any) -> Table:
    """Read a sparse matrix as a table of numeric columns, which are named x0, x1 and so on.

    >>> import scipy.sparse
    >>> read_sparse(scipy.sparse.csr_array([[0.0, 2.5]]), "from_dtype", None).schema.names
    ('x0', 'x1')
    >>> read_sparse(scipy.sparse.csr_array([[0.0, 2.5]]), [1], None)
    Traceback (most recent call last):
    bough.errors.ParameterError: categorical_features is [1], but X is sparse, and the columns of a sparse
    table are numeric. Use X.toarray() to make it dense.
    """
    requests = {"categorical_features": categorical_features, "ordinal_features": ordinal_features}
    for name, request in requests.items():
        if not (
            request is None or (isinstance(request, str) and request == "from_dtype") or len(request) == 0
        ):
            raise ParameterError(
                f"{name} is {request!r}, but X is sparse, and the columns of a sparse table are numeric. "
                "Use X.toarray() to make it dense."
            )
    columns = columns_of(X)
    return Table(sparse_schema(len(columns)), columns, columns.n_rows)


def fit_sparse(X: Any, schema: Schema) -> Table:
    """Read a sparse matrix by a schema, column by position; raise if a column is not numeric.

    >>> import scipy.sparse
    >>> fit_sparse(scipy.sparse.csr_array([[0.0]]), Table.read([["a"]]).schema)
    Traceback (most recent call last):
    bough.errors.SchemaError: Column 'x0' is nominal, but X is sparse, and the columns of a sparse table are
    numeric. Use X.toarray() or a frame.
    """
    columns = columns_of(X)
    if len(columns) != len(schema):
        raise SchemaError(
            f"X has {len(columns)} features, but Tree is expecting {len(schema)} features as input."
        )
    for column in schema:
        if column.scale != "numeric" or column.unit is not None:
            kind = column.scale if column.unit is None else f"of unit {column.unit!r}"
            raise SchemaError(
                f"Column {column.name!r} is {kind}, but X is sparse, and the columns of a sparse table are "
                "numeric. Use X.toarray() or a frame."
            )
    return Table(schema, columns, columns.n_rows)


def columns_of(X: Any) -> SparseColumns:
    """Read a sparse matrix or array of numbers; the matrix is not changed.

    Duplicates are summed, as scipy does. CSR and CSC are read as they are, others are converted to CSR.

    >>> import scipy.sparse
    >>> columns_of(scipy.sparse.coo_array(([1, 2], ([0, 0], [0, 0])), shape=(2, 1)))[0].astype(float)
    array([3., 0.])
    """
    if X.ndim != 2:
        raise TableError(f"X is a sparse array of {X.ndim} dimension; give one of rows and columns.")
    n_rows, n_columns = X.shape
    check_shape(n_rows, n_columns)
    if max(n_rows, n_columns) > _MOST_INDEX:
        raise TableError(f"X has shape {X.shape}; a sparse table may have 2**31 − 1 rows and columns.")
    if X.dtype.kind == "b":
        raise ColumnTypeError(
            f"X is a sparse {type(X).__name__} of truth values, which would be nominal columns; sparse "
            "columns are numeric. Use X.astype(float) to split them as 0 and 1, or X.toarray() for levels."
        )
    if X.dtype.kind not in "fiu" or X.dtype.itemsize > 8:
        raise refuse_type("x0", str(X.dtype))
    matrix = X if X.format in ("csr", "csc") else X.tocsr()
    values = matrix.data
    if X.dtype.kind in "iu" and values.size:
        # Sums of duplicates would overflow the integers of few bits.
        check_whole("x0", int(values.min()), int(values.max()))
    dtype = X.dtype if X.dtype.itemsize >= 4 else np.dtype(np.float32)
    dtype = np.dtype(np.float64) if X.dtype.kind in "iu" else dtype.newbyteorder("=")
    return SparseColumns(matrix if values.dtype == dtype else matrix.astype(dtype))
