"""The best split of each combination of columns: what a node could ask of several columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations as pairs_of
from typing import Any, cast

import numpy as np

from bough.data.formula import Formula, WideSchema
from bough.data.table import Features, OrderedFeatures, Table
from bough.data.target import ClassTarget, Weights, check_total, read_classes, read_numbers, read_weights
from bough.engines.combinations.bivariate import best_lines
from bough.engines.combinations.engine import CombinationEngine
from bough.engines.combinations.linear import best_combination
from bough.engines.combinations.ratios import ratios
from bough.engines.combinations.readable import shortened
from bough.errors import ParameterError
from bough.growing.combinations import Combinations
from bough.growing.criterion import Task
from bough.growing.recipe import Recipe
from bough.growing.search import Candidates, split_of
from bough.inspect.candidate_table import Block, CandidateTable
from bough.inspect.candidates import check_alone, judged, read_target, recoded, tabulated, tree_of
from bough.pruning.collapse import along_paths
from bough.tree import Tree
from bough.tree.split import Threshold
from bough.types import Floats


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
    """List the best split of each ratio and of each line in two columns, the best of all first.

    `combined_candidates(X, y)` looks at all rows, `combined_candidates(model, X, y, node=2)` at those of a
    node, as `bough.candidates` does. `combinations` are those of `bough.CARTClassifier`; "linear" adds the
    best linear combination of many columns. The best is so by `criterion`: the model's own, or else Gini or
    squared error.

    >>> X, y = [[4.0, 2.0], [9.0, 3.0], [3.0, 4.0], [7.0, 8.0]], ["long", "long", "wide", "wide"]
    >>> print(combined_candidates(X, y, combinations="ratio").text("gini"))
    variable  values  long  wide  errors  gini
    x1 / x0   < 0.8   2     0     0       0.5
              >= 0.8  0     2
    """
    tree = tree_of(first)
    if tree is None:
        check_alone(third, node, task)
        table = Table.read(
            first, categorical_features=categorical_features, ordinal_features=ordinal_features
        )
        target = read_target(second, task)
    else:
        table = Table.fit_to(second, tree.schema)
        target = recoded(read_classes(third), tree.classes) if tree.classes else read_numbers(third)
    weights = read_weights(sample_weight, table.n_rows)
    check_total(weights)
    recipe = _recipe(tree, target, criterion)
    if tree is not None:
        table, target, weights = _at(tree, node, table, target, weights)
    plan = Combinations(combinations, combination_features)
    plan.check_criterion(recipe.criterion)
    return _best_of_each(_formulas(table, target, weights, recipe, plan), table, target, weights, recipe)


def _recipe(tree: Tree | None, target: ClassTarget | Floats, criterion: str | None) -> Recipe:
    by_class = isinstance(target, ClassTarget)
    if criterion is None and tree is not None:
        criterion = tree.criterion
    default = "gini" if by_class else "squared_error"
    return Recipe(criterion or default, task="classification" if by_class else "regression")


def _at(
    tree: Tree, node: int, table: Table, target: ClassTarget | Floats, weights: Weights
) -> tuple[Table, ClassTarget | Floats, Weights]:
    """Return the rows that come to a node."""
    below = along_paths(tree.parent, np.arange(tree.n_nodes) == tree.known(node), np.logical_or)
    rows = np.flatnonzero(below[tree.apply(table)])
    if len(rows) == 0:
        raise ParameterError(f"No row of X comes to node {node}, so there is nothing to split there.")
    if isinstance(target, ClassTarget):
        return table.take(rows), ClassTarget(target.classes, target.codes[rows]), weights.take(rows)
    return table.take(rows), target[rows], weights.take(rows)


def _formulas(
    table: Table, target: ClassTarget | Floats, weights: Weights, recipe: Recipe, plan: Combinations
) -> list[Formula]:
    places = plan.columns(table.schema)
    found: list[Formula] = [*ratios(table, places)] if "ratio" in plan.kinds else []
    node_rows = CombinationEngine(table, target, weights, recipe, plan, []).node_rows(0)
    if node_rows is None:
        return found
    ways: list[tuple[Sequence[int], Floats]] = []
    if "bivariate" in plan.kinds:
        pairs = [*pairs_of(range(len(node_rows.columns)), 2)]
        lines = best_lines(node_rows, pairs)
        ways += [(pair, line[0]) for pair, line in zip(pairs, lines, strict=True) if line is not None]
    if "linear" in plan.kinds and (best := best_combination(node_rows, plan.deletion)) is not None:
        ways.append((best[0], best[1]))
    formulas = [node_rows.formula(*way) for way in ways]
    return found + [formula for formula in formulas if formula is not None]


def _best_of_each(
    formulas: list[Formula], table: Table, target: ClassTarget | Floats, weights: Weights, recipe: Recipe
) -> CandidateTable:
    listed = _listed(formulas, table, target, weights)
    name, n_columns = recipe.criterion_name, len(table.schema)
    if name not in listed.criteria:
        raise ParameterError.of("criterion", name, f"one of {', '.join(map(repr, listed.criteria))}")
    blocks = [block for block in listed.blocks if block.table.column >= n_columns]
    # Written in few digits, a line is another column than the one that was found.
    short = [(formulas[block.table.column - n_columns], _best(block, name)) for block in blocks]
    for number, (formula, cut) in enumerate(short):
        short[number] = shortened(formula, cut, table.columns)
    listed = _listed([formula for formula, _ in short], table, target, weights)
    blocks = [block for block in listed.blocks if block.table.column >= n_columns]
    best = [_only(block, short[block.table.column - n_columns][1]) for block in blocks]
    best.sort(key=lambda block: -float(np.nan_to_num(block.criteria[name][0], nan=-np.inf)))
    return CandidateTable(listed.classes, listed.criteria, tuple(best))


def _listed(
    formulas: list[Formula], table: Table, target: ClassTarget | Floats, weights: Weights
) -> CandidateTable:
    wide = table.widened(WideSchema.of(table.schema, formulas))
    return judged(tabulated(None, 0, wide, target, weights), wide.schema, "subset", 12, target)


def _best(block: Block, criterion: str) -> float:
    values = block.criteria[criterion]
    best = 0 if np.isnan(values).all() else int(np.nanargmax(values))
    column = block.schema[block.table.column]
    split = split_of(block.table, column, "threshold", block.listed.branches(best))
    return cast("Threshold", split).cut


def _only(block: Block, cut: float) -> Block:
    """Return the block with the one candidate that a cut makes."""
    place = int(np.searchsorted(block.table.values, cut, side="left")) - 1
    listed = block.listed
    one = Candidates(
        "threshold",
        listed.statistics[place : place + 1],
        listed.cases[place : place + 1],
        lambda _: listed.branches(place),
    )
    criteria = {name: values[place : place + 1] for name, values in block.criteria.items()}
    return Block(block.schema, block.table, one, criteria, cut)
