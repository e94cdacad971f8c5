"""Random subspaces (Ho 1998): each tree sees only some of the columns, all of them in every node."""

from __future__ import annotations

import dataclasses
from typing import Any

from bough.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from bough.growing.draws import ColumnSampling
from bough.growing.missing import Missing
from bough.growing.nominal import Nominal


class RandomSubspaceClassifier(RandomForestClassifier):
    """Trees of random columns that answer with a class.

    Parameters are those of `RandomForestClassifier`, but `max_features` are the columns of a tree, and by
    default every tree gets all rows.

    Examples
    --------
    >>> import bough
    >>> X, y = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]], ["low", "low", "high", "high"]
    >>> bough.RandomSubspaceClassifier(10, random_state=0).fit(X, y).predict([[1.2, 1.2]])
    array(['low'], dtype='<U4')

    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 0.5,
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
        nominal: Nominal = "ordered",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        max_exhaustive_levels: int = 12,
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
            nominal=nominal,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            max_exhaustive_levels=max_exhaustive_levels,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )

    def _columns(self, n_columns: int) -> ColumnSampling:
        return _of_some_columns(super()._columns(n_columns), n_columns)


class RandomSubspaceRegressor(RandomForestRegressor):
    """Trees of random columns that answer with a number.

    Parameters are those of `RandomForestRegressor`, but `max_features` are the columns of a tree, and by
    default every tree gets all rows.

    Examples
    --------
    >>> import bough
    >>> X = [[float(x), -float(x)] for x in range(50)]
    >>> bough.RandomSubspaceRegressor(10, random_state=0).fit(X, list(range(50))).predict([[20.0, -20.0]])
    array([20.])

    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 0.5,
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
        nominal: Nominal = "ordered",
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
            nominal=nominal,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )

    def _columns(self, n_columns: int) -> ColumnSampling:
        return _of_some_columns(super()._columns(n_columns), n_columns)


def _of_some_columns(columns: ColumnSampling, n_columns: int) -> ColumnSampling:
    return dataclasses.replace(columns, max_features=n_columns, tree_features=columns.max_features)
