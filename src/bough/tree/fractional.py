"""Fractional rows: a row that a split cannot route is sent down all branches, as in C4.5.

The fraction that reaches each child is the tree's `share`. The prediction is the average of the leaves that
the row reaches, weighted by the fractions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.errors import ParameterError
from bough.jobs import n_threads
from bough.tree.answer import label_array, most_probable, program_of, shares
from bough.tree.nodes import Nodes
from bough.tree.routing import TREE_ARRAYS, route
from bough.types import Floats, Smoothing

if TYPE_CHECKING:
    from bough.data.table import Table

# Programs that average the branches at each split. The others multiply fractions down to the leaves, which
# differs in the last bit, and a near tie of two classes may hang on it.
_NESTED = ("REPTree", "SimpleCart")


def split_arrays_of(tree: Nodes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that native code needs to send fractional rows down a tree, by name.

    >>> from bough.example_models import iris_tree
    >>> split_arrays_of(iris_tree())["n_children"]
    array([2, 0, 2, 0, 0], dtype=int32)
    """
    if tree.interval_cut is not None:
        raise ParameterError(
            "Fractional rows and error-based pruning do not support splits into several intervals; call "
            "tree.binarized() first."
        )
    return {name: getattr(tree, name) for name in (*TREE_ARRAYS, "gain")}


def fractional_values(tree: Nodes, table: Table, values: Floats, n_jobs: int | None = None) -> Floats:
    """Return, for each row, the sum of the values of the nodes where it ends times its fraction there.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> fractional_values(tree, tree._table([[None, 1.0], [None, None]]), np.eye(5))
    array([[0.   , 0.25 , 0.   , 0.75 , 0.   ],
           [0.   , 0.25 , 0.   , 0.375, 0.375]])
    """
    arrays = split_arrays_of(tree)
    share = tree.share if tree.share is not None else np.ones(tree.n_nodes)
    values = np.ascontiguousarray(values, dtype=np.float64)
    nested = program_of(tree) in _NESTED
    blocks = [
        _core.spread(arrays, share, values, block.native(), block.n_rows, nested, n_threads(n_jobs))
        for _, block in table.dense_blocks()
    ]
    return np.asarray(blocks[0]) if len(blocks) == 1 else np.concatenate(blocks)


def collected(tree: Nodes, table: Table, figures: Floats) -> Floats:
    """Return, for each node, the sum of the figures of the rows that end there times their fractions.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> collected(tree, tree._table([[None, 1.0], [1.0, 1.0]]), np.ones((2, 1))).ravel()
    array([0.  , 1.25, 0.  , 0.75, 0.  ])
    """
    if tree.share is not None:
        rows = np.ascontiguousarray(figures, dtype=np.float64)
        arrays = split_arrays_of(tree)
        blocks = [
            _core.collect(arrays, tree.share, rows[here], block.native(), block.n_rows)
            for here, block in table.dense_blocks()
        ]
        return np.asarray(sum(blocks[1:], start=blocks[0]))
    ends = route(tree, table)
    sums = [np.bincount(ends, figure, minlength=tree.n_nodes) for figure in figures.T]
    return np.stack(sums, axis=1).astype(np.float64, copy=False)


def fractional_shares(tree: Nodes, table: Table, smoothing: Smoothing, n_jobs: int | None = None) -> Floats:
    """Return the probability of each class for each row: the average of the smoothed leaf probabilities.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> fractional_shares(tree, tree._table([[None, 1.0]]), "none").round(3)
    array([[0.25 , 0.681, 0.069]])
    """
    of_node = shares(tree.statistics[tree.answering], tree.statistics[0], smoothing)
    return fractional_values(tree, table, of_node, n_jobs)


def fractional_answers(tree: Nodes, table: Table, n_jobs: int | None = None) -> npt.NDArray[Any]:
    """Return the prediction for each row: the most probable class, or the mean.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> fractional_answers(tree, tree._table([[None, 1.0]]))
    array(['versicolor'], dtype='<U10')
    """
    if tree.task == "regression":
        return fractional_values(tree, table, tree.statistics[tree.answering], n_jobs)[:, 0]
    best = most_probable(tree, fractional_shares(tree, table, tree.smoothing, n_jobs))
    labels: npt.NDArray[Any] = label_array(tree.classes)[best]
    return labels
