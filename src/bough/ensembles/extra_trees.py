"""Extremely randomized trees (Geurts, Ernst and Wehenkel 2006): one random split of each column is tried."""

from __future__ import annotations

from typing import ClassVar

from bough.ensembles.classifier import ForestClassifierEstimator
from bough.ensembles.parameters import ClassForestParameters, NumberForestParameters
from bough.ensembles.regressor import ForestRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters


@keyword_parameters
class ExtraTreesClassifier(ClassForestParameters, ForestClassifierEstimator):
    """Classifier of extremely randomized trees (Geurts et al. 2006); ranger's extratrees.

    y may have several columns, one for each of several targets; the forest predicts all of them.

    At each node, one random split of each sampled column is tried: a threshold drawn uniformly between the
    least and the greatest value in the node, or a random set of the levels in the node.

    By default every tree is grown on all rows.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "b"]], ["low", "low", "high", "high"]
    >>> bough.ExtraTreesClassifier(50, random_state=0).fit(X, y).predict([[1.2, "b"]])
    array(['low'], dtype='<U4')

    """

    _random_splits: ClassVar[bool] = True

    bootstrap: bool = False


@keyword_parameters
class ExtraTreesRegressor(NumberForestParameters, ForestRegressorEstimator):
    """Regressor of extremely randomized trees (Geurts et al. 2006); see `ExtraTreesClassifier`.

    y may have several columns, one for each of several targets; the forest predicts all of them.

    By default every tree is grown on all rows.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x)] for x in range(50)]
    >>> bough.ExtraTreesRegressor(50, random_state=0).fit(X, list(range(50))).predict([[20.0]])
    array([20.])

    """

    _random_splits: ClassVar[bool] = True

    bootstrap: bool = False
