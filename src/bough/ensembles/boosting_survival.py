"""Gradient boosting of censored times by Cox's partial likelihood."""

from __future__ import annotations

from typing import Any, Self

from bough.ensembles.boosting_estimator import BoostingEstimator
from bough.ensembles.boosting_parameters import boosting_recipe, options_of_gbm
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.survival_estimator import ScoredByConcordance


@keyword_parameters
class GradientBoostingSurvival(ScoredByConcordance, BoostingEstimator):
    """Gradient boosting for censored times: a sum of trees, fitted to Cox's partial likelihood.

    The score of a row is the logarithm of its hazard relative to that of a row of score 0. `y` is a pair
    (time, status) or a table of these two columns, as in `bough.CARTSurvival`. Ties of times are treated as
    Breslow's.

    Parameters
    ----------
    loss
        "cox".

    Examples
    --------
    >>> import bough
    >>> X, time, status = [[i] for i in range(40)], [40.0 - i for i in range(40)], [1, 1, 1, 0] * 10
    >>> model = bough.GradientBoostingSurvival(max_iter=20, min_samples_leaf=5).fit(X, (time, status))
    >>> model.predict([[35]]) > model.predict([[5]])
    array([ True])

    """

    loss: str = "cox"

    @classmethod
    def like_gbm(cls, **options: Any) -> Self:
        """Return a learner that boosts as R's gbm does with `distribution="coxph"` and these options.

        The options are those of `GradientBoostingClassifier.like_gbm`.

        >>> GradientBoostingSurvival.like_gbm(n_trees=60).variant
        'gbm'
        """
        return cls(**options_of_gbm(options, "times", "coxph"))

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> GradientBoostingSurvival().recipe().response
        'times'
        """
        return boosting_recipe(self, "times", {"loss": self.loss})
