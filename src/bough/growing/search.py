"""Search finds the best split of a contingency table, or lists every candidate there is.

For the criteria bough knows the native core finds the best without listing. For a criterion the user wrote
every candidate is listed and judged, in the same order: of equals the first wins.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.schema import Column, Schema
from bough.growing.criterion import UserCriterion
from bough.growing.engine import ContingencyTable, NodeStatistics
from bough.growing.grid import Grid, scaled
from bough.growing.recipe import Recipe
from bough.tree.split import LevelKind, Levels, Split, Threshold
from bough.types import Floats

SplitKind: TypeAlias = Literal["threshold"] | LevelKind
Branches: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Found:
    """A split found, its value in real units and the branch of most known weight, of equals the first.

    `rank` orders the splits of one node: the value in the node's own units, where nothing overflows.
    """

    value: float
    rank: float
    split: Split
    default_branch: int


@dataclass(frozen=True)
class ChildLimits:
    """The cases and the weight (on the grid) a child must have."""

    cases: float = 1.0
    weight: float = 0.0

    def met(self, kind: SplitKind, cases: Floats, weights: Floats) -> npt.NDArray[np.bool_]:
        """Whether each split, its children along the last axis, has children large enough.

        All must be; in a complete split it is enough that two are, as in C4.5.

        >>> ChildLimits(cases=2).met("threshold", np.array([[1.0, 3.0], [2.0, 2.0]]), np.ones((2, 2)))
        array([False,  True])
        >>> ChildLimits(cases=2).met("complete", np.array([[1.0, 3.0, 2.0]]), np.ones((1, 3)))
        array([ True])
        """
        large = (cases > 0) & (cases >= self.cases) & (weights >= self.weight)
        return np.asarray(large.sum(axis=-1) >= 2 if kind == "complete" else large.all(axis=-1))


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every candidate split of a table: the statistics and cases of its children, and the branch of each row.

    `statistics` has shape (candidates, children, k) and `cases` (candidates, children); `branches(i)` gives
    the branch of each row of the table under candidate i.
    """

    kind: SplitKind
    statistics: Floats
    cases: Floats
    branches: Callable[[int], Branches]

    def __len__(self) -> int:
        return len(self.statistics)


def kind_for(column: Column, nominal: LevelKind) -> SplitKind:
    """Return the kind of split a column gets: thresholds, or for a nominal column what the recipe says.

    >>> kind_for(Column("age", "numeric"), "complete")
    'threshold'
    """
    return nominal if column.scale == "nominal" else "threshold"


def best_split(
    tables: Sequence[ContingencyTable],
    schema: Schema,
    recipe: Recipe,
    node: NodeStatistics,
    root: NodeStatistics,
    root_improvement: float = 0.0,
) -> Found | None:
    """Return the best split of a node over all its columns; of equals the first column's.

    A column's best split counts only if the recipe's limits find it worthwhile; `root_improvement` is what
    the root's split improves, 0 until it is known.

    >>> table = ContingencyTable(0, np.array([0.0, 2.0]), np.array([[2.0, 0.0], [1.0, 3.0]]),
    ...                          np.array([2.0, 4.0]), np.zeros(2), 0.0, "classes")
    >>> node = NodeStatistics(6.0, 6.0, np.array([3.0, 3.0]), risk=3.0, events=3.0)
    >>> schema, recipe = Schema((Column("x", "numeric"),)), Recipe("gini", task="classification")
    >>> best_split([table], schema, recipe, node, root=node).split
    Threshold(column=0, cut=1.0)
    """
    limits = recipe.limits
    best: Found | None = None
    for table in tables:
        share = limits.min_weight_fraction_leaf * root.weight
        enough = ChildLimits(limits.cases_in_leaf(root.cases), scaled(share, table.grid.weight_exponent))
        found = best_of_column(table, schema[table.column], recipe, enough)
        if found is None or (best is not None and not found.rank > best.rank):
            continue
        if table.missing_cases > 0 and not _tells(table, found, recipe):
            continue
        children = table.grid.weight(branch_statistics(table, found.split))
        improves = (improvement(found.value, node, recipe), root_improvement)
        if limits.worthwhile(found.value, node, root, children, improves):
            best = found
    return best


