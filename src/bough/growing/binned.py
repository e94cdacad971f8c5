"""The engine of trees on bins: it reads histograms, which rows count in memory, in a database or elsewhere.

A histogram of a node holds whole numbers by cell: a cell is a code of a column, and the cells of all columns
are numbered one after the other. The arithmetic is defined in the page on architecture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bough.data.lazy_sequence import LazySequence
from bough.data.schema import Level, Schema
from bough.growing.coded import BinEdges, CodedRoute, CodedSplit, NodeTotals
from bough.growing.criterion import Reads
from bough.growing.engine import ContingencyTable, NodeStatistics, Routing
from bough.growing.fit_grid import FitGrid
from bough.growing.growth import GrowingTree, SubtreeStart
from bough.growing.measure import class_summary
from bough.growing.recipe import Recipe
from bough.growing.sibling_sums import SiblingSums
from bough.tree import Tree
from bough.tree.split import Split
from bough.types import Floats


@runtime_checkable
class BinnedRows(Protocol):
    """Protocol of rows as codes of bins that count themselves. Leaf 0 initially holds all rows."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes of the target; empty in regression."""

    @property
    def edges(self) -> tuple[BinEdges, ...]:
        """The bins of each column."""

    @property
    def grid(self) -> FitGrid:
        """The units of the sums."""

    def totals(self, leaves: Sequence[int]) -> list[NodeTotals]:
        """Return the sums of each leaf."""

    def expect(self, cases: Mapping[int, float], levels_left: int | None) -> None:
        """Note new leaves that may be split, with their cases; no other new leaf is asked for again.

        `levels_left` is the greatest number of levels to count, None if it is not known.
        """

    def histograms(self, leaves: Sequence[int]) -> Iterable[Floats]:
        """Yield for each leaf its sums by cell: class weights, or weight, sum and squares; then cases."""

    def branch_histograms(self, splits: Mapping[int, CodedSplit]) -> Iterable[Floats]:
        """Yield for each leaf its sums by cell and by the branch of a split: weights, then cases.

        Rows that the split cannot route are counted in a further branch, the last.
        """

    def route(self, routes: Mapping[int, CodedRoute]) -> Mapping[int, Floats]:
        """Route the rows of each leaf, and return the cases that each split after the first routed."""

    def send(self, routes: Mapping[int, CodedRoute]) -> None:
        """Route the rows of each leaf, parents first, without counting any."""


class FoldedRows(BinnedRows, Protocol):
    """Protocol of rows that are divided into folds, for cross-validation."""

    def outside(self, fold: int) -> FoldedRows:
        """Return the rows outside a fold, with the same bins and the same grid."""

    def within(self, fold: int) -> FoldedRows:
        """Return the rows of a fold, with the same bins and the same grid."""

    def squared_losses(
        self, leaves: Sequence[int], answers: Sequence[float], exponents: tuple[int, int]
    ) -> tuple[Floats, Floats]:
        """Return for each pair of a leaf and an answer the sum of squared errors, and of their squares.

        A row of whole weight w and error d adds floor(w · d² · 2**e) and floor(w · d⁴ · 2**f) for the
        exponents e and f.
        """


@runtime_checkable
class RemoteRows(BinnedRows, Protocol):
    """Protocol of rows elsewhere, of which small leaves can be fetched, to be grown in one place."""

    most_fetched_codes: int
    """The greatest number of codes, rows times columns, that are fetched into one place at a time."""

    def subtrees(
        self, groups: Sequence[Mapping[int, SubtreeStart]], recipe: Recipe
    ) -> Mapping[int, GrowingTree]:
        """Fetch the rows of each group of leaves into one place, and return the subtrees grown from them."""


_LEAST_LEVELS = 3
"""A subtree that can only have fewer levels is counted where the rows are."""


