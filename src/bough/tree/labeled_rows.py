"""Rows with a known target, read by the schema and the classes of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.target import Weights, read_classes, read_numbers, read_weights
from bough.errors import TargetError
from bough.tree.nodes import Nodes
from bough.tree.one_target import refuse_several
from bough.types import Floats

_UNKNOWN = "y holds {label}, which is not a class of the tree ({classes}). Leave such rows out."


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
        return self.weights.each(self.table.n_rows)

    def take(self, rows: npt.NDArray[np.intp]) -> LabeledRows:
        """Return a selection of the rows.

        >>> two = LabeledRows(Table.read([[1.0], [2.0]]), np.zeros(2), read_weights(None, 2))
        >>> two.take(np.array([1])).weight
        array([1.])
        """
        return LabeledRows(self.table.take(rows), self.answers[rows], self.weights.take(rows))


def read_sample(tree: Nodes, X: Any, y: Any, sample_weight: Any = None) -> LabeledRows:
    """Read rows and their target by the schema and the classes of a tree.

    >>> from bough.example_models import iris_tree
    >>> read_sample(iris_tree(), [[1.4, 0.2]], ["setosa"]).answers
    array([0], dtype=int32)
    >>> read_sample(iris_tree(), [[1.4, 0.2]], ["rose"])
    Traceback (most recent call last):
    bough.errors.TargetError: y holds 'rose', which is not a class of the tree ('setosa', 'versicolor',
    'virginica'). Leave such rows out.
    """
    refuse_several(tree, "y")
    table = Table.fit_to(X, tree.schema)
    answers: npt.NDArray[Any]
    if tree.task == "classification":
        answers = read_classes(y).codes_in(tree.classes, _UNKNOWN)
    else:
        answers = read_numbers(y)
    if len(answers) != table.n_rows:
        raise TargetError(f"X has {table.n_rows} rows and y has {len(answers)}. Give one y for each row.")
    return LabeledRows(table, answers, read_weights(sample_weight, table.n_rows))
