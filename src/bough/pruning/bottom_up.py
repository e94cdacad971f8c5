"""Computations from the leaves to the root, which several pruning methods share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


def levels_upward(tree: Tree) -> Iterator[slice]:
    """Yield the levels of a tree from the deepest to the root; the nodes of a level are contiguous.

    >>> from bough.example_models import iris_tree
    >>> list(levels_upward(iris_tree()))
    [slice(3, 5, None), slice(1, 3, None), slice(0, 1, None)]
    """
    starts = np.searchsorted(tree.node_depths, np.arange(tree.depth + 2)).tolist()
    for first, end in zip(starts[-2::-1], starts[:0:-1], strict=True):
        yield slice(first, end)


def subtree_sums(tree: Tree, values: Floats) -> Floats:
    """Return for each node the sum of the values over its subtree, including the node itself.

    >>> from bough.example_models import iris_tree
    >>> subtree_sums(iris_tree(), np.array([0.0, 1.0, 0.0, 2.0, 4.0]))
    array([7., 1., 6., 2., 4.])
    """
    sums = np.array(values, dtype=np.float64)
    for level in levels_upward(tree):
        if level.start:
            np.add.at(sums, tree.parent[level], sums[level])
    return sums


def cheaper_as_leaves(
    tree: Tree, cost: Floats, own: Floats | float = 0.0, slack: float = 0.0
) -> npt.NDArray[np.bool_]:
    """Return which inner nodes cost no more as leaves than their optimally pruned subtrees.

    `cost` is the cost of each node as a leaf. The cost of a subtree is that of its root's split, `own`, plus
    the least costs of its children. A leaf is preferred if it costs at most `slack` more.

    >>> from bough.example_models import iris_tree
    >>> cheaper_as_leaves(iris_tree(), np.array([9.0, 1.0, 5.0, 3.0, 2.0]))
    array([False, False,  True, False, False])
    """
    n_nodes = tree.n_nodes
    below = np.broadcast_to(np.asarray(own, dtype=np.float64), (n_nodes,)).copy()
    chosen = np.zeros(n_nodes, dtype=np.bool_)
    for level in levels_upward(tree):
        leaf = tree.is_leaf[level]
        chosen[level] = ~leaf & (cost[level] <= below[level] + slack)
        best = np.where(leaf | chosen[level], cost[level], below[level])
        if level.start:
            np.add.at(below, tree.parent[level], best)
    return chosen
