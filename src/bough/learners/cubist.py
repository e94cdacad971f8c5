"""Cubist (Quinlan): rules with linear models, committees of them, and correction by neighbours."""

from __future__ import annotations

from bough.growing.limits import check_number, check_whole
from bough.growing.missing import IMPUTED, check_missing
from bough.growing.pruning import check_flag
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ImputedParameters
from bough.learners.rule_estimator import LinearRuleEstimator


@keyword_parameters
class CubistRegressor(ImputedParameters, LinearRuleEstimator):
    """Cubist: rules that predict by linear models, and the mean of all rules that fire.

    A tree is grown so that the spread of the residuals of linear models falls most. Its models are
    simplified, smoothed along the paths and rounded; it is pruned; and each path becomes a rule, from which
    conditions are dropped. Rules, coefficients and predictions are those of Cubist 2.07, as in R's package
    Cubist. Weights of rows are numbers of cases.

    Parameters
    ----------
    n_estimators
        The number of members of the committee. Each further member is fitted to a target that compensates for
        the errors of the one before; the committee predicts the mean of its members.
    n_neighbors
        The number of nearest training rows, up to 9, whose errors correct a prediction; 0 for no correction.
        The model then holds the training rows.
    max_rules
        The greatest number of rules of a member.
    unbiased
        Whether the mean error of each rule is removed.
    extrapolation
        The fraction of the range of y among the cases of a rule by which predictions may leave that range.

    Examples
    --------
    >>> import bough
    >>> X = [[i % 30 / 2, i % 7] for i in range(120)]
    >>> y = [2.0 * x + z % 2 if x < 7 else 100.0 - 4.0 * x + 3.0 * z for x, z in X]
    >>> print(bough.CubistRegressor().fit(X, y).rules_[-1])
    x0 > 6.5 -> y = 100 - 4 × x0 + 3 × x1

    """

    n_estimators: int = 1
    n_neighbors: int = 0
    max_rules: int = 100
    unbiased: bool = False
    extrapolation: float = 1.0

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> CubistRegressor(n_neighbors=12).recipe()
        Traceback (most recent call last):
        bough.errors.ParameterError: n_neighbors is 12; it must be a whole number from 0 to 9.
        """
        check_missing(self.missing, type(self).__name__, IMPUTED)
        for name, least, most in (
            ("n_estimators", 1, 100),
            ("n_neighbors", 0, 9),
            ("max_rules", 1, 1_000_000),
        ):
            check_whole(name, getattr(self, name), least, most)
        check_flag("unbiased", self.unbiased)
        check_number("extrapolation", self.extrapolation, 0.0, 1.0)
        return Recipe(
            "squared_error",
            missing=self.missing,
            scales=self._scales(),
            settings={
                "program": "Cubist",
                "n_estimators": int(self.n_estimators),
                "n_neighbors": int(self.n_neighbors),
                "max_rules": int(self.max_rules),
                "unbiased": bool(self.unbiased),
                "extrapolation": float(self.extrapolation),
            },
            task="regression",
        )
