"""LogitBoost (Friedman, Hastie and Tibshirani 2000): a logistic model that is a sum of regression trees."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from bough.ensembles.adaboost import checked_rate
from bough.ensembles.reweighted import ReweightedClassifier
from bough.growing.draws import EnsembleKind
from bough.growing.limits import check_number
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.tree import TreeRegressor
from bough.types import Task


@keyword_parameters
class LogitBoostClassifier(ReweightedClassifier):
    """LogitBoost classifier: a sum of regressors, each fitted by weighted least squares (a Newton step).

    In each round the target of a row is (y − p) / (p (1 − p)) and its weight p (1 − p), where p is the
    probability so far. With more than two classes, each round fits a regressor for every class.

    Parameters
    ----------
    estimator
        Any regressor of bough; None is a `TreeRegressor` with one split.
    n_estimators
        The number of rounds.
    learning_rate
        The factor of what each regressor adds.
    max_response
        The largest absolute value of the target of a regressor; the paper suggests 2 to 4.

    Attributes
    ----------
    model_
        The committee of all regressors' models.
    estimators_, estimator_weights_
        The regressors, and the factor of what each adds to the score of its class.
    training_loss_
        The log-loss on the training rows after each round.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]
    >>> bough.LogitBoostClassifier().fit(X, y).predict(X)
    array(['a', 'b', 'a', 'b'], dtype='<U1')

    """

    _kind: ClassVar[EnsembleKind] = "logitboost"
    _members: ClassVar[Task] = "regression"

    learning_rate: float = 1.0
    max_response: float = 4.0

    def _default(self) -> Any:
        return TreeRegressor(max_depth=1)

    def _settings(self) -> dict[str, Any]:
        check_number("max_response", self.max_response, 1.0, np.inf)
        rate = checked_rate(self.learning_rate)
        return {"learning_rate": rate, "max_response": float(self.max_response)}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressors to the rows of X and the classes y.

        >>> LogitBoostClassifier(n_estimators=1).fit([[1.0], [2.0]], ["a", "b"]).training_loss_.round(3)
        array([0.127])
        """
        self.training_loss_ = self._fit(X, y, sample_weight)["losses"]
        return self
