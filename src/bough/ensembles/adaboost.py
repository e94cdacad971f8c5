"""AdaBoost: classifiers that vote, fitted to rows that the ones before got wrong, and AdaBoost.R2."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from bough.ensembles.reweighted import ReweightedClassifier, ReweightedEstimator
from bough.growing.draws import EnsembleKind
from bough.growing.limits import check_number
from bough.growing.pruning import check_choice, check_flag
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.tree import TreeClassifier, TreeRegressor
from bough.types import Floats, Task


@keyword_parameters
class AdaBoostClassifier(ReweightedClassifier):
    """AdaBoost classifier (Freund and Schapire 1997): each learner gets more weight on rows that were wrong.

    Parameters
    ----------
    estimator
        Any classifier of bough; None is a `TreeClassifier` with one split.
    n_estimators
        The maximum number of learners. There are fewer if one makes no error, which ends the rounds, or if
        one is no better than chance.
    learning_rate
        The factor of the learners' weights.
    variant
        "samme" (Zhu, Zou, Rosset and Hastie 2009): with K classes a learner needs an error below 1 − 1/K. It
        votes with weight ln((1 − e) / e) + ln(K − 1), where e is its weighted error. "discrete": AdaBoost.M1;
        a learner needs an error below 1/2 and votes with weight ln((1 − e) / e). With two classes both are
        the same. "real" (Friedman, Hastie and Tibshirani 2000; SAMME.R with more than two classes): learners
        contribute the logarithms of their class probabilities.

    Attributes
    ----------
    estimators_, estimator_weights_, estimator_errors_
        The learners, their weights and their weighted errors.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]
    >>> bough.AdaBoostClassifier(n_estimators=3).fit(X, y).predict(X)
    array(['a', 'b', 'a', 'b'], dtype='<U1')

    """

    _kind: ClassVar[EnsembleKind] = "adaboost"

    learning_rate: float = 1.0
    variant: str = "samme"

    def _default(self) -> Any:
        return TreeClassifier(max_depth=1)

    def _settings(self) -> dict[str, Any]:
        check_choice("variant", self.variant, ("samme", "discrete", "real"))
        return {"variant": self.variant, "learning_rate": checked_rate(self.learning_rate)}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learners to the rows of X and the classes y.

        >>> AdaBoostClassifier().fit([[1.0], [2.0]] * 9, ["a", "b"] * 9).estimator_errors_
        array([0.])
        """
        self.estimator_errors_ = self._fit(X, y, sample_weight)["errors"]
        return self


@keyword_parameters
class AdaBoostRegressor(RegressorMixin, ReweightedEstimator):  # type: ignore[misc]
    """AdaBoost.R2 (Drucker 1997): the weighted median of learners, fitted mostly to rows of large errors.

    Parameters
    ----------
    estimator
        Any regressor of bough; None is a `TreeRegressor` of depth 3.
    n_estimators
        The maximum number of learners. The rounds end with one that makes no error, or before one whose mean
        loss is at least 1/2.
    learning_rate
        The factor of the learners' weights.
    loss
        The loss of a row, given its absolute error divided by the largest one: "linear", "square" or
        "exponential".
    bootstrap
        Whether each learner is fitted to rows that are drawn by their weights, as in the paper; otherwise it
        is given the weights.
    random_state
        Seed of the draws, and of learners whose own `random_state` is None.

    Attributes
    ----------
    estimators_, estimator_weights_, estimator_errors_
        The learners, their weights ln((1 − e) / e), and their mean losses e.

    Examples
    --------
    >>> import bough
    >>> X, y = [[float(i)] for i in range(40)], [float(i % 20) for i in range(40)]
    >>> bough.AdaBoostRegressor(random_state=0).fit(X, y).predict([[10.0]]).round(1)
    array([10.2])

    """

    _kind: ClassVar[EnsembleKind] = "adaboost_r2"
    _members: ClassVar[Task] = "regression"

    learning_rate: float = 1.0
    loss: str = "linear"
    bootstrap: bool = True

    def _default(self) -> Any:
        return TreeRegressor(max_depth=3)

    def _settings(self) -> dict[str, Any]:
        check_choice("loss", self.loss, ("linear", "square", "exponential"))
        check_flag("bootstrap", self.bootstrap)
        rate = checked_rate(self.learning_rate)
        return {"loss": self.loss, "learning_rate": rate, "bootstrap": bool(self.bootstrap)}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learners to the rows of X and the numbers y.

        >>> X, y = [[1.0], [2.0]] * 9, [10.0, 20.0] * 9
        >>> AdaBoostRegressor(random_state=0).fit(X, y).predict([[3.0]])
        array([20.])
        """
        self.estimator_errors_: Floats = self._fit(X, y, sample_weight)["errors"]
        return self


def checked_rate(learning_rate: Any) -> float:
    """Return the checked value of `learning_rate`.

    >>> checked_rate(0)
    Traceback (most recent call last):
    bough.errors.ParameterError: learning_rate is 0; it must be a
    finite number above 0.
    """
    check_number("learning_rate", learning_rate, 0.0, np.inf, above=True)
    return float(learning_rate)
