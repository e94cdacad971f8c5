"""Spreading sends a row down all branches of a split that cannot place it, in shares the tree has learned.

The answers of the leaves it comes to are put together in these shares, as C4.5 does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.jobs import n_threads
from bough.tree.answer import Smoothing, label_array, shares
from bough.tree.routing import route
from bough.types import Floats

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.tree import Tree

SPLIT_ARRAYS = (
    "first_child",
    "n_children",
    "column",
    "kind",
    "cut",
    "default_branch",
    "level_start",
    "level_code",
    "level_branch",
    "gain",
)
"""The arrays of a tree that native code takes to send rows down it."""


def split_arrays_of(tree: Tree) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a tree that say where rows go, by name.

    >>> from bough.example_models import iris_tree
    >>> split_arrays_of(iris_tree())["n_children"]
    array([2, 0, 2, 0, 0], dtype=int32)
    """
    return {name: getattr(tree, name) for name in SPLIT_ARRAYS}


def spread_values(tree: Tree, table: Table, values: Floats, n_jobs: int | None = None) -> Floats:
    """Return for each row the sum of the values of the nodes where it ends, times its part that ends there.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> spread_values(tree, tree._table([[None, 1.0], [None, None]]), np.eye(5))
    array([[0.   , 0.25 , 0.   , 0.75 , 0.   ],
           [0.   , 0.25 , 0.   , 0.375, 0.375]])
    """
    return np.asarray(
        _core.spread(
            split_arrays_of(tree),
            tree.share if tree.share is not None else np.ones(tree.n_nodes),
            np.ascontiguousarray(values, dtype=np.float64),
            table.native(),
            table.n_rows,
            n_threads(n_jobs),
        )
    )


def collected(tree: Tree, table: Table, figures: Floats) -> Floats:
    """Return for each node the sums of the figures of the rows that end there, times their parts.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> collected(tree, tree._table([[None, 1.0], [1.0, 1.0]]), np.ones((2, 1))).ravel()
    array([0.  , 1.25, 0.  , 0.75, 0.  ])
    """
    if tree.share is not None:
        rows = np.ascontiguousarray(figures, dtype=np.float64)
        arrays = split_arrays_of(tree)
        return np.asarray(_core.collect(arrays, tree.share, rows, table.native(), table.n_rows))
    ends = route(tree, table)
    sums = [np.bincount(ends, figure, minlength=tree.n_nodes) for figure in figures.T]
    return np.stack(sums, axis=1).astype(np.float64, copy=False)


def spread_shares(tree: Tree, table: Table, smoothing: Smoothing, n_jobs: int | None = None) -> Floats:
    """Return the probability of each class for each row; the leaves are smoothed, then put together.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> spread_shares(tree, tree._table([[None, 1.0]]), "none").round(3)
    array([[0.25 , 0.681, 0.069]])
    """
    of_node = shares(tree.statistics[tree.answering], tree.statistics[0], smoothing)
    return spread_values(tree, table, of_node, n_jobs)


def spread_answers(tree: Tree, table: Table, n_jobs: int | None = None) -> npt.NDArray[Any]:
    """Return the answer for each row: the class of the greatest probability, or the mean.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> spread_answers(tree, tree._table([[None, 1.0]]))
    array(['versicolor'], dtype='<U10')
    """
    if tree.task == "regression":
        return spread_values(tree, table, tree.statistics[tree.answering], n_jobs)[:, 0]
    best = spread_shares(tree, table, "none", n_jobs).argmax(axis=1)
    labels: npt.NDArray[Any] = label_array(tree.classes)[best]
    return labels
