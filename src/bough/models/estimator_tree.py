"""Trees whose leaves predict by estimators of scikit-learn, or of any other library with its interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.errors import ParameterError
from bough.models.model import table_for
from bough.tree import Tree
from bough.tree.answer import label_array
from bough.tree.lazy_methods import EXPLAIN, MODEL_HTML
from bough.tree.leaf_models import Term
from bough.types import Floats, Task


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorTree:
    """A tree and the fitted estimator of each leaf; a leaf without one predicts from its statistics.

    Estimators are given numbers: `inputs` are the numeric columns with missing values replaced, and
    indicators of levels. The model cannot be saved in a file of bough, since its estimators are code of other
    libraries.

    >>> import bough
    >>> from sklearn.linear_model import LinearRegression
    >>> X = [[float(i)] for i in range(40)]
    >>> model = bough.ModelTreeRegressor(LinearRegression()).fit(X, [3.0 * i for i in range(40)]).model_
    >>> model, model.predict([[100.0]]).round(6)
    (EstimatorTree(2 leaves of LinearRegression), array([300.]))
    """

    model_kind: ClassVar[str] = "estimator_tree"

    tree: Tree
    estimators: Mapping[int, Any]
    inputs: tuple[Term, ...]
    leaf_name: str

    @property
    def schema(self) -> Schema:
        """The columns of the tables that the model predicts from."""
        return self.tree.schema

    @property
    def task(self) -> Task:
        """Whether the model predicts classes or numbers."""
        return self.tree.task

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes, sorted."""
        return self.tree.classes

    @property
    def target_name(self) -> str | None:
        """The name of the target."""
        return self.tree.target_name

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe, which records the estimator by name."""
        return self.tree.recipe

    @property
    def provenance(self) -> dict[str, Any]:
        """The date, versions and source of the tree."""
        return self.tree.provenance

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class or the number for each row."""
        table = table_for(X, self.schema)
        if self.classes:
            code: npt.NDArray[np.intp] = self.predict_proba(table).argmax(axis=1)
            return label_array(self.classes)[code]
        answers = self.tree.predict(table)
        for rows, estimator, numbers in self._parts(table):
            given = np.asarray(estimator.predict(numbers), dtype=np.float64).ravel()
            answers[rows] = np.where(np.isfinite(given), given, answers[rows])
        return answers

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for each row; of estimators without any, 1 for their class.

        Where an estimator answers NaN, as of numbers near the largest float, the leaf answers.
        """
        table = table_for(X, self.schema)
        shares = np.array(self.tree.predict_proba(table))
        for rows, estimator, numbers in self._parts(table):
            codes = np.asarray(estimator.classes_, dtype=np.intp)
            if hasattr(estimator, "predict_proba"):
                given = np.asarray(estimator.predict_proba(numbers))
            else:
                given = (np.asarray(estimator.predict(numbers))[:, None] == codes).astype(np.float64)
            is_known = np.isfinite(given).all(axis=1)
            shares[rows[is_known]] = 0.0
            shares[np.ix_(rows[is_known], codes)] = given[is_known]
        return shares

    def _parts(self, table: Table) -> Any:
        """Yield for each leaf with an estimator its rows, the estimator and the numbers of the rows."""
        ends = self.tree.answering[self.tree.apply(table)]
        for node in np.unique(ends).tolist():
            if node in self.estimators:
                rows = np.flatnonzero(ends == node)
                yield rows, self.estimators[node], numbers_of(table, self.inputs, rows)

    def importance(self) -> Floats:
        """Return the importance of each column in the splits of the tree."""
        return self.tree.importance()

    def document(self) -> NoReturn:
        """Raise an error: estimators of other libraries cannot be written."""
        raise ParameterError(
            f"A tree with leaves of {self.leaf_name} cannot be saved: only models of bough's own can be in a "
            "file. Save model_.tree, the tree without the estimators, or pickle the learner."
        )

    def save(self, path: str | PathLike[str]) -> NoReturn:
        """Raise an error: estimators of other libraries cannot be written."""
        self.document()

    _repr_html_ = MODEL_HTML
    explain = EXPLAIN

    def __repr__(self) -> str:
        noun = "leaf" if self.tree.n_leaves == 1 else "leaves"
        return f"EstimatorTree({self.tree.n_leaves} {noun} of {self.leaf_name})"


def numbers_of(table: Table, inputs: tuple[Term, ...], rows: npt.NDArray[np.intp]) -> Floats:
    """Return the numbers that estimators are given, one row for each of some rows of a table.

    >>> numbers_of(Table.read([[1.0, "a"], [None, "b"]]), (Term(0, 1.0, 7.0), Term(1, 1.0, 0.0, (1,))),
    ...            np.arange(2))
    array([[1., 0.],
           [7., 1.]])
    """
    columns = [each.values(table.columns[each.column][rows]) for each in inputs]
    return np.column_stack([*columns, np.empty((len(rows), 0))])
