"""A tuning set: rows with a known target, their statistics in each node of a tree, and its errors on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.schema import Level
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, read_classes, read_numbers, read_weights
from bough.errors import TargetError
from bough.pruning.bottom_up import subtree_sums
from bough.tree.answer import expected_losses
from bough.tree.fractional import collected, split_arrays_of
from bough.tree.routing import route
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Rows with the target of each (a class code of the tree, or a number) and its weight."""

    table: Table
    answers: npt.NDArray[Any]
    weights: Weights

    @property
    def weight(self) -> Floats:
        """The weight of each row.

        >>> LabeledRows(Table.read([[1.0], [2.0]]), np.zeros(2), read_weights(None, 2)).weight
        array([1., 1.])
        """
        return np.ones(self.table.n_rows) if self.weights.weight is None else self.weights.weight

    def take(self, rows: npt.NDArray[np.intp]) -> LabeledRows:
        """Return a selection of the rows.

        >>> two = LabeledRows(Table.read([[1.0], [2.0]]), np.zeros(2), read_weights(None, 2))
        >>> two.take(np.array([1])).weight
        array([1.])
        """
        return LabeledRows(self.table.take(rows), self.answers[rows], self.weights.take(rows))


def read_sample(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> LabeledRows:
    """Read rows and their target by the schema and the classes of a tree.

    >>> from bough.example_models import iris_tree
    >>> read_sample(iris_tree(), [[1.4, 0.2]], ["setosa"]).answers
    array([0], dtype=int32)
    >>> read_sample(iris_tree(), [[1.4, 0.2]], ["rose"])
    Traceback (most recent call last):
    bough.errors.TargetError: y holds 'rose', which is not a class of the tree ('setosa', 'versicolor',
    'virginica'). Leave such rows out.
    """
    table = Table.fit_to(X, tree.schema)
    answers: npt.NDArray[Any]
    answers = codes_for(tree.classes, read_classes(y)) if tree.task == "classification" else read_numbers(y)
    if len(answers) != table.n_rows:
        raise TargetError(f"X has {table.n_rows} rows and y has {len(answers)}. Give one y for each row.")
    return LabeledRows(table, answers, read_weights(sample_weight, table.n_rows))


def codes_for(classes: tuple[Level, ...], target: ClassTarget) -> npt.NDArray[np.int32]:
    """Return the class of each row as a code of a tree's classes.

    >>> codes_for(("no", "yes"), read_classes(["yes", "yes"]))
    array([1, 1], dtype=int32)
    """
    code_of = {label: code for code, label in enumerate(classes)}
    for label in target.classes:
        if label not in code_of:
            known = ", ".join(map(repr, classes))
            raise TargetError(
                f"y holds {label!r}, which is not a class of the tree ({known}). Leave such rows out."
            )
    codes = np.array([code_of[label] for label in target.classes], dtype=np.int32)
    return codes[target.codes]


def node_statistics(tree: Tree, sample: LabeledRows) -> Floats:
    """Return the statistics of a sample in each node: class weights, or weight, sum and sum of squares of y.

    y is measured relative to the root's mean, so that squares do not lose digits.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2], [5.1, 1.9], [5.1, 1.0]], ["setosa", "setosa", "virginica"]
    >>> sample = read_sample(iris_tree(), X, y)
    >>> node_statistics(iris_tree(), sample)[[0, 2, 4]]
    array([[2., 0., 1.],
           [1., 0., 1.],
           [1., 0., 0.]])
    """
    if tree.task == "classification":
        return subtree_sums(tree, _classes_at_ends(tree, sample))
    weight, y = sample.weight, sample.answers - tree.statistics[0, 0]
    moments = np.column_stack([weight, weight * y, weight * y**2])
    return subtree_sums(tree, collected(tree, sample.table, moments))


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
