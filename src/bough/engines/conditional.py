"""The engine of conditional inference trees: a column is chosen by a permutation test, then its split.

The core tests the columns of one node and finds its split; this module visits the nodes and builds the tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.engines.native import refuse_missing
from bough.engines.weight_range import repeated_rows
from bough.errors import ParameterError
from bough.growing.column_split import midpoint, threshold_between
from bough.growing.engine import NodeStatistics
from bough.growing.job import GrowingJob
from bough.growing.measure import MeasuredRows
from bough.growing.recipe import Recipe
from bough.growing.search import value_of_branches
from bough.growing.weighted_target import WeightedTarget
from bough.progress import watcher
from bough.tree import Tree
from bough.tree.alternatives import AlternativeSplit, AlternativeSplits
from bough.tree.split import AtMost, Levels, Split, Threshold
from bough.tree.tests import ColumnTest
from bough.types import Floats

Rows = npt.NDArray[np.intp]


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Grow a tree on all rows and on the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.learners.conditional import ConditionalTreeClassifier
    >>> table, y = Table.read([[float(i)] for i in range(40)]), read_classes([0] * 20 + [1] * 20)
    >>> recipe = ConditionalTreeClassifier().recipe()
    >>> [tree] = grow_folds(GrowingJob(table, WeightedTarget(y, read_weights(None, 40)), recipe))
    >>> tree.condition(1), round(tree.tests_of(0)[0].statistic, 3)
    ('x0 <= 19', 29.268)
    """
    if job.recipe.missing == "refuse":
        refuse_missing(job.table)
    return [_Growth(part.table, part.target, part.recipe).tree(part.target_name) for part in job.parts()]


@dataclass
class _Node:
    rows: Rows
    depth: int
    summary: NodeStatistics
    weight: float
    cases: float
    tests: list[ColumnTest] = field(default_factory=list)
    split: Split | None = None
    default: int = -1
    gain: float = float("nan")
    surrogates: list[AlternativeSplit] = field(default_factory=list)


