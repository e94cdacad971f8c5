"""Leaf models: linear functions of numeric columns that predict instead of the mean of a leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.tree.arrays import ArrayGroup
from bough.types import Floats

ValuesOf: TypeAlias = Callable[[int, npt.NDArray[np.intp]], npt.NDArray[Any]]

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

    def answers(self, values_of: ValuesOf, nodes: npt.NDArray[Any], otherwise: Floats) -> Floats:
        """Return the prediction of the model of each row's node; `otherwise` where the node has no model.

        `values_of` returns the values of a column in some rows.

        >>> models = LeafModels(intercept=[7.0] * 5, start=[0] * 6, column=[], coefficient=[], substitute=[])
        >>> models.answers(lambda column, rows: np.zeros(len(rows)), np.array([1]), np.array([0.0]))
        array([7.])
        """
        answers = otherwise.copy()
        for node in np.unique(nodes).tolist():
            if np.isnan(self.intercept[node]):
                continue
            rows = np.flatnonzero(nodes == node)
            sums = np.full(len(rows), self.intercept[node])
            for term in range(int(self.start[node]), int(self.start[node + 1])):
                values = values_of(int(self.column[term]), rows).astype(np.float64)
                values[np.isnan(values)] = self.substitute[term]
                sums += self.coefficient[term] * values
            answers[rows] = sums
        return answers
