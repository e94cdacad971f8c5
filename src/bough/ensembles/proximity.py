"""Proximity: how often two rows are in the same leaf; outlier scores and prototypes derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.table import Table
from bough.ensembles.out_of_bag import check_training_rows
from bough.errors import ParameterError
from bough.types import Floats, is_whole

if TYPE_CHECKING:
    from bough.ensembles.estimator import ForestEstimator


_SPARSE_ROWS = 1000
_SPARSE_SHARE = 0.1
_ROWS_AT_ONCE = 1024
_PRODUCTS_AT_ONCE = 2_000_000_000
# The standard deviation of a normal variable is this many times its median absolute deviation.
_NORMAL_MAD = 1.4826


def proximity(model: ForestEstimator, table: Table, oob: bool, sparse: bool | Literal["auto"]) -> Any:
    """Return the fraction of the trees in which each pair of rows is in the same leaf.

    If `oob`, only trees for which both rows are out of bag count; a pair without such a tree has 0.

    >>> from bough import RandomForestClassifier
    >>> model = RandomForestClassifier(5, bootstrap=False).fit([[1.0], [2.0]], ["a", "b"])
    >>> proximity(model, Table.read([[1.0], [2.0], [3.0]]), oob=False, sparse=False)
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 1.]])
    """
    if not (sparse is True or sparse is False or sparse == "auto"):
        raise ParameterError.of("sparse", sparse, "True, False or 'auto'")
    from scipy.sparse import vstack

    forest, n = model.forest_, table.n_rows
    if oob:
        check_training_rows(model, table)
    leaves = forest.leaves(table, model.n_jobs)
    out = model.in_bag() == 0 if oob else np.ones(leaves.shape, dtype=np.bool_)
    by_leaf = _by_leaf(leaves, out, forest.leaf_start)
    sparse = _is_sparse_smaller(by_leaf, n) if sparse == "auto" else sparse
    together = out.astype(np.float32) if oob else None
    parts = []
    step = max(1, min(_ROWS_AT_ONCE, _PRODUCTS_AT_ONCE // (n * forest.n_trees)))
    for begin in range(0, n, step):
        some = slice(begin, begin + step)
        met = (_ends(leaves[some], out[some], forest.leaf_start) @ by_leaf).tocsr()
        if together is not None:
            trees = together[some] @ together.T
            rows = np.repeat(np.arange(met.shape[0]), np.diff(met.indptr))
            met.data = met.data / trees[rows, met.indices]
        else:
            met.data = met.data / np.float32(forest.n_trees)
        parts.append(met.astype(np.float64) if sparse else met.toarray().astype(np.float64))
    near: Any = vstack(parts, format="csr") if sparse else np.vstack(parts)
    if oob and sparse:
        # The proximity of a row to itself is 1, even if it is in every sample.
        near.setdiag(1.0)
    elif oob:
        np.fill_diagonal(near, 1.0)
    return near


def _ends(leaves: npt.NDArray[np.uint32], out: npt.NDArray[np.bool_], start: npt.NDArray[np.int64]) -> Any:
    """Return a sparse indicator matrix of the leaves of each row (rows × leaves of all trees)."""
    from scipy.sparse import csr_matrix

    starts = np.append(0, np.cumsum(out.sum(axis=1)))
    columns = (leaves + start[:-1])[out]
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_matrix((ones, columns, starts), shape=(len(leaves), start[-1]))


def _by_leaf(leaves: npt.NDArray[np.uint32], out: npt.NDArray[np.bool_], start: npt.NDArray[np.int64]) -> Any:
    """Return a sparse indicator matrix of the rows of each leaf (leaves × rows), built tree by tree."""
    from scipy.sparse import csr_matrix

    sizes, rows = [], []
    for tree in range(leaves.shape[1]):
        there = np.flatnonzero(out[:, tree])
        leaf = leaves[there, tree]
        rows.append(there[np.argsort(leaf, kind="stable")])
        sizes.append(np.bincount(leaf, minlength=int(start[tree + 1] - start[tree])))
    starts = np.append(0, np.cumsum(np.concatenate(sizes)))
    ones = np.ones(starts[-1], dtype=np.float32)
    return csr_matrix((ones, np.concatenate(rows), starts), shape=(int(start[-1]), len(leaves)))


def _is_sparse_smaller(by_leaf: Any, n: int) -> bool:
    """Whether so few pairs share a leaf that a sparse matrix takes less memory."""
    sizes = np.diff(by_leaf.indptr).astype(np.float64)
    return n >= _SPARSE_ROWS and float((sizes**2).sum()) < _SPARSE_SHARE * n * n


def outlier_scores(near: Any, groups: npt.NDArray[np.int32]) -> Floats:
    """Return the outlier score of each row: n divided by the sum of squared proximities to its class.

    Within each class the score is centred by the median and divided by the median absolute deviation, as in
    R's `outlier`; a score above 10 suggests an outlier.

    >>> near = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]])
    >>> outlier_scores(near, np.zeros(3, dtype=np.int32)).argmax().item()
    2
    """
    scores = np.zeros(len(groups))
    for group in np.unique(groups):
        own = np.flatnonzero(groups == group)
        close = near[own][:, own]
        squares = (
            np.asarray(close.multiply(close).sum(axis=1)).ravel()
            if hasattr(close, "multiply")
            else (np.asarray(close) ** 2).sum(axis=1)
        )
        raw = len(own) / squares
        off = raw - np.median(raw)
        deviation = _NORMAL_MAD * np.median(np.abs(off))
        scores[own] = off / deviation if deviation > 0 else off
    return scores


def prototypes(
    near: Any, groups: npt.NDArray[np.int32], table: Table, n_groups: int, n_neighbors: int | None
) -> list[dict[str, Level | None]]:
    """Return a typical row of each class: R's `classCenter`.

    For each class, the row with the most rows of the class among its nearest neighbours (including itself) is
    found; the prototype holds the medians and the most frequent levels of these neighbours. The default
    number of neighbours is the size of the smallest class minus one.

    >>> table = Table.read([[1.0], [3.0], [2.0], [9.0]])
    >>> prototypes(np.ones((4, 4)), np.array([0, 0, 0, 1], np.int32), table, 2, 4)[0]
    {'x0': 2.0}
    """
    dense = np.asarray(near.todense()) if hasattr(near, "todense") else np.asarray(near)
    n = len(groups)
    many: Any = n_neighbors
    if n_neighbors is None:
        many = max(1, min(int(count) for count in np.bincount(groups, minlength=n_groups) if count) - 1)
    if not is_whole(many) or not 1 <= int(many) <= n:
        raise ParameterError.of("n_neighbors", n_neighbors, f"a whole number from 1 to the {n} rows, or None")
    nearest = np.argsort(-dense, axis=1, kind="stable")[:, :many]
    found: list[dict[str, Level | None]] = []
    for group in range(n_groups):
        own = groups[nearest] == group
        centre = int(own.sum(axis=1).argmax())
        members = nearest[centre][own[centre]]
        found.append(
            {
                column.name: _typical(values[members], column.levels)
                for column, values in zip(table.schema.columns, table.columns, strict=True)
            }
        )
    return found


def _typical(values: npt.NDArray[Any], levels: tuple[Level, ...]) -> Level | None:
    if levels:
        known = values[values >= 0]
        return levels[int(np.bincount(known).argmax())] if len(known) else None
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None
