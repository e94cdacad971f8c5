"""scikit-learn's AdaBoost, with bough's trees."""

from __future__ import annotations

from typing import Any

import sklearn.ensemble

from bough.sklearn.inheriting import Convertible
from bough.sklearn.trees import DecisionTreeClassifier, DecisionTreeRegressor


class BoughBoosting(Convertible):
    """The parts of scikit-learn's AdaBoost that bough replaces; a mixin before scikit-learn's class.

    A learner that is not given is one of bough's trees, with scikit-learn's default depth.
    """

    def _tree(self) -> Any:
        """Return the learner to use if none is given."""

    def _validate_estimator(self: Any) -> None:
        given = self.estimator
        try:
            self.estimator = self._tree() if given is None else given
            super()._validate_estimator()  # type: ignore[misc]
        finally:
            self.estimator = given


class AdaBoostClassifier(BoughBoosting, sklearn.ensemble.AdaBoostClassifier):  # type: ignore[misc]
    """scikit-learn's `AdaBoostClassifier`; its default learner is bough's tree.

    >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
    >>> AdaBoostClassifier().fit(X, y).predict([[3.0]])
    array(['b'], dtype='<U1')
    """

    def _tree(self) -> Any:
        return DecisionTreeClassifier(max_depth=1)


class AdaBoostRegressor(BoughBoosting, sklearn.ensemble.AdaBoostRegressor):  # type: ignore[misc]
    """scikit-learn's `AdaBoostRegressor`; its default learner is bough's tree.

    >>> AdaBoostRegressor(random_state=0).fit([[1.0], [2.0]] * 5, [10.0, 20.0] * 5).predict([[3.0]])
    array([20.])
    """

    def _tree(self) -> Any:
        return DecisionTreeRegressor(max_depth=3)
