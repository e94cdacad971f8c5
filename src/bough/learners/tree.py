"""General tree learners: every part of the recipe is a parameter."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Literal, get_args

from bough.growing.criterion import Criterion
from bough.growing.grouping import BranchChoice, Ranges
from bough.growing.limits import Limits, check_whole
from bough.growing.missing import BY_LOOP, Missing, check_missing
from bough.growing.nominal import BY_LOOP as LEVEL_SPLITS
from bough.growing.nominal import Nominal, check_nominal
from bough.growing.pruning import Pruning, check_choice, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import (
    BinParameters,
    ClassParameters,
    ColumnDrawParameters,
    LevelParameters,
    StoppingParameters,
)


@keyword_parameters
class GeneralTreeParameters(ColumnDrawParameters, BinParameters, StoppingParameters):
    """Parameters that the general classifier and regressor share.

    Parameters
    ----------
    criterion
        A name of `bough.growing.criterion.CRITERIA` for the task, or a function.
    nominal
        How nominal columns are split: "subset" into two sets of levels, "complete" into one branch for each
        level, "one_vs_rest" into one level and all others.
    max_branches
        The greatest number of branches of a split on a numeric or ordinal column, which are ranges of values,
        and of a nominal column under "subset", which are sets of levels. The best split into each number of
        branches is found by dynamic programming, for criteria whose values add up over the children.
    branch_choice
        How the number of branches is chosen: "criterion" by the greatest value of the criterion, under
        "chi_square" by the smallest adjusted p-value; "mdl" by the least description length, where a column
        that does not shorten it is not split; "most" takes the most allowed. "auto" is "criterion" for
        "gain_ratio" and "chi_square", and "mdl" for the others.
    min_samples_branch
        Minimum number of cases of at least two children of a split; a fraction is of all cases.
    min_gain
        Value of the criterion that a split must exceed; None for no limit.
    min_events
        Minimum number of events in a node that is split, under "poisson"; 0 otherwise.
    missing
        How rows with a missing value are routed: a policy of `bough.growing.missing.Missing`. "auto" is
        "learned": the branch that gives the better criterion value.
    prune
        "none", or a pruning method: "reduced_error", "pessimistic", "error_based" or "mdl", by name or
        with settings, such as `bough.pruning.ReducedError(cv=5)`.

    """

    _several_targets: ClassVar[bool] = True
    _reads_sparse: ClassVar[bool] = True

    nominal: Nominal = "subset"
    max_branches: int = 2
    branch_choice: BranchChoice | Literal["auto"] = "auto"
    min_samples_branch: int | float = 1
    min_gain: float | None = None
    min_events: float = 0.0
    missing: Missing | Literal["auto"] = "auto"
    prune: Pruning | str = "none"


@keyword_parameters
class TreeClassifier(GeneralTreeParameters, ClassParameters, LevelParameters, TreeClassifierEstimator):
    """Classification tree with a free choice of criterion, splits, stopping rules and pruning.

    y may have several columns, one for each of several targets; a single tree predicts all of them.

    Parameters
    ----------
    purity
        Share of one class at or above which a node is not split.
    significance
        A split is made only if its chi-square test has a p-value of at most this; None for no test.

    Examples
    --------
    >>> import bough
    >>> model = bough.TreeClassifier("gain_ratio", nominal="complete", purity=0.9)
    >>> model.fit([["sunny"], ["sunny"], ["rain"]], [0, 0, 1]).predict([["rain"]])
    array([1])

    """

    criterion: Criterion = field(default="gini", kw_only=False)
    purity: float = 1.0
    significance: float | None = None

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> TreeClassifier("entropy").recipe().criterion
        'entropy'
        """
        return Recipe(
            self.criterion,
            max_exhaustive_levels=self.max_exhaustive_levels,
            **self._class_parts(),
            **_general_parts(self),
        )


@keyword_parameters
class TreeRegressor(GeneralTreeParameters, TreeRegressorEstimator):
    """Regression tree with a free choice of criterion, splits, stopping rules and pruning.

    y may have several columns, one for each of several targets; a single tree predicts all of them.

    Parameters
    ----------
    min_variance
        Minimum variance of y in a node that is split.

    Examples
    --------
    >>> import bough
    >>> model = bough.TreeRegressor("absolute_error", min_samples_leaf=2)
    >>> model.fit([[1], [2], [3], [4], [5]], [1, 2, 9, 9, 30]).predict([[5]])
    array([9.])

    """

    criterion: Criterion = field(default="squared_error", kw_only=False)
    min_variance: float = 0.0

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define.

        >>> TreeRegressor(min_variance=0.5).recipe().limits.min_variance
        0.5
        """
        return Recipe(self.criterion, task="regression", **_general_parts(self))


def _grouping(learner: TreeClassifier | TreeRegressor) -> Ranges | None:
    check_whole("max_branches", learner.max_branches, 2, 1000)
    check_choice("branch_choice", learner.branch_choice, ("auto", *get_args(BranchChoice)))
    if learner.max_branches == 2:
        return None
    choose = learner.branch_choice
    if choose == "auto":
        choose = "criterion" if learner.criterion in ("gain_ratio", "chi_square") else "mdl"
    return Ranges(learner.max_branches, choose)


def _general_parts(learner: TreeClassifier | TreeRegressor) -> dict[str, Any]:
    """Return the parts of the recipe that the general classifier and regressor share."""
    check_missing(learner.missing, type(learner).__name__, ("auto", *BY_LOOP))
    check_nominal(learner.nominal, type(learner).__name__, LEVEL_SPLITS)
    return {
        "nominal": learner.nominal,
        "grouping": _grouping(learner),
        "limits": Limits.of(learner),
        "missing": "learned" if learner.missing == "auto" else learner.missing,
        "pruning": pruning_of(learner.prune),
        "max_bins": learner.max_bins,
        "scales": learner._scales(),
        **learner._drawn_parts(),
    }
