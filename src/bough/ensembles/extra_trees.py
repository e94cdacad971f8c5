"""Extremely randomized trees (Geurts, Ernst and Wehenkel 2006): of each column one random split is tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bough.ensembles.classifier import ForestClassifierEstimator
from bough.ensembles.parameters import ClassForestParameters, NumberForestParameters
from bough.ensembles.regressor import ForestRegressorEstimator


@dataclass(eq=False, repr=False, kw_only=True)
class ExtraTreesClassifier(ClassForestParameters, ForestClassifierEstimator):
    """Extremely randomized trees (Geurts et al. 2006) that answer with a class; ranger's extratrees.

    In a node, of each column looked at one split is tried: a cut drawn uniformly between the least and the
    greatest value there, or a random set of the levels there. Parameters are those of
    `RandomForestClassifier`; by default every tree gets all rows.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "b"]], ["low", "low", "high", "high"]
    >>> bough.ExtraTreesClassifier(50, random_state=0).fit(X, y).predict([[1.2, "b"]])
    array(['low'], dtype='<U4')

    """

    _random_splits: ClassVar[bool] = True

    bootstrap: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class ExtraTreesRegressor(NumberForestParameters, ForestRegressorEstimator):
    """Extremely randomized trees that answer with a number.

    Parameters are those of `RandomForestRegressor`; by default every tree gets all rows.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x)] for x in range(50)]
    >>> bough.ExtraTreesRegressor(50, random_state=0).fit(X, list(range(50))).predict([[20.0]])
    array([20.])

    """

    _random_splits: ClassVar[bool] = True

    bootstrap: bool = False
