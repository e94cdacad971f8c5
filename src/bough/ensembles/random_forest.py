"""Random forests (Breiman 2001): trees grown on samples of the rows, with columns sampled at each node."""

from __future__ import annotations

from bough.ensembles.classifier import ForestClassifierEstimator
from bough.ensembles.parameters import (
    BinnedForestParameters,
    ClassForestParameters,
    LevelForestParameters,
    NumberForestParameters,
)
from bough.ensembles.regressor import ForestRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters


@keyword_parameters
class RandomForestClassifier(
    BinnedForestParameters, LevelForestParameters, ClassForestParameters, ForestClassifierEstimator
):
    """Random forest classifier.

    y may have several columns, one for each of several targets; the forest predicts all of them.

    Text and categorical columns need no encoding: a split divides their levels into two sets. Missing values
    need no imputation. Parameters have scikit-learn's names; those of R's randomForest and ranger are in
    parentheses.

    Parameters
    ----------
    max_exhaustive_levels
        With `nominal="subset"` and three classes or more, all sets are tried for at most this many levels.

    Examples
    --------
    >>> import bough
    >>> X = [["search", 15], ["search", 10], ["other", 5], ["ad", 15], ["ad", 10], ["other", 10], ["ad", 5]]
    >>> y = ["yes", "yes", "no", "yes", "no", "no", "no"]
    >>> forest = bough.RandomForestClassifier(100, random_state=0).fit(X, y)
    >>> forest.predict([["search", 12], ["other", 5]])
    array(['yes', 'no'], dtype='<U3')

    """

    max_exhaustive_levels: int = 12


@keyword_parameters
class RandomForestRegressor(
    BinnedForestParameters, LevelForestParameters, NumberForestParameters, ForestRegressorEstimator
):
    """Random forest regressor, which predicts the mean of its trees.

    y may have several columns, one for each of several targets; the forest predicts all of them.

    Examples
    --------
    >>> import bough
    >>> X = [[year / 10] for year in range(100)]
    >>> forest = bough.RandomForestRegressor(50, random_state=0).fit(X, [2 * year for year in range(100)])
    >>> forest.predict([[5.0]]).round()
    array([100.])

    """
