"""CART (Breiman, Friedman, Olshen and Stone 1984): binary trees, grown large, pruned by cost complexity."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Self

from bough.errors import ParameterError
from bough.growing.combinations import Combinations
from bough.growing.criterion import Criterion
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.learners.cost_complexity import CostComplexityEstimator
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import CARTParameters, ClassParameters, LevelParameters, RateParameters
from bough.learners.rates import check_rates
from bough.learners.rpart_options import options_of_rpart


@keyword_parameters
class CARTClassifier(
    CARTParameters, ClassParameters, LevelParameters, CostComplexityEstimator, TreeClassifierEstimator
):
    """CART classification tree: binary splits, pruned by 10-fold cross-validation and the 1-SE rule.

    y may have several columns, one for each of several targets; a single tree predicts all of them.

    Text and categorical columns need no encoding: a split divides their levels into two sets. Missing values
    need no imputation: such rows are routed by surrogate splits.

    Parameters
    ----------
    criterion
        "gini" (the authors' choice), "twoing", "entropy", "deviance" (or "log_loss"), "gain_ratio",
        "chi_square", "misclassification", "generalized_gini", or a function (see
        `bough.growing.criterion.UserCriterion`).
    prior
        Prior probabilities of the classes: None uses their frequencies in the training rows, "equal" gives
        each class the same, a dict maps a class to its probability, a list follows the sorted classes.
    loss_matrix
        Loss of each misclassification: None for 1 each, a dict from (true class, predicted class) to the
        loss, or a matrix with a row for each true class and a column for each predicted class, both sorted.
        Leaves predict the class of least expected loss. Splits are evaluated with altered priors, or with
        the losses themselves under "generalized_gini".

    Examples
    --------
    >>> import bough
    >>> X = [["search", 15], ["search", 10], ["other", 5], ["ad", 15], ["ad", 10], ["other", 10], ["ad", 5]]
    >>> y = ["yes", "yes", "no", "yes", "no", "no", "no"]
    >>> print(bough.CARTClassifier(prune="none").fit(X, y).tree_)
    Classification tree: 3 leaves, depth 2, 7 cases
    <BLANKLINE>
    node  condition                cases  answer  no/yes  (* leaf)
       0  all                          7  no      4/3
       1    x0 in {ad, other}          5  no      4/1
       3      x1 < 12.5                4  no      4/0  *
       4      x1 >= 12.5               1  yes     0/1  *
       2    x0 = search                2  yes     0/2  *

    """

    criterion: Criterion = field(default="gini", kw_only=False)
    prior: Any = None
    loss_matrix: Any = None

    @classmethod
    def like_rpart(cls, **options: Any) -> Self:
        """Return a learner that grows the same tree as R's rpart with these options, given by rpart's names.

        The options of rpart are `minsplit`, `minbucket`, `cp`, `maxcompete`, `maxsurrogate`, `usesurrogate`,
        `xval`, `surrogatestyle`, `maxdepth`, `split` ("gini" or "information"), `prior`, `loss` and `cost`;
        every other name is a parameter of this class. As in R, the tree is pruned with `cp` and
        cross-validation does not choose the tree.

        >>> CARTClassifier.like_rpart(cp=0.02, usesurrogate=1).missing
        'surrogates_then_stop'
        """
        return cls(**options_of_rpart(options, "classes"))

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> CARTClassifier(max_depth=2).recipe().nominal
        'subset'
        """
        return Recipe(
            self.criterion,
            nominal="subset",
            max_exhaustive_levels=self.max_exhaustive_levels,
            prior=self.prior,
            loss_matrix=self.loss_matrix,
            **self._class_parts(),
            **cart_parts(self),
        )

    def _counts_errors(self) -> bool:
        return True


@keyword_parameters
class CARTRegressor(CARTParameters, RateParameters, CostComplexityEstimator, TreeRegressorEstimator):
    """CART regression tree: binary splits, pruned by 10-fold cross-validation and the 1-SE rule.

    y may have several columns, one for each of several targets; a single tree predicts all of them.

    Parameters
    ----------
    criterion
        "squared_error", "absolute_error" (leaves predict medians), "poisson" (leaves predict event rates, per
        unit of `exposure` if fit is given one), or a function.

    Examples
    --------
    >>> import bough
    >>> model = bough.CARTRegressor(max_depth=1, prune="none")
    >>> model.fit([[1.0], [2.0], [4.0], [5.0]], [10, 11, 20, 21]).predict([[3.5]])
    array([20.5])

    """

    criterion: Criterion = field(default="squared_error", kw_only=False)

    @classmethod
    def like_rpart(cls, **options: Any) -> Self:
        """Return a learner that grows the same tree as R's rpart with these options, given by rpart's names.

        The options are those of `CARTClassifier.like_rpart` and `method` ("anova" or "poisson"); "poisson"
        adds `shrink` and `error` ("deviance" or "sqrt").

        >>> CARTRegressor.like_rpart(method="poisson", minsplit=10).min_samples_leaf
        3
        """
        return cls(**options_of_rpart(options, "numbers"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> Self:
        """Fit the tree to the rows of X and the numbers y.

        With criterion "poisson", y holds numbers of events and `exposure` the time in which they were
        observed. A weight of 2 is equivalent to the row given twice, a weight of 0 to the row left out.

        >>> model = CARTRegressor("poisson", shrink=0, prune="none")
        >>> model.fit([[1.0], [2.0]], [3, 1], exposure=[2.0, 4.0]).predict([[1.0]])
        array([1.5])
        """
        if exposure is not None and self._counts_errors():
            raise ParameterError.of("exposure", "given", "None unless the criterion is 'poisson'")
        self._fit(X, y, sample_weight, exposure)
        return self

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> CARTRegressor().recipe().criterion
        'squared_error'
        """
        check_rates(self.shrink, self.cv_error)
        counts_events = not self._counts_errors()
        return Recipe(
            self.criterion,
            nominal="subset",
            zero_rates=counts_events and self.combinations is None,
            shrink=self.shrink if counts_events else 0.0,
            task="regression",
            **cart_parts(self),
        )

    def _counts_errors(self) -> bool:
        return not (isinstance(self.criterion, str) and self.criterion == "poisson")


def cart_parts(learner: Any) -> dict[str, Any]:
    """Return the parts of the recipe that the CART classifier, regressor and survival tree share.

    >>> cart_parts(CARTRegressor(n_competitors=2))["n_competitors"]
    2
    """
    combinations = getattr(learner, "combinations", None)
    if combinations is not None:
        combinations = Combinations(
            combinations,
            learner.combination_features,
            learner.combination_penalty,
            learner.combination_deletion,
        )
    return {
        "limits": Limits.of(learner),
        "missing": learner._missing(),
        "n_surrogates": learner.n_surrogates,
        "agreement": learner.agreement,
        "surrogate_rule": learner.surrogate_rule,
        "n_competitors": learner.n_competitors,
        "column_costs": learner.column_costs,
        "monotonic_cst": getattr(learner, "monotonic_cst", None),
        "max_bins": getattr(learner, "max_bins", None),
        "count": learner.count,
        "combinations": combinations,
        "pruning": learner._pruning(),
        "scales": learner._scales(),
    }
