"""Rows in a database that count themselves: growth by GROUP BY alone; see `bough.growing.binned.BinnedRows`.

A level of the tree is one query, with a grouping for each column. The leaf of a row is a CASE expression over
the codes of its columns; every few levels it is written into a new temporary table, which leaves out the rows
of finished leaves. Where temporary tables are not allowed, every query computes the codes anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.data.databases.database import Database, Parameters, Scratch
from bough.data.schema import Level, Schema
from bough.data.sql import floor_scaled, literal
from bough.engines.binned import Coding, RowsInMemory
from bough.engines.sql_routes import branch_of, by_leaf, decided_by, leaf_of_row
from bough.growing.coded import BinEdges, CodedRoute, CodedSplit, NodeTotals
from bough.growing.fit_grid import FitGrid
from bough.growing.growth import GrowingTree, SubtreeStart
from bough.growing.levels import LevelProgress, batches
from bough.growing.recipe import Recipe
from bough.types import Floats

_MOST_INLINE = 8
"""After so many levels the leaf of each row is written into a new temporary table."""

LEAST_SQUARED = 2.0**-250
"""Smaller differences are not squared: nothing on the grid of a fit distinguishes their squares from 0."""


@dataclass(frozen=True)
class CodedRows:
    """A relation with the codes c0, c1, … of rows and what each row adds, and the types of its columns.

    `y` is the code of the class, or y itself; numbers also have `t` and `s`, what a row adds to the sum and
    to the squares. `w` and `n` are weight and cases, absent if they are 1 in every row; `fold` is the fold,
    and `leaf` the leaf, absent if all rows are in leaf 0.
    """

    relation: str
    columns: Mapping[str, str]
    parameters: Parameters


class SQLRows:
    """Rows in a database; see `bough.growing.binned.BinnedRows`.

    Leaves of few rows are fetched, unless `most_fetched_codes` is 0.
    """

    most_fetched_codes = 2**20

    def __init__(
        self,
        database: Database,
        rows: CodedRows,
        schema: Schema,
        classes: tuple[Level, ...],
        edges: tuple[BinEdges, ...],
        grid: FitGrid,
        scratch: Scratch | None,
        *,
        squares: bool = False,
        fetches: bool = True,
        where: str = "TRUE",
    ) -> None:
        self.schema, self.classes, self.edges, self.grid = schema, classes, edges, grid
        self._database, self._scratch, self._given, self._squares = database, scratch, rows, squares
        self._rows, self._where = rows, where
        if not fetches:
            self.most_fetched_codes = 0
        # The depth of each leaf below those that the column leaf holds, and the splits made there.
        self._depth = {0: 0}
        self._routes: dict[int, CodedRoute] = {}
        self._progress = LevelProgress()

    def outside(self, fold: int) -> SQLRows:
        """Return the rows outside a fold, with the same bins and the same grid."""
        return self._only(f"fold <> {fold}")

    def within(self, fold: int) -> SQLRows:
        """Return the rows of a fold, with the same bins and the same grid."""
        return self._only(f"fold = {fold}")

    def _only(self, where: str) -> SQLRows:
        return SQLRows(
            self._database,
            self._given,
            self.schema,
            self.classes,
            self.edges,
            self.grid,
            self._scratch,
            squares=self._squares,
            fetches=self.most_fetched_codes > 0,
            where=where,
        )

    def totals(self, leaves: Sequence[int]) -> list[NodeTotals]:
        """Return the sums of each leaf, from one query."""
        names = ["w", "n"] if self.classes else ["w", "t", "s", "n"]
        sums = [self._sum(name) for name in names]
        extremes = ["y"] if self.classes else ["min(y)", "max(y)"]
        keys = "leaf, y" if self.classes else "leaf"
        query = f"SELECT leaf, {', '.join(extremes + sums)} {self._from(leaves)} GROUP BY {keys}"
        found = self._arrays(query)
        at = _places(leaves, found[0])
        if self.classes:
            weights, cases = np.zeros((len(leaves), len(self.classes))), np.zeros(len(leaves))
            weights[at, found[1].astype(np.intp)] = found[2]
            np.add.at(cases, at, found[3])
            return [NodeTotals(each, float(n)) for each, n in zip(weights, cases, strict=True)]
        table = np.zeros((len(leaves), 6))
        table[at] = np.column_stack(found[1:])
        return [
            NodeTotals(np.array([w, t, s]), float(n), float(s), float(low), float(high))
            for low, high, w, t, s, n in table
        ]

    def expect(self, cases: Mapping[int, float], levels_left: int | None) -> None:
        """Note new leaves that may be split, with their cases, and report the share of finished rows."""
        self._progress.expect(cases, levels_left)

    def histograms(self, leaves: Sequence[int]) -> Iterator[Floats]:
        """Yield for each leaf its sums by cell."""
        self._write_leaves()
        for some in batches(leaves, self.edges, max(1, len(self.classes))):
            if self.classes:
                sums = self._by_cell(some, ["w", "n"], "y", len(self.classes))
                for weights, cases in np.moveaxis(sums, -1, 1):
                    yield np.column_stack([weights, cases.sum(axis=1)])
            else:
                yield from self._by_cell(some, ["w", "t", "s", "n"])[:, :, 0]

    def branch_histograms(self, splits: Mapping[int, CodedSplit]) -> Iterator[Floats]:
        """Yield for each leaf its sums by cell and branch; rows that the split cannot route are last."""
        for some in batches([*splits], self.edges, 3):
            width = 1 + max(splits[leaf].n_branches for leaf in some)
            branch = by_leaf({leaf: branch_of([splits[leaf]], splits[leaf].n_branches) for leaf in some})
            found = self._by_cell(some, ["w", "n"], "b", width, branch)
            for leaf, sums in zip(some, found, strict=True):
                used = splits[leaf].n_branches + 1
                yield np.concatenate([sums[:, :used, 0], sums[:, :used, 1]], axis=1)

    def route(self, routes: Mapping[int, CodedRoute]) -> dict[int, Floats]:
        """Route the rows of each leaf, and return the cases that each split after the first routed."""
        sent = {leaf: np.zeros(len(route.splits) - 1) for leaf, route in routes.items()}
        asked = {leaf: route for leaf, route in routes.items() if len(route.splits) > 1}
        if asked:
            decided = by_leaf({leaf: decided_by(route.splits) for leaf, route in asked.items()})
            rows = f"(SELECT *, {decided} AS b {self._from([*asked])}) AS decided"
            query = f"SELECT leaf, b, {self._sum('n')} FROM {rows} WHERE b > 0 GROUP BY leaf, b"
            for leaf, split, cases in zip(*self._arrays(query), strict=True):
                sent[int(leaf)][int(split) - 1] = cases
        self.send(routes)
        return sent

    def send(self, routes: Mapping[int, CodedRoute]) -> None:
        """Route the rows of each leaf, parents first, without counting any."""
        for leaf, route in routes.items():
            children = range(route.first_child, route.first_child + route.n_branches)
            self._depth |= dict.fromkeys(children, self._depth[leaf] + 1)
        self._routes |= routes
        self._progress.leave(routes)

    def squared_losses(
        self, leaves: Sequence[int], answers: Sequence[float], exponents: tuple[int, int]
    ) -> tuple[Floats, Floats]:
        """Return for each pair of a leaf and an answer the sum of squared errors, and of their squares."""
        parameters = self._rows.parameters.copied()
        # A pair that is joined twice would count its rows twice.
        once = dict.fromkeys(zip(leaves, map(float, answers), strict=True))
        pairs = self._database.coded([answer for _, answer in once], [leaf for leaf, _ in once], parameters)
        weight = "w" if "w" in self._rows.columns else "1e0"
        # The square of a tiny error is not computed, because PostgreSQL refuses a product that underflows.
        error = f"CASE WHEN abs(y - level) < {literal(LEAST_SQUARED)} THEN 0e0 ELSE y - level END"
        rows = f"SELECT leaf, level, {weight} AS own, {error} AS d {self._from(leaves, pairs)}"
        losses = ("(d * d)", "((d * d) * (d * d))")
        sums = ", ".join(
            f"CAST(sum(CAST({floor_scaled(f'(own * {loss})', exponent)} AS BIGINT)) AS BIGINT)"
            for loss, exponent in zip(losses, exponents, strict=True)
        )
        query = f"SELECT leaf, level, {sums} FROM ({rows}) AS erring GROUP BY leaf, level"
        found = {
            (int(leaf), float(answer)): (first, second)
            for leaf, answer, first, second in zip(*self._database.arrays(query, parameters), strict=True)
        }
        listed = [found.get((leaf, answer), (0.0, 0.0)) for leaf, answer in zip(leaves, answers, strict=True)]
        table = np.array(listed, dtype=np.float64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    def subtrees(
        self, groups: Sequence[Mapping[int, SubtreeStart]], recipe: Recipe
    ) -> dict[int, GrowingTree]:
        """Fetch the codes of the rows of each group of leaves, and grow the subtrees from them here."""
        found: dict[int, GrowingTree] = {}
        for group in groups:
            found |= self._fetched([*group]).grown_from(group, recipe)
        return found

    def _fetched(self, leaves: Sequence[int]) -> RowsInMemory:
        terms = ["w", "n"] if self.classes else ["w", "t", "s", "n"]
        stored = [name for name in terms if name in self._rows.columns]
        codes = [f"c{place}" for place in range(len(self.edges))]
        leaf, y, *columns = self._arrays(
            f"SELECT {', '.join(['leaf', 'y', *stored, *codes])} {self._from(leaves)}"
        )
        ones = np.ones(len(leaf))
        by_name = dict(zip(stored, columns, strict=False))
        rows = RowsInMemory(
            Coding(self.schema, self.classes, self.edges, self.grid),
            [column.astype(np.uint16) for column in columns[len(stored) :]],
            y.astype(np.int32) if self.classes else y,
            np.column_stack([by_name.get(name, ones) for name in terms]),
            np.arange(len(leaf)),
        )
        order, n_rows = (
            np.argsort(leaf, kind="stable"),
            np.bincount(_places(leaves, leaf), minlength=len(leaves)),
        )
        parts = np.split(order, np.cumsum(n_rows)[:-1])
        return rows.in_leaves(dict(zip(leaves, parts, strict=True)))

    @property
    def _is_written(self) -> bool:
        """Whether a stored column tells the leaf of each row."""
        return not self._routes and "leaf" in self._rows.columns

    def _sum(self, name: str) -> str:
        return f"CAST(sum({name}) AS BIGINT)" if name in self._rows.columns else "count(*)"

    def _arrays(self, query: str) -> list[Floats]:
        return self._database.arrays(query, self._rows.parameters)

    def _from(self, leaves: Sequence[int], pairs: str | None = None) -> str:
        """Return the rows of some leaves, with the column leaf, after FROM; `pairs` is joined by leaf."""
        others = [name for name in self._rows.columns if name != "leaf"]
        starts = [leaf for leaf, depth in self._depth.items() if depth == 0]
        where = self._where
        if self._is_written:
            leaf = "leaf"
            if {*leaves} != {*starts}:
                where = f"{where} AND leaf IN ({', '.join(map(str, leaves))})"
        else:
            leaf = by_leaf({start: leaf_of_row(start, self._routes, {*leaves}) for start in starts})
        inner = f"SELECT {', '.join(others)}, {leaf} AS leaf FROM {self._rows.relation} WHERE {where}"
        joined = "" if pairs is None else f" JOIN {pairs} AS pairs ON pairs.code = leaf"
        return f"FROM ({inner}) AS routed{joined} WHERE leaf >= 0"

    def _by_cell(
        self,
        leaves: Sequence[int],
        names: Sequence[str],
        key: str | None = None,
        n_keys: int = 1,
        branch: str | None = None,
    ) -> Floats:
        """Return sums by leaf, cell, code of the key, and name, from one query; `branch` is the column b."""
        first = np.cumsum([0, *(edges.n_codes for edges in self.edges)]).tolist()
        columns = [f"c{place}" for place in range(len(self.edges))]
        cells = [f"CAST({name} AS INTEGER) + {start}" for name, start in zip(columns, first, strict=False)]
        by = ["leaf"] if key is None else ["leaf", key]
        summed = [name for name in names if name != "s" or self._squares]
        sums = [*dict.fromkeys(self._sum(name) for name in summed)]
        rows = self._from(leaves)
        if branch is not None:
            rows = f"FROM (SELECT *, {branch} AS b {rows}) AS divided"
        sets = ", ".join(f"({', '.join([*by, column])})" for column in columns)
        results = ", ".join([*by, f"coalesce({', '.join(cells)})", *sums])
        found = self._arrays(f"SELECT {results} {rows} GROUP BY GROUPING SETS ({sets})")
        at = _places(leaves, found[0])
        codes = np.zeros(len(at), dtype=np.intp) if key is None else found[1].astype(np.intp)
        cell = found[len(by)].astype(np.intp)
        table = np.zeros((len(leaves), first[-1], n_keys, len(names)))
        for number, name in enumerate(names):
            if name in summed:
                table[at, cell, codes, number] = found[len(by) + 1 + sums.index(self._sum(name))]
        return table

    def _write_leaves(self) -> None:
        """Write the leaf of each row into a new temporary table, if many splits were made since the last.

        Only rows of leaves that may still be split are kept.
        """
        if self._scratch is None or max(self._depth.values()) < _MOST_INLINE:
            return
        others = {name: type_ for name, type_ in self._rows.columns.items() if name != "leaf"}
        columns = others | {"leaf": "INTEGER"}
        query = f"SELECT {', '.join(columns)} {self._from(sorted(self._progress.waiting))}"
        name = self._scratch.create(columns, query, self._rows.parameters)
        if self._rows is not self._given:
            self._scratch.drop(self._rows.relation)
        self._rows = CodedRows(name, columns, self._database.parameters())
        self._routes, self._depth, self._where = {}, dict.fromkeys(self._progress.waiting, 0), "TRUE"


def _places(leaves: Sequence[int], found: Floats) -> npt.NDArray[np.intp]:
    """Return the position of each leaf found among the leaves that were asked for."""
    place = np.zeros(max(leaves) + 1, dtype=np.intp)
    place[[*leaves]] = np.arange(len(leaves))
    return place[found.astype(np.intp)]
