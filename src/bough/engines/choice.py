"""Which engine grows a tree: the one that can, by what the recipe asks for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.engines import combinations, native
from bough.engines.memory import MemoryEngine
from bough.growing import growth
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.tree import Tree


def grow_folds(
    table: Table,
    target: WeightedTarget,
    recipe: Recipe,
    folds: npt.NDArray[np.int32] | None = None,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> list[Tree]:
    """Grow the tree of all rows, then for each fold the tree of the rows outside it."""
    plan = recipe.combinations
    if plan is None and isinstance(recipe.criterion, str):
        return native.grow_folds(table, target, recipe, folds, target_name=target_name, n_jobs=n_jobs)
    n_folds = 0 if folds is None else int(folds.max(initial=-1)) + 1
    kept = [np.flatnonzero(folds != fold) for fold in range(n_folds)]
    parts = [(table, target), *((table.take(rows), target.take(rows)) for rows in kept)]
    if plan is not None:
        return [
            combinations.grow(
                part, own.target, own.weights, recipe, plan, target_name=target_name, n_jobs=n_jobs
            )
            for part, own in parts
        ]
    engines = [MemoryEngine(part, own.target, own.weights, reads=recipe.reads) for part, own in parts]
    return [growth.grow(engine, recipe, target_name=target_name) for engine in engines]
