"""The search of CHAID: merge the levels of every column, and split on the one of the smallest p-value.

The p-value of a column is that of its groups, times the number of ways in which they could have been formed
(Bonferroni). Kass (1980) for merging, Biggs, de Ville and Suen (1991) for exhaustive merging.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import bough._core as _core
from bough.data.schema import Column, Schema
from bough.growing.bins import bin_of_each, highest_of_bins
from bough.growing.engine import ContingencyTable, NodeStatistics
from bough.growing.grouping import TESTS, Merging
from bough.growing.groups import check_levels, found_groups, summed_rows
from bough.growing.recipe import Recipe
from bough.growing.search import ColumnProblem, Found, real_statistics
from bough.tree.split import Branches
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class MergedColumn:
    """The group of each value of a column in a node, that of missing values, and the log of the p-value.

    `missing` is None if the node has no missing values or they do not form a level.
    """

    table: ContingencyTable
    group: Branches
    missing: int | None
    log_p: float

    def least_weight(self) -> float:
        """Return the weight of the lightest group."""
        weights = np.bincount(self.group, self.table.weights(self.table.statistics)).astype(np.float64)
        if self.missing is not None:
            weights = np.append(weights, np.zeros(max(0, self.missing + 1 - len(weights))))
            weights[self.missing] += self.table.weights(self.table.missing)
        return float(self.table.grid.weight(weights.min()))


class MergingSearch:
    """The search of CHAID over the contingency tables of nodes; numeric columns keep the bins of the first.

    >>> table = ContingencyTable(0, np.arange(3.0), np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0]]),
    ...                          np.full(3, 10.0), np.zeros(2), 0.0, "classes")
    >>> node = NodeStatistics(30.0, 30.0, np.array([18.0, 12.0]), risk=12.0, events=12.0)
    >>> search = MergingSearch(Recipe("chi_square", grouping=Merging(), task="classification"))
    >>> schema = Schema((Column("size", "nominal", ("S", "M", "L")),))
    >>> found, p_values = search.best([table], schema, node, root=node)
    >>> found.split.branches, p_values.round(6)
    ((0, 0, 1), array([0.000232]))
    """

    def __init__(self, recipe: Recipe) -> None:
        if not isinstance(recipe.grouping, Merging):
            raise TypeError("recipe.grouping must be a Merging")
        self._recipe = recipe
        self._rules = recipe.grouping
        self._share = recipe.limits.min_weight_fraction_leaf
        self._bins: dict[int, Floats] = {}

    def best(
        self, tables: Sequence[ContingencyTable], schema: Schema, node: NodeStatistics, root: NodeStatistics
    ) -> tuple[Found | None, Floats]:
        """Return the split of the most significant column, if it is significant, and all adjusted p-values.

        A p-value is NaN if the column was not tested or one of its groups is too light, and is not limited to
        1. The first column wins a tie.
        """
        p_values, best = np.full(len(schema), np.nan), None
        least = self.least_cases(node.cases)
        for table in tables:
            merged = self.merged(table, schema[table.column], least)
            if merged is None or (self._share > 0 and merged.least_weight() < self._share * root.weight):
                continue
            p_values[table.column] = math.exp(merged.log_p)
            if best is None or _is_below(merged.log_p, best.log_p):
                best = merged
        if best is None or math.exp(best.log_p) > self._rules.significance:
            return None, p_values
        column = schema[best.table.column]
        return found_groups(best.table, column, self._recipe, best.group, best.missing), p_values

    def least_cases(self, node_cases: float) -> float:
        """Return the number of cases that every group of a node needs.

        >>> MergingSearch(Recipe("chi_square", grouping=Merging(), task="classification")).least_cases(150)
        2.0
        """
        return float(min(math.ceil(self._rules.min_fraction * node_cases), self._rules.min_cases))

    def keep_bins(self, tables: Sequence[ContingencyTable], schema: Schema) -> None:
        """Keep the bins of the numeric columns in the tables of all rows."""
        for table in tables:
            if schema[table.column].scale == "numeric" and len(table) > 0:
                self._bins[table.column] = highest_of_bins(table.values, table.cases, self._rules.max_bins)

    def of_column(self, problem: ColumnProblem) -> Found | None:
        """Return the split of one column into its groups, significant or not, ranked by its p-value."""
        table, column = problem.table, problem.column
        merged = self.merged(table, column, problem.enough.cases)
        if merged is None:
            return None
        found = found_groups(table, column, problem.recipe, merged.group, merged.missing)
        return replace(found, rank=-merged.log_p)

    def merged(self, table: ContingencyTable, column: Column, min_cases: float) -> MergedColumn | None:
        """Return the merged levels of one column, or None if they cannot be tested."""
        if len(table) == 0:
            return None
        row = np.arange(len(table))
        if column.scale == "numeric":
            bins = self._bins.setdefault(
                table.column, highest_of_bins(table.values, table.cases, self._rules.max_bins)
            )
            row = bin_of_each(table.values, bins)
        statistics, cases = summed_rows(table, row)
        floats = self._recipe.missing == "floating_level" and table.missing_cases > 0
        if floats:
            statistics = np.vstack([statistics, table.missing])
            cases = np.append(cases, table.missing_cases)
        if len(cases) < 2:
            return None
        check_levels(column, len(cases))
        if table.reads == "classes":
            statistics = real_statistics(table, statistics)
        order = "nominal" if column.scale == "nominal" else ("floating" if floats else "ordinal")
        rules = self._rules
        tested, log_p, log_multiplier, group = _core.merge_levels(
            TESTS[self._recipe.criterion_name],
            order,
            np.ascontiguousarray(statistics),
            np.ascontiguousarray(cases),
            math.log(rules.merge),
            -math.inf if rules.split_merged is None else math.log(rules.split_merged),
            min_cases,
            self._recipe.max_exhaustive_levels,
            rules.exhaustive,
            rules.bonferroni,
        )
        if not tested:
            return None
        missing = int(group[-1]) if floats else None
        return MergedColumn(table, np.asarray(group)[row], missing, log_p + log_multiplier)


def _is_below(log_p: float, other: float) -> bool:
    """Whether a p-value is smaller by more than the rounding of sums that depend on the order of rows."""
    return log_p < other and (math.isinf(log_p) or log_p < other - 1e-10 * abs(other) - 1e-13)
