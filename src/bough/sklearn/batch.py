"""Trees of a forest that are grown together, once the sample of each of them is known.

scikit-learn's forests fit one tree after the other. The trees of a batch keep their samples instead, and the
last one has the native code grow all of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import is_classifier

from bough.ensembles.forest import Forest
from bough.ensembles.growing import grow_forest
from bough.growing.draws import ColumnSampling, Ensemble, GivenRows, RowSampling
from bough.sklearn.recipes import criterion_of, n_searched, tree_recipe
from bough.sklearn.rows import training_rows
from bough.sklearn.tree_view import TreeView
from bough.tree import Tree

MOST_CELLS = 2**26
"""The greatest number of cells (trees × rows) of the samples of a batch."""


class ForestTreeView(TreeView):
    """A view of one tree of a forest, which is unpacked when it is needed."""

    def __init__(self, forest: Forest, number: int) -> None:
        self.forest = forest
        self.number = number

    @cached_property
    def tree(self) -> Tree:
        """The tree of bough."""
        return self.forest.trees[self.number]

    def __getstate__(self) -> dict[str, Any]:
        return {"forest": self.forest, "number": self.number}


class Batch:
    """Some trees of a forest, the samples that they were asked to be grown on, and how to grow them.

    `first` is the number of the first tree in the forest, `size` the number of trees, and `seed` that of the
    forest. With `bootstrap`, each tree has a sample of its own.
    """

    def __init__(self, first: int, size: int, seed: int, *, bootstrap: bool, n_jobs: int | None) -> None:
        self.first, self.size, self.seed = first, size, seed
        self.bootstrap, self.n_jobs = bootstrap, n_jobs
        self.trees: list[Any] = []
        self._lock = Lock()
        self._n_requested = 0
        self._samples: npt.NDArray[Any] | None = None
        self._classes: npt.NDArray[Any] | None = None

    def add(self, tree: Any) -> None:
        """Make a tree the next one of the batch."""
        tree._batch, tree._number = self, len(self.trees)
        self.trees.append(tree)

    def takes(self, tree: Any, X: Any, y: Any) -> bool:
        """Whether the native code for forests can grow the tree."""
        known = criterion_of(tree) in ("gini", "entropy", "squared_error", "poisson")
        plain = tree.ccp_alpha == 0 and tree.monotonic_cst is None
        return known and plain and not issparse(X) and y.shape[1] == 1

    def request(self, tree: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """Note the sample of a tree; the last request grows the trees."""
        with self._lock:
            if self._n_requested == 0:
                self._start(tree, X, y, sample_weight)
            if self._samples is not None:
                self._samples[tree._number] = sample_weight
            self._n_requested += 1
            if self._n_requested == self.size:
                self._grow(X, y, sample_weight)

    def _start(self, tree: Any, X: Any, y: Any, sample_weight: Any) -> None:
        if self.bootstrap:
            dtype = np.uint32 if sample_weight.dtype.kind in "iu" else np.float64
            self._samples = np.empty((self.size, X.shape[0]), dtype=dtype)
        if is_classifier(tree):
            self._classes = np.unique(y)

    def _grow(self, X: Any, y: Any, sample_weight: Any) -> None:
        for tree in self.trees:
            self._describe(tree, X.shape[1])
        classes = None if self._classes is None else [len(self._classes)]
        shared = None if self.bootstrap else sample_weight
        training = training_rows(X, y, shared, classes)
        one = self.trees[0]
        recipe = tree_recipe(one, X.shape[0])
        rows = RowSampling() if self._samples is None else GivenRows(drawn=self._samples, first_tree=self.first)
        columns = ColumnSampling(one.max_features_, random_splits=one.splitter == "random")
        recipe = replace(recipe, columns=columns, ensemble=Ensemble("forest", self.size, rows), seed=self.seed)
        forest = grow_forest(
            training, recipe, seed=self.seed, first_tree=self.first, n_trees=self.size, n_jobs=self.n_jobs
        )
        for number, tree in enumerate(self.trees):
            tree.tree_ = ForestTreeView(forest, number)

    def _describe(self, tree: Any, n_columns: int) -> None:
        """Set the attributes of a fitted tree."""
        tree.n_features_in_, tree.n_outputs_ = n_columns, 1
        tree.max_features_ = n_searched(tree.max_features, n_columns)
        del tree._number
        if self._classes is not None:
            tree.classes_, tree.n_classes_ = self._classes, len(self._classes)
