"""Parameters that several learners share.

A learner is a dataclass: its constructor is made from its fields and from those of the classes it inherits,
and only stores what it is given, as scikit-learn wants. `recipe` checks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bough.growing.draws import ColumnSampling, read_seed
from bough.growing.missing import Missing
from bough.growing.monotonic import MonotonicConstraints
from bough.growing.pruning import CrossValidatedError, PathMethod, Pruning, Sampling, check_choice
from bough.growing.recipe import Agreement, ColumnCosts, Count, SurrogateRule
from bough.types import Smoothing


@dataclass(eq=False, repr=False, kw_only=True)
class ColumnParameters:
    """How columns are read, and the number of threads."""

    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    n_jobs: int | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class StoppingParameters:
    """Stopping rules, with scikit-learn's names."""

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0


@dataclass(eq=False, repr=False, kw_only=True)
class BinParameters:
    """Whether trees are grown from histograms of bins."""

    max_bins: int | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ColumnDrawParameters:
    """Which columns a node searches, whether for the best or for a random split, and constraints."""

    max_features: Any = None
    splitter: Literal["best", "random"] = "best"
    random_state: Any = None
    monotonic_cst: MonotonicConstraints | None = None

    def _drawn_parts(self) -> dict[str, Any]:
        """Return the parts of the recipe that these parameters define."""
        check_choice("splitter", self.splitter, ("best", "random"))
        random = self.splitter == "random"
        draws = random or self.max_features is not None
        return {
            "columns": ColumnSampling(self.max_features, random_splits=random) if draws else None,
            "seed": read_seed(self.random_state) if draws else None,
            "monotonic_cst": self.monotonic_cst,
        }


@dataclass(eq=False, repr=False, kw_only=True)
class ClassParameters:
    """Class weights and the smoothing of class probabilities."""

    class_weight: Any = None
    smoothing: Smoothing = "none"


@dataclass(eq=False, repr=False, kw_only=True)
class CostComplexityParameters(StoppingParameters):
    """Stopping rules and settings of cost-complexity pruning."""

    min_improvement: float = 0.0
    count: Count = "cases"
    prune: Pruning | str = "one_se"
    cv: Any = 10
    cp: float = 0.0
    ccp_alpha: float | None = None
    path: PathMethod = "weakest_link"
    random_state: Any = 0


@dataclass(eq=False, repr=False, kw_only=True)
class SurrogateParameters:
    """Column costs, surrogate splits and competing splits."""

    column_costs: ColumnCosts | None = None
    missing: Missing | Literal["auto"] = "auto"
    n_surrogates: int = 5
    agreement: Agreement = "all"
    surrogate_rule: SurrogateRule = "two_each_way"
    n_competitors: int = 0


@dataclass(eq=False, repr=False, kw_only=True)
class CARTParameters(BinParameters, SurrogateParameters):
    """Parameters that the CART classifier and regressor share, with splits on several columns."""

    monotonic_cst: MonotonicConstraints | None = None
    combinations: Any = None
    combination_features: Any = None
    combination_penalty: float = 0.0
    combination_deletion: float = 0.2
    sampling: Sampling = "drawn"
    row_key: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class RateParameters:
    """Shrinkage of event rates, and the error that cross-validation sums."""

    shrink: float = 1.0
    cv_error: CrossValidatedError = "deviance"
