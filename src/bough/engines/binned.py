"""Trees on bins by the growth loop: the definition of binned growth, and what native growth lacks.

Rows of a table in memory are counted by numpy. Rows elsewhere, such as in a database, count themselves; see
`bough.growing.binned.BinnedRows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import md5
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.bins import Bins
from bough.data.schema import Level, Schema
from bough.data.target import ClassTarget
from bough.growing import growth
from bough.growing.binned import BinnedEngine, BinnedRows
from bough.growing.coded import BinEdges, CodedRoute, CodedSplit, NodeTotals
from bough.growing.fit_grid import FitGrid
from bough.growing.grid import scaled
from bough.growing.growth import GrowingTree, SubtreeStart
from bough.growing.hashed_draws import RowDraw, key_text
from bough.growing.job import GrowingJob
from bough.growing.recipe import Recipe
from bough.tree import Tree
from bough.types import Floats, Keys

_Rows = npt.NDArray[np.intp]
_Codes = Sequence[npt.NDArray[np.unsignedinteger]]
_Target = npt.NDArray[np.int32] | Floats


_FEW_ROWS = 2**12


class Coding(NamedTuple):
    """How rows are coded: their columns, the classes of y, the bins of the columns, and the grid of sums."""

    schema: Schema
    classes: tuple[Level, ...]
    edges: tuple[BinEdges, ...]
    grid: FitGrid


class RowsInMemory:
    """The rows of a table as codes of bins; see `bough.growing.binned.BinnedRows`.

    `terms` holds what each row adds: its weight, or the weight, the sum and the squares of y; then its cases.
    Weights are whole numbers on the grid.
    """

    def __init__(
        self,
        coding: Coding,
        codes: _Codes,
        y: _Target,
        terms: Floats,
        present: _Rows,
        folds: npt.NDArray[np.int32] | None = None,
        keys: Keys | None = None,
    ) -> None:
        self._coding = coding
        self.schema, self.classes, self.edges, self.grid = coding
        self._codes, self._y, self._terms, self._folds, self._keys = codes, y, terms, folds, keys
        self._present, self._rows = present, {0: present}

    @classmethod
    def of(cls, job: GrowingJob, repeats: int = 1) -> RowsInMemory:
        """Divide the columns of a job's table into bins, and put weights and y on the grid of the fit.

        `repeats` is the greatest number of times that a row is drawn for a tree.
        """
        table, target, weights = job.table, job.target.single, job.target.weights
        assert job.recipe.max_bins is not None
        n = table.n_rows
        bins = Bins.of(table, job.recipe.max_bins, weights.cases, n_jobs=job.n_jobs)
        names = table.schema.names
        edges = BinEdges.of_schema(
            table.schema, lambda place: bins.lowest(names[place]), lambda place: bins.highest(names[place])
        )
        weight = weights.each(n)
        is_whole = bool((weight == np.floor(weight)).all())
        total, greatest = repeats * float(weight.sum()), repeats * float(weight.max())
        grid = FitGrid.of_weights(n, whole=is_whole, total=total, greatest=greatest)
        y: _Target
        if isinstance(target, ClassTarget):
            classes, y = target.classes, target.codes
        else:
            classes, y = (), target
            total = float(grid.whole_weights(weight).sum())
            grid = grid.with_target(repeats * total, float(y.min()), float(y.max()))
        codes = [bins.codes(name) for name in names]
        return cls.coded(Coding(table.schema, classes, edges, grid), codes, y, weight, weights.cases)

    @classmethod
    def coded(
        cls, coding: Coding, codes: _Codes, y: _Target, weight: Floats, cases: Floats | None
    ) -> RowsInMemory:
        """Put the weights and y of rows that are coded by bins on the grid of a fit."""
        whole = coding.grid.whole_weights(weight)
        sums = [] if coding.classes else coding.grid.terms(y.astype(np.float64, copy=False), whole)
        terms = np.column_stack([whole, *sums, np.ones(len(whole)) if cases is None else cases])
        return cls(coding, codes, y, terms, np.flatnonzero(whole > 0))

    def in_folds(self, n_folds: int, seed: int, keys: Sequence[object] | None) -> RowsInMemory:
        """Return the rows in folds by the hash of a key of each row or, without keys, of its codes."""
        if keys is None:
            texts = (
                ",".join(map(str, row)) for row in zip(*(each.tolist() for each in self._codes), strict=True)
            )
        else:
            texts = (key_text(key) for key in keys)
        folds = np.array([hashed_fold(text, n_folds, seed) for text in texts], dtype=np.int32)
        return self._with(self._present, folds)

    def keyed(self, keys: Keys) -> RowsInMemory:
        """Return the rows with the hash of a key of each, by which they are drawn for trees."""
        return RowsInMemory(self._coding, self._codes, self._y, self._terms, self._present, self._folds, keys)

    def again(self) -> RowsInMemory:
        """Return all rows, at the root of another tree."""
        return self._with(self._present, self._folds)

    def drawn(self, draw: RowDraw) -> RowsInMemory:
        """Return the rows drawn for a tree, each as often as it is drawn, with the same bins and grid."""
        assert self._keys is not None
        counts = draw.counts(self._keys)
        return RowsInMemory(
            self._coding,
            self._codes,
            self._y,
            self._terms * counts[:, None],
            self._present[counts[self._present] > 0],
        )

    def outside(self, fold: int) -> RowsInMemory:
        """Return the rows outside a fold, with the same bins and the same grid."""
        assert self._folds is not None
        return self.only(self._folds != fold)

    def within(self, fold: int) -> RowsInMemory:
        """Return the rows of a fold, with the same bins and the same grid."""
        assert self._folds is not None
        return self.only(self._folds == fold)

    def only(self, kept: npt.NDArray[np.bool_]) -> RowsInMemory:
        """Return the rows that are marked, with the same bins and the same grid."""
        return self._with(self._present[kept[self._present]], self._folds)

    def _with(self, present: _Rows, folds: npt.NDArray[np.int32] | None) -> RowsInMemory:
        return RowsInMemory(self._coding, self._codes, self._y, self._terms, present, folds, self._keys)

    def totals(self, leaves: Sequence[int]) -> list[NodeTotals]:
        """Return the sums of each leaf."""
        return [self._totals(self._rows[leaf]) for leaf in leaves]

    def expect(self, cases: Mapping[int, float], levels_left: int | None) -> None:
        """Note new leaves that may be split; rows in memory need not."""

    def histograms(self, leaves: Sequence[int]) -> Iterator[Floats]:
        """Yield for each leaf its sums by cell."""
        for leaf in leaves:
            rows = self._rows[leaf]
            yield self._by_cell(rows, *self._groups(rows))

    def branch_histograms(self, splits: Mapping[int, CodedSplit]) -> Iterator[Floats]:
        """Yield for each leaf its sums by cell and branch; rows that the split cannot route are last."""
        for leaf, split in splits.items():
            rows = self._rows[leaf]
            branch = split.branches[self._codes[split.column][rows]]
            branch = np.where(branch < 0, split.n_branches, branch)
            weights, cases = self._terms[rows, 0], self._terms[rows, -1]
            yield np.concatenate(
                [self._by_cell(rows, branch, split.n_branches + 1, [each]) for each in (weights, cases)],
                axis=1,
            )

    def route(self, routes: Mapping[int, CodedRoute]) -> dict[int, Floats]:
        """Route the rows of each leaf, and return the cases that each split after the first routed."""
        sent = self.surrogate_cases(routes)
        self.send(routes)
        return sent

    def surrogate_cases(self, routes: Mapping[int, CodedRoute]) -> dict[int, Floats]:
        """Return the cases of each leaf that each split after the first would route."""
        sent = {leaf: np.zeros(len(route.splits) - 1) for leaf, route in routes.items()}
        for leaf, route in routes.items():
            left = self._rows[leaf]
            for number, split in enumerate(route.splits):
                is_sent = split.branches[self._codes[split.column][left]] >= 0
                if number > 0:
                    sent[leaf][number - 1] = self._terms[left[is_sent], -1].sum()
                left = left[~is_sent]
        return sent

    def send(self, routes: Mapping[int, CodedRoute]) -> None:
        """Route the rows of each leaf, parents first."""
        for leaf, route in routes.items():
            rows = self._rows[leaf]
            branch = route.splits[0].branches[self._codes[route.splits[0].column][rows]]
            for split in route.splits[1:]:
                branch = np.where(branch < 0, split.branches[self._codes[split.column][rows]], branch)
            branch = np.where(branch < 0, route.default_branch, branch)
            for number in range(route.n_branches):
                self._rows[route.first_child + number] = rows[branch == number]
            self._rows[leaf] = rows[branch < 0]

    def taken(self, leaves: Sequence[int]) -> RowsInMemory:
        """Return a copy of the rows of some leaves."""
        rows = np.concatenate([self._rows[leaf] for leaf in leaves])
        taken = RowsInMemory(
            self._coding,
            [codes[rows] for codes in self._codes],
            self._y[rows],
            self._terms[rows],
            np.arange(len(rows)),
        )
        ends = np.cumsum([len(self._rows[leaf]) for leaf in leaves])[:-1]
        return taken.in_leaves(dict(zip(leaves, np.split(taken._present, ends), strict=True)))

    @staticmethod
    def joined(parts: Sequence[RowsInMemory], edges: tuple[BinEdges, ...]) -> RowsInMemory:
        """Return the rows of several parts that have the same leaves; parts do not know the edges of bins."""
        first = parts[0]
        starts = np.cumsum([0, *(len(part._y) for part in parts)])
        joined = RowsInMemory(
            first._coding._replace(edges=edges),
            [np.concatenate(codes) for codes in zip(*(part._codes for part in parts), strict=True)],
            np.concatenate([part._y for part in parts]),
            np.concatenate([part._terms for part in parts]),
            np.arange(starts[-1]),
        )
        moved = [
            {leaf: rows + start for leaf, rows in part._rows.items()}
            for part, start in zip(parts, starts, strict=False)
        ]
        return joined.in_leaves({leaf: np.concatenate([each[leaf] for each in moved]) for leaf in moved[0]})

    def in_leaves(self, rows: Mapping[int, _Rows]) -> RowsInMemory:
        """Return the same rows, in these leaves."""
        found = self._with(self._present, self._folds)
        found._rows = {**rows} or {0: self._present}
        return found

    @property
    def n_rows(self) -> int:
        """The number of rows, those absent from the tree included."""
        return len(self._y)

    @property
    def n_bytes(self) -> int:
        """The size of all arrays in bytes."""
        return sum(each.nbytes for each in (*self._codes, self._y, self._terms, self._present))

    def grown_from(self, starts: Mapping[int, SubtreeStart], recipe: Recipe) -> dict[int, GrowingTree]:
        """Return the subtrees of leaves, grown from their rows here."""
        parts = {leaf: self._with(self._rows[leaf], None) for leaf in starts}
        return {
            leaf: growth.grow_subtree(BinnedEngine(parts[leaf]), recipe, start)
            for leaf, start in starts.items()
        }

    def squared_losses(
        self, leaves: Sequence[int], answers: Sequence[float], exponents: tuple[int, int]
    ) -> tuple[Floats, Floats]:
        """Return for each pair of a leaf and an answer the sum of squared errors, and of their squares."""
        sums = np.zeros((2, len(leaves)))
        for place, (leaf, answer) in enumerate(zip(leaves, answers, strict=True)):
            rows = self._rows[leaf]
            error = self._y[rows] - answer
            square = error * error
            for number, loss in enumerate((square, square * square)):
                terms = np.floor(scaled(self._terms[rows, 0] * loss, exponents[number]))
                sums[number, place] = terms.sum()
        return sums[0], sums[1]

    def _totals(self, rows: _Rows) -> NodeTotals:
        # A table of a column with a single code has the sums of all rows.
        [sums] = _sums(np.zeros(len(rows), dtype=np.intp), 1, *self._groups(rows))
        if self.classes or len(rows) == 0:
            return NodeTotals(sums[:-1], float(sums[-1]))
        y = self._y[rows]
        return NodeTotals(sums[:-1], float(sums[-1]), float(sums[2]), float(y.min()), float(y.max()))

    def _groups(self, rows: _Rows) -> tuple[npt.NDArray[np.int32] | None, int, list[Floats]]:
        """Return the classes of rows, by which only their weights are summed, and what the rows add."""
        terms = [*self._terms[rows].T]
        if not self.classes:
            return None, 1, terms
        return self._y[rows].astype(np.int32, copy=False), len(self.classes), terms

    def _by_cell(
        self, rows: _Rows, group: npt.NDArray[np.integer] | None, n_groups: int, terms: list[Floats]
    ) -> Floats:
        n_codes = [edges.n_codes for edges in self.edges]
        if len(rows) > _FEW_ROWS:
            return np.concatenate(
                [
                    _sums(codes[rows].astype(np.intp), many, group, n_groups, terms)
                    for codes, many in zip(self._codes, n_codes, strict=True)
                ]
            )
        # Of few rows all columns are counted at once, since most of the time is that of the calls.
        first = np.cumsum([0, *n_codes[:-1]])
        cell = np.array([codes[rows] for codes in self._codes], dtype=np.intp) + first[:, None]
        m = len(n_codes)
        repeated = [np.tile(each, m) for each in terms]
        own = None if group is None else np.tile(group, m)
        return _sums(cell.ravel(), sum(n_codes), own, n_groups, repeated)


def _sums(
    code: _Rows, n_codes: int, group: npt.NDArray[np.integer] | None, n_groups: int, terms: list[Floats]
) -> Floats:
    """Return the sums of terms by code, the first of them also by group."""
    first, *others = terms
    entry = code if group is None else code * n_groups + group
    by_group = np.bincount(entry, first, n_codes * n_groups).reshape(n_codes, n_groups)
    return np.column_stack([by_group, *(np.bincount(code, each, n_codes) for each in others)])


def grow(rows: BinnedRows, recipe: Recipe, target_name: str | None) -> Tree:
    """Grow a tree from rows that are coded by bins, wherever they are."""
    tree = growth.grow(BinnedEngine(rows), recipe, target_name=target_name)
    if tree.cut_below is None:
        # Trees of native code have these arrays also without thresholds.
        tree = replace(tree, cut_below=np.full(tree.n_nodes, np.nan), cut_above=np.full(tree.n_nodes, np.nan))
    return tree


def hashed_fold(text: str, n_folds: int, seed: int) -> int:
    """Return the fold of a row by the MD5 hash of a text, which databases compute too.

    >>> [hashed_fold(text, 3, seed=0) for text in "abcdef"]
    [1, 1, 2, 0, 1, 1]
    """
    return int(md5(f"{seed}:{text}".encode(), usedforsecurity=False).hexdigest()[:8], 16) % n_folds


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and one on the rows outside each fold; all share the bins and the grid.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.growing.recipe import Recipe
    >>> from bough.growing.weighted_target import WeightedTarget
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> recipe = Recipe("gini", max_bins=2, task="classification")
    >>> job = GrowingJob(table, WeightedTarget(y, read_weights(None, 3)), recipe)
    >>> [tree.condition(1) for tree in grow_folds(job)]
    ['x0 < 12.5']
    """
    rows, folds = RowsInMemory.of(job), job.folds
    parts = [rows] if folds is None else [rows, *(rows.only(folds != fold) for fold in range(job.n_folds))]
    return [grow(part, job.recipe, job.target_name) for part in parts]
