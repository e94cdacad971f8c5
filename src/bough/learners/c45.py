"""C4.5 (Quinlan 1993), release 8, and J48, the version of it in Weka."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from bough.errors import ParameterError
from bough.growing.limits import Limits
from bough.growing.missing import BY_FRACTIONS, check_missing
from bough.growing.nominal import Nominal, check_nominal
from bough.growing.pruning import ErrorBased, Pruning, ReducedError, check_confidence, pruning_of
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeClassifierEstimator
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.parameters import ClassParameters, FractionalParameters

C45Variant: TypeAlias = Literal["c4.5", "j48"]
GainCriterion: TypeAlias = Literal["gain_ratio", "entropy"]

# The kinds of nominal splits that each program offers.
_NOMINAL: dict[str, tuple[str, ...]] = {"c4.5": ("complete", "subset"), "j48": ("complete", "one_vs_rest")}


@keyword_parameters
class C45Classifier(FractionalParameters, ClassParameters, TreeClassifierEstimator):
    """C4.5 classification tree: multiway splits by gain ratio, pruned by estimated errors.

    The split of the highest gain ratio is chosen among those whose gain is at least average. The gain of a
    numeric split is reduced for the number of thresholds tried, and its threshold is a value of the training
    rows. A row with a missing value goes down all branches with fractional weights. After growth, a subtree
    that makes no fewer errors than a single leaf is collapsed; then error-based pruning replaces subtrees by
    leaves or by their largest branch (subtree raising).

    Parameters
    ----------
    variant
        "c4.5" reproduces release 8, with 32-bit floats; "j48" reproduces Weka's J48, with 64-bit floats. They
        differ in how they treat ties, small leaves and missing values in pruning.
    criterion
        "gain_ratio", or "entropy" for plain information gain ("c4.5" only).
    nominal
        How nominal columns are split: "complete" makes one branch for each level; "subset" merges levels
        while the gain ratio increases ("c4.5" only); "one_vs_rest" separates one level from all others
        ("j48" only). With criterion "entropy", "subset" merges levels until two sets are left, and the time
        grows with the cube of the levels: several seconds for a column of 500 levels, a minute for 1,000.
        By gain ratio, 2,000 levels take about a second.
    min_samples_branch
        At least two branches of a split must have this many cases, or this fraction of all cases; C4.5's -m.
    confidence
        Confidence level of the error estimate in error-based pruning; a lower value prunes more.
    subtree_raising
        Whether error-based pruning may replace a subtree by its largest branch.
    prune
        "error_based", "none", or any other method of `bough.pruning`. J48's "reduced_error" holds out the
        last of three folds and neither collapses nor raises subtrees.
    smoothing
        Smoothing of `predict_proba`: "none", "laplace", which is J48's option -A, or the m of the
        m-estimate.

    Examples
    --------
    >>> import bough
    >>> X = [["sunny", 85], ["sunny", 70], ["rain", 80], ["rain", 65], ["sunny", 90], ["rain", 70]]
    >>> model = bough.C45Classifier(prune="none").fit(X, ["no", "yes", "yes", "yes", "no", "yes"])
    >>> print(model.tree_.rules()[0])
    x1 <= 80 -> yes
    >>> model.predict_proba([["rain", None]]).round(3)
    array([[0.333, 0.667]])

    """

    variant: C45Variant = "c4.5"
    criterion: GainCriterion = "gain_ratio"
    nominal: Nominal = "complete"
    min_samples_branch: float = 2
    confidence: float = 0.25
    subtree_raising: bool = True
    prune: Pruning | str = "error_based"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> C45Classifier().recipe().criterion
        'gain_ratio'
        """
        _check_word("variant", self.variant, get_args(C45Variant))
        _check_word("criterion", self.criterion, get_args(GainCriterion))
        learner = type(self).__name__
        check_nominal(self.nominal, f"{learner}(variant={self.variant!r})", _NOMINAL[self.variant])
        check_missing(self.missing, learner, BY_FRACTIONS)
        if self.variant == "j48" and self.criterion != "gain_ratio":
            raise ParameterError.of("criterion", self.criterion, "'gain_ratio', the only criterion of J48")
        check_confidence(self.confidence)
        return Recipe(
            self.criterion,
            nominal=self.nominal,
            limits=Limits(min_samples_branch=self.min_samples_branch),
            missing=self.missing,
            class_weight=self.class_weight,
            smoothing=self.smoothing,
            pruning=self._pruning(),
            scales=self._scales(),
            arithmetic="release 8" if self.variant == "c4.5" else "weka",
            settings={"program": "C4.5" if self.variant == "c4.5" else "J48"},
            task="classification",
        )

    def _pruning(self) -> Pruning | None:
        pruning = pruning_of(self.prune)
        if self.prune == "error_based":
            return ErrorBased(self.confidence, self.subtree_raising, self.variant)
        if self.prune == "reduced_error" and self.variant == "j48":
            return ReducedError(random_state=None)
        return pruning


def _check_word(name: str, got: object, known: tuple[str, ...]) -> None:
    if not (isinstance(got, str) and got in known):
        raise ParameterError.of(name, got, " or ".join(map(repr, known)))
