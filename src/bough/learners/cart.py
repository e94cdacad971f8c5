"""CART (Breiman, Friedman, Olshen and Stone 1984): binary trees, grown large, pruned by cost complexity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from bough.errors import ParameterError
from bough.growing.combinations import Combinations
from bough.growing.criterion import Criterion
from bough.growing.recipe import Recipe
from bough.learners.cost_complexity import CostComplexityEstimator
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.parameters import CARTParameters, ClassParameters, RateParameters
from bough.learners.rates import check_rates
from bough.learners.rpart_options import options_of_rpart


@dataclass(eq=False, repr=False, kw_only=True)
class CARTClassifier(CARTParameters, ClassParameters, CostComplexityEstimator, TreeClassifierEstimator):
    """A binary classification tree, pruned by 10-fold cross-validation and the 1-SE rule.

    Text and categoricals are taken as they are and split into two sets of levels; missing values are taken
    as they are and follow surrogate splits.

    Parameters
    ----------
    criterion
        "gini" (the authors' choice), "twoing", "entropy", "deviance" (or "log_loss"), "gain_ratio",
        "chi_square", "misclassification", or a function (see `bough.growing.criterion.UserCriterion`).
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        When to stop, by scikit-learn's names, as `max_leaf_nodes` and `min_impurity_decrease`, and
        `min_improvement`; see `bough.Limits`.
    count
        What the limits count where weights are whole numbers: "cases", a weight of 2 being two, or "rows".
    class_weight
        None, "balanced", or a dict from class to weight.
    prior
        How common the classes are taken to be: None as in the rows, "equal", a dict from class to
        probability, or a probability for each of the sorted classes.
    loss_matrix
        What an error costs: None 1 each, a dict from (true class, answer) to its loss, or a matrix with a row
        for each true class and a column for each answer, both sorted. Leaves answer with the class of least
        expected loss.
    column_costs
        What a column costs, by name or for each column: what its splits gain is divided by it.
    missing
        "auto" is "surrogates_then_majority", or "majority" where the criterion is a function. See
        `bough.growing.missing.Missing` for these and "surrogates_then_stop", "stop" and "refuse".
    n_surrogates, agreement, surrogate_rule
        How many surrogates each split keeps at most, of which rows their agreement is a share ("all" or
        "known"; see `bough.growing.recipe.Agreement`), which count (`bough.growing.recipe.SurrogateRule`).
    n_competitors
        How many of the best splits of other columns each node remembers.
    smoothing
        Of `predict_proba`: "none", "laplace", or the m of the m-estimate.
    prune
        "one_se": the smallest tree of the cost-complexity path whose cross-validated risk is at most one
        standard error above the least; "minimum": the one of the least; "cp": the tree that `cp` leaves,
        while `cp_table_` tells of the others; "none": the tree as it was grown. Or not by cost complexity:
        "reduced_error", "pessimistic", "error_based" or "mdl", or one of these with its own settings, such as
        `bough.pruning.ReducedError(cv=5)`.
    cv
        The number of folds, the fold of each row, or a scikit-learn splitter; under "cp" None does without.
    cp
        A split must bring down the risk by this share of the root's for each leaf that it adds; rpart's cp.
    ccp_alpha
        If given, the tree is pruned at this price of a leaf per unit of weight, without cross-validation.
    path
        "weakest_link" prunes exactly, "rpart" by the shortcut of R's rpart; see `bough.pruning`.
    random_state
        Draws the folds.
    combinations
        Splits over several numeric columns that compete with those of one column: "ratio" for x / y < t,
        "bivariate" for a·x + b·y < c, "linear" for the authors' linear combinations of any number of
        columns, or a tuple of these; None seeks none. See `bough.engines.combinations.Combinations`.
    combination_features
        The columns to combine: names, positions or a mask; None takes all numeric ones.
    combination_penalty
        By which share the value of a combination must exceed that of the best split of one column.
    combination_deletion
        A column leaves a linear combination if that costs less than this share of what leaving out the most
        important one costs; the authors' beta.
    categorical_features, ordinal_features
        Columns that are nominal or ordinal whatever their dtype says: names, positions or a mask; of ordinal
        ones also a dict to their levels in order.
    max_exhaustive_levels
        With three classes or more, all subsets are tried up to this many levels; beyond, those that a good
        ordering of the levels suggests.
    n_jobs
        Threads; None takes all cores. The tree is the same for any number.

    Attributes
    ----------
    tree_
        The pruned tree.
    grown_tree_
        The tree before it was pruned.
    cp_table_
        The path with its cross-validated risks, a `bough.pruning.CrossValidatedPath`: a table, and a plot.

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
    max_exhaustive_levels: int = 12

    @classmethod
    def like_rpart(cls, **options: Any) -> Self:
        """Return the learner that grows the tree of R's rpart with these of its options, by rpart's names.

        Those are `minsplit`, `minbucket`, `cp`, `maxcompete`, `maxsurrogate`, `usesurrogate`, `xval`,
        `surrogatestyle`, `maxdepth`, `split` ("gini" or "information"), `prior`, `loss` and `cost`; every
        other name is a parameter of this class. As in R, the tree is pruned at cp alone.

        >>> CARTClassifier.like_rpart(cp=0.02, usesurrogate=1).missing
        'surrogates_then_stop'
        """
        return cls(**options_of_rpart(options, "classes"))

    def recipe(self) -> Recipe:
        """Return CART's recipe with these parameters.

        >>> CARTClassifier(max_depth=2).recipe().nominal
        'subset'
        """
        return Recipe(
            self.criterion,
            nominal="subset",
            max_exhaustive_levels=self.max_exhaustive_levels,
            class_weight=self.class_weight,
            prior=self.prior,
            loss_matrix=self.loss_matrix,
            smoothing=self.smoothing,
            task="classification",
            **cart_parts(self),
        )

    def _counts_errors(self) -> bool:
        return True


@dataclass(eq=False, repr=False, kw_only=True)
class CARTRegressor(CARTParameters, RateParameters, CostComplexityEstimator, TreeRegressorEstimator):
    """A binary regression tree, pruned by 10-fold cross-validation and the 1-SE rule.

    Parameters are those of `CARTClassifier` without those of classes, and:

    Parameters
    ----------
    criterion
        "squared_error", "absolute_error" (whose leaves answer with medians), "poisson" (whose leaves answer
        with rates of events, for `exposure` if fit is given it), or a function.
    shrink
        Poisson: the coefficient of variation that rates are thought to have; each leaf's rate is shrunk
        towards that of all rows accordingly. 0 does not shrink.
    cv_error
        Poisson: what cross-validation counts, "deviance" or the squared difference of square roots, "sqrt".

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
        """Return the learner that grows the tree of R's rpart with these of its options, by rpart's names.

        As `CARTClassifier.like_rpart`, with `method` "anova" or "poisson", and for the latter `shrink` and
        `error` ("deviance" or "sqrt").

        >>> CARTRegressor.like_rpart(method="poisson", minsplit=10).min_samples_leaf
        3
        """
        return cls(**options_of_rpart(options, "numbers"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> Self:
        """Fit the tree to the numbers y of the rows of X; under "poisson" y events came in `exposure`.

        A weight of 2 is the row twice and a weight of 0 is the row absent.

        >>> model = CARTRegressor("poisson", shrink=0, prune="none")
        >>> model.fit([[1.0], [2.0]], [3, 1], exposure=[2.0, 4.0]).predict([[1.0]])
        array([1.5])
        """
        if exposure is not None and self.criterion != "poisson":
            raise ParameterError.of("exposure", "given", "None unless events are counted ('poisson')")
        self._fit(X, y, sample_weight, exposure)
        return self

    def recipe(self) -> Recipe:
        """Return CART's recipe with these parameters.

        >>> CARTRegressor().recipe().criterion
        'squared_error'
        """
        check_rates(self.shrink, self.cv_error)
        counts_events = self.criterion == "poisson"
        return Recipe(
            self.criterion,
            nominal="subset",
            zero_rates=counts_events and self.combinations is None,
            shrink=self.shrink if counts_events else 0.0,
            task="regression",
            **cart_parts(self),
        )

    def _counts_errors(self) -> bool:
        return self.criterion != "poisson"


def cart_parts(learner: Any) -> dict[str, Any]:
    """Return the parts of CART's recipe that its learners of classes, numbers and times share.

    >>> cart_parts(CARTRegressor(n_competitors=2))["n_competitors"]
    2
    """
    plan = getattr(learner, "combinations", None)
    if plan is not None:
        plan = Combinations(
            plan, learner.combination_features, learner.combination_penalty, learner.combination_deletion
        )
    return {
        "limits": learner._limits(),
        "missing": learner._missing(),
        "n_surrogates": learner.n_surrogates,
        "agreement": learner.agreement,
        "surrogate_rule": learner.surrogate_rule,
        "n_competitors": learner.n_competitors,
        "column_costs": learner.column_costs,
        "count": learner.count,
        "combinations": plan,
        "pruning": learner._pruning(),
        "scales": learner._scales(),
    }
