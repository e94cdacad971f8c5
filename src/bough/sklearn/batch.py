"""Trees of a forest that are grown together, once the sample of each of them is known.

scikit-learn's forests fit one tree after the other. The trees of a batch keep their samples instead, and the
last one has the native code grow all of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from numbers import Integral
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from bough.data.training import Training
from bough.ensembles.forest import Forest
from bough.ensembles.growing import grow_forest
from bough.growing.draws import ColumnSampling, Ensemble, GivenDraws, RowSampling
from bough.growing.monotonic import directions_by_name
from bough.sklearn.classes import classes_of
from bough.sklearn.recipes import criterion_of, n_searched, tree_recipe
from bough.sklearn.rows import training_rows
from bough.sklearn.tree_view import TreeView

MOST_CELLS = 2**26
"""The greatest number of cells (trees × rows) of the samples of a batch."""


class ForestTreeView(TreeView):
    """A view of one tree of a forest, which is unpacked when it is needed."""

    def __init__(self, forest: Forest, number: int) -> None:
        self.forest = forest
        self.number = number

    def __getattr__(self, name: str) -> Any:
        if name != "tree" or "forest" not in self.__dict__:
            return super().__getattr__(name)
        self.tree = self.forest.trees[self.number]
        return self.tree

    def __getstate__(self) -> dict[str, Any]:
        return {"forest": self.forest, "number": self.number}

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.positions)

    @cached_property
    def positions(self) -> npt.NDArray[np.int64]:
        """The position of each node of bough's tree in the arrays."""
        nodes = self.forest.all_nodes
        return nodes.position[nodes.of_tree(self.number)]

    @property
    def leaf_positions(self) -> npt.NDArray[np.int64]:
        """The positions of the leaves, ascending."""
        start = self.forest.leaf_start
        own = self.forest.all_nodes.leaf[start[self.number] : start[self.number + 1]]
        return np.sort(self.forest.all_nodes.position[own])

    @cached_property
    def n_node_samples(self) -> npt.NDArray[np.int64]:
        """The number of rows in each node."""
        return self._in_order(self.forest.all_nodes.cases).astype(np.int64)

    def compute_node_depths(self) -> npt.NDArray[np.int64]:
        """Return the depth of each node; the root has depth 1, as in scikit-learn."""
        return self._in_order(self.forest.all_nodes.depth) + 1

    def _in_order(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        own = values[self.forest.all_nodes.of_tree(self.number)]
        ordered = np.empty_like(own)
        ordered[self.positions] = own
        return ordered


class Batch:
    """Some trees of a forest, and the samples that they were asked to be grown on.

    With `bootstrap`, each tree has a sample of its own.
    """

    def __init__(self, size: int, *, bootstrap: bool, n_jobs: int | None) -> None:
        self.size, self.bootstrap, self.n_jobs = size, bootstrap, n_jobs
        self.trees: list[Any] = []
        self._lock = Lock()
        self._n_requested = 0
        self._samples: npt.NDArray[Any] | None = None
        self._classes: list[npt.NDArray[Any]] | None = None
        self._X: Any = None
        self._y: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A batch is grown by one process; a tree that is sent to another one is grown there by itself.
        return _batch_of_one, (self.bootstrap, self.n_jobs)

    def add(self, tree: Any) -> None:
        """Make a tree the next one of the batch."""
        with self._lock:
            tree._batch = self
            self.trees.append(tree)

    def takes(self, tree: Any, X: Any, y: Any) -> bool:
        """Whether the tree can be grown with others: neither pruned, nor with class weights of its own."""
        n_outputs = 1 if np.ndim(y) == 1 else y.shape[1]
        alone = tree.ccp_alpha > 0 or tree.class_weight is not None
        return not alone and forests_can_grow(tree, X, n_outputs)

    def request(self, tree: Any, X: Any, y: Any, sample_weight: Any, check_input: bool) -> None:
        """Note the sample of a tree; the last request grows the trees."""
        with self._lock:
            if not self.trees:
                self.trees.append(tree)
            if self._n_requested == 0:
                self._start(tree, X, y, sample_weight, check_input)
            if self._samples is not None:
                self._samples[self.trees.index(tree)] = sample_weight
            self._n_requested += 1
            if self._n_requested == self.size:
                self._grow(None if self.bootstrap else sample_weight)

    def _start(self, tree: Any, X: Any, y: Any, sample_weight: Any, check_input: bool) -> None:
        if check_input:
            X, y = tree._checked_rows(X, y)
        self._X, self._y = X, np.reshape(y, (len(y), -1))
        if self.bootstrap:
            dtype = np.uint32 if sample_weight.dtype.kind in "iu" else np.float64
            self._samples = np.empty((self.size, X.shape[0]), dtype=dtype)
        if is_classifier(tree):
            self._classes, self._y = classes_of(self._y)

    def _grow(self, sample_weight: Any) -> None:
        n_columns, n_outputs = self._X.shape[1], self._y.shape[1]
        n_classes = None if self._classes is None else np.array([*map(len, self._classes)], dtype=np.intp)
        for tree in self.trees:
            tree.n_features_in_, tree.n_outputs_ = n_columns, n_outputs
            tree.max_features_ = n_searched(tree.max_features, n_columns)
            if self._classes is not None and n_classes is not None:
                one = n_outputs == 1
                tree.classes_ = self._classes[0] if one else self._classes
                tree.n_classes_ = n_classes[0] if one else n_classes
        training = training_rows(self._X, self._y, sample_weight, n_classes)
        grow_together(self.trees, training, self._samples, n_jobs=self.n_jobs)


class GrownInBatches:
    """The part of ensembles whose trees are grown in batches while scikit-learn's `fit` runs."""

    def _forget_batch(self) -> None:
        for name in ("_batch", "_n_made", "_n_batch_jobs"):
            self.__dict__.pop(name, None)

    def _add_to_batch(self: Any, member: Any, *, bootstrap: bool) -> None:
        """Add a tree to the current batch, or to a new one if that is full."""
        batch: Batch | None = self.__dict__.get("_batch")
        if batch is None or len(batch.trees) == batch.size:
            self._n_made = len(self.estimators_) if batch is None else self._n_made + batch.size
            most = max(1, MOST_CELLS // self._n_samples) if bootstrap else self.n_estimators
            size = min(self.n_estimators - self._n_made, most)
            n_jobs = self.__dict__.get("_n_batch_jobs", self.n_jobs)
            batch = self._batch = Batch(size, bootstrap=bootstrap, n_jobs=n_jobs)
        batch.add(member)


def _batch_of_one(bootstrap: bool, n_jobs: int | None) -> Batch:
    return Batch(1, bootstrap=bootstrap, n_jobs=n_jobs)


def forest_of(trees: list[Any]) -> Forest | None:
    """Return the forest whose trees, in their order, are those of some estimators; None if there is none.

    >>> from bough.sklearn import ExtraTreesRegressor
    >>> model = ExtraTreesRegressor(2, random_state=0).fit([[1.0], [2.0]], [1.0, 2.0])
    >>> forest_of(model.estimators_), forest_of(model.estimators_[::-1])
    (Forest(2 trees, 6 nodes), None)
    """
    views = [getattr(tree, "tree_", None) for tree in trees]
    first = views[0]
    if not isinstance(first, ForestTreeView) or first.forest.n_trees != len(views):
        return None
    of_forest = all(
        isinstance(view, ForestTreeView) and view.forest is first.forest and view.number == number
        for number, view in enumerate(views)
    )
    return first.forest if of_forest else None


def joined(trees: list[Any]) -> None:
    """Join the forests of several batches into one."""
    views = [getattr(tree, "tree_", None) for tree in trees]
    of_forests = [view for view in views if isinstance(view, ForestTreeView)]
    forests = list({id(view.forest): view.forest for view in of_forests}.values())
    n_trees = sum(forest.n_trees for forest in forests)
    if len(of_forests) < len(trees) or len(forests) == 1 or n_trees != len(trees):
        return
    one = forests[0].joined(*forests[1:])
    for number, tree in enumerate(trees):
        tree.tree_ = ForestTreeView(one, number)


def forests_can_grow(tree: Any, X: Any, n_outputs: int) -> bool:
    """Whether the native code for forests can grow a tree with these parameters.

    >>> from bough.sklearn import DecisionTreeRegressor
    >>> forests_can_grow(DecisionTreeRegressor(criterion="absolute_error"), np.zeros((2, 1)), 2)
    False
    """
    return criterion_of(tree) != "absolute_error" or not (issparse(X) or n_outputs > 1)


def grow_together(
    trees: list[Any], training: Training, samples: npt.NDArray[Any] | None, *, n_jobs: int | None
) -> None:
    """Grow trees of the same parameters on a sample each; without samples, on all rows. Sets their `tree_`.

    A tree depends on its own `random_state` alone: grown together or by itself, it is the same.
    """
    one = trees[0]
    rows = RowSampling() if samples is None else GivenDraws(drawn=samples)
    recipe = tree_recipe(one, training.n_given)
    recipe = replace(
        recipe,
        monotonic_cst=directions_by_name(recipe.monotonic_cst, training.table.schema) or None,
        columns=ColumnSampling(one.max_features_, random_splits=one.splitter == "random"),
        ensemble=Ensemble("forest", len(trees), rows),
        seed=0,
        settings={
            "tree_seeds": [tree_seed(tree.random_state) for tree in trees],
            "shuffled_columns": True,
            "splits_without_gain": True,
        },
    )
    forest = grow_forest(training, recipe, seed=0, n_trees=len(trees), n_jobs=n_jobs)
    for number, tree in enumerate(trees):
        tree.tree_ = ForestTreeView(forest, number)


def tree_seed(random_state: Any) -> int:
    """Return the seed of a tree: its `random_state` if that is a number, else one drawn from it.

    >>> tree_seed(7), tree_seed(np.random.RandomState(0))
    (7, 209652396)
    """
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
