"""Forests without a target: rows against rows whose columns know nothing of each other (Breiman)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.data.table import Table
from bough.ensembles.proximity import outlier_scores
from bough.ensembles.random_forest import RandomForestClassifier
from bough.growing.missing import BY_FOREST, Missing, check_missing
from bough.learners.conventions import read_as
from bough.learners.parameters import ColumnParameters
from bough.types import Floats


@dataclass(eq=False, repr=False, kw_only=True)
class UnsupervisedRandomForest(ColumnParameters, BaseEstimator):  # type: ignore[misc]
    """A forest that tells the rows from a synthetic copy; rows that it cannot tell apart are near.

    The copy draws each column by itself from the values there are, so that what columns have to do with each
    other is lost. It is R's randomForest without y.

    Parameters
    ----------
    n_estimators, max_features, min_samples_leaf, max_depth, missing
        As in `RandomForestClassifier`, as `categorical_features`, `ordinal_features`, `n_jobs` and
        `random_state`.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x), float(x % 10)] for x in range(100)]
    >>> forest = bough.UnsupervisedRandomForest(50, random_state=0).fit(X)
    >>> forest.proximity(X).shape
    (100, 100)

    """

    n_estimators: int = field(default=100, kw_only=False)
    max_features: Any = "sqrt"
    max_depth: int | None = None
    min_samples_leaf: int | float = 1
    missing: Missing = "learned"
    random_state: Any = None

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what tables are taken: levels as they are, missing values as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest; y is not looked at.

        >>> import bough
        >>> bough.UnsupervisedRandomForest(5, random_state=0).fit([[1.0], [2.0]]).classifier_.n_classes_
        2
        """
        check_missing(self.missing, type(self).__name__, BY_FOREST)
        table = Table.read(
            X, categorical_features=self.categorical_features, ordinal_features=self.ordinal_features
        )
        validate_data(self, X, skip_check_array=True)
        random = check_random_state(self.random_state)
        n = table.n_rows
        drawn = tuple(np.concatenate([values, values[random.randint(n, size=n)]]) for values in table.columns)
        self.classifier_ = RandomForestClassifier(
            self.n_estimators,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            missing=self.missing,
            n_jobs=self.n_jobs,
            random_state=random.randint(np.iinfo(np.int32).max),
        ).fit(Table(table.schema, drawn, 2 * n), np.repeat(["real", "synthetic"], n))
        return self

    def proximity(self, X: Any, *, sparse: bool | Literal["auto"] = "auto") -> Any:
        """Return the share of the trees in which each pair of rows ends in the same leaf.

        >>> import bough
        >>> forest = bough.UnsupervisedRandomForest(5, random_state=0).fit([[1.0], [2.0]])
        >>> forest.proximity([[1.0], [1.0]])
        array([[1., 1.],
               [1., 1.]])
        """
        table = self._checked(X)
        return self.classifier_.proximity(table, sparse=sparse)

    def outlier_scores(self, X: Any) -> Floats:
        """Return how far each row is from all others by proximity.

        >>> import bough
        >>> X = [[float(x), float(x)] for x in range(50)] + [[0.0, 49.0]]
        >>> scores = bough.UnsupervisedRandomForest(100, random_state=0).fit(X).outlier_scores(X)
        >>> scores.shape
        (51,)
        """
        near = self.proximity(X)
        return outlier_scores(near, np.zeros(near.shape[0], dtype=np.int32))

    def _checked(self, X: Any) -> Table:
        check_is_fitted(self)
        return read_as(self, X, self.classifier_.forest_.schema)
