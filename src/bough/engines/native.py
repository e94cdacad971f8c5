"""The native engine: the growth loop in C++, on presorted columns.

It grows the same tree, to the bit, as `bough.growing.growth.grow` with `bough.engines.memory`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.bins import Bins
from bough.data.several_targets import SeveralTargets
from bough.data.sparse import stored_values
from bough.data.table import Table, is_missing
from bough.data.target import ClassTarget, Weights
from bough.errors import TableError
from bough.growing.criterion import split_loss
from bough.growing.draws import ColumnSampling
from bough.growing.fit_grid import check_spread
from bough.growing.job import GrowingJob
from bough.growing.missing import BY_LOOP, BY_VALUE, Missing, check_missing
from bough.growing.monotonic import native_directions
from bough.growing.recipe import Recipe, costs_by_column
from bough.growing.weighted_target import WeightedTarget
from bough.jobs import n_threads
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.alternatives import AlternativeSplits
from bough.types import Floats

# Nodes are numbered with 32 bits, so no tree is deeper or has more leaves.
_NO_LIMIT = 2**31 - 1


_FALLBACKS = {
    "majority": "heaviest",
    "refuse": "heaviest",
    "learned": "heaviest",
    "own_level": "heaviest",
    "stop": "stay",
    "surrogates_then_stop": "stay",
    "surrogates_then_majority": "larger",
}


def codes_and_numbers(
    target: ClassTarget | Floats | SeveralTargets,
) -> tuple[npt.NDArray[np.int32] | None, Floats | None]:
    """Return a target as class codes or as numbers for the native code, those of several row by row.

    >>> codes_and_numbers(np.array([1.5, 2.5]))
    (None, array([1.5, 2.5]))
    """
    if isinstance(target, SeveralTargets):
        values = target.native()
        return (values, None) if any(target.n_classes) else (None, values)
    return (target.codes, None) if isinstance(target, ClassTarget) else (None, target)


def n_classes_of(target: ClassTarget | Floats | SeveralTargets) -> int:
    """Return the number of classes of a target, of all targets together if they are several.

    >>> n_classes_of(np.array([1.5, 2.5]))
    0
    """
    if isinstance(target, SeveralTargets):
        return sum(target.n_classes)
    return len(target.classes) if isinstance(target, ClassTarget) else 0


def _target_arrays(target: WeightedTarget, folds: npt.NDArray[np.int32] | None) -> dict[str, Any]:
    """Return the target as arguments of the native code."""
    truth, weight = target.target, target.weights.weight
    several = truth if isinstance(truth, SeveralTargets) else None
    codes, numbers = codes_and_numbers(truth)
    own = None
    if target.split_weight is not None:
        own = np.ones(len(target.split_weight)) if weight is None else weight
        weight = target.split_weight
    return {
        "label": codes,
        "y": None if codes is not None else numbers,
        "weight": weight,
        "own": own,
        "cases": target.weights.cases,
        "loss": target.error_costs(),
        "targets": [] if several is None else several.n_classes,
        "fold": folds,
    }


def grow(
    table: Table,
    target: ClassTarget | Floats,
    weights: Weights,
    recipe: Recipe,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> Tree:
    """Grow a tree by a recipe whose criterion is one of bough's own.

    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> tree = grow(table, y, read_weights(None, 3), Recipe("gini", task="classification"))
    >>> tree.condition(1)
    'x0 < 12.5'
    """
    job = GrowingJob(table, WeightedTarget(target, weights), recipe, None, target_name, n_jobs)
    return grow_folds(job)[0]


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and one on the rows outside each fold; columns are sorted once for all trees.

    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> target, recipe = WeightedTarget(y, read_weights(None, 3)), Recipe("gini", task="classification")
    >>> trees = grow_folds(GrowingJob(table, target, recipe, np.array([0, 1, 1], np.int32)))
    >>> [tree.n_leaves for tree in trees]
    [2, 1, 1]
    """
    table, target, recipe = job.table, job.target, job.recipe
    grown = _core.grow(
        table.native_or_sparse(),
        table.n_rows,
        n_classes_of(target.target),
        _target_arrays(target, job.folds),
        _native_recipe(table, target, recipe),
        job.n_folds,
        n_threads(job.n_jobs),
        watcher(),
        None if recipe.max_bins is None else _bins(table, target, recipe.max_bins, job.n_jobs),
    )
    return [_tree(arrays, job) for arrays in grown]


