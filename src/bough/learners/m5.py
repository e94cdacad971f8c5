"""M5 model trees (Quinlan 1992; Wang and Witten 1997): trees with linear models in their nodes."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from bough.growing.limits import Limits, check_number
from bough.growing.missing import IMPUTED, check_missing
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ImputedParameters
from bough.learners.rule_estimator import LinearRuleEstimator

Leaf: TypeAlias = Literal["linear", "constant"]
"""What the nodes of an M5 tree predict by: linear models, or means."""

M5Pruning: TypeAlias = Literal["m5", "none"]
"""Whether an M5 tree is pruned by the error of its models."""


@keyword_parameters
class M5Parameters(ImputedParameters):
    """Parameters that the M5 tree and rules share.

    Parameters
    ----------
    min_samples_split
        Least number of cases, or fraction of all cases, of a node that is split; Weka's -M.
    min_deviation_fraction
        A node is split only if the standard deviation of y in it is at least this fraction of that of all
        rows.
    leaf
        "linear": nodes have linear models; "constant": they predict the mean, Weka's -R.
    prune
        "m5": subtrees are pruned by the error of the models; "none": they are not, Weka's -N.
    smoothing_constant
        Number of cases that the model of a node counts as when it is blended with the model of a child; 0
        for no smoothing, Weka's -U.

    """

    min_samples_split: int | float = 4
    min_deviation_fraction: float = 0.05
    leaf: Leaf = "linear"
    prune: M5Pruning = "m5"
    smoothing_constant: float = 15.0


@keyword_parameters
class M5Regressor(M5Parameters, TreeRegressorEstimator):
    """M5 model tree: a regression tree whose leaves predict by linear models, as in Weka's M5P.

    The tree is grown so that the spread of y falls most. Each node gets a linear model of the columns that
    the splits below it use; terms are dropped while Akaike's criterion falls. A subtree is replaced by the
    model of its node if that is expected to err no more: errors are multiplied by (n + 2v) / (n − v), where n
    is the number of cases and v the number of parameters. Finally the model of a leaf is blended with the
    models on its path, so that predictions do not jump between leaves.

    A column with k levels is used as k − 1 indicators, whose levels are ordered by their mean of y. Trees,
    models and predictions are those of Weka 3.6.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 30 / 2, i % 7] for i in range(120)]
    >>> y = [2.0 * x + z % 2 if x < 7 else 100.0 - 4.0 * x + 3.0 * z for x, z in X]
    >>> print(bough.M5Regressor(smoothing_constant=0).fit(X, y).tree_.rules()[0])
    x0 <= 6.75 -> y = 0.3429 + 2.026 × x0

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> M5Regressor().recipe().settings["smoothing_constant"]
        15.0
        """
        return m5_recipe(self, "M5")


@keyword_parameters
class M5RulesRegressor(M5Parameters, LinearRuleEstimator):
    """M5Rules: a list of rules with linear models, made from M5 trees, as in Weka.

    The leaf of most cases of an M5 tree becomes a rule, and the next tree is grown on the rows that no rule
    covers yet. The first rule that fires predicts. Fractions of cases are those of the rows of each tree.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 30 / 2, i % 7] for i in range(120)]
    >>> y = [2.0 * x + z % 2 if x < 7 else 100.0 - 4.0 * x + 3.0 * z for x, z in X]
    >>> print(bough.M5RulesRegressor(smoothing_constant=0).fit(X, y).rules_[0])
    x0 > 6.75 -> y = 100 - 4 × x0 + 3 × x1

    """

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> M5RulesRegressor().recipe().settings["program"]
        'M5Rules'
        """
        return m5_recipe(self, "M5Rules")


def m5_recipe(learner: M5Regressor | M5RulesRegressor, program: str) -> Recipe:
    """Return the recipe of M5 or M5Rules; invalid parameters raise here.

    >>> m5_recipe(M5Regressor(leaf="constant"), "M5").settings["leaf"]
    'constant'
    """
    check_missing(learner.missing, type(learner).__name__, IMPUTED)
    check_choice("leaf", learner.leaf, get_args(Leaf))
    check_choice("prune", learner.prune, get_args(M5Pruning))
    check_number("min_deviation_fraction", learner.min_deviation_fraction, 0.0, 1.0)
    check_number("smoothing_constant", learner.smoothing_constant, 0.0)
    return Recipe(
        "squared_error",
        limits=Limits(min_samples_split=learner.min_samples_split),
        missing=learner.missing,
        scales=learner._scales(),
        settings={
            "program": program,
            "leaf": learner.leaf,
            "prune": learner.prune,
            "min_deviation_fraction": float(learner.min_deviation_fraction),
            "smoothing_constant": float(learner.smoothing_constant),
        },
        task="regression",
    )