def improvement(value: float, node: NodeStatistics, recipe: Recipe) -> float:
    """Return what a split of this value improves: a share of the risk under squared error, else all it gains.

    >>> node = NodeStatistics(6.0, 6.0, np.array([3.0, 3.0]), risk=3.0, events=3.0)
    >>> improvement(0.25, node, Recipe("gini", task="classification"))
    1.5
    """
    whole = value * node.weight
    if recipe.criterion != "squared_error":
        return whole
    return whole / node.risk if node.risk > 0 else math.inf


def _tells(table: ContingencyTable, found: Found, recipe: Recipe) -> bool:
    """Whether a split of a column with missing values tells its known cases apart.

    Where only the missing cases differ, splitting the known ones would go on to the last row for nothing.
    """
    if table.reads == "classes":
        return int(np.count_nonzero(table.statistics.sum(axis=0))) > 1
    return callable(recipe.criterion) or found.rank > 0


def best_of_column(
    table: ContingencyTable, column: Column, recipe: Recipe, enough: ChildLimits | None = None
) -> Found | None:
    """Return the best split of one column, None if there is none.

    >>> counts, cases = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 0.0]]), np.array([3.0, 3.0, 2.0])
    >>> table = ContingencyTable(0, np.array([5.0, 10.0, 15.0]), counts, cases, np.zeros(2), 0.0, "classes")
    >>> best_of_column(table, Column("duration", "numeric"), Recipe("gini", task="classification")).split
    Threshold(column=0, cut=12.5)
    """
    if len(table) < 2:
        return None
    enough = enough or ChildLimits()
    kind = kind_for(column, recipe.nominal)
    if isinstance(recipe.criterion, str):
        rank, branches = _core.best_split(
            kind,
            recipe.criterion,
            table.statistics,
            table.cases,
            table.weight,
            enough.cases,
            enough.weight,
            recipe.max_exhaustive_levels,
            table.targets,
        )
        value = real_value(recipe.criterion, rank, table.grid)
    else:
        rank, branches = _best_by_user(table, kind, recipe, UserCriterion(recipe.criterion), enough)
        value = rank
    if len(branches) == 0 or not rank > -np.inf:
        return None
    split = split_of(table, column, kind, branches)
    weights = table.weights(branch_statistics(table, split))
    return Found(value, rank, split, int(weights.argmax()))


def real_value(criterion: str, value: Any, grid: Grid) -> Any:
    """Return a criterion's value, or an array of them, in real units from that on the grid of a node.

    >>> real_value("squared_error", 8.0, Grid(exponent=1)), real_value("gini", 0.25, Grid(weight_exponent=3))
    (2.0, 0.25)
    """
    units = {
        "squared_error": 2 * grid.exponent,
        "absolute_error": grid.exponent,
        "poisson": grid.exponent,
        "chi_square": grid.weight_exponent,
    }
    return scaled(value, -units.get(criterion, 0))


def real_statistics(table: ContingencyTable, statistics: Floats) -> Floats:
    """Return class weights, or (weight, sum, sum of squares) of y, in real units.

    >>> table = ContingencyTable(0, np.array([0.0]), np.array([[2.0, 4.0]]), np.array([3.0]),
    ...                          np.zeros(2), 0.0, "classes", Grid(weight_exponent=1))
    >>> real_statistics(table, table.statistics)
    array([[1., 2.]])
    """
    if table.reads in ("moments", "rates"):
        return table.grid.moments(statistics)
    return np.asarray(table.grid.weight(statistics))


def _best_by_user(
    table: ContingencyTable, kind: SplitKind, recipe: Recipe, criterion: UserCriterion, enough: ChildLimits
) -> tuple[float, Branches]:
    candidates = enumerate_candidates(table, kind, recipe.max_exhaustive_levels)
    met = enough.met(kind, candidates.cases, table.weights(candidates.statistics))
    allowed = np.flatnonzero(met)
    if len(allowed):
        values = criterion(real_statistics(table, candidates.statistics[allowed]))
        best = int(values.argmax())
        if values[best] > -np.inf:
            return float(values[best]), candidates.branches(int(allowed[best]))
    return -np.inf, np.empty(0, dtype=np.int32)


