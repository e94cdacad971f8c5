"""The search for the best split of a contingency table.

For bough's own criteria the native core finds it without enumerating all candidates. For a user-written
criterion every candidate is enumerated and evaluated in the same order; the first one wins a tie.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Column, Schema
from bough.growing.column_split import SplitKind
from bough.growing.criterion import UserCriterion, split_loss
from bough.growing.engine import ContingencyTable, NodeStatistics
from bough.growing.enumeration import enumerate_candidates
from bough.growing.grid import Grid, scaled
from bough.growing.limits import Limits
from bough.growing.measure import MeasuredRows
from bough.growing.nominal import Nominal
from bough.growing.placement import NOWHERE, Placement, placements, three_branches
from bough.growing.recipe import Recipe
from bough.tree.split import Branches, LevelKind, Levels, Split
from bough.types import Floats

_NO_BRANCHES: tuple[float, Branches] = -np.inf, np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a search: a split, its value in real units, and the branch of greatest known weight.

    `rank` is the value in units of the node's grid, where nothing overflows; it orders the splits of one
    node. `tied` is True if another branch has the same known weight; the default is then the first of them.
    With `routes_missing` the default is instead the branch that the search chose for missing values, and the
    value counts the rows without a value there.
    """

    value: float
    rank: float
    split: Split
    default_branch: int
    tied: bool = False
    routes_missing: bool = False


@dataclass(frozen=True)
class ChildLimits:
    """The number of cases and the weight (on the grid) that the children of a split need.

    At least two children need `cases`. Every nonempty child needs `leaf_cases`, which is at most `cases`, and
    `weight`.
    """

    cases: float = 1.0
    weight: float = 0.0
    leaf_cases: float = 1.0

    @classmethod
    def of(cls, limits: Limits, root_cases: float, weight: float = 0.0) -> Self:
        """Return the requirements that limits put on children, in a tree whose root has `root_cases` cases.

        >>> ChildLimits.of(Limits(min_samples_leaf=2, min_samples_branch=5), 100.0)
        ChildLimits(cases=5.0, weight=0.0, leaf_cases=2.0)
        """
        return cls(limits.cases_in_branch(root_cases), weight, limits.cases_in_leaf(root_cases))

    def allow_leaf(self, table: ContingencyTable) -> bool:
        """Whether the missing values of a column are enough for a leaf of their own.

        >>> table = ContingencyTable(0, np.array([5.0]), np.array([[1.0, 2.0]]), np.array([3.0]),
        ...                          np.array([0.0, 1.0]), 1.0, "classes")
        >>> ChildLimits().allow_leaf(table), ChildLimits(leaf_cases=2).allow_leaf(table)
        (True, False)
        """
        return table.missing_cases >= self.leaf_cases and bool(table.weights(table.missing) >= self.weight)

    def met(self, kind: SplitKind, cases: Floats, weights: Floats) -> npt.NDArray[np.bool_]:
        """Whether the children of each split, along the last axis, are large enough.

        >>> ChildLimits(cases=2).met("threshold", np.array([[1.0, 3.0], [2.0, 2.0]]), np.ones((2, 2)))
        array([False,  True])
        >>> ChildLimits(cases=2).met("complete", np.array([[1.0, 3.0, 2.0]]), np.ones((1, 3)))
        array([ True])
        >>> ChildLimits(cases=2, leaf_cases=2).met("complete", np.array([[1.0, 3.0, 2.0]]), np.ones((1, 3)))
        array([False])
        """
        large = (cases > 0) & (cases >= self.cases) & (weights >= self.weight)
        if kind != "complete":
            return np.asarray(large.all(axis=-1))
        small = (cases > 0) & ((cases < self.leaf_cases) | (weights < self.weight))
        return np.asarray((large.sum(axis=-1) >= 2) & ~small.any(axis=-1))


NO_LIMITS = ChildLimits()
"""Every child has at least one case."""


@dataclass(frozen=True, eq=False)
class ColumnProblem:
    """The contingency table of a column in a node, and what its split must satisfy.

    `loss_matrix` is for criteria that read losses.
    """

    table: ContingencyTable
    column: Column
    recipe: Recipe
    enough: ChildLimits = NO_LIMITS
    loss_matrix: Floats | None = None


ColumnSearch: TypeAlias = Callable[[ColumnProblem], Found | None]
"""A function that finds the best split of one column."""


