"""Growth with splits over several columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bough.data.formula import Formula, WideSchema
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.engines import native
from bough.engines.combinations.engine import CombinationEngine
from bough.engines.combinations.plan import Combinations
from bough.engines.combinations.ratios import ratios
from bough.engines.combinations.readable import readable
from bough.errors import ParameterError
from bough.growing import growth
from bough.growing.recipe import Recipe
from bough.progress import watcher
from bough.tree import Tree
from bough.types import Floats

# The ratios of a table are computed beforehand, all of them: beyond this they would crowd out the table.
_MOST_CELLS = 2**30


def grow(
    table: Table,
    target: ClassTarget | Floats,
    weights: Weights,
    recipe: Recipe,
    plan: Combinations,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> Tree:
    """Grow a tree as the recipe says, with splits over several columns where they beat those of one.

    Ratios are columns like any other, so a tree of ratios alone is grown by the native engine. Weights of
    columns are sought leaf by leaf.

    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]]), read_classes([0, 1, 0, 1])
    >>> recipe = Recipe("gini", task="classification")
    >>> print(grow(table, y, read_weights(None, 4), recipe, Combinations("linear")).condition(1))
    x1 - 0.62·x0 < 0.9
    """
    plan.check_criterion(recipe)
    places = plan.columns(table.schema)
    if recipe.missing == "refuse":
        native.refuse_missing(table)
    quotients = ratios(table, places) if "ratio" in plan.kinds else []
    _check_room(len(quotients), table.n_rows)
    if recipe.missing == "refuse":
        quotients = [ratio for ratio in quotients if not np.isnan(ratio.values(table.columns)).any()]
    formulas: Sequence[Formula] = quotients
    if plan.kinds == ("ratio",) and plan.penalty == 0 and isinstance(recipe.criterion, str):
        wide = table.widened(WideSchema.of(table.schema, quotients))
        tree = native.grow(wide, target, weights, recipe, target_name=target_name, n_jobs=n_jobs)
    else:
        engine = CombinationEngine(table, target, weights, recipe, plan, quotients, n_jobs)
        tree = growth.grow(engine, recipe, target_name=target_name)
        formulas = engine.formulas
        if (progress := watcher()) is not None:
            progress(1.0)
    tree = readable(tree, table.schema, formulas, table)
    return dataclasses.replace(tree, recipe=tree.recipe | {"combinations": plan.to_json(table.schema)})


def _check_room(n_ratios: int, n_rows: int) -> None:
    if n_ratios * n_rows > _MOST_CELLS:
        gigabytes = n_ratios * n_rows * 8 / 2**30
        raise ParameterError(
            f"{n_ratios} ratios of {n_rows} rows take {gigabytes:.0f} GiB, and at most "
            f"{_MOST_CELLS * 8 / 2**30:.0f} are taken; name fewer columns in combination_features."
        )
