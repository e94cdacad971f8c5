"""PART (Frank and Witten 1998): a list of rules, each from a partial tree of C4.5."""

from __future__ import annotations

from typing import Literal

from bough.growing.limits import check_number, check_whole
from bough.growing.nominal import Nominal, check_nominal
from bough.growing.pruning import check_choice, check_confidence
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.rule_estimator import RuleClassifierEstimator


@keyword_parameters
class PARTClassifier(RuleClassifierEstimator):
    """PART: an ordered list of rules, each the largest leaf of a partial J48 tree, as in Weka.

    The tree is grown on the rows that no earlier rule covers. A row with a missing value meets a condition in
    part, with the fraction of cases that took that branch, and the rest of it goes on to the next rules.

    Parameters
    ----------
    confidence
        Confidence level of the pessimistic error estimate; a lower value prunes more. Weka's -C.
    min_samples_branch
        At least two branches of a split must have this many cases; Weka's -M.
    nominal
        "complete": one branch for each level; "one_vs_rest": one level against all others, Weka's -B.
    prune
        "error_based": the partial trees are pruned as J48's are; "reduced_error": they are pruned by their
        errors on held-out rows, Weka's -R; "none": they are not pruned, Weka's -U.
    cv
        With "reduced_error", one of so many folds is held out, Weka's -N.
    random_state
        A whole number that seeds Java's random generator, which shuffles the rows for "reduced_error",
        Weka's -Q.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(40)], ["a" if i % 10 < 4 else "b" for i in range(40)]
    >>> print(bough.PARTClassifier().fit(X, y).rules_[0])
    x0 > 3 -> b

    """

    confidence: float = 0.25
    min_samples_branch: float = 2
    nominal: Nominal = "complete"
    prune: Literal["error_based", "reduced_error", "none"] = "error_based"
    cv: int = 3
    random_state: int = 1

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> PARTClassifier(prune="mdl").recipe()
        Traceback (most recent call last):
        bough.errors.ParameterError: prune is 'mdl'; it must be one of 'error_based', 'reduced_error', 'none'.
        """
        check_confidence(self.confidence)
        check_number("min_samples_branch", self.min_samples_branch, 0.0, above=True)
        check_nominal(self.nominal, type(self).__name__, ("complete", "one_vs_rest"))
        check_choice("prune", self.prune, ("error_based", "reduced_error", "none"))
        check_whole("cv", self.cv, 2, 1_000_000)
        check_whole("random_state", self.random_state, -(2**31), 2**31 - 1)
        by_errors = self.prune == "reduced_error"
        return Recipe(
            "gain_ratio",
            nominal=self.nominal,
            missing="fractional",
            seed=int(self.random_state) if by_errors else None,
            scales=self._scales(),
            arithmetic="weka",
            settings={
                "program": "PART",
                "confidence": float(self.confidence),
                "min_samples_branch": float(self.min_samples_branch),
                "prune": self.prune,
                **({"cv": int(self.cv)} if by_errors else {}),
            },
            task="classification",
        )
