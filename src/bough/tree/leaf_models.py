"""Leaf models: linear functions of numeric columns that predict instead of the mean of a leaf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough.errors import FormatError
from bough.tree.arrays import ArrayGroup
from bough.tree.routing import column_values
from bough.types import Floats

if TYPE_CHECKING:
    from bough.data.table import Table
    from bough.tree import Tree

LEAF_MODEL_ARRAYS: Mapping[str, type[np.generic]] = {
    "intercept": np.float64,
    "start": np.int64,
    "column": np.int32,
    "coefficient": np.float64,
    "substitute": np.float64,
}
"""The arrays of leaf models and their types."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafModels(ArrayGroup):
    """The linear model of each node: `intercept[i]` plus the sum of its terms.

    The terms of node i are the entries `start[i]` to `start[i + 1]`. A term is a coefficient times the value
    of a column, or times `substitute` where the value is missing. A node whose intercept is NaN has no model
    and predicts from its statistics.

    >>> from dataclasses import replace
    >>> from bough.example_models import cars_tree
    >>> models = LeafModels(
    ...     intercept=[np.nan, 45.0, np.nan, np.nan, np.nan], start=[0, 0, 1, 1, 1, 1], column=[1],
    ...     coefficient=[-0.2], substitute=[80.0])
    >>> replace(cars_tree(), leaf_models=models).predict([[4.0, 100.0], [4.0, None], [8.0, 200.0]]).round(1)
    array([25. , 29. , 13.4])
    """

    ARRAYS: ClassVar[Mapping[str, type[np.generic]]] = LEAF_MODEL_ARRAYS

    intercept: Floats
    start: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    coefficient: Floats
    substitute: Floats

    def take(self, nodes: npt.NDArray[np.intp]) -> LeafModels:
        """Return the models of some nodes, in that order.

        >>> models = LeafModels(intercept=[1.0, 2.0], start=[0, 1, 1], column=[0], coefficient=[3.0],
        ...                     substitute=[0.0])
        >>> models.take(np.array([1])).intercept
        array([2.])
        """
        counts = np.diff(self.start)[nodes]
        start = np.append(0, np.cumsum(counts))
        terms = np.repeat(self.start[nodes] - start[:-1], counts) + np.arange(start[-1])
        own = {name: getattr(self, name)[terms] for name in ("column", "coefficient", "substitute")}
        return LeafModels(intercept=self.intercept[nodes], start=start, **own)

    def check(self, tree: Tree) -> None:
        """Raise `FormatError` if the models do not fit their tree; the error names the entry.

        >>> from bough.example_models import cars_tree
        >>> LeafModels(intercept=[], start=[0], column=[], coefficient=[], substitute=[]).check(cars_tree())
        Traceback (most recent call last):
        bough.errors.FormatError: At leaf_models.intercept: has 0 entries, where 5 are wanted
        """
        if tree.task != "regression" or tree.share is not None:
            raise FormatError("leaf_models", "only a regression tree without shares has them")
        n, terms = tree.n_nodes, len(self.column)
        lengths = dict.fromkeys(LEAF_MODEL_ARRAYS, terms) | {"intercept": n, "start": n + 1}
        self.check_lengths("leaf_models", lengths)
        self.check_starts("leaf_models", "start", terms)
        numeric = np.array([column.scale == "numeric" for column in tree.wide_schema.columns] or [False])
        inside = (self.column >= 0) & (self.column < len(tree.wide_schema))
        if not (inside & numeric[np.where(inside, self.column, 0)]).all():
            raise FormatError("leaf_models.column", "a term must have a numeric column")
        for name in ("coefficient", "substitute"):
            if not np.isfinite(getattr(self, name)).all():
                raise FormatError(f"leaf_models.{name}", "finite numbers are wanted")
        if np.isinf(self.intercept).any():
            raise FormatError("leaf_models.intercept", "finite numbers are wanted, or null for no model")

    def answers(self, tree: Tree, table: Table, nodes: npt.NDArray[Any], otherwise: Floats) -> Floats:
        """Return the prediction of the model of each row's node; `otherwise` where the node has no model.

        >>> from bough.example_models import cars_tree
        >>> tree = cars_tree()
        >>> models = LeafModels(intercept=[7.0] * 5, start=[0] * 6, column=[], coefficient=[], substitute=[])
        >>> models.answers(tree, tree._table([[4.0, 90.0]]), np.array([1]), np.array([0.0]))
        array([7.])
        """
        answers = otherwise.copy()
        for node in np.unique(nodes).tolist():
            if np.isnan(self.intercept[node]):
                continue
            rows = np.flatnonzero(nodes == node)
            sums = np.full(len(rows), self.intercept[node])
            for term in range(int(self.start[node]), int(self.start[node + 1])):
                values = column_values(tree, table, int(self.column[term]), rows).astype(np.float64)
                values[np.isnan(values)] = self.substitute[term]
                sums += self.coefficient[term] * values
            answers[rows] = sums
        return answers
