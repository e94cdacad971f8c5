"""REPTree, Weka's fast tree: gain or variance, pruned on a fold of the rows that is then fitted in too."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.engines.native import Sample
from bough.growing.limits import Limits
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.learners.estimator import TreeClassifierEstimator, TreeRegressorEstimator
from bough.progress import watcher
from bough.pruning.methods import Pruning, ReducedError, pruning_of
from bough.tree import Tree

# Weka's number for no limit.
_ANY_DEPTH = -1


def _pruning(prune: str | Pruning, folds: int, seed: int | None) -> Pruning | None:
    drawn = ReducedError(folds=folds, seed=seed, backfit=True)
    return drawn if isinstance(prune, str) and prune == "reduced_error" else pruning_of(prune)


def _order(
    learner: REPTreeClassifier | REPTreeRegressor,
    held_out: npt.NDArray[np.bool_] | None,
    codes: npt.NDArray[np.int32] | None,
    n_rows: int,
) -> npt.NDArray[np.uint32] | None:
    """Return the rows to grow on in the order Weka takes them: the last bit of a sum depends on it."""
    pruning = learner._pruning()
    drawn = pruning if isinstance(pruning, ReducedError) else learner
    if drawn.seed is not None:
        return np.asarray(_core.grown_rows(codes, n_rows, drawn.folds, drawn.seed, held_out is not None))
    return None if held_out is None else np.flatnonzero(~held_out).astype(np.uint32)


def _grow(
    learner: REPTreeClassifier | REPTreeRegressor,
    held_out: npt.NDArray[np.bool_] | None,
    table: Table,
    sample: Sample,
    recipe: Recipe,
    name: str | None,
) -> Tree:
    target, weights = sample.target, sample.weights
    if isinstance(target, ClassTarget):
        classes, codes, numbers = target.classes, target.codes, None
    else:
        classes, codes, numbers = (), None, target
    cases = table.n_rows if weights.cases is None else float(weights.cases.sum())
    depth = recipe.limits.max_depth
    options = {
        "min_weight": float(recipe.limits.cases_in_leaf(cases)),
        # Here a share of the variance of all rows, not a variance.
        "min_variance": float(recipe.limits.min_variance),
        "max_depth": _ANY_DEPTH if depth is None else min(int(depth), 2**31 - 1),
    }
    arrays: dict[str, Any] = _core.grow_rep(
        table.native(),
        table.n_rows,
        len(classes),
        codes,
        numbers,
        weights.weight,
        weights.cases,
        _order(learner, held_out, codes, table.n_rows),
        options,
        n_threads(learner.n_jobs),
        watcher(),
    )
    return Tree(
        schema=table.schema,
        task=recipe.task,
        classes=classes,
        target_name=name,
        criterion=recipe.criterion_name,
        recipe=recipe.to_json() | {"missing": "spread"},
        **arrays,
    )


class REPTreeClassifier(TreeClassifierEstimator):
    """A classification tree grown by information gain on some rows and pruned on the others.

    Levels get a branch each; a row with a missing value goes down all branches in parts.

    Parameters
    ----------
    min_samples_leaf
        At least two branches of a split weigh this much.
    max_depth
        The longest path, in splits.
    folds, seed
        One of the folds is held out to prune on; `seed` shuffles the rows first, as Java's random numbers do.
    prune
        "reduced_error", which also adds the rows held out to the leaves in the end; "none"; or any other way
        of `bough.pruning`.
    class_weight, smoothing, categorical_features, ordinal_features, n_jobs
        As in `bough.CARTClassifier`.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(60)], ["a" if i % 10 < 4 else "b" for i in range(60)]
    >>> print(bough.REPTreeClassifier().fit(X, y).tree_.rules()[0])
    x0 < 3.5 -> a

    """

    def __init__(
        self,
        *,
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        folds: int = 3,
        seed: int | None = 1,
        prune: str | Pruning = "reduced_error",
        class_weight: Any = None,
        smoothing: str | float = "none",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.folds = folds
        self.seed = seed
        self.prune = prune
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the parts of the recipe that other learners have too; the parameters are checked here.

        >>> REPTreeClassifier().recipe().criterion
        'entropy'
        """
        self._pruning()
        limits = Limits(min_samples_leaf=self.min_samples_leaf, max_depth=self.max_depth)
        return Recipe("entropy", nominal="complete", limits=limits, task="classification")

    def _pruning(self) -> Pruning | None:
        return _pruning(self.prune, self.folds, self.seed)

    def _grown_without(
        self,
        held_out: npt.NDArray[np.bool_] | None,
        table: Table,
        sample: Sample,
        recipe: Recipe,
        name: str | None,
    ) -> Tree:
        return _grow(self, held_out, table, sample, recipe, name)


class REPTreeRegressor(TreeRegressorEstimator):
    """A regression tree grown by the squared error on some rows and pruned on the others.

    Parameters
    ----------
    min_variance
        A node is split only if the variance of y in it is at least this share of that of all rows.
    min_samples_leaf, max_depth, folds, seed, prune
        As in `bough.REPTreeClassifier`.
    categorical_features, ordinal_features, n_jobs
        As in `bough.CARTRegressor`.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 10] for i in range(60)], [1.0 if i % 10 < 4 else 3.0 for i in range(60)]
    >>> bough.REPTreeRegressor().fit(X, y).predict([[2], [7], [None]])
    array([1. , 3. , 2.2])

    """

    def __init__(
        self,
        *,
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        min_variance: float = 1e-3,
        folds: int = 3,
        seed: int | None = 1,
        prune: str | Pruning = "reduced_error",
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.min_variance = min_variance
        self.folds = folds
        self.seed = seed
        self.prune = prune
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs

    def recipe(self) -> Recipe:
        """Return the parts of the recipe that other learners have too; the parameters are checked here.

        >>> REPTreeRegressor().recipe().criterion
        'squared_error'
        """
        self._pruning()
        limits = Limits(
            min_samples_leaf=self.min_samples_leaf, max_depth=self.max_depth, min_variance=self.min_variance
        )
        return Recipe("squared_error", nominal="complete", limits=limits, task="regression")

    def _pruning(self) -> Pruning | None:
        return _pruning(self.prune, self.folds, self.seed)

    def _grown_without(
        self,
        held_out: npt.NDArray[np.bool_] | None,
        table: Table,
        sample: Sample,
        recipe: Recipe,
        name: str | None,
    ) -> Tree:
        return _grow(self, held_out, table, sample, recipe, name)
