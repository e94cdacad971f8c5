"""C4.5 (Quinlan 1993), release 8, and J48, the version of it in Weka."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.engines.native import Sample
from bough.errors import ParameterError
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.learners.estimator import TreeClassifierEstimator
from bough.progress import watcher
from bough.pruning.error_based import check_confidence
from bough.pruning.methods import ErrorBased, Pruning, ReducedError, pruning_of
from bough.tree import Tree
from bough.tree.split import LevelKind

Variant: TypeAlias = Literal["c4.5", "j48"]
GainCriterion: TypeAlias = Literal["gain_ratio", "entropy"]

# The ways to split levels that each of the programs has.
_NOMINAL: dict[str, tuple[str, ...]] = {"c4.5": ("complete", "subset"), "j48": ("complete", "one_vs_rest")}


class C45Classifier(TreeClassifierEstimator):
    """A classification tree as C4.5 grows and prunes it; a row with a missing value goes down all branches.

    A split is chosen by its gain ratio among those whose gain is at least average. A cut of a numeric column
    pays for being chosen among many, and stands at a value of the table. A subtree that makes no fewer errors
    than its root collapses; then the tree is pruned by the errors to be expected of it, and a branch may be
    raised into the place of its parent.

    Parameters
    ----------
    variant
        "c4.5" grows and prunes as release 8 does, with 32-bit floats; "j48" as Weka's J48 does, with 64 bits.
        They differ in how ties, small leaves and missing values in pruning are taken.
    criterion
        "gain_ratio", or "entropy" for plain gain (c4.5 only).
    nominal
        How levels are split: "complete", one branch each; "subset", put together while the gain ratio rises
        (c4.5 only); "one_vs_rest", one level against all others (j48 only).
    min_samples_leaf
        At least two branches of a split weigh this much.
    confidence, raising
        Of the error-based pruning: the less the confidence, the more is pruned.
    prune
        "error_based", "none", or any other way of `bough.pruning`. J48's "reduced_error" holds out the last
        of three folds and neither collapses nor raises.
    class_weight, smoothing, categorical_features, ordinal_features, n_jobs
        As in `bough.CARTClassifier`; smoothing="laplace" is J48's option -A.

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

    def __init__(
        self,
        *,
        variant: Variant = "c4.5",
        criterion: GainCriterion = "gain_ratio",
        nominal: LevelKind = "complete",
        min_samples_leaf: float = 2,
        confidence: float = 0.25,
        raising: bool = True,
        prune: str | Pruning = "error_based",
        class_weight: Any = None,
        smoothing: str | float = "none",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.variant = variant
        self.criterion = criterion
        self.nominal = nominal
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.raising = raising
        self.prune = prune
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the parts of the recipe that other learners have too; the parameters are checked here.

        >>> C45Classifier().recipe().criterion
        'gain_ratio'
        """
        _check_word("variant", self.variant, get_args(Variant))
        _check_word("criterion", self.criterion, get_args(GainCriterion))
        _check_word("nominal", self.nominal, _NOMINAL[self.variant])
        if self.variant == "j48" and self.criterion != "gain_ratio":
            raise ParameterError.of("criterion", self.criterion, "'gain_ratio', for J48 has no other")
        check_confidence(self.confidence)
        pruning_of(self.prune)
        limits = Limits(min_samples_leaf=self.min_samples_leaf)
        return Recipe(self.criterion, nominal=self.nominal, limits=limits, task="classification")

    def _pruning(self) -> Pruning | None:
        pruning = pruning_of(self.prune)
        if self.prune == "error_based":
            return ErrorBased(self.confidence, self.raising, self.variant)
        if self.prune == "reduced_error" and self.variant == "j48":
            return ReducedError(seed=None)
        return pruning

    def _grown_without(
        self,
        held_out: npt.NDArray[np.bool_] | None,
        table: Table,
        sample: Sample,
        recipe: Recipe,
        name: str | None,
    ) -> Tree:
        target, weights = sample.target, sample.weights
        assert isinstance(target, ClassTarget)
        cases = table.n_rows if weights.cases is None else float(weights.cases.sum())
        options = {
            "min_cases": float(recipe.limits.cases_in_leaf(cases)),
            "gain_ratio": self.criterion == "gain_ratio",
            "subset": self.nominal == "subset",
            "binary": self.nominal == "one_vs_rest",
            "collapse": not isinstance(self._pruning(), ReducedError),
        }
        arrays: dict[str, Any] = _core.grow_c45(
            table.native(),
            table.n_rows,
            len(target.classes),
            target.codes,
            weights.weight,
            weights.cases,
            None if held_out is None else (~held_out).astype(np.uint8),
            self.variant,
            options,
            n_threads(self.n_jobs),
            watcher(),
        )
        return Tree(
            schema=table.schema,
            task="classification",
            classes=target.classes,
            target_name=name,
            criterion=self.criterion,
            recipe=recipe.to_json() | {"variant": self.variant, "missing": "spread"},
            **arrays,
        )


def _check_word(name: str, got: object, known: tuple[str, ...]) -> None:
    if not (isinstance(got, str) and got in known):
        raise ParameterError.of(name, got, " or ".join(map(repr, known)))
