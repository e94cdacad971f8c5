"""Piecewise linear trees: splits are judged by the linear models of their two sides."""

from __future__ import annotations

from typing import Literal, get_args

from bough.growing.limits import Limits, check_number, is_auto
from bough.growing.missing import IMPUTED, check_missing
from bough.growing.pruning import check_choice
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeRegressorEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.m5 import M5Pruning
from bough.learners.parameters import ImputedParameters, SizeParameters


@keyword_parameters
class LinearTreeRegressor(SizeParameters, ImputedParameters, TreeRegressorEstimator):
    """Linear tree: the split of a node is that whose two sides are fitted best by linear models.

    Each node has a linear model of all columns. A split is judged by the sum of the squared errors of the
    models of its sides, not of their means, so that the tree finds where slopes change. The equations of
    these models are updated from one cut to the next. A subtree is replaced by the model of its node if that
    is expected to err no more: errors are multiplied by (n + v) / (n − v), where n is the number of cases and
    v the number of parameters.

    A column with k levels is used as k − 1 indicators, whose levels are ordered by their mean of y. Columns
    that are constant in a node, or sums of other columns, have no term in its model.

    Parameters
    ----------
    min_samples_leaf
        Minimum number of cases of a leaf; a fraction is of all cases. "auto" is twice the number of
        coefficients of a model, at least 10.
    max_bins
        Cuts of a column lie between this many bins; None tries every cut.
    ridge
        The penalty of squared coefficients, of columns in units of their standard deviation among all rows;
        the alpha of scikit-learn's Ridge. 0 for least squares.
    prune
        "m5": subtrees are pruned by the error of the models; "none": they are not.

    Examples
    --------
    >>> import bough
    >>> X = [[i / 10, i % 7] for i in range(200)]
    >>> y = [2.0 * x + z if x < 8 else 96.0 - 10.0 * x + z for x, z in X]
    >>> for rule in bough.LinearTreeRegressor(ridge=0, max_bins=None).fit(X, y).tree_.rules():
    ...     print(rule)
    x0 <= 7.95 -> y = 0 + 2 × x0 + x1
    x0 > 7.95 -> y = 96 - 10 × x0 + x1

    """

    min_samples_leaf: int | float | Literal["auto"] = "auto"  # type: ignore[assignment]
    max_bins: int | None = 64
    ridge: float = 1.0
    prune: M5Pruning = "m5"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> LinearTreeRegressor(ridge=2.0).recipe().settings["ridge"]
        2.0
        """
        check_missing(self.missing, type(self).__name__, IMPUTED)
        check_choice("prune", self.prune, get_args(M5Pruning))
        check_number("ridge", self.ridge, 0.0)
        automatic = is_auto(self.min_samples_leaf)
        least = 1 if automatic else self.min_samples_leaf
        return Recipe(
            "squared_error",
            limits=Limits(
                max_depth=self.max_depth,
                min_samples_split=self.min_samples_split,
                min_samples_leaf=least,  # type: ignore[arg-type]
            ),
            missing=self.missing,
            max_bins=self.max_bins,
            scales=self._scales(),
            settings={
                "program": "linear",
                "ridge": float(self.ridge),
                "prune": self.prune,
                "min_samples_leaf": "auto" if automatic else "given",
            },
            task="regression",
        )
