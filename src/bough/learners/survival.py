"""Survival trees: CART for times until an event, some of them censored (method "exp" of R's rpart)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from bough.data.survival import read_survival
from bough.growing.recipe import Recipe
from bough.learners.cart import cart_parts
from bough.learners.concordance import concordance
from bough.learners.conventions import required
from bough.learners.cost_complexity import CostComplexityEstimator
from bough.learners.parameters import RateParameters, SurrogateParameters
from bough.learners.rates import check_rates
from bough.learners.rpart_options import options_of_rpart
from bough.types import Floats


@dataclass(eq=False, repr=False, kw_only=True)
class CARTSurvival(SurrogateParameters, RateParameters, CostComplexityEstimator):
    """A binary tree of hazards, for times until an event; pruned by cross-validation and the 1-SE rule.

    Times are rescaled so that the events of all rows come at rate 1 throughout (`bough.rescaled_times`), and
    a Poisson tree is grown on the events that came in them. So a leaf answers with its hazard relative to
    that of all rows: 2 where events come twice as fast. That takes hazards to be proportional: another
    leaf's is another all along by the same factor (LeBlanc and Crowley 1992).

    `y` is a pair (time, status), a table of these two columns, or the structured array of scikit-survival; in
    tables and structured arrays the column of truth values is the status. The status is 1 where the event
    came at the time and 0 where observation ended without it. A table or structured array can be cut into
    folds by scikit-learn, a pair cannot. As a y of two parts is no number, this is not a regressor to
    scikit-learn: it can be cloned, searched over and cross-validated, and its `score` is Harrell's
    concordance index, but scikit-learn's checks of estimators, which give one number a row, do not apply.

    Parameters are those of `CARTRegressor` under "poisson", but for `criterion`. `count` says of times, too,
    what a weight of 2 is: "cases" rescales them by rows that count as often as they weigh, "rows" counts each
    row once, as rpart does.

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
        """Return the learner that grows the tree of R's rpart, method "exp", with these of its options.

        As `CARTClassifier.like_rpart`, with `shrink` and `error` ("deviance" or "sqrt").

        >>> CARTSurvival.like_rpart(minsplit=10, error="sqrt").shrink
        0.0
        """
        return cls(**options_of_rpart(options, "survival"))

    def recipe(self) -> Recipe:
        """Return CART's recipe with these parameters.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the tree to the times and statuses y of the rows of X.

        A weight of 2 is the row twice and a weight of 0 is the row absent.

        >>> CARTSurvival(prune="none").fit([[1], [2]], ([1.0, 4.0], [1, 1])).tree_.n_leaves
        2
        """
        self._fit(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the hazard where each row ends, relative to that of all rows: 1 is as theirs.

        >>> model = CARTSurvival(prune="none", shrink=0).fit([[1], [2]], ([1.0, 4.0], [1, 1]))
        >>> model.predict([[2]]).round(3)
        array([0.667])
        """
        table = self._checked(X)
        return self.tree_.predict(table, self.n_jobs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return Harrell's concordance index of the hazards predicted: 1 is the best, 0.5 is chance.

        Of the pairs of rows whose order in time is known, it is the share where the greater hazard has the
        earlier event; equal hazards count half.

        >>> X, y = [[1], [2], [3]], ([1.0, 4.0, 6.0], [1, 1, 0])
        >>> CARTSurvival(prune="none").fit(X, y).score(X, y)
        1.0
        """
        time, events = read_survival(required(type(self).__name__, y))
        return concordance(time, events, self.predict(X), sample_weight)
