"""Parameters that several learners share.

A learner is a dataclass: its constructor is made from its fields and from those of the classes it inherits,
and only stores what it is given, as scikit-learn wants. `recipe` checks it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from bough.growing.draws import ColumnSampling, read_seed
from bough.growing.missing import Missing
from bough.growing.monotonic import MonotonicConstraints
from bough.growing.pruning import CrossValidatedError, PathMethod, Pruning, Sampling, check_choice
from bough.growing.recipe import Agreement, ColumnCosts, Count, SurrogateRule
from bough.learners.keyword_parameters import keyword_parameters
from bough.types import Smoothing


@keyword_parameters
class ColumnParameters:
    """How columns are read, and the number of threads.

    Parameters
    ----------
    categorical_features
        Columns to treat as nominal whatever their dtype: names, positions or a mask.
    ordinal_features
        Columns to treat as ordinal whatever their dtype: names, positions or a mask, or a dict from the
        column to its levels in order.
    n_jobs
        Number of threads; None uses all cores. The model does not depend on it.

    """

    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    n_jobs: int | None = None


@keyword_parameters
class SizeParameters:
    """The stopping rules that most learners have, with scikit-learn's names.

    Parameters
    ----------
    max_depth
        Maximum number of splits on a path; None for no limit.
    min_samples_split
        Minimum number of cases of a node that is split; a fraction is of all cases.
    min_samples_leaf
        Minimum number of cases of every child that has any; a fraction is of all cases.

    """

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1


@keyword_parameters
class StoppingParameters(SizeParameters):
    """All stopping rules, with scikit-learn's names.

    Parameters
    ----------
    min_weight_fraction_leaf
        Minimum share of the weight of every child that has any case.
    max_leaf_nodes
        Maximum number of leaves, the best splits being made first; None for no limit.
    min_impurity_decrease
        Minimum value of a split, times the node's share of the weight.

    """

    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0


@keyword_parameters
class MonotonicParameters:
    """Monotonic constraints.

    Parameters
    ----------
    monotonic_cst
        Constraints on the prediction, or on the probability of the second of two classes, by name or for
        each column: 1 if it must not fall as the column rises, −1 if it must not rise, 0 if it is free.
        Needs a table without missing values.

    """

    monotonic_cst: MonotonicConstraints | None = None


@keyword_parameters
class BinParameters:
    """Whether trees are grown from histograms of bins.

    Parameters
    ----------
    max_bins
        None grows the tree exactly. A number from 2 to 65,534 grows it from histograms of at most so many
        bins a column, which is faster on large tables; the tree is exact on columns of no more distinct
        values. Levels are not binned.

    """

    max_bins: int | None = None


@keyword_parameters
class ColumnDrawParameters(MonotonicParameters):
    """Which columns a node searches, whether for the best or for a random split, and constraints.

    Parameters
    ----------
    max_features
        Number of columns that each node samples and searches: a number, a fraction, "sqrt", "log2", or None
        for all. If none of them can be split, further columns are sampled, as in scikit-learn.
    splitter
        "best" takes the best split of each column, "random" one random split, as extremely randomized trees.
    random_state
        Seed of these samples. Trees do not depend on the number of threads.

    """

    max_features: Any = None
    splitter: Literal["best", "random"] = "best"
    random_state: Any = None

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


@keyword_parameters
class SmoothingParameters:
    """The smoothing of class probabilities.

    Parameters
    ----------
    smoothing
        Smoothing of `predict_proba`: "none", "laplace", or the m of the m-estimate.

    """

    smoothing: Smoothing = "none"


@keyword_parameters
class ClassWeightParameters:
    """Class weights.

    Parameters
    ----------
    class_weight
        None, "balanced", or a dict from class to weight.

    """

    class_weight: Any = None


@keyword_parameters
class ClassParameters(ClassWeightParameters, SmoothingParameters):
    """Class weights and the smoothing of class probabilities."""

    def _class_parts(self) -> dict[str, Any]:
        """Return the parts of the recipe of a classifier that these parameters are."""
        return {
            "class_weight": self.class_weight,
            "smoothing": self.smoothing,
            "task": "classification",
        }


@keyword_parameters
class LevelParameters:
    """How the levels of nominal columns are searched with three classes or more.

    Parameters
    ----------
    max_exhaustive_levels
        With three classes or more, all subsets of levels are tried for columns of at most this many levels;
        for columns of more levels, only the subsets along a good ordering of the levels.

    """

    max_exhaustive_levels: int = 12


@keyword_parameters
class FractionalParameters:
    """The treatment of missing values by fractions of rows.

    Parameters
    ----------
    missing
        "fractional": a row with a missing value goes down all branches with fractional weights; "refuse": a
        missing value raises an error.

    """

    missing: Missing = "fractional"


@keyword_parameters
class ImputedParameters:
    """The treatment of missing values by substitutes.

    Parameters
    ----------
    missing
        "imputed": a missing value is replaced by the mean of the column, or by its most frequent level;
        "refuse": a missing value raises an error.

    """

    missing: Missing = "imputed"


@keyword_parameters
class CostComplexityParameters(StoppingParameters):
    """Stopping rules and settings of cost-complexity pruning.

    Parameters
    ----------
    min_improvement
        Minimum improvement by a split, relative to that by the split of the root.
    count
        What the stopping rules count if all weights are whole numbers: "cases", so that a row of weight 2
        counts twice, or "rows", so that it counts once.
    prune
        Which tree of the cost-complexity path is kept. "one_se": the smallest tree whose cross-validated risk
        is at most one standard error above the minimum; "minimum": the tree of minimum risk; "cp": the tree
        for the given `cp`, while `cp_table_` shows the others; "none": the unpruned tree. Other methods are
        "reduced_error", "pessimistic", "error_based" and "mdl", by name or with settings, such as
        `bough.pruning.ReducedError(cv=5)`.
    cv
        The number of folds, the fold of each row, or a scikit-learn splitter. None skips cross-validation and
        is allowed with prune="cp".
    cp
        Complexity parameter of rpart: a split is kept only if it reduces the risk by at least this fraction
        of the root's risk for each leaf that it adds.
    ccp_alpha
        If given, the tree is pruned with this cost-complexity parameter (risk per unit of weight for each
        leaf), without cross-validation.
    path
        "weakest_link" computes the exact path, "rpart" follows the shortcut of R's rpart; see
        `bough.pruning`.
    random_state
        Seed of the folds.

    """

    min_improvement: float = 0.0
    count: Count = "cases"
    prune: Pruning | str = "one_se"
    cv: Any = 10
    cp: float = 0.0
    ccp_alpha: float | None = None
    path: PathMethod = "weakest_link"
    random_state: Any = 0


@keyword_parameters
class SurrogateParameters:
    """Column costs, surrogate splits and competing splits.

    Parameters
    ----------
    column_costs
        Cost of each column, as a dict by name or a list. The gain of a split is divided by the cost of its
        column.
    missing
        How rows are routed at a split whose value they lack. "auto" is "surrogates_then_majority", or
        "majority" if the criterion is a function or `max_bins` is given. See `bough.growing.missing.Missing`
        for these and for "surrogates_then_stop", "stop", "learned", "own_level" and "refuse".
    n_surrogates
        The greatest number of surrogates that a split keeps.
    agreement
        The rows over which the agreement of a surrogate is measured: "all" or "known"; see
        `bough.growing.recipe.Agreement`.
    surrogate_rule
        The condition for keeping a surrogate; see `bough.growing.recipe.SurrogateRule`.
    n_competitors
        Each node records this many of the best splits on other columns.

    """

    column_costs: ColumnCosts | None = None
    missing: Missing | Literal["auto"] = "auto"
    n_surrogates: int = 5
    agreement: Agreement = "all"
    surrogate_rule: SurrogateRule = "two_each_way"
    n_competitors: int = 0


@keyword_parameters
class CARTParameters(BinParameters, SurrogateParameters, MonotonicParameters):
    """Parameters that the CART classifier and regressor share, with splits on several columns.

    Parameters
    ----------
    combinations
        Splits on several numeric columns, which compete with the splits on one: "ratio" for x / y < t,
        "bivariate" for a·x + b·y < c, "linear" for the linear combinations of Breiman et al., or a tuple of
        these; None tries none. See `bough.growing.combinations.Combinations`.
    combination_features
        The columns to combine: names, positions or a mask; None uses all numeric columns.
    combination_penalty
        A combination is chosen only if its gain exceeds that of the best split on one column by this
        fraction.
    combination_deletion
        A column is dropped from a linear combination if dropping it loses less than this fraction of what
        dropping the most important column loses; beta in Breiman et al.
    sampling
        "drawn" draws folds of equal size that are stratified by y. "hash", which needs `max_bins`, takes the
        fold of a row from a hash of its `row_key`: a row keeps its fold in every order of the rows and in
        every database. Trees in databases always have such folds.
    row_key
        With `sampling="hash"`: the column whose values are hashed, which is not split on. None hashes the
        bins of all values of the row.

    """

    _several_targets: ClassVar[bool] = True
    _reads_sparse: ClassVar[bool] = True

    combinations: Any = None
    combination_features: Any = None
    combination_penalty: float = 0.0
    combination_deletion: float = 0.2
    sampling: Sampling = "drawn"
    row_key: str | None = None


@keyword_parameters
class RateParameters:
    """Shrinkage of event rates, and the error that cross-validation sums.

    Parameters
    ----------
    shrink
        For "poisson": the assumed coefficient of variation of the rates between leaves. The rate of each leaf
        is shrunk towards the overall rate, the more the smaller this is; 0 turns shrinkage off.
    cv_error
        For "poisson": the error that cross-validation sums, "deviance" or "sqrt", the squared difference of
        square roots.

    """

    shrink: float = 1.0
    cv_error: CrossValidatedError = "deviance"
