"""A grown tree seen through the attributes and methods of scikit-learn's `sklearn.tree._tree.Tree`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.models.sklearn_tree import (
    cython_tree,
    depth_first_positions,
    impurity_decreases,
    n_classes,
    sklearn_arrays,
)
from bough.sklearn.rows import table_by
from bough.tree import Tree
from bough.types import Floats

_ARRAYS = frozenset(
    (
        "children_left",
        "children_right",
        "feature",
        "threshold",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "missing_go_to_left",
        "value",
    )
)

_FACTS: Mapping[str, Callable[[TreeView], Any]] = {
    "node_count": lambda view: view.tree.n_nodes,
    "capacity": lambda view: view.tree.n_nodes,
    "n_leaves": lambda view: np.int64(view.tree.n_leaves),
    "max_depth": lambda view: view.tree.depth,
    "n_features": lambda view: len(view.tree.schema),
    "n_outputs": lambda view: int(view.value.shape[1]),
    "n_classes": lambda view: n_classes(view.tree),
    "max_n_classes": lambda view: int(view.value.shape[2]),
}


class TreeView:
    """scikit-learn's `tree_`, read from a tree of bough when it is asked for.

    It has the arrays `children_left`, `children_right`, `feature`, `threshold`, `impurity`, `value`,
    `n_node_samples`, `weighted_n_node_samples` and `missing_go_to_left`, and the numbers `node_count`,
    `capacity`, `n_leaves`, `max_depth`, `n_features`, `n_outputs`, `n_classes` and `max_n_classes`. `tree` is
    the tree of bough.

    >>> from bough.example_models import iris_tree
    >>> view = TreeView(iris_tree())
    >>> view.children_left, view.feature, view.n_node_samples
    (array([ 1, -1,  3, -1, -1]), array([ 0, -2,  1, -2, -2]), array([150,  50, 100,  54,  46]))
    >>> view.value[1], view.max_depth
    (array([[1., 0., 0.]]), 2)
    """

    tree: Tree

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def __getstate__(self) -> dict[str, Any]:
        return {"tree": self.tree}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "tree":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in _FACTS:
            return _FACTS[name](self)
        if name not in _ARRAYS:
            return getattr(self.cython, name)
        self.__dict__.update(sklearn_arrays(self.tree))
        return self.__dict__[name]

    @cached_property
    def cython(self) -> Any:
        """scikit-learn's own tree object, for what the view itself does not have.

        >>> from bough.example_models import cars_tree
        >>> view, out = TreeView(cars_tree()), np.zeros(1)
        >>> view.compute_partial_dependence(np.array([[6.0]], np.float32), np.array([0]), out)
        >>> out
        array([16.64761905])
        """
        return cython_tree(self.tree)

    @cached_property
    def positions(self) -> npt.NDArray[np.int64]:
        """The position of each node of bough's tree in the arrays."""
        return depth_first_positions(self.tree)

    @property
    def leaf_positions(self) -> npt.NDArray[np.int64]:
        """The positions of the leaves, ascending."""
        return np.sort(self.positions[self.tree.is_leaf])

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the leaf of each row of a float32 array."""
        return np.asarray(self.positions[self.tree.apply(self._table(X))])

    def predict(self, X: Any) -> Floats:
        """Return the value of the leaf of each row, without the axis of the targets if there is only one."""
        values = self.value.take(self.apply(X), axis=0)
        return np.asarray(values[:, 0] if self.n_outputs == 1 else values)

    def decision_path(self, X: Any) -> Any:
        """Return a scipy CSR matrix (rows × nodes) with a 1 for each node on the path of a row."""
        paths = self.tree.decision_path(self._table(X))
        paths.indices = self.positions[paths.indices].astype(paths.indices.dtype)
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
        tree, inner = self.tree, ~self.tree.is_leaf
        decreases = impurity_decreases(tree)[inner]
        total = np.bincount(tree.column[inner], decreases, minlength=self.n_features)
        total = total / tree.weight[0]
        return np.asarray(total / total.sum() if normalize and total.sum() > 0 else total)

    def compute_node_depths(self) -> npt.NDArray[np.int64]:
        """Return the depth of each node; the root has depth 1, as in scikit-learn."""
        depths = np.empty(self.tree.n_nodes, dtype=np.int64)
        depths[self.positions] = self.tree.node_depths + 1
        return depths

    def _table(self, X: Any) -> Table:
        if getattr(X, "dtype", None) != np.float32:
            got = getattr(X, "dtype", type(X).__name__)
            raise ValueError(f"X.dtype should be np.float32, got {got}")
        return table_by(self.tree.schema, X)