def midpoint(below: float, above: float) -> float:
    """Return the cut between two neighbouring values: halfway, or the upper one where nothing lies between.

    >>> midpoint(10.0, 15.0), midpoint(float("-inf"), 1.0)
    (12.5, 1.0)
    """
    middle = (below + above) / 2
    if not math.isfinite(middle):
        middle = below / 2 + above / 2
    return middle if middle > below else above


def split_of(table: ContingencyTable, column: Column, kind: SplitKind, branches: Branches) -> Split:
    """Return the split that sends each value of the table to the branch given.

    A complete split lists every level of the column, also those without rows here.

    >>> table = ContingencyTable(0, np.array([0.0, 2.0]), np.array([[2.0, 0.0], [1.0, 3.0]]),
    ...                          np.array([2.0, 4.0]), np.zeros(2), 0.0, "classes")
    >>> split_of(table, Column("size", "nominal", ("S", "M", "L")), "subset", np.array([0, 1], np.int32))
    Levels(column=0, kind='subset', codes=(0, 2), branches=(0, 1), n_branches=2)
    """
    if kind == "threshold":
        below = int(np.count_nonzero(branches == 0)) - 1
        cut = midpoint(float(table.values[below]), float(table.values[below + 1]))
        return Threshold(table.column, float(np.floor(cut) + 0.5) if column.scale == "ordinal" else cut)
    if kind == "complete":
        every = tuple(range(len(column.levels)))
        return Levels(table.column, kind, every, every, len(every))
    codes = tuple(table.values.astype(int).tolist())
    return Levels(table.column, kind, codes, tuple(branches.tolist()), 2)


def branch_statistics(table: ContingencyTable, split: Split) -> Floats:
    """Return the statistics of the known rows in each branch of a split, a row a branch.

    >>> table = ContingencyTable(0, np.array([0.0, 2.0]), np.array([[2.0, 0.0], [1.0, 3.0]]),
    ...                          np.array([2.0, 4.0]), np.zeros(2), 0.0, "classes")
    >>> branch_statistics(table, Levels(0, "complete", (0, 1, 2), (0, 1, 2), 3))
    array([[2., 0.],
           [0., 0.],
           [1., 3.]])
    """
    values: Any = table.values if isinstance(split, Threshold) else table.values.astype(np.int32)
    sums = np.zeros((split.n_branches, table.statistics.shape[1]))
    np.add.at(sums, split.branch(values), table.statistics)
    return sums


def enumerate_candidates(table: ContingencyTable, kind: SplitKind, max_exhaustive: int = 12) -> Candidates:
    """List every candidate split of a table with at least two rows.

    Thresholds ascend. Subsets have the first level always in branch 0, in Gray-code order; beyond
    `max_exhaustive` levels, the cuts of the levels ordered by the share of each class and by the first
    principal component of the shares (Coppersmith, Hong and Hosking 1999), or by the mean of y.

    >>> table = ContingencyTable(0, np.array([0.0, 1.0, 2.0]), np.array([[2.0, 0.0], [1.0, 2.0], [1.0, 2.0]]),
    ...                          np.array([2.0, 3.0, 3.0]), np.zeros(2), 0.0, "classes")
    >>> listed = enumerate_candidates(table, "subset")
    >>> [listed.branches(i).tolist() for i in range(len(listed))]
    [[0, 1, 1], [0, 0, 1], [0, 1, 0]]
    """
    if kind == "threshold":
        return _scans(table, kind, [np.arange(len(table))])
    if kind == "complete":
        every = np.arange(len(table), dtype=np.int32)
        return Candidates(kind, table.statistics[np.newaxis], table.cases[np.newaxis], lambda _: every)
    if kind == "subset" and len(table) > max_exhaustive:
        return _scans(table, kind, _orders(table))
    return _sides(table, kind, _subsets(len(table)) if kind == "subset" else _singles(len(table)))