class _Growth:
    """A tree that grows level by level, so that its nodes are made in the order of their numbers."""

    def __init__(self, table: Table, target: WeightedTarget, recipe: Recipe) -> None:
        self.table, self.target, self.recipe = table, target, recipe
        n, weights = table.n_rows, target.weights
        self.weight = np.ones(n) if weights.weight is None else weights.weight
        self.cases = np.ones(n) if weights.cases is None else weights.cases
        in_splits = weights
        if target.split_weight is not None:
            in_splits = Weights(target.split_weight, weights.cases, whole=False)
        self.measured = MeasuredRows.of(target.single, in_splits, n, recipe.reads)
        self.resamples = bool(recipe.settings["n_resamples"])
        if self.resamples and not weights.whole:
            raise ParameterError(
                "distribution='monte_carlo' permutes cases, but sample_weight holds fractions. "
                "Choose distribution='asymptotic', or weights that count cases."
            )
        self.occurring = _occurring_codes(table)
        self.inference = _core.ConditionalInference(
            self._ranked().native(),
            n,
            len(target.classes),
            target.single.codes if isinstance(target.single, ClassTarget) else None,
            None if isinstance(target.single, ClassTarget) else self._numbers(target.single),
            None if self.resamples else self._test_weights(weights),
            None if self.resamples else weights.cases,
            self._options(),
        )
        self.least_to_split = _least_to_split(recipe, float(self.cases.sum()))
        self.nodes = [self._node(self.measured.present, 0)]

    def _ranked(self) -> Table:
        """Return the table with the levels of ordinal columns numbered without those that do not occur."""
        columns = list(self.table.columns)
        for place, codes in self.occurring.items():
            ranks = np.searchsorted(codes, columns[place]).astype(np.int32)
            columns[place] = np.where(columns[place] < 0, columns[place], ranks)
        return replace(self.table, columns=tuple(columns))

    def _numbers(self, numbers: Floats) -> Floats:
        """Return the numbers to test: the scores of censored times, or y itself."""
        return numbers if self.target.numbers is None else np.ascontiguousarray(self.target.numbers)

    def _test_weights(self, weights: Weights) -> Floats | None:
        """Return weights that sum to the number of cases: tests depend on how many there are."""
        if weights.weight is None or weights.whole:
            return weights.weight
        return np.asarray(weights.weight * (self.cases.sum() / weights.weight.sum()), dtype=np.float64)

    def _options(self) -> dict[str, Any]:
        recipe, settings = self.recipe, self.recipe.settings
        cases = float(self.cases.sum())
        return {
            "statistic": settings["statistic"],
            "split_statistic": settings["split_statistic"],
            "bonferroni": settings["adjust"] == "bonferroni",
            "n_resamples": int(settings["n_resamples"]),
            "seed": int(recipe.seed or 0),
            "significance": float(settings["significance"]),
            "min_statistic": float(settings["min_statistic"] or 0.0),
            "min_cases": recipe.limits.cases_in_leaf(cases),
            "min_share": float(settings["min_child_fraction"]),
            "n_tries": int(settings["n_tries"]),
            "max_exhaustive": recipe.max_exhaustive_levels,
            "n_surrogates": recipe.n_surrogates if recipe.keeps_surrogates else 0,
        }

    def _node(self, rows: Rows, depth: int) -> _Node:
        cases, weight = float(self.cases[rows].sum()), float(self.weight[rows].sum())
        return _Node(rows, depth, self.measured.summary(rows), weight, cases)

    def tree(self, target_name: str | None) -> Tree:
        """Grow the tree and return it."""
        at, monitor = 0, watcher()
        while at < len(self.nodes):
            node = self.nodes[at]
            if self._is_searched(node):
                self._search(node, at, monitor)
            at += 1
        return self._finished(target_name)

    def _is_searched(self, node: _Node) -> bool:
        limits = self.recipe.limits
        if limits.max_depth is not None and node.depth >= limits.max_depth:
            return False
        return node.cases >= self.least_to_split and not node.summary.is_pure()

    def _search(self, node: _Node, number: int, monitor: Any) -> None:
        rows = node.rows
        if self.resamples:
            rows = repeated_rows(rows, self.cases[rows])
        found = self.inference.search(rows.astype(np.uint32), number, monitor)
        node.tests = [ColumnTest(*test) for test in found["tests"]]
        node.split = self._split(found["split"])
        if node.split is None:
            return
        values = self.table.columns[node.split.column][node.rows]
        branch = node.split.branch(values)
        known = np.bincount(branch + 1, self.weight[node.rows], minlength=3)[1:]
        node.default = int(known[1] >= known[0])  # of equals the second, as in partykit
        group = np.where(branch < 0, 2, branch).astype(np.intp)
        value, of_node = value_of_branches(self.recipe.criterion_name, self.measured, node.rows, group, 2)
        node.gain = value * (of_node / node.weight)
        branch = self._follow_surrogates(node, found["surrogates"], branch)
        branch = np.where(branch < 0, node.default, branch)
        self.nodes += [self._node(node.rows[branch == side], node.depth + 1) for side in (0, 1)]

    def _split(self, found: tuple[Any, ...], *, closed: bool = True) -> Split | None:
        column, below, above, cut, codes, branches = found
        if column < 0:
            return None
        if codes:
            return Levels(column, "subset", tuple(codes), tuple(branches), 2)
        if column in self.occurring:
            sides = (float(self.occurring[column][int(rank)]) for rank in (below, above))
            return threshold_between(column, self.table.schema[column], *sides)
        if closed and self.table.schema[column].scale == "numeric":
            return AtMost(column, below, (below, above))
        return Threshold(column, cut, (below, above))

    def _follow_surrogates(
        self, node: _Node, found: list[Any], branch: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int32]:
        """Record the surrogates of a node, and route the rows that its split cannot route."""
        own, routed = branch, branch.copy()
        for given, turned in found:
            split = self._split(given, closed=False)
            assert split is not None
            if isinstance(split, Threshold) and self.table.schema[split.column].scale == "numeric":
                split = _narrowed(split, self.table.columns[split.column][node.rows])
            turn = turned and not isinstance(split, Levels)
            if turned and isinstance(split, Levels):
                split = Levels(split.column, "subset", split.codes, tuple(1 - b for b in split.branches), 2)
            surrogate = AlternativeSplit(split, turn, 0.0, 0.0, 0.0)
            sides = surrogate.branch(self.table.columns[split.column][node.rows])
            agreement, adjusted = self._agreement(node.rows, own, sides)
            newly = (routed < 0) & (sides >= 0)
            cases = float(self.cases[node.rows][newly].sum())
            routed[newly] = sides[newly]
            node.surrogates.append(AlternativeSplit(split, turn, agreement, adjusted, cases))
        return routed

    def _agreement(
        self, rows: Rows, own: npt.NDArray[np.int32], sides: npt.NDArray[np.int32]
    ) -> tuple[float, float]:
        """Return the share of weight that a surrogate routes as the split, and its gain over the majority."""
        weight = np.where((own >= 0) & (sides >= 0), self.weight[rows], 0.0)
        total = float(weight.sum())
        agreed = float(weight[own == sides].sum())
        majority = max(float(weight[own == side].sum()) for side in (0, 1))
        return agreed / total, (agreed - majority) / (total - majority) if total > majority else 0.0

    def _tests(self) -> dict[str, Floats]:
        """Return the p-value and the statistic of each column in each node, NaN where it was not tested."""
        shape = (len(self.nodes), len(self.table.schema))
        p_value, statistic = np.full(shape, np.nan), np.full(shape, np.nan)
        for place, node in enumerate(self.nodes):
            for test in node.tests:
                p_value[place, test.column], statistic[place, test.column] = test.p_value, test.statistic
        return {"p_value": p_value, "test_statistic": statistic}

    def _finished(self, target_name: str | None) -> Tree:
        nodes, recipe, target = self.nodes, self.recipe, self.target
        surrogates = [node.surrogates for node in nodes]
        return Tree.from_splits(
            [node.split for node in nodes],
            default_branch=[node.default for node in nodes],
            gain=[node.gain for node in nodes],
            weight=[node.weight for node in nodes],
            cases=[node.cases for node in nodes],
            statistics=[node.summary.statistics for node in nodes],
            risk=[node.summary.risk for node in nodes],
            **recipe.head(self.table.schema, target.classes, target_name),
            **self._tests(),
            surrogates=AlternativeSplits.of_nodes(surrogates) if any(surrogates) else None,
        )


def _occurring_codes(table: Table) -> dict[int, npt.NDArray[np.int32]]:
    """Return the codes that occur in each ordinal column some of whose levels do not, by its place.

    The scores of a test number the levels that occur, as in R.
    """
    found = {}
    for place, (column, values) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
        if column.scale == "ordinal":
            codes = np.unique(values[values >= 0])
            if len(codes) < len(column.levels):
                found[place] = codes
    return found


def _narrowed(split: Threshold, values: Floats) -> Threshold:
    """Return the threshold just above its lower neighbour, also where a row to be routed has a value between.

    R's partykit routes values up to the lower neighbour to the first branch.
    """
    assert split.neighbours is not None
    below, above = split.neighbours[0], float(values[values > split.neighbours[0]].min())
    return Threshold(split.column, midpoint(below, above), (below, above))


def _least_to_split(recipe: Recipe, root_cases: float) -> float:
    """Return the number of cases that a node needs to be tested, whatever its children need."""
    return replace(recipe.limits, min_samples_leaf=1, min_samples_branch=1).cases_to_split(root_cases)
