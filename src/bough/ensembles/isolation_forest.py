"""Isolation forests (Liu, Ting and Zhou 2008): rows that few random splits isolate are outliers."""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from bough.data.readers.source import refuse_sparse
from bough.data.scales import Scales
from bough.engines.native import refuse_missing
from bough.ensembles.isolation import grown_isolation_trees, isolation_columns
from bough.ensembles.sampling import read_n_estimators
from bough.errors import ParameterError, TableError
from bough.growing.draws import Ensemble, RowSampling, number_of, read_max_features, read_seed
from bough.growing.limits import Limits, is_auto, is_number
from bough.growing.missing import Missing, check_missing
from bough.growing.recipe import Recipe
from bough.learners.conventions import ModelLearner, note_columns
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ColumnParameters
from bough.models.gradient_boosted import GradientBoosted
from bough.types import Floats

_MISSING: tuple[Missing, ...] = ("majority", "refuse")
_MOST_ROWS = 256
"""The size of the samples that the paper recommends."""


class IsolationLearner(OutlierMixin, ModelLearner):  # type: ignore[misc]
    """What fit sets on an isolation forest."""

    model_: GradientBoosted
    n_features_in_: int
    max_samples_: int
    offset_: float


@keyword_parameters
class IsolationForest(ColumnParameters, IsolationLearner):
    """Isolation forest: finds outliers without a target (Liu, Ting and Zhou 2008).

    Each tree divides a small sample of the rows by random splits: a column is drawn among those that differ
    in the node, and a threshold between the least and the greatest value there, or a set of its levels. Rows
    far from others are alone after few splits. The anomaly score of a row is 2^(−h / c), where h is the mean
    length of its paths and c the mean length in random trees of as many rows: near 1 for an outlier, about
    1/2 or less for other rows.

    `model_.predict` returns this score. `score_samples`, `decision_function` and `predict` follow
    scikit-learn: `score_samples` is the negative score, and `predict` is −1 for outliers and 1 for inliers.

    Parameters
    ----------
    n_estimators
        Number of trees.
    max_samples
        Number of rows to sample for each tree, without replacement: a number, a fraction, or "auto" for 256,
        or all rows if they are fewer.
    max_features
        Number of columns of each tree: "sqrt", "log2", a number, a fraction, or None for all.
    contamination
        The fraction of outliers among the rows of fit, in (0, 0.5], which sets `offset_`; "auto" takes rows
        with a score above 1/2 for outliers.
    missing
        "majority": a row with a missing value follows the branch of more rows; "refuse": a missing value
        raises an error.
    random_state
        A seed, None or a RandomState.

    Attributes
    ----------
    model_
        The sum of the trees, a `bough.GradientBoosted`, which predicts the anomaly score.
    offset_
        `decision_function` is `score_samples` less this number; rows below 0 are outliers.
    max_samples_
        The number of rows that each tree was grown on.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x), float(x % 10)] for x in range(100)] + [[50.0, 40.0]]
    >>> forest = bough.IsolationForest(random_state=0).fit(X)
    >>> forest.predict([[50.0, 5.0], [50.0, 40.0]])
    array([ 1, -1])

    """

    n_estimators: int = field(default=100, kw_only=False)
    max_samples: Any = "auto"
    max_features: Any = None
    contamination: float | Literal["auto"] = "auto"
    missing: Missing = "majority"
    random_state: Any = None

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define, without the parts that depend on the rows.

        >>> import bough
        >>> bough.IsolationForest(50).recipe().ensemble.n_estimators
        50
        """
        check_missing(self.missing, type(self).__name__, _MISSING)
        given = self.contamination
        if not is_auto(given) and not (is_number(given) and 0 < given <= 0.5):
            raise ParameterError.of("contamination", given, "'auto' or a fraction in (0, 0.5]")
        return Recipe(
            "squared_error",
            missing=self.missing,
            scales=Scales(self.categorical_features, self.ordinal_features),
            ensemble=Ensemble("isolation_forest", read_n_estimators(self.n_estimators)),
            task="regression",
        )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the trees on samples of the rows of X; y is ignored.

        >>> import bough
        >>> bough.IsolationForest(5, random_state=0).fit([[0.0], [0.1], [0.2], [9.0]]).max_samples_
        4
        """
        recipe = replace(self.recipe(), seed=read_seed(self.random_state))
        refuse_sparse("X", X)
        table = recipe.scales.read(X)
        note_columns(self, X)
        if table.n_rows == 0:
            raise TableError("X has no rows; an isolation forest needs at least one.")
        if self.missing == "refuse":
            refuse_missing(table, instead="majority")
        self.max_samples_ = _sample_size(self.max_samples, table.n_rows)
        assert recipe.ensemble is not None
        rows, n_columns = RowSampling("without_replacement", (self.max_samples_,)), len(table.schema)
        recipe = replace(
            recipe,
            scales=recipe.scales.by_name(table.schema),
            ensemble=replace(recipe.ensemble, rows=rows),
            columns=isolation_columns(n_columns, read_max_features(self.max_features, n_columns)),
            limits=Limits(max_depth=math.ceil(math.log2(max(self.max_samples_, 2)))),
        )
        self.model_ = grown_isolation_trees(recipe, table, self.n_jobs)
        self.offset_ = -0.5
        if self.contamination != "auto":
            own = -self.model_.predict(table, self.n_jobs)
            self.offset_ = float(np.percentile(own, 100.0 * float(self.contamination)))
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the negative anomaly score of each row: the lower, the more abnormal.

        >>> import bough
        >>> X = [[0.0], [0.1], [0.2], [0.1], [9.0]]
        >>> scores = bough.IsolationForest(random_state=0).fit(X).score_samples([[0.1], [9.0]])
        >>> bool(scores[1] < -0.5 < scores[0])
        True
        """
        check_is_fitted(self)
        return -self.model_.predict(self._checked(X), self.n_jobs)

    def decision_function(self, X: Any) -> Floats:
        """Return `score_samples` less `offset_`; outliers are below 0.

        >>> import bough
        >>> X = [[0.0], [0.1], [0.2], [0.1], [9.0]]
        >>> bough.IsolationForest(random_state=0).fit(X).decision_function([[9.0]]) < 0
        array([ True])
        """
        check_is_fitted(self)
        return np.asarray(self.score_samples(X) - self.offset_)

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return −1 for outliers and 1 for inliers.

        >>> import bough
        >>> X = [[0.0], [0.1], [0.2], [0.1], [9.0]]
        >>> bough.IsolationForest(random_state=0).fit(X).predict([[0.1], [9.0]])
        array([ 1, -1])
        """
        return np.where(self.decision_function(X) < 0, -1, 1)


def _sample_size(max_samples: Any, n_rows: int) -> int:
    """Return the number of rows of each tree."""
    if is_auto(max_samples):
        return min(_MOST_ROWS, n_rows)
    many = number_of(max_samples, n_rows)
    if many is None:
        wanted = f"'auto', a whole number from 1 to the {n_rows} rows, or a fraction in (0, 1]"
        raise ParameterError.of("max_samples", max_samples, wanted)
    return many
