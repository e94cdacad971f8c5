"""Recipes of bough for the parameters of scikit-learn's trees."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from bough.growing.recipe import Recipe
from bough.learners.tree import TreeClassifier, TreeRegressor

_CRITERIA = {
    "log_loss": "entropy",
    "friedman_mse": "squared_error",
    "Gini": "gini",
    "Entropy": "entropy",
    "MSE": "squared_error",
    "FriedmanMSE": "squared_error",
    "MAE": "absolute_error",
    "Poisson": "poisson",
}
"""Criteria that have another name in bough, and the classes of scikit-learn's criterion objects."""


def criterion_of(learner: Any) -> str:
    """Return bough's name of the criterion, which scikit-learn also takes as an object.

    >>> from bough.sklearn import DecisionTreeClassifier
    >>> criterion_of(DecisionTreeClassifier(criterion="log_loss"))
    'entropy'
    """
    given = learner.criterion
    name = given if isinstance(given, str) else type(given).__name__
    return _CRITERIA.get(name, name)


def tree_recipe(learner: Any, n_samples: int) -> Recipe:
    """Return the recipe for a scikit-learn tree whose `max_features_` and `n_features_in_` are known.

    Fractions of rows refer to all rows given, with those of weight 0.

    >>> from bough.sklearn import DecisionTreeRegressor
    >>> learner = DecisionTreeRegressor(min_samples_leaf=0.1)
    >>> learner.n_features_in_ = learner.max_features_ = 3
    >>> learner.n_outputs_ = 1
    >>> tree_recipe(learner, 50).limits.min_samples_leaf
    5
    """
    own = TreeClassifier if is_classifier(learner) else TreeRegressor
    draws = learner.splitter == "random" or learner.max_features_ < learner.n_features_in_
    return own(
        criterion_of(learner),
        max_depth=learner.max_depth,
        min_samples_split=max(2, n_rows(learner.min_samples_split, n_samples)),
        min_samples_leaf=n_rows(learner.min_samples_leaf, n_samples),
        min_weight_fraction_leaf=learner.min_weight_fraction_leaf,
        max_leaf_nodes=learner.max_leaf_nodes,
        min_impurity_decrease=learner.min_impurity_decrease,
        max_features=learner.max_features_ if draws else None,
        splitter=learner.splitter,
        random_state=check_random_state(learner.random_state) if draws else None,
        monotonic_cst=constraints(learner),
    ).recipe()


def n_rows(limit: Any, n_samples: int) -> int:
    """Return a limit as a number of rows.

    >>> n_rows(5, 100), n_rows(0.051, 100)
    (5, 6)
    """
    return int(limit) if isinstance(limit, Integral) else math.ceil(limit * n_samples)


def n_searched(max_features: Any, n_columns: int) -> int:
    """Return the number of columns that a node searches, by scikit-learn's rules.

    >>> [n_searched(each, 10) for each in (None, "sqrt", "log2", 4, 0.05)]
    [10, 3, 3, 4, 1]
    """
    if max_features is None:
        return n_columns
    if isinstance(max_features, str):
        root = np.sqrt(n_columns) if max_features == "sqrt" else np.log2(n_columns)
        return max(1, int(root))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * n_columns))


def constraints(learner: Any) -> Any:
    """Return the monotonic constraints of a learner; raise scikit-learn's errors if they are invalid.

    >>> from bough.sklearn import DecisionTreeRegressor
    >>> learner = DecisionTreeRegressor(monotonic_cst=[1, 0])
    >>> learner.n_features_in_, learner.n_outputs_ = 2, 1
    >>> constraints(learner)
    [1, 0]
    """
    if learner.monotonic_cst is None:
        return None
    given = np.asarray(learner.monotonic_cst)
    if learner.n_outputs_ > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    if given.shape[0] != learner.n_features_in_:
        raise ValueError(
            f"monotonic_cst has shape {given.shape[0]} but the input data X has {learner.n_features_in_} "
            "features."
        )
    if not np.isin(given, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(given)}"
        )
    if is_classifier(learner) and np.max(learner.n_classes_) > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification")
    return [int(direction) for direction in given]
