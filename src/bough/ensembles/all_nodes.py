"""Figures of the nodes of all trees of a forest, computed for all trees at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.ensembles.unpack import breadth_first, fields_of

if TYPE_CHECKING:
    from bough.ensembles.forest import Forest

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AllNodes:
    """The nodes of all trees of a forest, tree after tree, each in the order of `bough.Tree`: level by level.

    `position` is the number of a node within its tree if a node is followed by its left subtree, then by its
    right one, as in scikit-learn. `leaf` has the index of each leaf of the forest among all nodes.
    """

    start: Longs
    leaf_start: Longs
    position: Longs
    depth: Longs
    cases: npt.NDArray[np.float64]
    leaf: Longs

    def of_tree(self, number: int) -> slice:
        """Return where the nodes of a tree are.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> nodes = all_nodes(model.forest_)
        >>> nodes.of_tree(1), nodes.cases[nodes.of_tree(1)]
        (slice(np.int64(3), np.int64(6), None), array([2., 1., 1.]))
        """
        return slice(self.start[number], self.start[number + 1])

    @property
    def numbers(self) -> Longs:
        """The number of each node within its tree.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> all_nodes(model.forest_).numbers
        array([0, 1, 2, 0, 1, 2])
        """
        return np.arange(self.start[-1]) - np.repeat(self.start[:-1], np.diff(self.start))

    @property
    def leaf_ranks(self) -> Longs:
        """The number of each leaf of the forest, tree after tree, in the order of their positions.

        >>> from bough import ExtraTreesRegressor
        >>> X, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
        >>> all_nodes(ExtraTreesRegressor(2, random_state=0).fit(X, y).forest_).leaf_ranks
        array([0, 1, 2, 5, 3, 4])
        """
        tree = np.repeat(np.arange(len(self.leaf_start) - 1), np.diff(self.leaf_start))
        ranks = np.empty(len(self.leaf), dtype=np.int64)
        ranks[np.lexsort((self.position[self.leaf], tree))] = np.arange(len(self.leaf))
        return ranks

    def at_leaves(self, values: npt.NDArray[Any], leaves: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        """Return the values, one for each node, of the leaves that `Forest.leaves` returns (rows × trees).

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> all_nodes(forest).at_leaves(all_nodes(forest).position, np.array([[0, 1]], dtype=np.uint32))
        array([[1, 2]])
        """
        return np.asarray(values[self.leaf][leaves + self.leaf_start[:-1]])


def all_nodes(forest: Forest) -> AllNodes:
    """Return the figures of all nodes of a forest.

    >>> from bough import ExtraTreesRegressor
    >>> X, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
    >>> nodes = all_nodes(ExtraTreesRegressor(2, random_state=0).fit(X, y).forest_)
    >>> nodes.start, nodes.position
    (array([ 0,  5, 10]), array([0, 1, 2, 3, 4, 0, 1, 4, 2, 3]))
    """
    fields = fields_of(forest.nodes, forest.wide, forest.column_bits)
    inner, n_nodes = fields["inner"], forest.n_nodes
    tree = np.repeat(np.arange(forest.n_trees), np.diff(forest.node_start))
    child = fields["child"] + forest.node_start[tree]
    levels = breadth_first(inner, child, forest.node_start[:-1])
    parents = [level[inner[level]] for level in levels[:-1]]
    size, depth, position = (
        np.ones(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
    )
    cases = np.zeros(n_nodes)
    ends = np.flatnonzero(~inner)
    number = forest.leaf_start[tree[ends]] + fields["upper"][ends]
    cases[ends] = forest.cases[number]
    for parent in reversed(parents):
        left = child[parent]
        size[parent] += size[left] + size[left + 1]
        cases[parent] = cases[left] + cases[left + 1]
    for level, parent in enumerate(parents):
        left = child[parent]
        depth[left] = depth[left + 1] = level + 1
        position[left] = position[parent] + 1
        position[left + 1] = position[left] + size[left]
    order = np.concatenate(levels)
    order = order[np.argsort(tree[order], kind="stable")]
    rank, leaf = np.empty(n_nodes, np.int64), np.empty(len(ends), np.int64)
    rank[order] = np.arange(n_nodes)
    leaf[number] = rank[ends]
    return AllNodes(forest.node_start, forest.leaf_start, position[order], depth[order], cases[order], leaf)
