"""Pruning by the settings of a recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.growing.pruning import (
    CostComplexity,
    ErrorBased,
    MinimumLength,
    Pessimistic,
    Pruning,
    ReducedError,
    SimpleCart,
)
from bough.pruning.error_based import prune_by_errors
from bough.pruning.mdl import mdl
from bough.pruning.pessimistic import pessimistic
from bough.pruning.reduced_error import prune_on
from bough.pruning.simple_cart import simple_cart
from bough.tree.labeled_rows import LabeledRows, read_sample

if TYPE_CHECKING:
    from bough.tree import Tree


def held_out_rows(pruning: ReducedError, rows: LabeledRows) -> npt.NDArray[np.bool_] | None:
    """Return which rows to hold out; None if a tuning set is given or there are fewer rows than folds.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_weights
    >>> table, codes = Table.read([[1.0]] * 4), np.array([0, 0, 1, 1], np.int32)
    >>> rows = LabeledRows(table, codes, read_weights(None, 4))
    >>> held_out_rows(ReducedError(cv=2, random_state=None), rows)
    array([False,  True, False,  True])
    """
    n_rows = rows.table.n_rows
    if pruning.tuning is not None or n_rows < pruning.cv:
        return None
    fold = pruning.cv - 1 if pruning.random_state is None else 0
    held_out = _core.fold_of_rows(_labels(rows), n_rows, pruning.cv, fold, pruning.random_state)
    return np.asarray(held_out).astype(np.bool_)


def prune(
    pruning: Pruning, tree: Tree, rows: LabeledRows, held_out: npt.NDArray[np.bool_] | None = None
) -> Tree:
    """Return the tree pruned by the settings; `rows` are the training rows, of which `held_out` marks some.

    >>> from bough.example_models import iris_tree
    >>> rows = read_sample(iris_tree(), [[4.7, 1.4]] * 9, ["versicolor"] * 9)
    >>> prune(ErrorBased(), iris_tree(), rows).n_leaves
    1
    """
    match pruning:
        case ReducedError():
            return _on_held_out(pruning, tree, rows, held_out)
        case Pessimistic() | MinimumLength():
            return prune_without_rows(pruning, tree)
        case ErrorBased():
            return prune_by_errors(tree, rows, pruning)
        case SimpleCart():
            return simple_cart(tree, rows, pruning)
        case CostComplexity():
            raise TypeError("CostComplexity needs the trees of the folds; use fit_tree.")


def prune_without_rows(pruning: Pruning, tree: Tree) -> Tree:
    """Return the tree pruned by settings that read its own statistics alone.

    >>> from bough.example_models import iris_tree
    >>> prune_without_rows(MinimumLength(), iris_tree()).n_leaves
    3
    """
    if isinstance(pruning, Pessimistic):
        return pessimistic(tree, standard_errors=pruning.standard_errors)
    if isinstance(pruning, MinimumLength):
        return mdl(tree)
    raise TypeError(f"{pruning.name} needs the rows.")


def _on_held_out(
    pruning: ReducedError, tree: Tree, rows: LabeledRows, held_out: npt.NDArray[np.bool_] | None
) -> Tree:
    settings = tree.recipe.get("settings")
    as_weka = isinstance(settings, dict) and settings.get("program") == "REPTree" and not pruning.greedy
    if pruning.tuning is not None:
        tuning = read_sample(tree, *pruning.tuning)
    elif held_out is None:
        return tree
    else:
        order = _shuffled(pruning, rows, held_out) if as_weka else np.flatnonzero(held_out)
        tuning = rows.take(order)
    return prune_on(tree, tuning, greedy=pruning.greedy, backfit=pruning.backfit, as_weka=as_weka)


def _shuffled(
    pruning: ReducedError, rows: LabeledRows, held_out: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    """Return the rows held out in the order Weka has shuffled them into."""
    if pruning.random_state is None:
        return np.flatnonzero(held_out)
    labels, n_rows = _labels(rows), rows.table.n_rows
    order = np.asarray(_core.grown_rows(labels, n_rows, pruning.cv, pruning.random_state, False))
    return order[held_out[order]].astype(np.intp)


def _labels(rows: LabeledRows) -> npt.NDArray[np.int32] | None:
    return rows.answers if rows.answers.dtype == np.int32 else None