def kind_for(column: Column, nominal: Nominal) -> SplitKind:
    """Return the kind of split for a column: a threshold, or for a nominal column the recipe's `nominal`.

    >>> kind_for(Column("age", "numeric"), "complete")
    'threshold'
    """
    if column.scale != "nominal":
        return "threshold"
    # The levels of larger columns have an order; see `bough.growing.drawn_search`.
    return "subset" if nominal == "ordered" else cast("LevelKind", nominal)


def best_split(
    tables: Sequence[ContingencyTable],
    schema: Schema,
    recipe: Recipe,
    node: NodeStatistics,
    root: NodeStatistics,
    root_improvement: float = 0.0,
    loss_matrix: Floats | None = None,
    of_column: ColumnSearch | None = None,
) -> Found | None:
    """Return the best split of a node over all columns; the first column wins a tie.

    The best split of a column is considered only if the recipe's limits allow it. `root_improvement` is the
    improvement of the root's split, 0 until it is known. `loss_matrix` is for criteria that read losses.
    `of_column` searches one column; by default it is `best_of_column`.

    >>> table = ContingencyTable(0, np.array([0.0, 2.0]), np.array([[2.0, 0.0], [1.0, 3.0]]),
    ...                          np.array([2.0, 4.0]), np.zeros(2), 0.0, "classes")
    >>> node = NodeStatistics(6.0, 6.0, np.array([3.0, 3.0]), risk=3.0, events=3.0)
    >>> schema, recipe = Schema((Column("x", "numeric"),)), Recipe("gini", task="classification")
    >>> best_split([table], schema, recipe, node, root=node).split
    Threshold(column=0, cut=1.0)
    """
    limits, of_column = recipe.limits, of_column or best_of_column
    best: Found | None = None
    for table in tables:
        share = limits.min_weight_fraction_leaf * root.weight
        enough = ChildLimits.of(limits, root.cases, scaled(share, table.grid.weight_exponent))
        found = of_column(ColumnProblem(table, schema[table.column], recipe, enough, loss_matrix))
        if found is None or (best is not None and not found.rank > best.rank):
            continue
        passive = table.missing_cases > 0 and not found.routes_missing
        if passive and not _separates_known(table, found.rank, recipe):
            continue
        sums = branch_statistics(table, found.split)
        if found.routes_missing:
            sums[found.default_branch] += table.missing
        children = table.grid.weight(sums)
        improves = (improvement(found.value, node, recipe), root_improvement)
        if limits.worthwhile(found.value, node, root, children, improves):
            best = found
    return best


def improvement(value: float, node: NodeStatistics, recipe: Recipe) -> float:
    """Return the improvement of a split: its value times the weight, for squared error divided by the risk.

    >>> node = NodeStatistics(6.0, 6.0, np.array([3.0, 3.0]), risk=3.0, events=3.0)
    >>> improvement(0.25, node, Recipe("gini", task="classification"))
    1.5
    """
    whole = value * node.weight
    if recipe.criterion != "squared_error":
        return whole
    return whole / node.risk if node.risk > 0 else math.inf


def _separates_known(table: ContingencyTable, rank: float, recipe: Recipe) -> bool:
    """Whether a split of a column with missing values improves on the rows whose value is known.

    Without this check, a node whose known rows are pure would be split again and again without any gain.
    """
    if table.reads == "classes":
        return int(np.count_nonzero(table.statistics.sum(axis=0))) > 1
    return callable(recipe.criterion) or rank > 0


def best_of_column(problem: ColumnProblem) -> Found | None:
    """Return the best split of one column, or None.

    It is searched among the known values, unless the recipe's policy for missing values is "learned" or
    "own_level": then the search chooses a branch for the missing values too.

    >>> counts, cases = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 0.0]]), np.array([3.0, 3.0, 2.0])
    >>> table = ContingencyTable(0, np.array([5.0, 10.0, 15.0]), counts, cases, np.zeros(2), 0.0, "classes")
    >>> recipe = Recipe("gini", task="classification")
    >>> best_of_column(ColumnProblem(table, Column("duration", "numeric"), recipe)).split
    Threshold(column=0, cut=12.5)
    """
    table, column, recipe, enough = problem.table, problem.column, problem.recipe, problem.enough
    loss = split_loss(recipe.criterion, problem.loss_matrix)
    kind = kind_for(column, recipe.nominal)
    best, chosen = _NO_BRANCHES, NOWHERE
    for placed in placements(recipe.missing, table, kind, own_leaf=enough.allow_leaf(table)):
        found = _best_placed(placed, table, kind, recipe, enough, loss)
        if found[0] > best[0]:
            best, chosen = found, placed
    rank, branches = best
    if len(branches) == 0:
        return None
    split, default = chosen.split(table, column, kind, branches)
    value = _value(rank, table, recipe)
    if chosen is not NOWHERE:
        return Found(value, rank, split, default, routes_missing=True)
    weights = table.weights(branch_statistics(table, split))
    tied = bool((weights == weights.max()).sum() > 1)
    return Found(value, rank, split, int(weights.argmax()), tied)


