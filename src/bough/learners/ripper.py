"""RIPPER (Cohen 1995): rules for one class after the other, grown, pruned and optimized."""

from __future__ import annotations

from typing import Literal

from bough.growing.limits import check_number, check_whole
from bough.growing.pruning import check_choice, check_flag
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.rule_estimator import RuleClassifierEstimator


@keyword_parameters
class RIPPERClassifier(RuleClassifierEstimator):
    """RIPPER: an ordered list of rules for all classes but the most frequent, the default; Weka's JRip.

    Classes are learned from the rarest on. A rule is grown on two thirds of the rows, by conditions of
    greatest information gain, and pruned on the rest; rules are added until the description length of rules
    and errors is 64 bits above its minimum. Then each rule is compared with a replacement and a revision. A
    missing value meets no condition.

    The rules are those of Weka 3.6. It adds a hash of the text of a row to the seed of its random numbers, so
    that its rules depend on how values are written; bough does the same, with the class as the last column.

    Parameters
    ----------
    prune
        "reduced_error": rules are pruned on held-out rows, and optimized; "none": neither, Weka's -P.
    n_optimizations
        How often all rules are gone through once more; Weka's -O.
    min_positives
        Least weight of the cases of its class that a condition covers; Weka's -N.
    check_error
        Whether a rule is rejected if at least half of the cases that it covers are of other classes.
    cv
        One of so many folds is held out for pruning, Weka's -F.
    random_state
        A whole number that seeds Java's random generator, which shuffles the rows, Weka's -S.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(60)], ["a" if i % 10 < 4 else "b" for i in range(60)]
    >>> print(bough.RIPPERClassifier().fit(X, y).rules_[0])
    x0 <= 3 -> a

    """

    prune: Literal["reduced_error", "none"] = "reduced_error"
    n_optimizations: int = 2
    min_positives: float = 2
    check_error: bool = True
    cv: int = 3
    random_state: int = 1

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> RIPPERClassifier(cv=1).recipe()
        Traceback (most recent call last):
        bough.errors.ParameterError: cv is 1; it must be a whole number from 2 to 1000000.
        """
        check_choice("prune", self.prune, ("reduced_error", "none"))
        check_number("min_positives", self.min_positives, 0.0)
        check_flag("check_error", self.check_error)
        check_whole("n_optimizations", self.n_optimizations, 0, 1000)
        check_whole("cv", self.cv, 2, 1_000_000)
        check_whole("random_state", self.random_state, -(2**31), 2**31 - 1)
        return Recipe(
            "entropy",
            nominal="one_vs_rest",
            seed=int(self.random_state),
            scales=self._scales(),
            arithmetic="weka",
            settings={
                "program": "RIPPER",
                "prune": self.prune,
                "n_optimizations": int(self.n_optimizations),
                "min_positives": float(self.min_positives),
                "check_error": bool(self.check_error),
                "cv": int(self.cv),
            },
            task="classification",
        )
