"""Random subspaces (Ho 1998): each tree is grown on a sample of the columns."""

from __future__ import annotations

from typing import Any, ClassVar

from bough.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from bough.learners.keyword_parameters import keyword_parameters


@keyword_parameters
class SubspaceParameters:
    """The sampling of columns for each tree instead of each node.

    Parameters
    ----------
    max_features
        Number of columns of each tree: "sqrt", "log2", a number, a fraction, or None for all.
    bootstrap
        Whether each tree is grown on a sample of the rows; by default it is grown on all rows.

    """

    max_features: Any = 0.5
    bootstrap: bool = False

    _columns_by_tree: ClassVar[bool] = True


@keyword_parameters
class RandomSubspaceClassifier(SubspaceParameters, RandomForestClassifier):
    """Random subspace classifier (Ho 1998): a forest whose trees use a random selection of the columns.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]], ["low", "low", "high", "high"]
    >>> bough.RandomSubspaceClassifier(10, random_state=0).fit(X, y).predict([[1.2, 1.2]])
    array(['low'], dtype='<U4')

    """


@keyword_parameters
class RandomSubspaceRegressor(SubspaceParameters, RandomForestRegressor):
    """Random subspace regressor (Ho 1998): a forest whose trees use a random selection of the columns.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x), -float(x)] for x in range(50)]
    >>> bough.RandomSubspaceRegressor(10, random_state=0).fit(X, list(range(50))).predict([[20.0, -20.0]])
    array([20.])

    """
