"""Survival trees: CART for censored times until an event (method "exp" of R's rpart)."""

from __future__ import annotations

from typing import Any, Self

from bough.growing.recipe import Recipe
from bough.learners.cart import cart_parts
from bough.learners.cost_complexity import CostComplexityEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import RateParameters, SurrogateParameters
from bough.learners.rates import check_rates
from bough.learners.rpart_options import options_of_rpart
from bough.learners.survival_estimator import SurvivalTreeEstimator


@keyword_parameters
class CARTSurvival(SurrogateParameters, RateParameters, SurvivalTreeEstimator, CostComplexityEstimator):
    """CART survival tree: predicts relative hazards, pruned by cross-validation and the 1-SE rule.

    Times are rescaled so that the overall event rate is constant and equal to 1 (`bough.rescaled_times`), and
    a Poisson tree is grown with the rescaled times as exposure. A leaf predicts its hazard relative to that
    of all rows: 2 means that events occur twice as fast. The method assumes proportional hazards: the ratio
    between the hazards of two leaves does not change with time (LeBlanc and Crowley 1992).

    `y` is a pair (time, status), a table of these two columns, or a structured array as in scikit-survival;
    in tables and structured arrays the boolean column is the status. The status is 1 if the event was
    observed at the time and 0 if the time is censored. scikit-learn can split a table or structured array
    into folds, but not a pair. Because y has two parts, scikit-learn does not count this estimator as a
    regressor: it can be cloned, tuned and cross-validated, and its `score` is Harrell's concordance index,
    but scikit-learn's estimator checks, which pass one number for each row, do not apply.

    `count` also applies to the rescaling of times: with "cases" a row of weight 2 counts twice, with "rows"
    it counts once, as in rpart.

    Examples
    --------
    >>> import bough
    >>> X, time, status = [[1], [2], [3], [4], [5]], [8.0, 9.0, 7.0, 2.0, 3.0], [1, 0, 1, 1, 1]
    >>> model = bough.CARTSurvival(max_depth=1, prune="none").fit(X, (time, status))
    >>> model.predict([[1], [4]]).round(2)
    array([0.56, 1.64])
    >>> model.score(X, (time, status))
    0.8

    """

    criterion = "poisson"

    @classmethod
    def like_rpart(cls, **options: Any) -> Self:
        """Return a learner that grows the same tree as R's rpart, method "exp", with these options.

        The options are those of `CARTClassifier.like_rpart`, `shrink` and `error` ("deviance" or "sqrt").

        >>> CARTSurvival.like_rpart(minsplit=10, error="sqrt").shrink
        0.0
        """
        return cls(**options_of_rpart(options, "survival"))

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> CARTSurvival().recipe().criterion
        'poisson'
        """
        check_rates(self.shrink, self.cv_error)
        return Recipe(
            self.criterion,
            nominal="subset",
            zero_rates=True,
            shrink=self.shrink,
            response="times",
            task="regression",
            **cart_parts(self),
        )
