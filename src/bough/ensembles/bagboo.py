"""BagBoo (Pavlov, Gorodilov and Brunk 2010): bagging of boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.data.target import ClassTarget
from bough.ensembles.bagging import BaggingClassifier, BaggingRegressor, Learner
from bough.ensembles.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from bough.ensembles.sampling import read_row_sampling
from bough.learners.keyword_parameters import keyword_parameters


@keyword_parameters
class BagBooParameters:
    """By default each model has half of the rows and of the columns.

    Parameters
    ----------
    estimator
        Any classifier or regressor of bough, as the ensemble is; None is gradient boosting of 20 rounds of
        trees of 8 leaves.

    """

    max_samples: Any = 0.5
    max_features: Any = 0.5
    replace: bool = False


@keyword_parameters
class BagBooClassifier(BagBooParameters, BaggingClassifier):
    """BagBoo classifier: the mean of the class probabilities of boosted trees, each fitted to a sample.

    Boosting lowers the bias of small trees and bagging the variance of boosting. Rows are sampled by class,
    so that every sample has rows of all classes.

    By default each model has half of the rows and of the columns.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i, -i] for i in range(80)], ["low"] * 40 + ["high"] * 40
    >>> bough.BagBooClassifier(random_state=0).fit(X, y).predict([[3, -3], [70, -70]])
    array(['low', 'high'], dtype='<U4')

    """

    def _default(self) -> Learner:
        return GradientBoostingClassifier(max_iter=20, max_leaf_nodes=8)

    def _sizes(self, target: Any, n_rows: int) -> Any:
        classes = isinstance(target, ClassTarget) and bool(self.bootstrap)
        if not classes or isinstance(self.max_samples, Mapping):
            return self.max_samples
        given = read_row_sampling(
            n_rows,
            bootstrap=True,
            replace=bool(self.replace),
            max_samples=self.max_samples,
            strata=None,
            classes=None,
        )
        counts = np.bincount(target.codes, minlength=len(target.classes))
        share = given.size[0] / n_rows
        return {
            label: max(1, round(share * int(count)))
            for label, count in zip(target.classes, counts, strict=True)
        }


@keyword_parameters
class BagBooRegressor(BagBooParameters, BaggingRegressor):
    """BagBoo regressor: the mean of the predictions of boosted trees, each fitted to a sample of the rows.

    By default each model has half of the rows and of the columns.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i, -i] for i in range(80)], [float(i) for i in range(80)]
    >>> bough.BagBooRegressor(random_state=0).fit(X, y).predict([[40, -40]]).round(0)
    array([37.])

    """

    def _default(self) -> Learner:
        return GradientBoostingRegressor(max_iter=20, max_leaf_nodes=8)
