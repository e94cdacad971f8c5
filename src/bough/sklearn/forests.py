"""scikit-learn's forests, grown by bough."""

from __future__ import annotations

from typing import Any

import sklearn.ensemble

from bough.sklearn.inheriting import with_own_members
from bough.sklearn.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)


class BoughForest:
    """The parts of a scikit-learn forest that bough replaces; a mixin before scikit-learn's class."""


@with_own_members(DecisionTreeClassifier)
class RandomForestClassifier(BoughForest, sklearn.ensemble.RandomForestClassifier):  # type: ignore[misc]
    """scikit-learn's `RandomForestClassifier`, grown by bough.

    >>> X, y = [[1.0], [2.0]] * 5, ["a", "b"] * 5
    >>> RandomForestClassifier(10, random_state=0).fit(X, y).predict([[3.0]])
    array(['b'], dtype='<U1')
    """


@with_own_members(DecisionTreeRegressor)
class RandomForestRegressor(BoughForest, sklearn.ensemble.RandomForestRegressor):  # type: ignore[misc]
    """scikit-learn's `RandomForestRegressor`, grown by bough."""


@with_own_members(ExtraTreeClassifier)
class ExtraTreesClassifier(BoughForest, sklearn.ensemble.ExtraTreesClassifier):  # type: ignore[misc]
    """scikit-learn's `ExtraTreesClassifier`, grown by bough."""


@with_own_members(ExtraTreeRegressor)
class ExtraTreesRegressor(BoughForest, sklearn.ensemble.ExtraTreesRegressor):  # type: ignore[misc]
    """scikit-learn's `ExtraTreesRegressor`, grown by bough."""


@with_own_members(ExtraTreeRegressor)
class RandomTreesEmbedding(BoughForest, sklearn.ensemble.RandomTreesEmbedding):  # type: ignore[misc]
    """scikit-learn's `RandomTreesEmbedding`, grown by bough."""