def _bins(table: Table, target: WeightedTarget, max_bins: int, n_jobs: int | None) -> _core.BinnedTable:
    """Return the bins of a table whose columns native code reads."""
    if isinstance(y := target.target, np.ndarray) and y.ndim == 1 and len(y):
        check_spread(float(y.min()), float(y.max()))
    return Bins.of(table, max_bins, target.weights.cases, n_jobs=n_jobs).native


def _tree(arrays: dict[str, Any], job: GrowingJob) -> Tree:
    target, recipe = job.target, job.recipe
    competitors, surrogates = arrays.pop("competitors"), arrays.pop("surrogates")
    k = len(target.targets)
    if k and recipe.task == "regression":
        # The core returns the means of the targets, then their risks.
        means, risks = np.hsplit(arrays["statistics"], 2)
        arrays["statistics"], arrays["target_risk"] = map(np.ascontiguousarray, (means, risks))
    name = target.targets[0].name if k else job.target_name
    return Tree(
        **recipe.head(job.table.schema, target.classes, name),
        targets=target.targets,
        competitors=None if competitors is None else AlternativeSplits(**competitors),
        surrogates=None if surrogates is None else AlternativeSplits(**surrogates),
        follows_surrogates=recipe.missing != "stop",
        class_scale=target.class_scale,
        loss_matrix=target.loss_matrix,
        **arrays,
    )


def refuse_missing(table: Table, what: str = "missing values", instead: Missing | None = None) -> None:
    """Raise if a table has missing values; `what` names them, and `instead` is a policy to suggest.

    In a table to predict, levels not seen in training have the same code as missing values.

    >>> refuse_missing(Table.read([[1.0], [None]]))
    Traceback (most recent call last):
    bough.errors.TableError: Column 'x0' has missing values in 1 rows, but missing='refuse' allows none.
    Impute them, or leave those rows out.
    """
    for column, values in zip(table.schema.columns, map(stored_values, table.columns), strict=True):
        missing = is_missing(values)
        if missing.any():
            others = (
                "or leave those rows out"
                if instead is None
                else f"leave those rows out, or choose {instead!r}"
            )
            raise TableError(
                f"Column {column.name!r} has {what} in {int(missing.sum())} rows, but missing='refuse' "
                f"allows none. Impute them, {others}."
            )


def _native_recipe(table: Table, target: WeightedTarget, recipe: Recipe) -> dict[str, Any]:
    check_missing(recipe.missing, "A tree grown by bough's own arithmetic", BY_LOOP)
    limits, weights = recipe.limits, target.weights
    loss = split_loss(recipe.criterion, target.loss_matrix)
    cases = weights.n_cases(table.n_rows)
    columns = recipe.columns or ColumnSampling(0)
    return {
        "criterion": recipe.criterion_name,
        "nominal": recipe.nominal,
        "max_exhaustive": recipe.max_exhaustive_levels,
        "fallback": _FALLBACKS[recipe.missing],
        "missing": recipe.missing if recipe.missing in BY_VALUE else "left_out",
        "surrogates": recipe.n_surrogates if recipe.keeps_surrogates else 0,
        "surrogates_astray": recipe.surrogate_rule == "rpart",
        "surrogates_decide": recipe.missing != "stop",
        "agreement_of_known": recipe.agreement == "known",
        "competitors": recipe.n_competitors,
        "price": costs_by_column(recipe.column_costs, table.schema),
        "zero_rates": recipe.zero_rates,
        "prior_events": target.prior_events,
        "drawn_columns": columns.max_features,
        "random_splits": columns.random_splits,
        "seed": recipe.seed or 0,
        "monotonic": native_directions(recipe.monotonic_cst, table, len(target.classes)),
        "split_loss": [] if loss is None else loss.tolist(),
        **limits.native(cases),
        "min_cases_branch": limits.cases_in_branch(cases),
        "min_gain": -np.inf if limits.min_gain is None else limits.min_gain,
        "purity": limits.purity,
        "significance": 1.0 if limits.significance is None else limits.significance,
        "min_variance": limits.min_variance,
        "min_events": limits.min_events,
        "min_risk": limits.min_risk,
        "min_share": limits.min_improvement,
    }
