"""The choice of the engine that grows a tree: the first one that accepts the table and the recipe.

An engine is a module with a function `grow_folds` that takes a `GrowingJob` as `grow` below does, and is
registered by an entry in `ENGINES`. Its module is imported only when it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bough.data.table import Table
from bough.errors import TableError
from bough.growing.job import GrowingJob
from bough.growing.recipe import Recipe
from bough.tree import Tree


@dataclass(frozen=True)
class EngineChoice:
    """The module of an engine, a function that tells whether it accepts a recipe, and its kind of table."""

    module: str
    accepts: Callable[[Recipe], bool]
    of: type = Table


def _of_program(module: str, program: str) -> EngineChoice:
    """Return the engine of recipes that name a program."""
    return EngineChoice(module, lambda recipe: recipe.settings.get("program") == program)


ENGINES = (
    _of_program("bough.engines.optimal", "optimal"),
    _of_program("bough.engines.conditional", "conditional"),
    _of_program("bough.engines.stump", "DecisionStump"),
    _of_program("bough.engines.m5", "M5"),
    _of_program("bough.engines.linear_tree", "linear"),
    _of_program("bough.engines.logistic", "logistic"),
    EngineChoice("bough.engines.combinations.growth", lambda recipe: recipe.combinations is not None),
    EngineChoice(
        "bough.engines.binned", lambda recipe: recipe.max_bins is not None and not recipe.is_natively_binned
    ),
    EngineChoice(
        "bough.engines.native",
        lambda recipe: isinstance(recipe.criterion, str) and recipe.grouping is None,
    ),
    EngineChoice("bough.engines.memory", lambda recipe: True),
)
"""The engines, in the order in which they are tried."""


def engine_for(table: Any, recipe: Recipe) -> str:
    """Return the module of the engine that grows a tree from this table by this recipe.

    >>> table = Table.read([[1.0], [2.0]])
    >>> engine_for(table, Recipe("gini", task="classification"))
    'bough.engines.native'
    >>> engine_for(table, Recipe(max, task="classification"))
    'bough.engines.memory'
    >>> engine_for([[1.0], [2.0]], Recipe("gini", task="classification"))
    Traceback (most recent call last):
    bough.errors.TableError: No engine grows a tree from a list; read it with Table.read.
    """
    for engine in ENGINES:
        if isinstance(table, engine.of) and engine.accepts(recipe):
            return engine.module
    raise TableError(f"No engine grows a tree from a {type(table).__name__}; read it with Table.read.")


def grow(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows, then for each fold a tree on the rows outside it.

    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> target, recipe = WeightedTarget(y, read_weights(None, 3)), Recipe("gini", task="classification")
    >>> [tree] = grow(GrowingJob(table, target, recipe))
    >>> tree.condition(1)
    'x0 < 12.5'
    """
    trees: list[Tree] = import_module(engine_for(job.table, job.recipe)).grow_folds(job)
    return trees
