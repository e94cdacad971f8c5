"""Arguments of scikit-learn's `fit` as training rows of bough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bough.data.schema import Schema
from bough.data.several_targets import SeveralTargets, Target
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.data.training import Training, taken

ALMOST_CONSTANT = 1e-7
"""scikit-learn's FEATURE_THRESHOLD."""


def training_rows(X: Any, y: Any, sample_weight: Any, n_classes: Any = None, names: Any = None) -> Training:
    """Return the rows of positive weight.

    As in scikit-learn, each row is one case whatever its weight, and classes whose rows all have weight 0
    remain. `y` holds class codes if `n_classes` is given, and numbers otherwise; it has a column for each
    target. `names` are the names of the columns.

    >>> training_rows(np.zeros((2, 1)), np.array([[0], [1]]), np.array([0.0, 2.0]), [2]).target
    ClassTarget(classes=(0, 1), codes=array([1], dtype=int32))
    """
    n_given = X.shape[0]
    rows = np.arange(n_given)
    weights = Weights(None, None, whole=True)
    if sample_weight is not None and not (sample_weight == 1).all():
        rows = np.flatnonzero(sample_weight)
        weight = np.ascontiguousarray(sample_weight[rows], dtype=np.float64)
        weights = Weights(weight, None, whole=bool((weight == np.floor(weight)).all()))
    table = Table.read(without_almost_constant(X if len(rows) == n_given else X[rows]))
    if names is not None:
        columns = [
            replace(column, name=str(name)) for column, name in zip(table.schema.columns, names, strict=True)
        ]
        table = replace(table, schema=Schema(tuple(columns)))
    target = taken(read_target(y, n_classes), rows)
    return Training(table, target, weights, rows, n_given)


def without_almost_constant(X: Any) -> Any:
    """Return X in which columns whose values differ by at most 1e-7, which scikit-learn never splits, are 0.

    >>> without_almost_constant(np.array([[1.0, 1e-8], [2.0, 0.0]]))
    array([[1., 0.],
           [2., 0.]])
    """
    if issparse(X):
        return X
    with np.errstate(invalid="ignore"):
        almost = X.max(axis=0) - X.min(axis=0) <= ALMOST_CONSTANT
    if not almost.any():
        return X
    return np.where(almost, X.dtype.type(0), X)


def table_by(schema: Schema, X: Any) -> Table:
    """Return X as a table of a schema, as `Table.fit_to` does.

    A matrix of float32 numbers, which scikit-learn has checked, needs no reading column by column; that would
    take longer than to route few rows down a tree.

    >>> X = np.array([[1.0, 2.0]], dtype=np.float32)
    >>> table_by(Table.read(X).schema, X).columns
    (array([1.], dtype=float32), array([2.], dtype=float32))
    """
    plain = (
        type(X) is np.ndarray
        and X.dtype == np.float32
        and X.shape[1:] == (len(schema),)
        and all(column.scale == "numeric" and column.unit is None for column in schema.columns)
    )
    return Table(schema, tuple(X.T), len(X)) if plain else Table.fit_to(X, schema)


def with_short_indices(X: Any) -> Any:
    """Return a sparse X whose indices are int32, as scikit-learn wants them; others as they are.

    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix([[0.0, 1.0]])
    >>> X.indices = X.indices.astype(np.int64)
    >>> with_short_indices(X).indices.dtype
    dtype('int32')
    """
    if not issparse(X) or X.format not in ("csr", "csc"):
        return X
    short = X.indices.dtype == X.indptr.dtype == np.int32
    if short or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def read_target(y: Any, n_classes: Any) -> Any:
    """Return the columns of y as class codes or as numbers; several columns are several targets.

    >>> read_target(np.array([[1], [2]]), None)
    array([1., 2.])
    >>> read_target(np.array([[1, 0], [0, 2]]), [2, 3]).n_classes
    [2, 3]
    """
    classes = [()] * y.shape[1] if n_classes is None else [tuple(range(int(many))) for many in n_classes]
    values: Any = np.ascontiguousarray(y, dtype=np.float64 if n_classes is None else np.int32)
    if len(classes) > 1:
        targets = [Target(f"y{position}", each) for position, each in enumerate(classes)]
        return SeveralTargets(tuple(targets), values)
    if n_classes is None:
        return np.array(y[:, 0], dtype=np.float64)
    return ClassTarget(classes[0], np.array(y[:, 0], dtype=np.int32))
