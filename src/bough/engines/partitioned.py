"""Rows in partitions that count themselves, each on its worker; see `bough.growing.binned.BinnedRows`.

A task is a function of a coded partition and of the splits made so far. Sums of partitions are added, and
since they are whole numbers the result is that of all rows. Small leaves are brought to one worker, which
grows the rest of their subtrees.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Literal

import numpy as np

from bough.data.partitions.partitions import Partitions
from bough.data.schema import Level, Schema
from bough.engines.binned import RowsInMemory
from bough.growing.coded import BinEdges, CodedRoute, CodedSplit, NodeTotals
from bough.growing.fit_grid import FitGrid
from bough.growing.growth import GrowingTree, SubtreeStart
from bough.growing.hashed_draws import RowDraw
from bough.growing.levels import LevelProgress, batches
from bough.growing.recipe import Recipe
from bough.types import Floats

MOST_TREES = 4
"""So many trees of a forest are grown at a time; a partition keeps the leaves of its rows for each."""

_lock = Lock()


@dataclass(frozen=True)
class Position:
    """Where the rows of a tree have come to: the splits so far, in order.

    `fold` is the fold that is left out or taken, and `draw` how the rows are drawn.
    """

    tree: str = field(default_factory=lambda: uuid.uuid4().hex)
    fold: tuple[Literal["outside", "within"], int] | None = None
    draw: RowDraw | None = None
    routes: Mapping[int, CodedRoute] = field(default_factory=dict)


@dataclass(eq=False)
class CodedPartition:
    """The rows of a partition as codes of bins, and the lowest value of each bin among them.

    The rows of the trees asked for last stay in their leaves, so that the next task on the same worker begins
    there. They follow from the position alone: elsewhere they are routed from the root.
    """

    rows: RowsInMemory
    lowest: list[Floats]
    _routed: dict[str, tuple[int, RowsInMemory]] = field(default_factory=dict)

    def at(self, position: Position) -> RowsInMemory:
        """Return the rows in the leaves of a position."""
        with _lock:
            n_sent, rows = self._routed.pop(position.tree, (0, None))
            if rows is None or n_sent > len(position.routes):
                n_sent, rows = 0, self._at_root(position)
            rows.send(dict([*position.routes.items()][n_sent:]))
            while len(self._routed) >= MOST_TREES:
                del self._routed[next(iter(self._routed))]
            self._routed[position.tree] = len(position.routes), rows
            return rows

    def _at_root(self, position: Position) -> RowsInMemory:
        if position.draw is not None:
            return self.rows.drawn(position.draw)
        if position.fold is None:
            return self.rows.in_leaves({})
        side, fold = position.fold
        return self.rows.outside(fold) if side == "outside" else self.rows.within(fold)

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows, "lowest": self.lowest, "_routed": {}}

    def __sizeof__(self) -> int:
        return self.rows.n_bytes


def _totals(partition: CodedPartition, position: Position, leaves: Sequence[int]) -> list[NodeTotals]:
    return partition.at(position).totals(leaves)


def _added_totals(parts: Sequence[list[NodeTotals]]) -> list[NodeTotals]:
    return [_sum_of_totals(each) for each in zip(*parts, strict=True)]


def _sum_of_totals(parts: Sequence[NodeTotals]) -> NodeTotals:
    filled = [part for part in parts if part.cases > 0] or [parts[0]]
    return NodeTotals(
        np.sum([part.statistics for part in parts], axis=0),
        sum(part.cases for part in parts),
        sum(part.squares for part in parts),
        min(part.lowest for part in filled),
        max(part.highest for part in filled),
    )


def _histograms(partition: CodedPartition, position: Position, leaves: Sequence[int]) -> Floats:
    return np.array([*partition.at(position).histograms(leaves)])


def _branch_histograms(
    partition: CodedPartition, position: Position, splits: Mapping[int, CodedSplit]
) -> list[Floats]:
    return [*partition.at(position).branch_histograms(splits)]


def _surrogate_cases(
    partition: CodedPartition, position: Position, routes: Mapping[int, CodedRoute]
) -> list[Floats]:
    return [*partition.at(position).surrogate_cases(routes).values()]


def _squared_losses(
    partition: CodedPartition,
    position: Position,
    leaves: Sequence[int],
    answers: Sequence[float],
    exponents: tuple[int, int],
) -> Floats:
    return np.array(partition.at(position).squared_losses(leaves, answers, exponents))


def _added(parts: Sequence[Floats]) -> Floats:
    return np.asarray(np.sum(parts, axis=0))


def _added_lists(parts: Sequence[list[Floats]]) -> list[Floats]:
    return [_added(each) for each in zip(*parts, strict=True)]


def _rows_of_group(
    partition: CodedPartition,
    group: int,
    position: Position,
    groups: Sequence[Mapping[int, SubtreeStart]],
    recipe: Recipe,
    edges: tuple[BinEdges, ...],
) -> RowsInMemory:
    return partition.at(position).taken([*groups[group]])


def _subtrees_of_group(
    parts: Sequence[RowsInMemory],
    group: int,
    position: Position,
    groups: Sequence[Mapping[int, SubtreeStart]],
    recipe: Recipe,
    edges: tuple[BinEdges, ...],
) -> dict[int, GrowingTree]:
    return RowsInMemory.joined(parts, edges).grown_from(groups[group], recipe)


class PartitionedRows:
    """Rows in partitions; see `bough.growing.binned.BinnedRows`."""

    most_fetched_codes = 2**24

    def __init__(
        self,
        parts: Partitions,
        schema: Schema,
        classes: tuple[Level, ...],
        edges: tuple[BinEdges, ...],
        grid: FitGrid,
        position: Position | None = None,
    ) -> None:
        self.schema, self.classes, self.edges, self.grid = schema, classes, edges, grid
        self._parts, self._position = parts, position or Position()
        self._progress = LevelProgress()

    def drawn(self, draw: RowDraw) -> PartitionedRows:
        """Return the rows drawn for a tree, each as often as it is drawn, with the same bins and grid."""
        return self._at_root(draw=draw)

    def again(self) -> PartitionedRows:
        """Return all rows, at the root of another tree."""
        return self._at_root()

    def outside(self, fold: int) -> PartitionedRows:
        """Return the rows outside a fold, with the same bins and the same grid."""
        return self._at_root(fold=("outside", fold))

    def within(self, fold: int) -> PartitionedRows:
        """Return the rows of a fold, with the same bins and the same grid."""
        return self._at_root(fold=("within", fold))

    def _at_root(self, **position: Any) -> PartitionedRows:
        return PartitionedRows(
            self._parts, self.schema, self.classes, self.edges, self.grid, Position(**position)
        )

    def release(self) -> None:
        """Free the coded rows on the workers."""
        self._parts.release()

    def totals(self, leaves: Sequence[int]) -> list[NodeTotals]:
        """Return the sums of each leaf."""
        found: list[NodeTotals] = self._reduced(_added_totals, _totals, leaves)
        return found

    def expect(self, cases: Mapping[int, float], levels_left: int | None) -> None:
        """Note new leaves that may be split, with their cases, and report the share of finished rows."""
        self._progress.expect(cases, levels_left)

    def histograms(self, leaves: Sequence[int]) -> Iterator[Floats]:
        """Yield for each leaf its sums by cell."""
        for some in batches(leaves, self.edges, max(4, len(self.classes) + 1)):
            yield from self._reduced(_added, _histograms, some)

    def branch_histograms(self, splits: Mapping[int, CodedSplit]) -> Iterator[Floats]:
        """Yield for each leaf its sums by cell and branch; rows that the split cannot route are last."""
        for some in batches([*splits], self.edges, 6):
            yield from self._reduced(_added_lists, _branch_histograms, {leaf: splits[leaf] for leaf in some})

    def route(self, routes: Mapping[int, CodedRoute]) -> dict[int, Floats]:
        """Route the rows of each leaf, and return the cases that each split after the first routed."""
        sent = {leaf: np.zeros(len(route.splits) - 1) for leaf, route in routes.items()}
        asked = {leaf: route for leaf, route in routes.items() if len(route.splits) > 1}
        if asked:
            sent |= zip(asked, self._reduced(_added_lists, _surrogate_cases, asked), strict=True)
        self.send(routes)
        return sent

    def send(self, routes: Mapping[int, CodedRoute]) -> None:
        """Route the rows of each leaf, parents first, without counting any."""
        self._progress.leave(routes)
        self._position = replace(self._position, routes={**self._position.routes, **routes})

    def squared_losses(
        self, leaves: Sequence[int], answers: Sequence[float], exponents: tuple[int, int]
    ) -> tuple[Floats, Floats]:
        """Return for each pair of a leaf and an answer the sum of squared errors, and of their squares."""
        first, second = self._reduced(_added, _squared_losses, leaves, answers, exponents)
        return first, second

    def subtrees(
        self, groups: Sequence[Mapping[int, SubtreeStart]], recipe: Recipe
    ) -> dict[int, GrowingTree]:
        """Bring the rows of each group of leaves to one worker, which grows their subtrees."""
        found = self._parts.grouped(
            len(groups), _subtrees_of_group, _rows_of_group, self._position, groups, recipe, self.edges
        )
        return {leaf: subtree for each in found for leaf, subtree in each.items()}

    def _reduced(self, combine: Any, task: Any, *arguments: Any) -> Any:
        return self._parts.reduced(combine, task, self._position, *arguments)
