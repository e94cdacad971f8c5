"""Extremely randomized trees (Geurts, Ernst and Wehenkel 2006): of each column one random split is tried."""

from __future__ import annotations

from typing import Any, ClassVar

from bough.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from bough.growing.missing import Missing


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomized trees (Geurts et al. 2006) that answer with a class; ranger's extratrees.

    In a node, of each column looked at one split is tried: a cut drawn uniformly between the least and the
    greatest value there, or a random set of the levels there. Parameters are those of
    `RandomForestClassifier`; by default every tree gets all rows.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "b"]], ["low", "low", "high", "high"]
    >>> bough.ExtraTreesClassifier(50, random_state=0).fit(X, y).predict([[1.2, "b"]])
    array(['low'], dtype='<U4')

    """

    _random_splits: ClassVar[bool] = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        seek: bool = True,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        replace: bool = True,
        max_samples: Any = None,
        oob_score: Any = False,
        voting: str = "soft",
        cutoff: Any = None,
        class_weight: Any = None,
        missing: Missing = "learned",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            seek=seek,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            replace=replace,
            max_samples=max_samples,
            oob_score=oob_score,
            voting=voting,
            cutoff=cutoff,
            class_weight=class_weight,
            missing=missing,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomized trees that answer with a number.

    Parameters are those of `RandomForestRegressor`; by default every tree gets all rows.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x)] for x in range(50)]
    >>> bough.ExtraTreesRegressor(50, random_state=0).fit(X, list(range(50))).predict([[20.0]])
    array([20.])

    """

    _random_splits: ClassVar[bool] = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        seek: bool = True,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        replace: bool = True,
        max_samples: Any = None,
        oob_score: Any = False,
        bias_correction: bool = False,
        quantiles: bool = False,
        missing: Missing = "learned",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            seek=seek,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            replace=replace,
            max_samples=max_samples,
            oob_score=oob_score,
            bias_correction=bias_correction,
            quantiles=quantiles,
            missing=missing,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )
