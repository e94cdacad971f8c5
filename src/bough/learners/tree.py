"""Trees of any recipe: every part of it is a parameter."""

from __future__ import annotations

from typing import Any

from bough.growing.recipe import Missing, Recipe
from bough.learners.estimator import Criterion, TreeClassifierEstimator, TreeRegressorEstimator, check_prune
from bough.tree.split import LevelKind


class TreeClassifier(TreeClassifierEstimator):
    """A classification tree whose recipe is put together by its parameters.

    Parameters
    ----------
    criterion
        A name of `bough.growing.criterion.CRITERIA["classification"]`, or a function.
    nominal
        How nominal columns are split: "subset" in two sets of levels, "complete" with a branch a level,
        "one_vs_rest" with one level against all others.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        When to stop, by scikit-learn's names, as `max_leaf_nodes` and `min_impurity_decrease`; with
        `min_gain`, `purity`, `significance` and `min_events` they are the limits of `bough.Limits`.
    class_weight, missing, smoothing, prune, categorical_features, ordinal_features
        And `max_exhaustive_levels` and `n_jobs`: as in `bough.CARTClassifier`.

    Examples
    --------
    >>> import bough
    >>> model = bough.TreeClassifier("gain_ratio", nominal="complete", purity=0.9)
    >>> model.fit([["sunny"], ["sunny"], ["rain"]], [0, 0, 1]).predict([["rain"]])
    array([1])

    """

    def __init__(
        self,
        criterion: Criterion = "gini",
        *,
        nominal: LevelKind = "subset",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_gain: float | None = None,
        purity: float = 1.0,
        significance: float | None = None,
        min_events: float = 0.0,
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
        self.nominal = nominal
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.purity = purity
        self.significance = significance
        self.min_events = min_events
        self.class_weight = class_weight
        self.missing = missing
        self.smoothing = smoothing
        self.prune = prune
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.max_exhaustive_levels = max_exhaustive_levels
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the recipe these parameters spell out.

        >>> TreeClassifier("entropy").recipe().criterion
        'entropy'
        """
        check_prune(self.prune)
        return Recipe(
            self.criterion,
            nominal=self.nominal,
            limits=self._limits(),
            missing=self.missing,
            max_exhaustive_levels=self.max_exhaustive_levels,
            task="classification",
        )


class TreeRegressor(TreeRegressorEstimator):
    """A regression tree whose recipe is put together by its parameters.

    Parameters
    ----------
    criterion
        A name of `bough.growing.criterion.CRITERIA["regression"]`, or a function.
    nominal
        How nominal columns are split, as in `bough.TreeClassifier`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        When to stop, by scikit-learn's names, as `max_leaf_nodes` and `min_impurity_decrease`; with
        `min_gain`, `min_variance` and `min_events` they are the limits of `bough.Limits`.
    missing, prune, categorical_features, ordinal_features, n_jobs
        As in `bough.CARTRegressor`.

    Examples
    --------
    >>> import bough
    >>> model = bough.TreeRegressor("absolute_error", min_samples_leaf=2)
    >>> model.fit([[1], [2], [3], [4], [5]], [1, 2, 9, 9, 30]).predict([[5]])
    array([9.])

    """

    def __init__(
        self,
        criterion: Criterion = "squared_error",
        *,
        nominal: LevelKind = "subset",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_gain: float | None = None,
        min_variance: float = 0.0,
        min_events: float = 0.0,
        missing: Missing = "majority",
        prune: str = "none",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.min_variance = min_variance
        self.min_events = min_events
        self.missing = missing
        self.prune = prune
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the recipe these parameters spell out.

        >>> TreeRegressor(min_variance=0.5).recipe().limits.min_variance
        0.5
        """
        check_prune(self.prune)
        return Recipe(
            self.criterion,
            nominal=self.nominal,
            limits=self._limits(),
            missing=self.missing,
            task="regression",
        )
