"""scikit-learn's bagging, with bough's trees by default."""

from __future__ import annotations

from typing import Any

import sklearn.ensemble

from bough.sklearn.trees import DecisionTreeClassifier, DecisionTreeRegressor


class BaggingClassifier(sklearn.ensemble.BaggingClassifier):  # type: ignore[misc]
    """scikit-learn's `BaggingClassifier`; its default learner is bough's tree.

    >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
    >>> BaggingClassifier(random_state=0).fit(X, y).predict([[3.0]])
    array(['b'], dtype='<U1')
    """

    def _get_estimator(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator


class BaggingRegressor(sklearn.ensemble.BaggingRegressor):  # type: ignore[misc]
    """scikit-learn's `BaggingRegressor`; its default learner is bough's tree.

    >>> BaggingRegressor(random_state=0).fit([[1.0], [2.0]] * 5, [10.0, 20.0] * 5).predict([[3.0]])
    array([20.])
    """

    def _get_estimator(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator
