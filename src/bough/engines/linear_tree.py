"""The engine of linear trees: the core grows and prunes a tree of linear models."""

from __future__ import annotations

import bough._core as _core
from bough.engines.numeric_rows import NumericRows
from bough.growing.job import GrowingJob
from bough.jobs import n_threads
from bough.progress import watcher
from bough.tree import Tree

# Cases for each coefficient that the models of leaves have, unless their number is given, and the least.
_CASES_OF_COEFFICIENT = 2.0
_LEAST_CASES = 10.0


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_numbers, read_weights
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> from bough.learners.linear_tree import LinearTreeRegressor
    >>> table = Table.read([[float(i)] for i in range(60)])
    >>> y = read_numbers([abs(i - 30.0) for i in range(60)])
    >>> target = WeightedTarget(y, read_weights(None, 60))
    >>> [tree] = grow_folds(GrowingJob(table, target, LinearTreeRegressor(ridge=0).recipe()))
    >>> tree.condition(1), tree.predict([[80.0]]).round(3).tolist()
    ('x0 <= 29.5', [50.0])
    """
    return [_grow(part) for part in job.parts()]


def _grow(job: GrowingJob) -> Tree:
    rows, recipe = NumericRows.of(job, "A linear tree"), job.recipe
    settings, limits = recipe.settings, recipe.limits
    least = limits.cases_in_leaf(rows.cases)
    if settings["min_samples_leaf"] == "auto":
        least = max(_LEAST_CASES, _CASES_OF_COEFFICIENT * (len(rows.columns.columns) + 1))
    options = {
        "ridge": float(settings["ridge"]),
        "max_depth": -1 if limits.max_depth is None else min(int(limits.max_depth), 2**31 - 1),
        "min_cases": limits.cases_to_split(rows.cases),
        "min_leaf": least,
        "prune": settings["prune"] == "m5",
        "n_threads": n_threads(job.n_jobs),
    }
    arrays = _core.grow_linear_tree(
        rows.values,
        rows.codes(recipe.max_bins),
        rows.y,
        rows.weight,
        rows.case_counts,
        options,
        watcher(),
    )
    return rows.tree(job, arrays)
