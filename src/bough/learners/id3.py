"""ID3 (Quinlan 1986), as Mitchell 1997 tells it: complete splits of nominal columns by information gain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import TableError
from bough.growing.recipe import Missing, Recipe
from bough.learners.estimator import TreeClassifierEstimator, check_prune

# Weka's Id3 takes a gain below this for none.
_NO_GAIN = 1e-6


class ID3Classifier(TreeClassifierEstimator):
    """A classification tree with one branch for each level of a nominal column.

    Each column is used once on a path. The column of the highest information gain is taken, of equals the
    first; where none gains, the node is a leaf. A branch that no row takes answers as its parent. Numeric
    columns are refused: cut them into classes first, or say that they are nominal.

    Parameters
    ----------
    significance
        Quinlan's stop: a column counts only if the chi-square test of its independence from the classes has
        a p-value of at most this, such as 0.01; None tests nothing.
    max_depth, min_samples_split
        Further limits; see `bough.Limits`.
    class_weight, missing, smoothing, prune, ordinal_features, n_jobs
        As in `bough.CARTClassifier`. Ordinal columns too are split completely.
    categorical_features
        Columns that are nominal whatever their dtype says: names, positions, a mask, or "all".

    Examples
    --------
    >>> import bough
    >>> X = [["red", "big"], ["red", "small"], ["blue", "big"], ["blue", "small"]]
    >>> print(bough.ID3Classifier().fit(X, ["+", "-", "-", "-"]).tree_.rules()[1])
    x0 = red and x1 = big -> +

    """

    def __init__(
        self,
        *,
        significance: float | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        class_weight: Any = None,
        missing: Missing = "majority",
        smoothing: str | float = "none",
        prune: str = "none",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.significance = significance
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.class_weight = class_weight
        self.missing = missing
        self.smoothing = smoothing
        self.prune = prune
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return ID3's recipe with these parameters.

        >>> ID3Classifier().recipe().nominal
        'complete'
        """
        check_prune(self.prune)
        return Recipe(
            "entropy",
            nominal="complete",
            limits=replace(self._limits(), min_gain=_NO_GAIN),
            missing=self.missing,
            task="classification",
        )

    def _read_table(self, X: Any) -> Table:
        table = super()._read_table(X)
        pairs = [_nominal(*pair) for pair in zip(table.schema.columns, table.columns, strict=True)]
        schema = Schema(tuple([column for column, _ in pairs]))
        return Table(schema, tuple([values for _, values in pairs]), table.n_rows)


def _nominal(column: Column, values: npt.NDArray[Any]) -> tuple[Column, npt.NDArray[Any]]:
    """Return the column as ID3 splits it: levels without order. Where all is missing there are no levels."""
    if column.scale != "numeric":
        return replace(column, scale="nominal"), values
    if np.isnan(values).all():
        return Column(column.name, "nominal"), np.full(len(values), -1, dtype=np.int32)
    raise TableError(
        f"Column {column.name!r} is numeric, and ID3 splits levels only. Cut it into classes, name it in "
        "categorical_features, or grow it with CARTClassifier."
    )
