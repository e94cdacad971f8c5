"""Rows with a known target, read by the schema and the classes of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, read_classes, read_numbers, read_weights
from bough.errors import TargetError
from bough.tree.nodes import Nodes
from bough.types import Floats


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
