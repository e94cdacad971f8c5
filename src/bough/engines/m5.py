"""The engine of M5 model trees: the core grows, prunes and smooths; this module builds the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

import bough._core as _core
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.engines.native import refuse_missing
from bough.engines.numeric_columns import Conditioning, NumericColumns
from bough.errors import TargetError
from bough.growing.job import GrowingJob
from bough.growing.recipe import Recipe
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.leaf_models import LeafModels
from bough.tree.split import AtMost, Levels, Split


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.target import read_numbers, read_weights
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> from bough.learners.m5 import M5Regressor
    >>> table, y = Table.read([[float(i)] for i in range(20)]), read_numbers([2.0 * i for i in range(20)])
    >>> target = WeightedTarget(y, read_weights(None, 20))
    >>> [tree] = grow_folds(GrowingJob(table, target, M5Regressor().recipe()))
    >>> tree.n_leaves, tree.predict([[30.0]]).round(3).tolist()
    (1, [60.0])
    """
    if job.recipe.missing == "refuse":
        refuse_missing(job.table, instead="imputed")
    return [_grow(part) for part in job.parts()]


def _grow(job: GrowingJob) -> Tree:
    table, target = job.table, job.target
    y = target.single
    if isinstance(y, ClassTarget):
        raise TargetError("M5 predicts numbers; y holds classes.")
    weights = target.weights
    of_y = Conditioning.of(y)
    scaled = of_y.apply(y)
    made = NumericColumns.of(table, scaled, weights.weight)
    arrays = _core.grow_m5(
        np.ascontiguousarray(made.values),
        np.ascontiguousarray(scaled),
        weights.weight,
        weights.cases,
        m5_options(job.recipe, float(table.n_rows if weights.cases is None else weights.cases.sum())),
        watcher(),
    )
    splits = [_split(table, made, arrays, node) for node in range(len(arrays["column"]))]
    means = of_y.center + np.ldexp(arrays["mean"], -of_y.exponent)
    start = arrays["term_start"]
    models = [
        made.model(
            float(arrays["intercept"][node]),
            arrays["term_column"][start[node] : start[node + 1]],
            arrays["coefficient"][start[node] : start[node + 1]],
            of_y,
            float(means[node]),
        )
        for node in range(len(splits))
    ]
    return Tree.from_splits(
        splits,
        default_branch=[_default_branch(made, arrays, node) for node in range(len(splits))],
        gain=arrays["gain"],
        weight=arrays["weight"],
        cases=arrays["cases"],
        statistics=means[:, None],
        risk=np.ldexp(arrays["risk"], -2 * of_y.exponent),
        schema=table.schema,
        task=job.recipe.task,
        classes=(),
        target_name=job.target_name,
        criterion=job.recipe.criterion_name,
        recipe=job.recipe.to_json(),
        leaf_models=LeafModels.of_nodes(models),
    )


def m5_options(recipe: Recipe, root_cases: float) -> dict[str, Any]:
    """Return the settings of a recipe as the core reads them.

    >>> from bough.learners.m5 import M5Regressor
    >>> m5_options(M5Regressor().recipe(), 100.0)["min_cases"]
    4.0
    """
    settings = recipe.settings
    return {
        "min_cases": recipe.limits.cases_to_split(root_cases),
        "min_deviation": float(settings["min_deviation_fraction"]),
        "constant": settings["leaf"] == "constant",
        "prune": settings["prune"] == "m5",
        "smoothing": float(settings["smoothing_constant"]),
    }


def _split(table: Table, made: NumericColumns, arrays: dict[str, Any], node: int) -> Split | None:
    position = int(arrays["column"][node])
    if position < 0:
        return None
    column = made.columns[position]
    if column.codes:
        n_levels = len(table.schema[column.source].levels)
        inside = set(column.codes)
        branches = tuple(int(code in inside) for code in range(n_levels))
        return Levels(column.source, "subset", tuple(range(n_levels)), branches, 2)
    cut, neighbours = made.cut(
        table, position, *(float(arrays[name][node]) for name in ("cut", "below", "above"))
    )
    return AtMost(column.source, cut, neighbours)


def _default_branch(made: NumericColumns, arrays: dict[str, Any], node: int) -> int:
    position = int(arrays["column"][node])
    if position < 0:
        return -1
    column = made.columns[position]
    substitute = column.conditioning.apply(np.array([column.substitute]))[0]
    return int(substitute > arrays["cut"][node])
