"""Decision stumps: trees of one split, as in Weka."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags

from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import SmoothingParameters


@keyword_parameters
class DecisionStumpClassifier(SmoothingParameters, TreeClassifierEstimator):
    """Decision stump: the one split of least entropy, with a branch of its own for missing values.

    A nominal column is split into one level and all others, a numeric one at a threshold. If no value was
    missing in training, a missing value is predicted from all rows. The stumps are those of Weka.

    Examples
    --------
    >>> import bough
    >>> model = bough.DecisionStumpClassifier().fit([[1], [2], [3], [None]], ["a", "a", "b", "b"])
    >>> print(model.tree_)
    Classification tree: 3 leaves, depth 1, 4 cases
    <BLANKLINE>
    node  condition          cases  answer  a/b  (* leaf)
       0  all                    4  a       2/2
       1    x0 < 2.5             2  a       2/0  *
       2    x0 >= 2.5            1  b       0/1  *
       3    x0 is missing        1  b       0/1  *

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> DecisionStumpClassifier().recipe().limits.max_depth
        1
        """
        return Recipe(
            "entropy",
            smoothing=self.smoothing,
            task="classification",
            **_stump_parts(self),
        )

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that one split may predict badly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


@keyword_parameters
class DecisionStumpRegressor(TreeRegressorEstimator):
    """Decision stump for numbers: the one split of least squared error, as in Weka.

    Examples
    --------
    >>> import bough
    >>> bough.DecisionStumpRegressor().fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0]).predict([[1], [9]])
    array([1., 6.])

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> DecisionStumpRegressor().recipe().criterion
        'squared_error'
        """
        return Recipe("squared_error", task="regression", **_stump_parts(self))

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that one split may predict badly."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def _stump_parts(learner: DecisionStumpClassifier | DecisionStumpRegressor) -> dict[str, Any]:
    return {
        "nominal": "one_vs_rest",
        "limits": Limits(max_depth=1),
        "missing": "own_level",
        "scales": learner._scales(),
        "settings": {"program": "DecisionStump"},
    }
