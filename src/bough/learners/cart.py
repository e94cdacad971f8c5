"""CART (Breiman, Friedman, Olshen and Stone 1984): binary trees; nominal columns part into two sets."""

from __future__ import annotations

from typing import Any

from bough.learners.estimator import Criterion, TreeClassifierEstimator, TreeRegressorEstimator, check_prune
from bough.recipe import Missing, Recipe


class CARTClassifier(TreeClassifierEstimator):
    """A binary classification tree.

    Text and categoricals are taken as they are and split into two sets of levels; missing values are taken
    as they are and follow the branch of most weight.

    Parameters
    ----------
    criterion
        "gini" (the authors' choice), "twoing", "entropy", "deviance" (or "log_loss"), "gain_ratio",
        "chi_square", "misclassification", or a function (see `bough.criterion.UserCriterion`).
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        When to stop, by scikit-learn's names, as `max_leaf_nodes` and `min_impurity_decrease`; see
        `bough.limits.Limits`.
    class_weight
        None, "balanced", or a dict from class to weight.
    missing
        "majority": a row whose value is missing follows the branch of most weight, as one with a level never
        seen does; "refuse": a table with missing values is refused.
    smoothing
        Of `predict_proba`: "none", "laplace", or the m of the m-estimate.
    prune
        "none": the tree stays as it was grown; "reduced_error", "pessimistic", "error_based" or "mdl"; or one
        of these with its own settings, such as `bough.pruning.ReducedError(folds=5)`.
    categorical_features, ordinal_features
        Columns that are nominal or ordinal whatever their dtype says: names, positions or a mask; of ordinal
        ones also a dict to their levels in order.
    max_exhaustive_levels
        With three classes or more, all subsets are tried up to this many levels; beyond, those that a good
        ordering of the levels suggests.
    n_jobs
        Threads; None takes all cores. The tree is the same for any number.

    Examples
    --------
    >>> import bough
    >>> X = [["search", 15], ["search", 10], ["other", 5], ["ad", 15], ["ad", 10], ["other", 10], ["ad", 5]]
    >>> y = ["yes", "yes", "no", "yes", "no", "no", "no"]
    >>> print(bough.CARTClassifier().fit(X, y).tree_)
    Classification tree: 3 leaves, depth 2, 7 cases
    <BLANKLINE>
    node  condition                cases  answer  no/yes  (* leaf)
       0  all                          7  no      4/3
       1    x0 in {ad, other}          5  no      4/1
       3      x1 < 12.5                4  no      4/0  *
       4      x1 >= 12.5               1  yes     0/1  *
       2    x0 = search                2  yes     0/2  *

    """

    def __init__(
        self,
        criterion: Criterion = "gini",
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        missing: Missing = "majority",
        smoothing: str | float = "none",
        prune: str = "none",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        max_exhaustive_levels: int = 12,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.missing = missing
        self.smoothing = smoothing
        self.prune = prune
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.max_exhaustive_levels = max_exhaustive_levels
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return CART's recipe with these parameters.

        >>> CARTClassifier(max_depth=2).recipe().nominal
        'subset'
        """
        check_prune(self.prune)
        return Recipe(
            self.criterion,
            nominal="subset",
            limits=self._limits(),
            missing=self.missing,
            max_exhaustive_levels=self.max_exhaustive_levels,
            task="classification",
        )


class CARTRegressor(TreeRegressorEstimator):
    """A binary regression tree.

    Parameters are those of `CARTClassifier`, but for `criterion`: "squared_error", "absolute_error" (whose
    leaves answer with medians), "poisson", or a function.

    Examples
    --------
    >>> import bough
    >>> model = bough.CARTRegressor(max_depth=1).fit([[1.0], [2.0], [4.0], [5.0]], [10, 11, 20, 21])
    >>> model.predict([[3.5]])
    array([20.5])

    """

    def __init__(
        self,
        criterion: Criterion = "squared_error",
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        missing: Missing = "majority",
        prune: str = "none",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.missing = missing
        self.prune = prune
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return CART's recipe with these parameters.

        >>> CARTRegressor().recipe().criterion
        'squared_error'
        """
        check_prune(self.prune)
        return Recipe(
            self.criterion,
            nominal="subset",
            limits=self._limits(),
            missing=self.missing,
            task="regression",
        )
