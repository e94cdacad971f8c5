"""CHAID (Kass 1980; Biggs, de Ville and Suen 1991): splits into groups of levels, chosen by tests."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from bough.growing.grouping import Merging
from bough.growing.limits import Limits
from bough.growing.missing import MERGED, Missing, check_missing
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassParameters

ClassTest: TypeAlias = Literal["chi_square", "likelihood_ratio"]


@keyword_parameters
class CHAIDParameters:
    """Parameters that the CHAID classifier and regressor share.

    Parameters
    ----------
    significance
        A node is split only if the adjusted p-value is at most this.
    significance_merge
        Two groups are merged only if the p-value of their difference is above this. Two groups are always
        left.
    significance_split_merged
        A merged group of three or more levels is split in two again if the p-value of its best split is at
        most this, which must be less than `significance_merge`; None splits no group again.
    exhaustive
        Exhaustive CHAID: levels are merged to two groups, and the partition of the smallest p-value on the
        way is taken. `significance_merge` has no effect then.
    bonferroni
        Whether p-values are adjusted.
    max_depth
        Maximum number of splits on a path; None for no limit.
    min_samples_split
        Minimum number of cases of a node that is split; a fraction is of all cases.
    min_samples_leaf
        The number of cases that a group needs, unless `min_node_fraction` asks for fewer. Smaller groups are
        merged further.
    min_node_fraction
        The share of the node's cases that a group needs; the lesser of this count and `min_samples_leaf`
        applies. With a share of 1 the number alone counts, as in SPSS; R's CHAID has a share of 0.01.
    min_weight_fraction_leaf
        A column is split only if each of its groups has this share of the weight of all rows.
    max_bins
        Numeric columns with more distinct values are first divided into this many bins of equal frequency.
    max_exhaustive_levels
        The greatest number of levels of a merged group whose subsets are all tried to split it again.
    missing
        "floating_level": missing values are a level that may join any group, also of an ordinal or numeric
        column; where a node had none, they go to the largest group. "majority": they are not tested, and go
        to the largest group. "refuse": they raise an error.

    """

    significance: float = 0.05
    significance_merge: float = 0.05
    significance_split_merged: float | None = None
    exhaustive: bool = False
    bonferroni: bool = True
    max_depth: int | None = None
    min_samples_split: int | float = 20
    min_samples_leaf: int = 7
    min_node_fraction: float = 1.0
    min_weight_fraction_leaf: float = 0.0
    max_bins: int = 10
    max_exhaustive_levels: int = 12
    missing: Missing = "floating_level"


@keyword_parameters
class CHAIDClassifier(CHAIDParameters, ClassParameters, TreeClassifierEstimator):
    """CHAID classification tree: nodes are split into groups of levels whose classes differ significantly.

    In each node the levels of every column are merged while their class distributions do not differ
    significantly. The column whose groups have the smallest p-value, adjusted for the number of ways in which
    the groups could be formed, is split on, one branch for each group. The adjusted p-values of all columns
    are kept in `tree_.p_value`. Any group may be formed of a nominal column, only ranges of an ordinal or
    numeric column.

    Parameters
    ----------
    criterion
        The test of independence: "chi_square" for Pearson's, or "likelihood_ratio".

    Examples
    --------
    >>> import bough
    >>> X = [["red"], ["pink"], ["blue"]] * 20
    >>> model = bough.CHAIDClassifier().fit(X, ["warm", "warm", "cold"] * 20)
    >>> print(model.tree_.rules())
    2 rules from 60 cases
    <BLANKLINE>
    R1  x0 = blue          ->  cold  20 cases (33.3%), confidence 100.0% (20 of 20)
    R2  x0 in {pink, red}  ->  warm  40 cases (66.7%), confidence 100.0% (40 of 40)

    """

    criterion: ClassTest = "chi_square"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> CHAIDClassifier(criterion="likelihood_ratio").recipe().criterion
        'deviance'
        """
        check_choice("criterion", self.criterion, ("chi_square", "likelihood_ratio"))
        return Recipe(
            "chi_square" if self.criterion == "chi_square" else "deviance",
            **self._class_parts(),
            **_merging_parts(self),
        )


@keyword_parameters
class CHAIDRegressor(CHAIDParameters, TreeRegressorEstimator):
    """CHAID regression tree: nodes are split into groups of levels whose means differ by an F test.

    Examples
    --------
    >>> import bough
    >>> X = [["red"], ["pink"], ["blue"]] * 20
    >>> y = [10.0 + i % 2 - 5 * (i % 3 == 2) for i in range(60)]
    >>> bough.CHAIDRegressor().fit(X, y).predict([["pink"], ["blue"]])
    array([10.5,  5.5])

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> CHAIDRegressor().recipe().grouping.max_bins
        10
        """
        return Recipe("squared_error", task="regression", **_merging_parts(self))


def _merging_parts(learner: CHAIDClassifier | CHAIDRegressor) -> dict[str, Any]:
    """Return the parts of the recipe that the classifier and the regressor share."""
    check_missing(learner.missing, type(learner).__name__, MERGED)
    return {
        "max_exhaustive_levels": learner.max_exhaustive_levels,
        "limits": Limits(
            max_depth=learner.max_depth,
            min_samples_split=learner.min_samples_split,
            min_weight_fraction_leaf=learner.min_weight_fraction_leaf,
        ),
        "grouping": Merging(
            significance=learner.significance,
            merge=learner.significance_merge,
            split_merged=learner.significance_split_merged,
            min_cases=learner.min_samples_leaf,
            min_fraction=learner.min_node_fraction,
            exhaustive=learner.exhaustive,
            bonferroni=learner.bonferroni,
            max_bins=learner.max_bins,
        ),
        "missing": learner.missing,
        "scales": learner._scales(),
    }