class BinnedEngine:
    """An engine over rows that are coded by bins; see `bough.growing.engine.Engine`."""

    def __init__(self, rows: BinnedRows) -> None:
        self._rows = rows
        self._first_cell = np.cumsum([0, *(edges.n_codes for edges in rows.edges)]).tolist()
        self._sums = SiblingSums(self._first_cell)
        self._cases: dict[int, float] = {}
        self._levels_left: int | None = None
        self.schema, self.classes = rows.schema, rows.classes
        self.reads: Reads = "classes" if rows.classes else "moments"

    def summarize(self, leaves: Sequence[int]) -> list[NodeStatistics]:
        """Return the statistics of each leaf; a leaf without rows has statistics of 0."""
        # The extremes of numbers do not follow from histograms.
        known = {leaf: self._sums.totals(leaf) for leaf in leaves} if self.classes else {}
        found = {leaf: totals for leaf, totals in known.items() if totals is not None}
        others = [leaf for leaf in leaves if leaf not in found]
        if others:
            found |= zip(others, self._rows.totals(others), strict=True)
        self._cases |= {leaf: totals.cases for leaf, totals in found.items()}
        return [self._summary(found[leaf]) for leaf in leaves]

    def tabulate(
        self, leaves: Sequence[int], against: Mapping[int, Split] | None = None
    ) -> Iterator[Sequence[ContingencyTable]]:
        """Yield for each leaf the contingency tables of all columns, in the order of the schema."""
        if not leaves:
            return
        if against is None:
            self._rows.expect({leaf: self._cases[leaf] for leaf in leaves}, self._levels_left)
            for sums in self._histograms(leaves):
                yield _TablesOfNode(self, sums)
            return
        splits = {leaf: self._coded(against[leaf]) for leaf in leaves}
        for leaf, sums in zip(leaves, self._rows.branch_histograms(splits), strict=True):
            n = splits[leaf].n_branches
            yield [
                self._branch_table(column, self._cells(sums, column), n) for column in range(len(self.schema))
            ]

    def subtrees(self, starts: Mapping[int, SubtreeStart], recipe: Recipe) -> Mapping[int, GrowingTree]:
        """Return the subtrees of the leaves that are small enough to be grown in one place."""
        rows, max_depth = self._rows, recipe.limits.max_depth
        if not isinstance(rows, RemoteRows):
            return {}
        if max_depth is not None:
            if starts:
                self._levels_left = max_depth - min(each.depth for each in starts.values())
            starts = {leaf: each for leaf, each in starts.items() if max_depth - each.depth >= _LEAST_LEVELS}
        most = rows.most_fetched_codes // len(self.schema)
        groups: list[dict[int, SubtreeStart]] = []
        n_rows = math.inf
        for leaf, start in starts.items():
            if start.cases > most:
                continue
            if n_rows + start.cases > most:
                groups.append({})
                n_rows = 0.0
            groups[-1][leaf] = start
            n_rows += start.cases
        return rows.subtrees(groups, recipe) if groups else {}

    def route(self, routings: Mapping[int, Routing]) -> Mapping[int, Floats]:
        """Route the rows of each leaf to its children; return the cases that each surrogate routed."""
        routes = {leaf: self._route(routing) for leaf, routing in routings.items()}
        self._sums.route(routes)
        return self._rows.route(routes)

    def send_down(self, tree: Tree) -> None:
        """Route all rows down a tree, by their codes; the leaves are then the nodes of the tree."""
        self._rows.send({node: self._route(tree_routing(tree, node)) for node in inner_nodes(tree)})

    def _histograms(self, leaves: Sequence[int]) -> Iterator[Floats]:
        """Yield the histogram of each leaf; of two siblings only the one of fewer cases is counted."""
        asked = self._sums.to_count(leaves, self._cases)
        counted = zip(asked, self._rows.histograms(asked), strict=True)
        for leaf in leaves:
            sums = self._sums.take(leaf)
            while sums is None:
                self._sums.add(*next(counted))
                sums = self._sums.take(leaf)
            yield sums

    def _route(self, routing: Routing) -> CodedRoute:
        surrogates = [self._coded(each.split, turned=each.turned) for each in routing.surrogates]
        splits = (self._coded(routing.split), *surrogates)
        return CodedRoute(splits, routing.default_branch, routing.first_child)

    def _coded(self, split: Split, *, turned: bool = False) -> CodedSplit:
        branches = self._rows.edges[split.column].branches(split)
        if turned:
            branches = np.where(branches < 0, branches, 1 - branches)
        return CodedSplit(split.column, branches, split.n_branches)

    def _cells(self, sums: Floats, column: int) -> Floats:
        return sums[self._first_cell[column] : self._first_cell[column + 1]]

    def _summary(self, totals: NodeTotals) -> NodeStatistics:
        grid = self._rows.grid
        if self.classes:
            return class_summary(totals.statistics, totals.cases, grid.of_node)
        weight, total = totals.statistics[:2].tolist()
        if weight == 0:
            return NodeStatistics(0.0, 0.0, np.zeros(1), 0.0, 0.0, lowest=0.0, highest=0.0)
        return grid.number_summary(weight, total, totals.squares, totals.cases, totals.lowest, totals.highest)

    def table(self, column: int, histogram: Floats) -> ContingencyTable:
        """Return the contingency table of a column from the histogram of a node."""
        sums = self._cells(histogram, column)
        statistics, cases = sums[:, :-1], sums[:, -1]
        if not self.classes:
            statistics = np.column_stack(
                [statistics[:, :2], self._rows.grid.squares_in_steps(statistics[:, 2])]
            )
        return self._of_codes(column, statistics, cases, cases[:-1] > 0)

    def _branch_table(self, column: int, sums: Floats, n_branches: int) -> ContingencyTable:
        # The last branch is that of rows that the split cannot route: they add nothing but are listed.
        weights, cases = np.hsplit(sums, 2)
        listed = cases[:-1].sum(axis=1) > 0
        return self._of_codes(
            column, weights[:, :n_branches], cases[:, :n_branches].sum(axis=1), listed, cases[:, :n_branches]
        )

    def _of_codes(
        self,
        column: int,
        statistics: Floats,
        cases: Floats,
        listed: npt.NDArray[np.bool_],
        branch_cases: Floats | None = None,
    ) -> ContingencyTable:
        edges = self._rows.edges[column]
        return ContingencyTable(
            column,
            values=edges.highest[listed],
            statistics=np.ascontiguousarray(statistics[:-1][listed]),
            cases=cases[:-1][listed],
            missing=np.ascontiguousarray(statistics[-1]),
            missing_cases=float(cases[-1]),
            reads=self.reads if branch_cases is None else "classes",
            grid=self._rows.grid.of_node,
            branch_cases=None if branch_cases is None else branch_cases[:-1][listed],
            lowest=edges.lowest[listed],
        )


class _TablesOfNode(LazySequence[ContingencyTable]):
    """The contingency tables of a node; those of columns that it does not draw are not made."""

    def __init__(self, engine: BinnedEngine, histogram: Floats) -> None:
        self._engine, self._histogram = engine, histogram

    def __len__(self) -> int:
        return len(self._engine.schema)

    def _item(self, position: int) -> ContingencyTable:
        return self._engine.table(position, self._histogram)


def inner_nodes(tree: Tree) -> list[int]:
    """Return the nodes of a tree that are split, parents first.

    >>> from bough.example_models import iris_tree
    >>> inner_nodes(iris_tree())
    [0, 2]
    """
    return [int(node) for node in np.flatnonzero(~tree.is_leaf)]


def tree_routing(tree: Tree, node: int) -> Routing:
    """Return how a tree routes the rows of a node when it predicts.

    >>> from bough.example_models import iris_tree
    >>> tree_routing(iris_tree(), 2).first_child
    3
    """
    split = tree.split(node)
    assert split is not None
    surrogates = tree.surrogates_of(node) if tree.follows_surrogates else []
    return Routing(split, int(tree.default_branch[node]), int(tree.first_child[node]), tuple(surrogates))
