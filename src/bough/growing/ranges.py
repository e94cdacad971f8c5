"""The best split of a column into several ranges of values or groups of levels, found by dynamic programming.

The partition into k groups is the best one for every criterion that adds up over the children of a split; see
`bough.growing.grouping.BranchChoice` for the choice of k. Groups of levels are the best ones too for two
classes, for numbers, and up to `max_exhaustive_levels` levels, 16 at most; beyond, they are ranges in one of
the orders of `level_orders`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

import bough._core as _core
from bough.data.schema import Column
from bough.growing.bins import bin_of_each, highest_of_bins
from bough.growing.criterion import split_loss
from bough.growing.engine import ContingencyTable
from bough.growing.enumeration import level_orders
from bough.growing.grouping import Ranges
from bough.growing.groups import check_levels, found_groups, summed_rows
from bough.growing.recipe import Recipe
from bough.growing.search import ChildLimits, ColumnProblem, Found, best_of_column, real_statistics
from bough.tree.split import Branches
from bough.types import Floats

_MOST_IN_ANY_GROUPS = 16
"""All partitions of so many levels are searched; the time is three times as long for each level more."""


def best_grouped(problem: ColumnProblem) -> Found | None:
    """Return the best split of one column into at most as many branches as the recipe allows, or None.

    A recipe without such a grouping, and a nominal column that is split completely or one level at a time,
    are searched by `best_of_column`.

    >>> counts = np.array([[9.0, 0.0], [0.0, 9.0], [0.0, 8.0], [9.0, 0.0]])
    >>> table = ContingencyTable(0, np.arange(4.0), counts, counts.sum(axis=1), np.zeros(2), 0.0, "classes")
    >>> recipe = Recipe("entropy", grouping=Ranges(max_branches=4), task="classification")
    >>> best_grouped(ColumnProblem(table, Column("age", "numeric"), recipe)).split
    Intervals(column=0, cuts=(0.5, 2.5), has_missing_branch=False)
    """
    table, column, recipe = problem.table, problem.column, problem.recipe
    grouping, nominal = recipe.grouping, column.scale == "nominal"
    if not isinstance(grouping, Ranges) or (nominal and recipe.nominal != "subset"):
        return best_of_column(problem)
    if len(table) < 2:
        return None
    found = partitions(table, column, recipe, problem.enough, problem.loss_matrix)
    if found is None:
        return None
    best = int(found.ranks.argmax())
    split = _with_missing(table, column, recipe, found.groups[best], problem.enough)
    return replace(split, rank=float(found.ranks[best])) if grouping.choose != "most" else split


@dataclass(frozen=True, eq=False)
class RangePartitions:
    """The group of each value in the best partition into 2, 3, … groups, and the rank of each partition.

    A rank is −inf if there is no such partition, or if the choice of the number of groups rules it out.
    """

    ranks: Floats
    groups: Branches


def partitions(
    table: ContingencyTable,
    column: Column,
    recipe: Recipe,
    enough: ChildLimits,
    loss_matrix: Floats | None = None,
) -> RangePartitions | None:
    """Return the best partitions of a column's known values, or None if there is none.

    >>> counts = np.array([[9.0, 0.0], [0.0, 9.0], [0.0, 8.0], [9.0, 0.0]])
    >>> table = ContingencyTable(0, np.arange(4.0), counts, counts.sum(axis=1), np.zeros(2), 0.0, "classes")
    >>> recipe = Recipe("entropy", grouping=Ranges(max_branches=3), task="classification")
    >>> partitions(table, Column("age", "numeric"), recipe, ChildLimits()).groups.tolist()
    [[0, 1, 1, 1], [0, 1, 1, 2]]
    """
    grouping, nominal = recipe.grouping, column.scale == "nominal"
    if not isinstance(grouping, Ranges):
        raise TypeError("recipe.grouping must be a Ranges")
    row = np.arange(len(table))
    if column.scale == "numeric":
        row = bin_of_each(table.values, highest_of_bins(table.values, table.cases, grouping.max_bins))
    check_levels(column, len(table))
    statistics, cases = summed_rows(table, row)
    coarse = replace(
        table, values=np.arange(len(cases), dtype=np.float64), statistics=statistics, cases=cases
    )
    orders = level_orders(coarse) if nominal else [np.arange(len(coarse))]
    any_groups = len(orders) > 1 and len(coarse) <= min(recipe.max_exhaustive_levels, _MOST_IN_ANY_GROUPS)
    values, groups = _core.best_partitions(
        recipe.criterion_name,
        np.ascontiguousarray(statistics),
        np.ascontiguousarray(cases),
        None if any_groups else np.array(orders, dtype=np.int32),
        table.weight,
        grouping.max_branches,
        max(enough.cases, enough.leaf_cases),
        enough.weight,
        split_loss(recipe.criterion, loss_matrix),
    )
    ranks = _ranks(coarse, np.asarray(values), np.asarray(groups), recipe, nominal=nominal)
    possible = ranks > -np.inf
    return RangePartitions(ranks, np.asarray(groups)[:, row]) if possible.any() else None


def _with_missing(
    table: ContingencyTable, column: Column, recipe: Recipe, group: Branches, enough: ChildLimits
) -> Found:
    """Return the split into groups, with a branch for missing values by the recipe's policy."""
    n_groups = int(group.max()) + 1
    branches: list[int | None] = [None]
    if table.missing_cases > 0 and recipe.missing == "learned":
        branches = [*range(n_groups)]
    elif table.missing_cases > 0 and recipe.missing == "own_level" and enough.allow_leaf(table):
        branches = [n_groups]
    return max(
        (found_groups(table, column, recipe, group, branch) for branch in branches),
        key=lambda found: found.rank,
    )


