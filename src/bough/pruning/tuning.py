"""A tuning set: the statistics of its rows in each node of a tree, and the errors of the tree on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import bough._core as _core
from bough.pruning.bottom_up import subtree_sums
from bough.tree.answer import expected_losses
from bough.tree.fractional import collected, split_arrays_of
from bough.tree.labeled_rows import LabeledRows
from bough.tree.routing import route
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


def node_statistics(tree: Tree, sample: LabeledRows) -> Floats:
    """Return the statistics of a sample in each node: class weights, or weight, sum and sum of squares of y.

    y is measured relative to the root's mean, so that squares do not lose digits.

    >>> from bough.example_models import iris_tree
    >>> from bough.tree.labeled_rows import read_sample
    >>> X, y = [[1.4, 0.2], [5.1, 1.9], [5.1, 1.0]], ["setosa", "setosa", "virginica"]
    >>> sample = read_sample(iris_tree(), X, y)
    >>> node_statistics(iris_tree(), sample)[[0, 2, 4]]
    array([[2., 0., 1.],
           [1., 0., 1.],
           [1., 0., 0.]])
    """
    return subtree_sums(tree, ends_statistics(tree, sample))


def ends_statistics(tree: Tree, sample: LabeledRows) -> Floats:
    """Return the same statistics of the rows that end in each node: a leaf, or where no split routes them.

    >>> from bough.example_models import iris_tree
    >>> from bough.tree.labeled_rows import read_sample
    >>> sample = read_sample(iris_tree(), [[5.1, 1.9], [5.1, 1.0]], ["setosa", "virginica"])
    >>> ends_statistics(iris_tree(), sample)[[0, 3, 4]]
    array([[0., 0., 0.],
           [0., 0., 1.],
           [1., 0., 0.]])
    """
    if tree.task == "classification":
        return _classes_at_ends(tree, sample)
    weight, y = sample.weight, sample.answers - tree.statistics[0, 0]
    return collected(tree, sample.table, np.column_stack([weight, weight * y, weight * y**2]))


def _classes_at_ends(tree: Tree, sample: LabeledRows) -> Floats:
    k = len(tree.classes)
    if tree.share is None:
        entry = route(tree, sample.table).astype(np.int64) * k + sample.answers
        sums = np.bincount(entry, sample.weight, minlength=tree.n_nodes * k)
        return sums.astype(np.float64, copy=False).reshape(tree.n_nodes, k)
    ends = _core.collect_classes(
        split_arrays_of(tree),
        tree.share,
        k,
        sample.answers,
        sample.weights.weight,
        sample.table.native(),
        sample.table.n_rows,
    )
    return np.asarray(ends)


def node_errors(tree: Tree, statistics: Floats) -> Floats:
    """Return the errors that each node would make as a leaf on the sample with these statistics.

    In classification they are the misclassified weight, or the loss if the tree has priors or losses; in
    regression the sum of squared errors.

    >>> from bough.example_models import iris_tree
    >>> node_errors(iris_tree(), np.full((5, 3), 2.0))
    array([4., 4., 4., 4., 4.])
    """
    if tree.task == "classification":
        losses = expected_losses(statistics, tree.class_scale, tree.loss_matrix)
        return np.asarray(losses[np.arange(tree.n_nodes), tree.answer_codes()])
    mean = tree.statistics[tree.answering, 0] - tree.statistics[0, 0]
    weight, total, squares = statistics.T
    return np.asarray(np.maximum(squares - 2.0 * mean * total + mean**2 * weight, 0.0))


def added_by_row(tree: Tree, sample: LabeledRows) -> Floats:
    """Return the errors of each node as a leaf, added row by row; losses and priors are left aside.

    >>> import dataclasses
    >>> from bough.example_models import iris_tree
    >>> from bough.tree.labeled_rows import read_sample
    >>> tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5])
    >>> added_by_row(tree, read_sample(tree, [[5.1, 1.9], [None, 1.0]], ["setosa", "virginica"]))
    array([1.  , 0.25, 1.75, 0.75, 1.  ])
    """
    is_class = tree.task == "classification"
    answer = tree.answer_codes() if is_class else tree.statistics[tree.answering, 0]
    errors = _core.errors_of_passing_rows(
        split_arrays_of(tree),
        tree.share,
        np.ascontiguousarray(answer, dtype=np.float64),
        np.ascontiguousarray(sample.answers, dtype=np.float64),
        is_class,
        sample.weights.weight,
        sample.table.native(),
        sample.table.n_rows,
    )
    return np.asarray(errors)
