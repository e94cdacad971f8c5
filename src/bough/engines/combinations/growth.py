"""Growth with splits on several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bough.data.formula import Formula, WideSchema
from bough.engines import native
from bough.engines.combinations.engine import CombinationEngine
from bough.engines.combinations.ratios import ratios
from bough.engines.combinations.readable import readable
from bough.errors import ParameterError
from bough.growing import growth
from bough.growing.combinations import Combinations
from bough.growing.job import GrowingJob
from bough.progress import watcher
from bough.tree import Tree

# All ratios are computed beforehand, so their number of values is limited to save memory.
_MOST_CELLS = 2**30


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow trees with splits on several columns where they are better than those on one.

    Ratios are computed as additional columns, so a tree with ratios only is grown by the native engine.
    Coefficients of linear combinations are searched at each leaf.

    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.data.table import Table
    >>> from bough.growing.recipe import Recipe
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> table, y = Table.read([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]]), read_classes([0, 1, 0, 1])
    >>> target = WeightedTarget(y, read_weights(None, 4))
    >>> recipe = Recipe("gini", combinations=Combinations("linear"), task="classification")
    >>> [tree] = grow_folds(GrowingJob(table, target, recipe))
    >>> tree.condition(1)
    'x1 - 0.62·x0 < 0.9'
    """
    plan, target = job.recipe.combinations, job.target
    assert plan is not None
    if target.split_weight is not None:
        raise ParameterError(
            "combinations do not support priors, losses or exposures; leave these out, or combinations."
        )
    if target.prior_events > 0:
        raise ParameterError("combinations do not support shrinkage; give shrink=0.")
    plan.check_criterion(job.recipe.criterion)
    return [_grow(part, plan) for part in job.parts()]


def _grow(job: GrowingJob, plan: Combinations) -> Tree:
    table, recipe = job.table, job.recipe
    positions = plan.columns(table.schema)
    quotients = ratios(table, positions) if "ratio" in plan.kinds else []
    _check_room(len(quotients), table.n_rows)
    if recipe.missing == "refuse":
        quotients = [ratio for ratio in quotients if not np.isnan(ratio.values(table.columns)).any()]
    formulas: Sequence[Formula] = quotients
    if plan.kinds == ("ratio",) and plan.penalty == 0 and isinstance(recipe.criterion, str):
        wide = table.widened(WideSchema.of(table.schema, quotients))
        [tree] = native.grow_folds(replace(job, table=wide))
    else:
        target, weights = job.target.single, job.target.weights
        engine = CombinationEngine(table, target, weights, recipe, plan, quotients, job.n_jobs)
        tree = growth.grow(engine, recipe, target_name=job.target_name)
        formulas = engine.formulas
        if (progress := watcher()) is not None:
            progress(1.0)
    return readable(tree, table.schema, formulas, table)


def _check_room(n_ratios: int, n_rows: int) -> None:
    if n_ratios * n_rows > _MOST_CELLS:
        gigabytes = n_ratios * n_rows * 8 / 2**30
        raise ParameterError(
            f"{n_ratios} ratios of {n_rows} rows need {gigabytes:.0f} GiB; the limit is "
            f"{_MOST_CELLS * 8 / 2**30:.0f} GiB. Name fewer columns in combination_features."
        )
