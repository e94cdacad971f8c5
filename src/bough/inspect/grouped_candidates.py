"""Candidate splits of trees that split into groups: the groups that the search of the recipe forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bough.data.schema import Column, Schema
from bough.growing.engine import ContingencyTable
from bough.growing.enumeration import Candidates
from bough.growing.grouping import Merging, Ranges
from bough.growing.merging import MergingSearch
from bough.growing.placement import NOWHERE, Placement
from bough.growing.ranges import partitions
from bough.growing.recipe import Recipe
from bough.growing.search import ChildLimits
from bough.tree.split import Branches
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class GroupedCandidate:
    """One split into groups: the group of each value, and of missing values if they are a level."""

    group: Branches
    placed: Placement

    def statistics(self, table: ContingencyTable) -> Floats:
        """Return the statistics of the groups in a table of the same column, as those of one candidate."""
        sums = np.zeros((int(self.group.max()) + 1, table.statistics.shape[1]))
        np.add.at(sums, self.group, self.placed.grouped(table).statistics)
        return sums[np.newaxis]

    def listed(self, table: ContingencyTable) -> Candidates:
        """Return the split as a list of one candidate."""
        cases = np.bincount(self.group, self.placed.grouped(table).cases).astype(np.float64)
        return Candidates("groups", self.statistics(table), cases[np.newaxis], lambda _: self.group)


class GroupSearch:
    """The groups that the recipe of a tree forms in a node.

    Under merging a column has one candidate, its merged levels; otherwise it has the best split into each
    number of branches above two, which are not among the other candidates.
    """

    def __init__(self, recipe: Recipe, tables: Sequence[ContingencyTable], schema: Schema) -> None:
        self._recipe = recipe
        self._merging = MergingSearch(recipe) if isinstance(recipe.grouping, Merging) else None
        if self._merging is not None:
            self._merging.keep_bins(tables, schema)

    @property
    def is_merging(self) -> bool:
        """Whether merged levels are the only candidates."""
        return self._merging is not None

    def candidates(
        self, table: ContingencyTable, column: Column, node_cases: float, enough: ChildLimits
    ) -> Iterator[GroupedCandidate]:
        """Yield the splits of a column into groups."""
        if self._merging is not None:
            merged = self._merging.merged(table, column, self._merging.least_cases(node_cases))
            if merged is not None and merged.missing is None:
                yield GroupedCandidate(merged.group, NOWHERE)
            elif merged is not None:
                group = np.append(merged.group, np.int32(merged.missing or 0))
                yield GroupedCandidate(group.astype(np.int32), Placement("level"))
            return
        is_grouped = column.scale != "nominal" or self._recipe.nominal == "subset"
        if not isinstance(self._recipe.grouping, Ranges) or not is_grouped or len(table) < 3:
            return
        found = partitions(table, column, self._recipe, enough)
        for rank, group in zip(found.ranks, found.groups, strict=True) if found else ():
            if rank > -np.inf and group.max() > 1:
                yield GroupedCandidate(group, NOWHERE)
