"""Unsupervised forests (Breiman): real rows against synthetic rows with independent columns."""

from __future__ import annotations

from dataclasses import field, replace
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bough.data.readers.source import refuse_sparse
from bough.data.scales import Scales
from bough.data.table import Table
from bough.ensembles.forest import Forest
from bough.ensembles.proximity import outlier_scores
from bough.ensembles.random_forest import RandomForestClassifier
from bough.growing.draws import random_numbers
from bough.growing.missing import BY_FOREST, Missing, check_missing
from bough.growing.recipe_json import scales_to_json
from bough.learners.conventions import Estimator, note_columns, read_as
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ColumnParameters
from bough.types import Floats

_MOST_SEED = int(np.iinfo(np.int32).max)


def with_synthetic_rows(table: Table, seed: int) -> tuple[Table, npt.NDArray[np.str_], int]:
    """Return the rows and as many synthetic ones, their classes, and the seed of the forest.

    >>> rows, labels, _ = with_synthetic_rows(Table.read([[1.0], [2.0]]), 0)
    >>> rows.columns[0][:2], labels
    (array([1., 2.]), array(['real', 'real', 'synthetic', 'synthetic'], dtype='<U9'))
    """
    random, n = random_numbers(seed), table.n_rows
    drawn = tuple(np.concatenate([values, values[random.randint(n, size=n)]]) for values in table.columns)
    labels = np.repeat(["real", "synthetic"], n)
    return Table(table.schema, drawn, 2 * n), labels, random.randint(_MOST_SEED)


@keyword_parameters
class UnsupervisedRandomForest(ColumnParameters, Estimator):
    """Random forest without a target, for proximities and outliers; R's randomForest without y.

    The forest separates the rows from synthetic rows, whose columns are sampled independently from the values
    of each column, so that the dependence between columns is lost. Rows that often share a leaf are similar.
    `forest_` is the forest; its recipe records the seed of the synthetic rows, so that `bough.regrow` gives
    the same forest.

    Parameters
    ----------
    n_estimators
        Number of trees (ntree).
    max_features
        Number of columns tried at each node (mtry): "sqrt", "log2", a number, a fraction, or None for
        all.
    max_depth
        Maximum number of splits on a path; None for no limit.
    min_samples_leaf
        Minimum number of cases of every child that has any; a fraction is of all cases.
    missing
        "learned": at each split, rows with a missing value go to the branch that gives the better
        criterion value; "majority": to the branch of greater weight; "refuse": a missing value raises an
        error.
    random_state
        A seed, None or a RandomState.

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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest; y is ignored.

        >>> import bough
        >>> bough.UnsupervisedRandomForest(5, random_state=0).fit([[1.0], [2.0]]).classifier_.n_classes_
        2
        """
        check_missing(self.missing, type(self).__name__, BY_FOREST)
        refuse_sparse("X", X)
        scales = Scales(
            categorical_features=self.categorical_features, ordinal_features=self.ordinal_features
        )
        table = scales.read(X)
        note_columns(self, X)
        drawn = random_numbers(self.random_state)
        seed = int(
            self.random_state if isinstance(self.random_state, Integral) else drawn.randint(_MOST_SEED)
        )
        rows, labels, forest_seed = with_synthetic_rows(table, seed)
        self.classifier_ = RandomForestClassifier(
            self.n_estimators,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            missing=self.missing,
            n_jobs=self.n_jobs,
            random_state=forest_seed,
        ).fit(rows, labels)
        forest = self.classifier_.forest_
        named = scales_to_json(scales.by_name(table.schema))
        self.forest_ = replace(forest, recipe=forest.recipe | {"synthetic_seed": seed, "scales": named})
        return self

    @property
    def model_(self) -> Forest:
        """The model, which can be saved: the forest that separates the rows from synthetic ones.

        >>> import bough
        >>> bough.UnsupervisedRandomForest(5, random_state=0).fit([[1.0], [2.0]]).model_.model_kind
        'forest'
        """
        check_is_fitted(self)
        return self.forest_

    def proximity(self, X: Any, *, sparse: bool | Literal["auto"] = "auto") -> Any:
        """Return the fraction of the trees in which each pair of rows is in the same leaf.

        >>> import bough
        >>> forest = bough.UnsupervisedRandomForest(5, random_state=0).fit([[1.0], [2.0]])
        >>> forest.proximity([[1.0], [1.0]])
        array([[1., 1.],
               [1., 1.]])
        """
        table = self._checked(X)
        return self.classifier_.proximity(table, sparse=sparse)

    def outlier_scores(self, X: Any) -> Floats:
        """Return an outlier score of each row, from its proximities to all others.

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
