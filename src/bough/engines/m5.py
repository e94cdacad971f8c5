"""The engine of M5 model trees: the core grows, prunes and smooths; this module builds the tree."""

from __future__ import annotations

from typing import Any

import bough._core as _core
from bough.engines.numeric_rows import NumericRows
from bough.growing.job import GrowingJob
from bough.growing.recipe import Recipe
from bough.progress import watcher
from bough.tree import Tree


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_numbers, read_weights
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> from bough.learners.m5 import M5Regressor
    >>> table, y = Table.read([[float(i)] for i in range(20)]), read_numbers([2.0 * i for i in range(20)])
    >>> target = WeightedTarget(y, read_weights(None, 20))
    >>> [tree] = grow_folds(GrowingJob(table, target, M5Regressor().recipe()))
    >>> tree.n_leaves, tree.predict([[30.0]]).round(3).tolist()
    (1, [60.0])
    """
    return [_grow(part) for part in job.parts()]


def _grow(job: GrowingJob) -> Tree:
    rows = NumericRows.of(job, "M5")
    options = m5_options(job.recipe, rows.cases)
    arrays = _core.grow_m5(rows.values, rows.y, rows.weight, rows.case_counts, options, watcher())
    return rows.tree(job, arrays)


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
