"""CART (Breiman, Friedman, Olshen and Stone 1984): binary trees, grown large, pruned by cost complexity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

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
    max_depth
        Maximum number of splits on a path; None for no limit.
    min_samples_split
        Minimum number of cases of a node that is split; a fraction is of all cases.
    min_samples_leaf
        Minimum number of cases of every child that has any; a fraction is of all cases.
    min_weight_fraction_leaf
        Minimum share of the weight of every child that has any case.
    max_leaf_nodes
        Maximum number of leaves, the best splits being made first; None for no limit.
    min_impurity_decrease
        Minimum value of a split, times the node's share of the weight.
    min_improvement
        Minimum improvement by a split, relative to that by the split of the root.
    count
        What the stopping rules count if all weights are whole numbers: "cases", so that a row of weight 2
        counts twice, or "rows", so that it counts once.
    class_weight
        None, "balanced", or a dict from class to weight.
    prior
        Prior probabilities of the classes: None uses their frequencies in the training rows, "equal" gives
        each class the same, a dict maps a class to its probability, a list follows the sorted classes.
    loss_matrix
        Loss of each misclassification: None for 1 each, a dict from (true class, predicted class) to the
        loss, or a matrix with a row for each true class and a column for each predicted class, both sorted.
        Leaves predict the class of least expected loss. Splits are evaluated with altered priors, or with
        the losses themselves under "generalized_gini".
    column_costs
        Cost of each column, as a dict by name or a list. The gain of a split is divided by the cost of its
        column.
    monotonic_cst
        Constraints on the prediction (with classes: on the probability of the second of two), by name or for
        each column: 1 if it must not fall as the column rises, −1 if it must not rise, 0 if it is free. Needs
        a table without missing values.
    max_bins
        None grows the tree exactly. A number from 2 to 65,534 grows it from histograms of at most so many
        bins a column, which is faster on large tables; the tree is exact on columns of no more distinct
        values. Levels are not binned.
    missing
        How rows are routed at a split whose value they lack. "auto" is "surrogates_then_majority", or
        "majority" if the criterion is a function or `max_bins` is given. See `bough.growing.missing.Missing`
        for these and for "surrogates_then_stop", "stop", "learned", "own_level" and "refuse".
    n_surrogates, agreement, surrogate_rule
        The greatest number of surrogates that a split keeps; the rows over which the agreement of a
        surrogate is measured ("all" or "known"; see `bough.growing.recipe.Agreement`); and the condition for
        keeping a surrogate (see `bough.growing.recipe.SurrogateRule`).
    n_competitors
        Each node records this many of the best splits on other columns.
    smoothing
        Smoothing of `predict_proba`: "none", "laplace", or the m of the m-estimate.
    prune
        Which tree of the cost-complexity path is kept. "one_se": the smallest tree whose cross-validated risk
        is at most one standard error above the minimum; "minimum": the tree of minimum risk; "cp": the tree
        for the given `cp`, while `cp_table_` shows the others; "none": the unpruned tree. Other methods are
        "reduced_error", "pessimistic", "error_based" and "mdl", by name or with settings, such as
        `bough.pruning.ReducedError(cv=5)`.
    cv
        The number of folds, the fold of each row, or a scikit-learn splitter. None skips cross-validation and
        is allowed with prune="cp".
    cp
        Complexity parameter of rpart: a split is kept only if it reduces the risk by at least this fraction
        of the root's risk for each leaf that it adds.
    ccp_alpha
        If given, the tree is pruned with this cost-complexity parameter (risk per unit of weight for each
        leaf), without cross-validation.
    path
        "weakest_link" computes the exact path, "rpart" follows the shortcut of R's rpart; see
        `bough.pruning`.
    random_state
        Seed of the folds.
    sampling, row_key
        "drawn" draws folds of equal size that are stratified by y. "hash", which needs `max_bins`, takes the
        fold of a row from a hash of the column that `row_key` names, which is not split on, or of the bins of
        its values: a row keeps its fold in every order of the rows and in every database. Trees in databases
        always have such folds.
    combinations
        Splits on several numeric columns, which compete with the splits on one: "ratio" for x / y < t,
        "bivariate" for a·x + b·y < c, "linear" for the linear combinations of Breiman et al., or a tuple of
        these; None tries none. See `bough.growing.combinations.Combinations`.
    combination_features
        The columns to combine: names, positions or a mask; None uses all numeric columns.
    combination_penalty
        A combination is chosen only if its gain exceeds that of the best split on one column by this
        fraction.
    combination_deletion
        A column is dropped from a linear combination if dropping it loses less than this fraction of what
        dropping the most important column loses; beta in Breiman et al.
    categorical_features, ordinal_features
        Columns to treat as nominal or ordinal whatever their dtype: names, positions or a mask. For ordinal
        columns a dict from the column to its levels in order is accepted too.
    max_exhaustive_levels
        With three classes or more, all subsets of levels are tried for columns of at most this many levels;
        for columns of more levels, only the subsets along a good ordering of the levels.
    n_jobs
        Number of threads; None uses all cores. The tree does not depend on it.

    Attributes
    ----------
    tree_
        The pruned tree.
    grown_tree_
        The tree before it was pruned.
    cp_table_
        The cost-complexity path with cross-validated risks, a `bough.pruning.CrossValidatedPath`.

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

    _several_targets: ClassVar[bool] = True
    _reads_sparse: ClassVar[bool] = True

    criterion: Criterion = field(default="gini", kw_only=False)
    prior: Any = None
    loss_matrix: Any = None
    max_exhaustive_levels: int = 12

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
    """CART regression tree: binary splits, pruned by 10-fold cross-validation and the 1-SE rule.

    y may have several columns, one for each of several targets; a single tree predicts all of them.

    Parameters are those of `CARTClassifier` except those about classes, and:

    Parameters
    ----------
    criterion
        "squared_error", "absolute_error" (leaves predict medians), "poisson" (leaves predict event rates, per
        unit of `exposure` if fit is given one), or a function.
    shrink
        For "poisson": the assumed coefficient of variation of the rates between leaves. The rate of each leaf
        is shrunk towards the overall rate, the more the smaller this is; 0 turns shrinkage off.
    cv_error
        For "poisson": the error that cross-validation sums, "deviance" or "sqrt", the squared difference of
        square roots.

    Examples
    --------
    >>> import bough
    >>> model = bough.CARTRegressor(max_depth=1, prune="none")
    >>> model.fit([[1.0], [2.0], [4.0], [5.0]], [10, 11, 20, 21]).predict([[3.5]])
    array([20.5])

    """

    _several_targets: ClassVar[bool] = True
    _reads_sparse: ClassVar[bool] = True

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
        "limits": learner._limits(),
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
