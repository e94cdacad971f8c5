"""Sparse tables: how scipy's matrices are read, and that nothing of them is changed."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from bough.data.sparse import SparseColumn, SparseColumns
from bough.data.table import Table
from bough.errors import ColumnTypeError, ParameterError, SchemaError, TableError

NUMBERS = np.array([[0.0, 2.5, 0.0, -1.0], [0.0, 0.0, 0.0, 3.0], [0.0, np.nan, 0.0, 0.0]])


def dense(table: Table) -> np.ndarray:
    return np.stack([np.asarray(values) for values in table.columns], axis=1)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("of", ["matrix", "array"])
def test_every_format_has_the_numbers_of_the_dense_table(kind, of):
    matrix = getattr(sp, f"{kind}_{of}")(NUMBERS)
    table = Table.read(matrix)
    assert table.is_sparse
    assert table.shape == (3, 4)
    np.testing.assert_array_equal(dense(table), NUMBERS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_keep_their_type(dtype):
    assert Table.read(sp.csr_array(NUMBERS.astype(dtype))).columns[0].dtype == dtype


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_integers_become_float64(dtype):
    numbers = np.array([[0, 3], [7, 0]], dtype=dtype)
    table = Table.read(sp.csc_array(numbers))
    assert table.columns[0].dtype == np.float64
    np.testing.assert_array_equal(dense(table), numbers)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_indices_may_have_32_or_64_bits(dtype):
    matrix = sp.csr_array(NUMBERS)
    matrix.indices, matrix.indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    np.testing.assert_array_equal(dense(Table.read(matrix)), NUMBERS)


def test_unsorted_indices_duplicates_and_stored_zeros_mean_what_scipy_says():
    data, indices, starts = [1.0, 2.0, 4.0, 0.0, 5.0, -5.0], [2, 0, 2, 1, 1, 1], [0, 3, 6]
    for kind in (sp.csr_array, sp.csc_array):
        shape = (2, 3) if kind is sp.csr_array else (3, 2)
        matrix = kind((np.array(data), np.array(indices), np.array(starts)), shape=shape)
        before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
        table = Table.read(matrix)
        np.testing.assert_array_equal(dense(table), matrix.toarray())
        for part, old in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
            np.testing.assert_array_equal(part, old)


def test_orders_agree():
    columns = Table.read(sp.csr_array(NUMBERS)).columns
    assert isinstance(columns, SparseColumns)
    by_row = sp.csr_array((columns.by_row.value, columns.by_row.indices, columns.by_row.start), shape=(3, 4))
    np.testing.assert_array_equal(by_row.toarray(), NUMBERS)


def test_rows_are_taken_in_any_order_and_by_slice():
    table = Table.read(sp.csc_array(NUMBERS))
    np.testing.assert_array_equal(dense(table.take(np.array([2, 0, 2]))), NUMBERS[[2, 0, 2]])
    np.testing.assert_array_equal(dense(table.take(slice(1, 9))), NUMBERS[1:9])


def test_equality_pickling_and_operators():
    table = Table.read(sp.csr_array(NUMBERS))
    assert table == Table.read(sp.csc_array(NUMBERS))
    assert pickle.loads(pickle.dumps(table)) == table
    column = table.columns[-1]
    assert isinstance(column, SparseColumn)
    np.testing.assert_array_equal((column + 1) * 2, (NUMBERS[:, 3] + 1) * 2)
    np.testing.assert_array_equal(table.values("x3"), NUMBERS[:, 3])
    np.testing.assert_array_equal(np.isnan(table.columns[1]), [False, False, True])


def test_a_schema_reads_sparse_rows_by_position():
    schema = Table.read(NUMBERS).schema
    assert Table.fit_to(sp.csr_array(NUMBERS), schema).is_sparse
    with pytest.raises(SchemaError, match="3 features, but Tree is expecting 4 features"):
        Table.fit_to(sp.csr_array(NUMBERS[:, :3]), schema)
    with pytest.raises(SchemaError, match="'x1' is nominal, but X is sparse"):
        Table.fit_to(sp.csr_array(np.eye(2)), Table.read([[1.0, "a"]]).schema)


@pytest.mark.parametrize(
    ("matrix", "error", "words"),
    [
        (sp.csr_array(np.eye(2) > 0), ColumnTypeError, r"truth values.*X\.astype\(float\)"),
        (sp.csr_array(np.eye(2) * 1j), ColumnTypeError, "Complex"),
        (sp.csr_array((0, 3)), TableError, "0 sample"),
        (sp.csr_array((3, 0)), TableError, "0 feature"),
        (sp.csr_array(np.array([[2**60]])), TableError, r"beyond ±2\*\*53"),
        (sp.coo_array(np.ones(3)), TableError, "1 dimension"),
    ],
)
def test_what_cannot_be_read_is_named(matrix, error, words):
    with pytest.raises(error, match=words):
        Table.read(matrix)


@pytest.mark.parametrize("scales", [{"categorical_features": [0]}, {"ordinal_features": [1]}])
def test_sparse_columns_are_numeric(scales):
    with pytest.raises(ParameterError, match=r"X is sparse.*X\.toarray\(\)"):
        Table.read(sp.eye_array(2, format="csr"), **scales)