def _subsets(n: int) -> npt.NDArray[np.int8]:
    """All parts of n rows in two: 0 for the side of the first row, 1 for the other."""
    step = np.arange(1, 2 ** (n - 1))
    inside = ((step ^ (step >> 1))[:, np.newaxis] >> np.arange(n)) & 1
    return np.asarray(inside != inside[:, :1], dtype=np.int8)


def _singles(n: int) -> npt.NDArray[np.int8]:
    """Each row on its own against the others; of two rows, the second says the same as the first."""
    return (1 - np.eye(n, dtype=np.int8))[: 1 if n == 2 else n]


def _sides(table: ContingencyTable, kind: SplitKind, sides: npt.NDArray[np.int8]) -> Candidates:
    first = (sides == 0).astype(np.float64)
    statistics = np.stack([first @ table.statistics, (1 - first) @ table.statistics], axis=1)
    cases = np.stack([first @ table.cases, (1 - first) @ table.cases], axis=1)
    return Candidates(kind, statistics, cases, lambda i: sides[i].astype(np.int32))


def _scans(table: ContingencyTable, kind: SplitKind, orders: Sequence[npt.NDArray[np.intp]]) -> Candidates:
    """List the cuts of the rows in each of the orders, leaving out those an earlier order has."""
    n = len(table)
    left = np.concatenate([np.cumsum(table.statistics[order], axis=0)[:-1] for order in orders])
    left_cases = np.concatenate([np.cumsum(table.cases[order])[:-1] for order in orders])
    kept = np.arange(n - 1) if len(orders) == 1 else _distinct(orders)
    left, left_cases = left[kept], left_cases[kept]

    def branches(i: int) -> Branches:
        order, cut = divmod(int(kept[i]), n - 1)
        side = np.ones(n, dtype=np.int32)
        side[orders[order][: cut + 1]] = 0
        return side if kind == "threshold" or side[0] == 0 else 1 - side

    statistics = np.stack([left, table.statistics.sum(axis=0) - left], axis=1)
    cases = np.stack([left_cases, table.cases.sum() - left_cases], axis=1)
    if kind != "threshold":
        mirrored = np.concatenate([np.arange(n - 1) < order.argmin() for order in orders])[kept]
        statistics[mirrored], cases[mirrored] = statistics[mirrored, ::-1], cases[mirrored, ::-1]
    return Candidates(kind, statistics, cases, branches)


def _distinct(orders: Sequence[npt.NDArray[np.intp]]) -> npt.NDArray[np.intp]:
    # A set is told by the exclusive or of its members' random numbers (Zobrist 1970): no need to build it.
    numbers = np.random.default_rng(0).integers(2**63, size=len(orders[0]), dtype=np.int64)
    every = np.bitwise_xor.reduce(numbers)
    sets = np.concatenate([np.bitwise_xor.accumulate(numbers[order])[:-1] for order in orders])
    _, first = np.unique(np.minimum(sets, sets ^ every), return_index=True)
    return np.sort(first)


def _orders(table: ContingencyTable) -> list[npt.NDArray[np.intp]]:
    statistics, weight = table.statistics, table.weights(table.statistics)
    if table.reads == "moments":
        return [np.argsort(statistics[:, 1] / weight, kind="stable")]
    if table.reads == "rates":
        # Of equal rates the last comes first, as in the native core.
        return [len(weight) - 1 - np.argsort((statistics[:, 1] / weight)[::-1], kind="stable")]
    if table.reads == "values":
        reached = 2 * np.cumsum(statistics, axis=1) >= weight[:, np.newaxis]
        return [np.argsort(reached.argmax(axis=1), kind="stable")]
    present = np.flatnonzero(statistics.sum(axis=0) > 0)
    shares = statistics / weight[:, np.newaxis]
    if len(present) <= 2:
        return [np.argsort(shares[:, present[-1]], kind="stable")]
    deviation = shares - statistics.sum(axis=0) / weight.sum()
    _, axes = np.linalg.eigh((deviation * weight[:, np.newaxis]).T @ deviation)
    scores = [shares[:, c] for c in present] + [deviation @ axes[:, -1]]
    return [np.argsort(score, kind="stable") for score in scores]