def _best_placed(
    placed: Placement,
    table: ContingencyTable,
    kind: SplitKind,
    recipe: Recipe,
    enough: ChildLimits,
    loss: Floats | None,
) -> tuple[float, Branches]:
    """Return the best value of a split with missing values in this place, and the branch of each row."""
    grouped = placed.grouped(table)
    if placed.where != "own branch":
        return _best_branches(grouped, "threshold" if placed.is_apart else kind, recipe, enough, loss)
    rank, branches = _best_branches(grouped, kind, recipe, enough, loss)
    if len(branches) == 0 or not _separates_known(table, rank, recipe):
        return _NO_BRANCHES
    rank, _ = _best_branches(three_branches(table, branches), "complete", recipe, ChildLimits(), loss)
    return rank, branches


def _best_branches(
    table: ContingencyTable, kind: SplitKind, recipe: Recipe, enough: ChildLimits, loss: Floats | None
) -> tuple[float, Branches]:
    """Return the best value on the grid and the branch of each row of the table; no branches if none."""
    if len(table) < 2:
        return _NO_BRANCHES
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
            enough.leaf_cases,
            loss,
        )
    else:
        rank, branches = _best_by_user(table, kind, recipe, UserCriterion(recipe.criterion), enough)
    return (rank, branches) if len(branches) > 0 and rank > -np.inf else _NO_BRANCHES


def _value(rank: float, table: ContingencyTable, recipe: Recipe) -> float:
    """Return a value on the grid in real units, which a user-written criterion reads already."""
    criterion = recipe.criterion
    return float(real_value(criterion, rank, table.grid)) if isinstance(criterion, str) else rank


def real_value(criterion: str, value: Any, grid: Grid) -> Any:
    """Convert a criterion's value, or an array of values, from the grid of a node to real units.

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


def value_of_branches(
    criterion: str,
    measured: MeasuredRows,
    rows: npt.NDArray[np.intp],
    branch: npt.NDArray[np.intp],
    n_branches: int,
    loss: Floats | None = None,
) -> tuple[float, float]:
    """Return the value of a split, 0 if it does not divide the rows, and the weight of its node.

    `branch` holds the branch of each row, `n_branches` where the split cannot route it.

    >>> measured = MeasuredRows.of(np.array([1.0, 2.0, 5.0, 6.0]), None, 4)
    >>> value_of_branches("squared_error", measured, measured.present, np.array([0, 0, 1, 1]), 2)
    (4.0, 4.0)
    """
    terms = measured.terms(rows)
    children = terms.summed(branch, n_branches + 1)[:-1, : terms.width]
    total = float(terms.weight.sum())
    [value] = _core.split_values(
        criterion, np.ascontiguousarray(children[None]), np.array([total]), terms.targets, loss
    )
    real = float(real_value(criterion, value, terms.grid)) if np.isfinite(value) else 0.0
    return real, float(terms.grid.weight(total))


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
    return _NO_BRANCHES


def branch_statistics(table: ContingencyTable, split: Split) -> Floats:
    """Return the statistics of each branch of a split, from the rows whose value is known.

    >>> table = ContingencyTable(0, np.array([0.0, 2.0]), np.array([[2.0, 0.0], [1.0, 3.0]]),
    ...                          np.array([2.0, 4.0]), np.zeros(2), 0.0, "classes")
    >>> from bough.tree.split import Levels
    >>> branch_statistics(table, Levels(0, "complete", (0, 1, 2), (0, 1, 2), 3))
    array([[2., 0.],
           [0., 0.],
           [1., 3.]])
    """
    values: Any = table.values.astype(np.int32) if isinstance(split, Levels) else table.values
    sums = np.zeros((split.n_branches, table.statistics.shape[1]))
    np.add.at(sums, split.branch(values), table.statistics)
    return sums
