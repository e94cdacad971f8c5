"""The native engine of C4.5 (release 8) and of Weka's J48 and REPTree.

These programs route fractions of a row down several branches. The order of their sums is reproduced, because
rounding decides ties.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.table import Table
from bough.engines.native import codes_and_numbers
from bough.growing.pruning import ReducedError, SimpleCart
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.jobs import n_threads
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.answer import expected_losses

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
    rows = _Rows(table, target, recipe, n_threads(n_jobs))
    arrays = _PROGRAMS.get(recipe.settings.get("program", ""), _c45_arrays)
    return rows.tree(arrays(rows, held_out), target_name)


def grow_in_order(
    table: Table,
    target: WeightedTarget,
    recipe: Recipe,
    order: npt.NDArray[np.uint32],
) -> Tree:
    """Grow a tree of SimpleCart on some rows, which are taken in this order.

    >>> from bough import SimpleCartClassifier
    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[1.0], [2.0], [8.0], [9.0], [5.0]]), read_classes([0, 0, 1, 1, 1])
    >>> target, recipe = WeightedTarget(y, read_weights(None, 5)), SimpleCartClassifier().recipe()
    >>> grow_in_order(table, target, recipe, np.array([3, 0, 1, 2], np.uint32)).condition(1)
    'x0 < 5'
    """
    rows = _Rows(table, target, recipe, n_threads(None))
    return rows.tree(_simple_cart_arrays_of(rows, order), None)


class _Rows(NamedTuple):
    """The rows that a tree is grown on, and how."""

    table: Table
    target: WeightedTarget
    recipe: Recipe
    n_threads: int

    def native(self) -> tuple[Any, int, int]:
        """Return the columns, the number of rows and the number of classes, as native code reads them."""
        return self.table.native(), self.table.n_rows, len(self.target.classes)

    def cases_in_branch(self) -> float:
        """Return the number of cases that at least two branches of a split must have."""
        cases = self.target.weights.cases
        n_cases = self.table.n_rows if cases is None else float(cases.sum())
        # More than any number of cases, and finite.
        return min(float(self.recipe.limits.cases_in_branch(n_cases)), 2.0**100)

    def tree(self, arrays: dict[str, Any], target_name: str | None) -> Tree:
        """Return the tree of some arrays."""
        return Tree(**self.recipe.head(self.table.schema, self.target.classes, target_name), **arrays)


def _c45_arrays(rows: _Rows, held_out: npt.NDArray[np.bool_] | None) -> dict[str, Any]:
    target, recipe = rows.target, rows.recipe
    options = {
        "min_cases": rows.cases_in_branch(),
        "gain_ratio": recipe.criterion == "gain_ratio",
        "subset": recipe.nominal == "subset",
        "binary": recipe.nominal == "one_vs_rest",
        "collapse": not isinstance(recipe.pruning, ReducedError),
    }
    return _core.grow_c45(
        *rows.native(),
        target.answers,
        target.weights.weight,
        target.weights.cases,
        None if held_out is None else (~held_out).astype(np.uint8),
        "c4.5" if recipe.arithmetic == "release 8" else "j48",
        options,
        rows.n_threads,
        watcher(),
    )


def _reptree_arrays(rows: _Rows, held_out: npt.NDArray[np.bool_] | None) -> dict[str, Any]:
    target, recipe = rows.target, rows.recipe
    codes, numbers = codes_and_numbers(target.single)
    depth = recipe.limits.max_depth
    options = {
        "min_weight": rows.cases_in_branch(),
        "min_variance": float(recipe.settings.get("min_variance_fraction", 0.0)),
        "max_depth": _ANY_DEPTH if depth is None else min(int(depth), 2**31 - 1),
    }
    return _core.grow_rep(
        *rows.native(),
        codes,
        numbers,
        target.weights.weight,
        target.weights.cases,
        _order(recipe, held_out, codes, rows.table.n_rows),
        options,
        rows.n_threads,
        watcher(),
    )


def _order(
    recipe: Recipe, held_out: npt.NDArray[np.bool_] | None, codes: npt.NDArray[np.int32] | None, n_rows: int
) -> npt.NDArray[np.uint32] | None:
    """Return the rows to grow on, in Weka's order, on which the rounding of sums depends."""
    pruning = recipe.pruning
    seed, cv = recipe.seed, int(recipe.settings["cv"])
    if isinstance(pruning, ReducedError):
        seed, cv = pruning.random_state, pruning.cv
    if seed is not None:
        return np.asarray(_core.grown_rows(codes, n_rows, cv, seed, held_out is not None))
    return None if held_out is None else np.flatnonzero(~held_out).astype(np.uint32)


def _simple_cart_arrays(rows: _Rows, held_out: npt.NDArray[np.bool_] | None) -> dict[str, Any]:
    order = None if held_out is None else np.flatnonzero(~held_out).astype(np.uint32)
    arrays = _simple_cart_arrays_of(rows, order)
    if not isinstance(rows.recipe.pruning, SimpleCart):  # only its pruning needs Weka's sums of errors
        arrays["risk"] = expected_losses(arrays["statistics"], None, None).min(axis=1)
    return arrays


def _simple_cart_arrays_of(rows: _Rows, order: npt.NDArray[np.uint32] | None) -> dict[str, Any]:
    weights = rows.target.weights
    arrays = _core.grow_simple_cart(
        *rows.native(),
        rows.target.answers,
        weights.weight,
        weights.cases,
        order,
        rows.cases_in_branch(),
        bool(rows.recipe.settings["heuristic"]),
        rows.n_threads,
        watcher(),
    )
    # Weights that were subtracted one by one may leave less than nothing.
    return arrays | {"statistics": np.maximum(arrays["statistics"], 0.0)}


_PROGRAMS = {"REPTree": _reptree_arrays, "SimpleCart": _simple_cart_arrays}
