"""The native engine of C4.5 (release 8) and of Weka's J48 and REPTree.

These programs route fractions of a row down several branches. The order of their sums is reproduced, because
rounding decides ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.engines.native import refuse_missing
from bough.growing.pruning import ReducedError
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.jobs import n_threads
from bough.progress import watcher
from bough.tree import Tree
from bough.types import Floats

# Weka's value for an unlimited depth.
_ANY_DEPTH = -1


def grow(
    table: Table,
    target: WeightedTarget,
    recipe: Recipe,
    held_out: npt.NDArray[np.bool_] | None,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> Tree:
    """Grow a tree on the rows that are not held out, in the arithmetic that the recipe names.

    >>> from bough.data.target import read_classes, read_weights
    >>> table = Table.read([["a"], ["a"], ["b"], ["b"]])
    >>> target = WeightedTarget(read_classes([0, 0, 1, 1]), read_weights(None, 4))
    >>> recipe = Recipe("gain_ratio", nominal="complete", arithmetic="release 8", task="classification")
    >>> grow(table, target, recipe, None).condition(1)
    'x0 = a'
    """
    if recipe.missing == "refuse":
        refuse_missing(table, instead="fractional")
    of_program = _reptree_arrays if recipe.settings.get("program") == "REPTree" else _c45_arrays
    return Tree(
        schema=table.schema,
        task=recipe.task,
        classes=target.classes,
        target_name=target_name,
        criterion=recipe.criterion_name,
        recipe=recipe.to_json(),
        **of_program(table, target, recipe, held_out, n_threads(n_jobs)),
    )


def _c45_arrays(
    table: Table,
    target: WeightedTarget,
    recipe: Recipe,
    held_out: npt.NDArray[np.bool_] | None,
    n_threads: int,
) -> dict[str, Any]:
    options = {
        "min_cases": _cases_in_branch(table, target, recipe),
        "gain_ratio": recipe.criterion == "gain_ratio",
        "subset": recipe.nominal == "subset",
        "binary": recipe.nominal == "one_vs_rest",
        "collapse": not isinstance(recipe.pruning, ReducedError),
    }
    return _core.grow_c45(
        table.native(),
        table.n_rows,
        len(target.classes),
        target.answers,
        target.weights.weight,
        target.weights.cases,
        None if held_out is None else (~held_out).astype(np.uint8),
        "c4.5" if recipe.arithmetic == "release 8" else "j48",
        options,
        n_threads,
        watcher(),
    )


def _reptree_arrays(
    table: Table,
    target: WeightedTarget,
    recipe: Recipe,
    held_out: npt.NDArray[np.bool_] | None,
    n_threads: int,
) -> dict[str, Any]:
    codes, numbers = _codes_or_numbers(target)
    depth = recipe.limits.max_depth
    options = {
        "min_weight": _cases_in_branch(table, target, recipe),
        "min_variance": float(recipe.settings.get("min_variance_fraction", 0.0)),
        "max_depth": _ANY_DEPTH if depth is None else min(int(depth), 2**31 - 1),
    }
    return _core.grow_rep(
        table.native(),
        table.n_rows,
        len(target.classes),
        codes,
        numbers,
        target.weights.weight,
        target.weights.cases,
        _order(recipe, held_out, codes, table.n_rows),
        options,
        n_threads,
        watcher(),
    )


def _codes_or_numbers(target: WeightedTarget) -> tuple[npt.NDArray[np.int32] | None, Floats | None]:
    truth = target.single
    return (truth.codes, None) if isinstance(truth, ClassTarget) else (None, truth)


def _cases_in_branch(table: Table, target: WeightedTarget, recipe: Recipe) -> float:
    cases = target.weights.cases
    least = recipe.limits.cases_in_branch(table.n_rows if cases is None else float(cases.sum()))
    # More than any number of cases, and finite.
    return min(float(least), 2.0**100)


def _order(
    recipe: Recipe,
    held_out: npt.NDArray[np.bool_] | None,
    codes: npt.NDArray[np.int32] | None,
    n_rows: int,
) -> npt.NDArray[np.uint32] | None:
    """Return the rows to grow on, in Weka's order, on which the rounding of sums depends."""
    pruning = recipe.pruning
    seed, cv = recipe.seed, int(recipe.settings["cv"])
    if isinstance(pruning, ReducedError):
        seed, cv = pruning.random_state, pruning.cv
    if seed is not None:
        return np.asarray(_core.grown_rows(codes, n_rows, cv, seed, held_out is not None))
    return None if held_out is None else np.flatnonzero(~held_out).astype(np.uint32)
