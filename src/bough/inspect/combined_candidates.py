"""The best split of each combination of several columns at a node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations as pairs_of
from typing import Any, NamedTuple, cast

import numpy as np

from bough.data.formula import Formula, WideSchema
from bough.data.table import Features, OrderedFeatures, Table
from bough.data.target import ClassTarget, Weights
from bough.data.training import taken
from bough.engines.combinations.bivariate import best_lines
from bough.engines.combinations.engine import CombinationEngine
from bough.engines.combinations.linear import best_combination
from bough.engines.combinations.ratios import ratios
from bough.engines.combinations.readable import shortened
from bough.errors import ParameterError
from bough.growing.column_split import split_of
from bough.growing.combinations import Combinations
from bough.growing.enumeration import Candidates
from bough.growing.recipe import Recipe
from bough.inspect.candidate_table import Block, CandidateTable
from bough.inspect.candidates import (
    asked_rows,
    scored_candidates,
    tabulated,
)
from bough.inspect.split_weights import error_costs, node_weights, split_weights
from bough.pruning.collapse import along_paths
from bough.tree import Tree
from bough.tree.split import Threshold
from bough.types import Floats, Task


def combined_candidates(
    first: Any,
    second: Any,
    third: Any = None,
    /,
    *,
    combinations: Any = ("ratio", "bivariate"),
    combination_features: Any = None,
    criterion: str | None = None,
    node: int = 0,
    task: Task | None = None,
    sample_weight: Any = None,
    categorical_features: Features | str | None = "from_dtype",
    ordinal_features: OrderedFeatures | None = None,
) -> CandidateTable:
    """List the best split of each ratio and of each linear combination of two columns, best first.

    `combined_candidates(X, y)` uses all rows, and `combined_candidates(model, X, y, node=2)` those of a node,
    as in `bough.candidates`. `combinations` has the values of `bough.CARTClassifier`; "linear" adds the best
    linear combination of many columns. Splits are compared by `criterion`, by default the criterion of the
    model, or Gini or squared error without a model.

    >>> X, y = [[4.0, 2.0], [9.0, 3.0], [3.0, 4.0], [7.0, 8.0]], ["long", "long", "wide", "wide"]
    >>> print(combined_candidates(X, y, combinations="ratio").text("gini"))
    variable  values  long  wide  errors  gini
    x1 / x0   < 0.8   2     0     0       0.5
              >= 0.8  0     2
    """
    scales = categorical_features, ordinal_features
    given = asked_rows(first, second, third, node, task, sample_weight, *scales, formulas=False)
    tree, table, target, weights = given
    recipe = _recipe(tree, target, criterion)
    rows = _Rows(table, target, weights, weights)
    if tree is not None:
        rows = _of_node(tree, node, rows)
    plan = Combinations(combinations, combination_features)
    plan.check_criterion(recipe.criterion)
    return _best_of_each(_formulas(rows, recipe, plan), rows, recipe)


class _Rows(NamedTuple):
    """The rows of a node, with their weights in the node and in the evaluation of splits."""

    table: Table
    target: ClassTarget | Floats
    weights: Weights
    in_splits: Weights
    costs: Floats | None = None


def _recipe(tree: Tree | None, target: ClassTarget | Floats, criterion: str | None) -> Recipe:
    by_class = isinstance(target, ClassTarget)
    if criterion is None and tree is not None:
        criterion = tree.criterion
    default = "gini" if by_class else "squared_error"
    return Recipe(criterion or default, task="classification" if by_class else "regression")


def _of_node(tree: Tree, node: int, every: _Rows) -> _Rows:
    """Return the rows that reach a node."""
    table, target = every.table, every.target
    below = along_paths(tree.parent, np.arange(tree.n_nodes) == tree.known(node), np.logical_or)
    rows = np.flatnonzero(below[tree.apply(table)])
    if len(rows) == 0:
        raise ParameterError(f"No row of X reaches node {node}. Pass the rows that the tree was grown on.")
    weights = node_weights(tree, target, every.weights)
    own, in_splits = weights.take(rows), split_weights(tree, target, weights).take(rows)
    return _Rows(table.take(rows), taken(target, rows), own, in_splits, error_costs(tree))


def _formulas(rows: _Rows, recipe: Recipe, plan: Combinations) -> list[Formula]:
    positions = plan.columns(rows.table.schema)
    found: list[Formula] = [*ratios(rows.table, positions)] if "ratio" in plan.kinds else []
    node_rows = CombinationEngine(rows.table, rows.target, rows.in_splits, recipe, plan, []).node_rows(0)
    if node_rows is None:
        return found
    lines_found: list[tuple[Sequence[int], Floats]] = []
    if "bivariate" in plan.kinds:
        pairs = [*pairs_of(range(len(node_rows.columns)), 2)]
        lines = best_lines(node_rows, pairs)
        lines_found += [(pair, line[0]) for pair, line in zip(pairs, lines, strict=True) if line is not None]
    if "linear" in plan.kinds and (best := best_combination(node_rows, plan.deletion)) is not None:
        lines_found.append((best[0], best[1]))
    formulas = [node_rows.formula(*line) for line in lines_found]
    return found + [formula for formula in formulas if formula is not None]


def _best_of_each(formulas: list[Formula], rows: _Rows, recipe: Recipe) -> CandidateTable:
    listed = _listed(formulas, rows)
    name, n_columns = recipe.criterion_name, len(rows.table.schema)
    if name not in listed.criteria:
        raise ParameterError.of("criterion", name, f"one of {', '.join(map(repr, listed.criteria))}")
    blocks = [block for block in listed.blocks if block.table.column >= n_columns]
    # Rounded coefficients give another formula, whose values are tabulated again.
    short = [(formulas[block.table.column - n_columns], _best_cut(block, name)) for block in blocks]
    for number, (formula, cut) in enumerate(short):
        short[number] = shortened(formula, cut, rows.table.columns)
    listed = _listed([formula for formula, _ in short], rows)
    blocks = [block for block in listed.blocks if block.table.column >= n_columns]
    best = [_with_one_cut(block, short[block.table.column - n_columns][1]) for block in blocks]
    best.sort(key=lambda block: -float(np.nan_to_num(block.criteria[name][0], nan=-np.inf)))
    return CandidateTable(listed.classes, listed.criteria, tuple(best))


def _listed(formulas: list[Formula], rows: _Rows) -> CandidateTable:
    wide = rows.table.widened(WideSchema.of(rows.table.schema, formulas))
    tables = tabulated(None, 0, wide, rows.target, rows.in_splits)
    counted = None
    if rows.costs is not None:
        counted = tabulated(None, 0, wide, rows.target, rows.weights)["classes"]
    return scored_candidates(tables, wide.schema, "subset", 12, rows.target, None, counted, rows.costs)


def _best_cut(block: Block, criterion: str) -> float:
    values = block.criteria[criterion]
    best = 0 if np.isnan(values).all() else int(np.nanargmax(values))
    column = block.schema[block.table.column]
    split = split_of(block.table, column, "threshold", block.listed.branches(best))
    return cast("Threshold", split).cut


def _with_one_cut(block: Block, cut: float) -> Block:
    """Return the block with a single candidate, the threshold `cut`."""
    position = int(np.searchsorted(block.table.values, cut, side="left")) - 1
    only, listed = slice(position, position + 1), block.listed
    one = Candidates(
        "threshold", listed.statistics[only], listed.cases[only], lambda _: listed.branches(position)
    )
    criteria = {name: values[only] for name, values in block.criteria.items()}
    return Block(block.schema, block.table, one, criteria, cut, block.costs)