def _ranks(
    table: ContingencyTable, values: Floats, groups: Branches, recipe: Recipe, *, nominal: bool
) -> Floats:
    """Return the rank of the best partition into 2, 3, … groups, −inf where there is none."""
    grouping, ranks = recipe.grouping, np.where(np.isfinite(values), values, -np.inf)
    choose = grouping.choose if isinstance(grouping, Ranges) else "most"
    if choose == "most" and recipe.criterion == "gain_ratio":
        return np.where(np.isfinite(values), np.arange(len(values), dtype=np.float64), -np.inf)
    if choose == "most" or (choose == "criterion" and recipe.criterion != "chi_square"):
        return ranks
    for number in np.flatnonzero(ranks > -np.inf).tolist():
        n_groups = number + 2
        sums = np.zeros((n_groups, table.statistics.shape[1]))
        np.add.at(sums, groups[number], table.statistics)
        log_ways = _core.log_multiplier(len(table), n_groups, nominal)
        if choose == "criterion":
            statistic, degrees = _core.pearson(np.ascontiguousarray(real_statistics(table, sums)))
            ranks[number] = -(_core.chi_square_log_survival(statistic, degrees) + log_ways)
        else:
            ranks[number] = _saved_bits(table, sums) - log_ways / math.log(2)
    return np.where(ranks > 0, ranks, -np.inf) if choose == "mdl" else ranks


def _saved_bits(table: ContingencyTable, sums: Floats) -> float:
    """Return the bits by which groups shorten the description of y, less those that describe the groups.

    Every group's parameters, a share for each class but one or a mean, take half the bits of the weight.
    """
    together = sums.sum(axis=0, keepdims=True)
    weight = float(table.grid.weight(table.weights(together))[0])
    if table.reads == "classes":
        n_parameters = int(np.count_nonzero(together)) - 1
        fit = weight * float(_core.split_values("entropy", sums[np.newaxis], table.weights(together))[0])
    elif table.reads == "rates":
        n_parameters = 1
        decrease = float(_core.split_values("poisson", sums[np.newaxis], table.weights(together))[0])
        fit = weight * math.ldexp(decrease, -table.grid.exponent) / math.log(2)
    else:
        n_parameters = 1
        before, after = (_squared_error(each) for each in (together, sums))
        fit = weight / 2 * math.log2(before / max(after, before * 1e-12)) if before > 0 else 0.0
    return fit - (len(sums) - 1) * n_parameters / 2 * math.log2(max(weight, 2.0))


def _squared_error(sums: Floats) -> float:
    return float(np.maximum(0.0, sums[:, 2] - sums[:, 1] * (sums[:, 1] / sums[:, 0])).sum())
