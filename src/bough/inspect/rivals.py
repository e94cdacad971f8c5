"""Rivals: the best split of every column at a node, to be compared with the split of the tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bough.data.row_key import rows_of_model
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights, read_classes, read_numbers, read_weights
from bough.data.training import taken
from bough.engines.memory import MemoryEngine
from bough.errors import BoughError
from bough.growing.grouping import Merging
from bough.growing.merging import MergingSearch
from bough.growing.ranges import best_grouped
from bough.growing.recipe import Recipe, costs_by_column
from bough.growing.search import ChildLimits, ColumnProblem, ColumnSearch
from bough.inspect.split_weights import node_weights, recipe_of, split_weights
from bough.learners.conventions import refuse_times
from bough.tree import Tree
from bough.tree.routing import rows_by_node
from bough.tree.split import Split
from bough.types import Floats

# Absolute error tabulates every value of a column by every value of y.
_MOST_ROWS_OF_MEDIANS = 1000


@dataclass(frozen=True)
class Rival:
    """The best split of one column at a node and its value of the criterion.

    `chosen` is True for the column that the tree splits on. `missing_branch` is the branch that the search
    chose for missing values; it is None where none was missing, and if the missing policy does not choose.
    """

    column: int
    split: Split
    value: float
    chosen: bool
    missing_branch: int | None = None


def rivals(
    tree: Tree, X: Any, y: Any, *, sample_weight: Any = None, nodes: Iterable[int] | None = None
) -> dict[int, list[Rival]]:
    """Return the best split of every column at each inner node, best first, computed from the rows of X.

    Splits are evaluated as the recipe of the tree does, with its class weights, priors, losses and costs of
    columns. A node that fewer than two rows reach is left out. The result is empty if the criterion of the
    tree is not one of bough's.

    >>> X, y = [[1, 7], [2, 7], [3, 8], [4, 9]], ["a", "a", "b", "b"]
    >>> from bough import TreeClassifier
    >>> found = rivals(TreeClassifier().fit(X, y).tree_, X, y)
    >>> [(each.column, round(each.value, 3), each.chosen) for each in found[0]]
    [(0, 0.5, True), (1, 0.5, False)]
    """
    recipe = recipe_of(tree)
    if recipe is None:
        return {}
    table = rows_of_model(X, tree)
    target = target_for(tree, y)
    weights = node_weights(tree, target, read_weights(sample_weight, table.n_rows))
    in_splits = split_weights(tree, target, weights)
    wanted = set(np.flatnonzero(~tree.is_leaf).tolist() if nodes is None else map(int, nodes))
    merging = _merging_search(recipe, table, target, in_splits)
    found = {}
    for node, rows in rows_by_node(tree, tree.apply(table)):
        if node in wanted and len(rows) >= 2 and not tree.is_leaf[node]:
            found[node] = _rivals_at(
                tree, node, recipe, table.take(rows), taken(target, rows), in_splits.take(rows), merging
            )
            if in_splits is not weights:
                found[node] = _per_unit(found[node], in_splits.take(rows), weights.take(rows), len(rows))
    return found


def target_for(tree: Tree, y: Any) -> ClassTarget | Floats:
    """Read y as numbers or as classes, in the tree's order; classes unknown to the tree follow its own.

    >>> from bough.example_models import iris_tree
    >>> target_for(iris_tree(), ["virginica"]).codes
    array([2], dtype=int32)
    """
    refuse_times(tree)
    if tree.task == "regression":
        return read_numbers(y)
    target = read_classes(y)
    known = (*tree.classes, *(label for label in target.classes if label not in tree.classes))
    codes = {label: code for code, label in enumerate(known)}
    lookup = np.array([codes[label] for label in target.classes], dtype=np.int32)
    return ClassTarget(known, lookup[target.codes])


def _merging_search(
    recipe: Recipe, table: Table, target: ClassTarget | Floats, weights: Weights
) -> MergingSearch | None:
    """Return the search of a recipe that merges levels, with the bins of all rows."""
    if not isinstance(recipe.grouping, Merging):
        return None
    search = MergingSearch(recipe)
    search.keep_bins(next(MemoryEngine(table, target, weights).tabulate([0])), table.schema)
    return search


def _rivals_at(
    tree: Tree,
    node: int,
    recipe: Recipe,
    table: Table,
    target: ClassTarget | Floats,
    weights: Weights,
    merging: MergingSearch | None,
) -> list[Rival]:
    if recipe.reads == "values" and table.n_rows > _MOST_ROWS_OF_MEDIANS:
        return []
    try:
        engine = MemoryEngine(table, target, weights, reads=recipe.reads)
    except BoughError:
        # The Poisson criterion is undefined in a node without events.
        return []
    enough = ChildLimits.of(recipe.limits, float(tree.cases[0]))
    costs = costs_by_column(recipe.column_costs, tree.schema) or [1.0] * len(tree.schema)
    loss = tree.loss_matrix
    if loss is not None and isinstance(target, ClassTarget):
        # A class that the tree does not know costs 1.
        loss = np.pad(loss, (0, len(target.classes) - len(loss)), constant_values=1.0)
    of_column: ColumnSearch = best_grouped
    if merging is not None:
        of_column = merging.of_column
        enough = ChildLimits(merging.least_cases(float(tree.cases[node])))
    found = []
    for column in next(engine.tabulate([0])):
        best = of_column(ColumnProblem(column, tree.schema[column.column], recipe, enough, loss))
        if best is not None and np.isfinite(best.value):
            chosen = column.column == int(tree.column[node])
            value = float(best.value) / costs[column.column]
            missing = best.default_branch if best.routes_missing else None
            rank = value if recipe.grouping is None else best.rank
            found.append((rank, Rival(column.column, best.split, value, chosen, missing)))
    return [rival for _, rival in sorted(found, key=lambda each: -each[0])]


def _per_unit(ranked: list[Rival], in_splits: Weights, weights: Weights, n_rows: int) -> list[Rival]:
    """Return rivals with their values per unit of the weight in the node, as `Tree.gain` is."""
    total, own = (n_rows if each.weight is None else each.weight.sum() for each in (in_splits, weights))
    return [replace(rival, value=rival.value * float(total / own)) for rival in ranked]
