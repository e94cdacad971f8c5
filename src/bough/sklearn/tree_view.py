"""A grown tree seen through the attributes and methods of scikit-learn's `sklearn.tree._tree.Tree`.

The arrays are computed from a `bough.Tree` when they are first read. scikit-learn numbers nodes depth first,
bough level by level; the view renumbers them. A row goes left in scikit-learn if its value is at most the
threshold, and in bough if it is below the cut: the threshold is the next float64 below the cut.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.sklearn.figures import impurities, node_values
from bough.tree import Tree
from bough.types import Floats

LEAF, UNDEFINED = -1, -2
"""scikit-learn's children and feature of a leaf."""


class TreeView:
    """The arrays of scikit-learn's `tree_`, read from a tree of bough.

    >>> from bough.example_models import iris_tree
    >>> view = TreeView(iris_tree())
    >>> view.children_left, view.feature, view.n_node_samples
    (array([ 1, -1,  3, -1, -1]), array([ 0, -2,  1, -2, -2]), array([150,  50, 100,  54,  46]))
    >>> view.value[1]
    array([[1., 0., 0.]])
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @property
    def tree(self) -> Tree:
        """The tree of bough.

        >>> from bough.example_models import iris_tree
        >>> TreeView(iris_tree()).tree.n_leaves
        3
        """
        return self._tree

    def __getstate__(self) -> dict[str, Any]:
        return {"_tree": self.tree}

    @cached_property
    def _order(self) -> npt.NDArray[np.int64]:
        """The node of bough's tree at each of scikit-learn's positions."""
        order = np.empty(self.tree.n_nodes, dtype=np.int64)
        order[self._position] = np.arange(self.tree.n_nodes)
        return order

    @cached_property
    def _position(self) -> npt.NDArray[np.int64]:
        """The position of each of bough's nodes when they are listed depth first."""
        return depth_first_positions(self.tree)

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return self.tree.n_nodes

    @property
    def capacity(self) -> int:
        """The number of nodes that the arrays have room for, which is the number of nodes."""
        return self.tree.n_nodes

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return self.tree.n_leaves

    @property
    def max_depth(self) -> int:
        """The depth of the tree."""
        return self.tree.depth

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.tree.schema)

    @property
    def n_outputs(self) -> int:
        """The number of targets."""
        return self.value.shape[1]

    @property
    def n_classes(self) -> npt.NDArray[np.intp]:
        """The number of classes of each target, 1 for numbers."""
        many = len(self.tree.classes) if self.tree.task == "classification" else 1
        return np.array([many], dtype=np.intp)

    @property
    def max_n_classes(self) -> int:
        """The greatest number of classes of a target."""
        return int(self.n_classes.max())

    @cached_property
    def children_left(self) -> npt.NDArray[np.int64]:
        """The left child of each node, −1 at a leaf."""
        first = self.tree.first_child[self._order]
        return np.where(first >= 0, self._position[first], LEAF)

    @cached_property
    def children_right(self) -> npt.NDArray[np.int64]:
        """The right child of each node, −1 at a leaf."""
        first = self.tree.first_child[self._order]
        second = np.minimum(first + 1, self.tree.n_nodes - 1)
        return np.where(first >= 0, self._position[second], LEAF)

    @cached_property
    def feature(self) -> npt.NDArray[np.int64]:
        """The column of each split, −2 at a leaf."""
        return np.where(self.children_left >= 0, self.tree.column[self._order], UNDEFINED).astype(np.int64)

    @cached_property
    def threshold(self) -> Floats:
        """The greatest number that goes left at each split, −2 at a leaf."""
        cut = np.nextafter(self.tree.cut[self._order], -np.inf)
        return np.where(self.children_left >= 0, cut, float(UNDEFINED))

    @cached_property
    def missing_go_to_left(self) -> npt.NDArray[np.uint8]:
        """Whether missing values go left at each split."""
        return (self.tree.default_branch[self._order] == 0).astype(np.uint8)

    @cached_property
    def n_node_samples(self) -> npt.NDArray[np.int64]:
        """The number of rows in each node."""
        return self.tree.cases[self._order].astype(np.int64)

    @cached_property
    def weighted_n_node_samples(self) -> Floats:
        """The weight of the rows in each node."""
        return np.asarray(self.tree.weight[self._order])

    @cached_property
    def impurity(self) -> Floats:
        """The impurity of each node by the tree's criterion."""
        return np.asarray(impurities(self.tree)[self._order])

    @cached_property
    def value(self) -> Floats:
        """The class probabilities or the number of each node (nodes × targets × classes)."""
        return np.ascontiguousarray(node_values(self.tree)[self._order])

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the leaf of each row of a float32 array."""
        return self._position[self.tree.apply(self._table(X))]

    def predict(self, X: Any) -> Floats:
        """Return the values of the leaf of each row (rows × targets × classes, without the axis of one target)."""
        values = self.value.take(self.apply(X), axis=0)
        return values[:, 0] if self.n_outputs == 1 else values

    def decision_path(self, X: Any) -> Any:
        """Return a scipy CSR matrix (rows × nodes) with a 1 for each node on the path of a row."""
        paths = self.tree.decision_path(self._table(X))
        paths.indices = self._position[paths.indices].astype(paths.indices.dtype)
        paths.has_sorted_indices = False
        paths.sort_indices()
        return paths

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Return the total decrease in weighted impurity by the splits on each column.

        The decreases are divided by the weight of the root and, with `normalize`, by their sum.

        >>> from bough.example_models import iris_tree
        >>> TreeView(iris_tree()).compute_feature_importances().round(3)
        array([0.562, 0.438])
        """
        tree = self.tree
        weighted = tree.weight * impurities(tree)
        below = np.bincount(tree.parent[1:], weighted[1:], minlength=tree.n_nodes)
        inner = ~tree.is_leaf
        total = np.bincount(tree.column[inner], (weighted - below)[inner], minlength=self.n_features)
        total = total.astype(np.float64) / tree.weight[0]
        sum_of_all = total.sum()
        return total / sum_of_all if normalize and sum_of_all > 0 else total

    def compute_node_depths(self) -> npt.NDArray[np.int64]:
        """Return the depth of each node; the root has depth 1, as in scikit-learn."""
        return self.tree.node_depths[self._order].astype(np.int64) + 1

    def _table(self, X: Any) -> Table:
        if getattr(X, "dtype", None) != np.float32:
            got = getattr(X, "dtype", type(X).__name__)
            raise ValueError(f"X.dtype should be np.float32, got {got}")
        return Table.fit_to(X, self.tree.schema)


def depth_first_positions(tree: Tree) -> npt.NDArray[np.int64]:
    """Return the position of each node if a node is followed by its left subtree, then by its right one.

    >>> from bough.example_models import cars_tree
    >>> depth_first_positions(cars_tree())
    array([0, 1, 4, 2, 3])
    """
    size = np.ones(tree.n_nodes, dtype=np.int64)
    starts = np.searchsorted(tree.node_depths, np.arange(tree.depth + 2))
    for start, end in zip(starts[-2:0:-1], starts[:1:-1], strict=True):
        np.add.at(size, tree.parent[start:end], size[start:end])
    position = np.zeros(tree.n_nodes, dtype=np.int64)
    for start, end in zip(starts[1:-1], starts[2:], strict=True):
        nodes = np.arange(start, end)
        parent = tree.parent[nodes]
        is_left = tree.first_child[parent] == nodes
        position[nodes] = position[parent] + 1 + np.where(is_left, 0, size[nodes - 1])
    return position
