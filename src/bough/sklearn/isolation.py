"""scikit-learn's isolation forest, grown by bough."""

from __future__ import annotations

from typing import Any

import sklearn.ensemble

from bough.sklearn.trees import ExtraTreeRegressor


class IsolationForest(sklearn.ensemble.IsolationForest):  # type: ignore[misc]
    """scikit-learn's `IsolationForest`, grown by bough.

    >>> IsolationForest(random_state=0).fit([[0.0], [0.1], [0.2], [0.1], [9.0]]).predict([[0.1], [9.0]])
    array([ 1, -1])
    """

    def _get_estimator(self) -> Any:
        return ExtraTreeRegressor(max_features=1, splitter="random", random_state=self.random_state)
