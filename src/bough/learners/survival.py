"""Survival trees: CART for times until an event, some of them censored (method "exp" of R's rpart)."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from bough.data.readers import take
from bough.data.survival import read_survival, rescaled_times
from bough.data.target import Weights, read_weights
from bough.engines.native import Sample
from bough.growing.recipe import Agreement, Costs, Missing, Recipe, SurrogateRule
from bough.learners.concordance import concordance
from bough.learners.conventions import check_lengths, present_rows, required
from bough.learners.cost_complexity import CostComplexityEstimator, Count, Prune, with_values
from bough.learners.estimator import Given
from bough.learners.rates import check_rates, sample_of_rates
from bough.learners.rpart_options import options_of_rpart
from bough.pruning import PathMethod
from bough.types import Floats


class CARTSurvival(CostComplexityEstimator):
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

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_improvement: float = 0.0,
        count: Count = "cases",
        shrink: float = 1.0,
        cv_error: Literal["deviance", "sqrt"] = "deviance",
        costs: Costs | None = None,
        missing: Missing | Literal["auto"] = "auto",
        n_surrogates: int = 5,
        agreement: Agreement = "all",
        surrogate_rule: SurrogateRule = "two_each_way",
        n_competitors: int = 0,
        prune: Prune = "one_se",
        cv: Any = 10,
        cp: float = 0.0,
        ccp_alpha: float | None = None,
        path: PathMethod = "weakest_link",
        random_state: Any = 0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_improvement = min_improvement
        self.count = count
        self.shrink = shrink
        self.cv_error = cv_error
        self.costs = costs
        self.missing = missing
        self.n_surrogates = n_surrogates
        self.agreement = agreement
        self.surrogate_rule = surrogate_rule
        self.n_competitors = n_competitors
        self.prune = prune
        self.cv = cv
        self.cp = cp
        self.ccp_alpha = ccp_alpha
        self.path = path
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

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
        self._check_pruning()
        check_rates(self.shrink, self.cv_error)
        return Recipe(
            self.criterion,
            nominal="subset",
            limits=self._limits(),
            missing=self._missing(),
            n_surrogates=self.n_surrogates,
            agreement=self.agreement,
            surrogate_rule=self.surrogate_rule,
            n_competitors=self.n_competitors,
            costs=self.costs,
            zero_rates=True,
            task="regression",
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree for the times and statuses y of the rows of X.

        A weight of 2 is the row twice and a weight of 0 is the row absent.

        >>> CARTSurvival(prune="none").fit([[1], [2]], ([1.0, 4.0], [1, 1])).tree_.n_leaves
        2
        """
        recipe = self.recipe()
        table = self._read_table(X)
        time, events = read_survival(required(self, y))
        check_lengths(table, len(time))
        weights = read_weights(sample_weight, table.n_rows)
        n_rows = table.n_rows
        rows = np.arange(n_rows)
        if (present := present_rows(weights)) is not None:
            rows, weights = present, weights.take(present)
            table = self._read_table(take(X, rows))
        if recipe.missing not in ("majority", "refuse"):
            # Rows that no split can place must not bend the scale of the times.
            table, kept, rows = with_values(table, Sample(events[rows], weights), rows)
            weights = kept.weights
        self._grow(table, self._sample(time[rows], events[rows], weights), recipe, Given(n_rows, rows, None))
        return self

    def _sample(self, time: Floats, events: Floats, weights: Weights) -> Sample:
        exposure = rescaled_times(time, events, weights.weight if self.count == "cases" else None)
        return sample_of_rates(events, exposure, weights, self.shrink)

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
        time, events = read_survival(required(self, y))
        return concordance(time, events, self.predict(X), sample_weight)
