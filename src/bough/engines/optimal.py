"""The engine of optimal trees: a search among all trees within the limits, not a loop that grows one.

The core finds the splits and a bound of what any tree loses; this module states the problem in the core's
numbers and builds the tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.errors import TargetError
from bough.growing.job import GrowingJob
from bough.growing.measure import MeasuredRows
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget
from bough.jobs import n_threads
from bough.progress import bounds_watcher
from bough.tree import Tree
from bough.tree.split import LevelKind, Levels, Split, Threshold, known_neighbours
from bough.types import Floats

# Whole numbers below this add exactly, also with the cost of splits.
_BITS = 50
_NO_LIMIT = 2**24
# Values of y times rows under absolute error; each takes some 20 bytes.
_MOST_ERRORS = 10_000_000
CACHE_BYTES = 2**29
"""The most memory for answers that a search keeps; as much again is used while cuts are examined."""
# Relative to the loss of the root: smaller differences are rounding.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Problem:
    """A target in the numbers of the core: losses of classes, or numbers with weights.

    The core minimizes the sum of `loss` over the rows, in units of `unit`, plus `split_cost` for each split.
    `margin` is the most that a row can add to the loss; None if it is 1 for every row.
    """

    target: dict[str, Any]
    unit: float
    split_cost: float
    tolerance: float
    weight: float

    def objective(self, value: float, ccp_alpha: float) -> float:
        """Return what the core minimizes as loss per unit of weight plus `ccp_alpha` for each leaf."""
        return value * self.unit / self.weight + ccp_alpha


def class_problem(target: WeightedTarget, ccp_alpha: float) -> Problem:
    """Return the losses of predicting each class for each row, as whole numbers.

    >>> from bough.data.target import read_classes, read_weights
    >>> target = WeightedTarget(read_classes(["no", "yes"]), read_weights([1, 3], 2))
    >>> class_problem(target, 0.0).target["loss"]
    array([0., 1., 3., 0.])
    """
    assert isinstance(target.target, ClassTarget)
    codes, k = target.target.codes, len(target.classes)
    weights = target.weights
    weight = weights.each(len(codes))
    costs = target.error_costs()
    by_class = 1.0 - np.eye(k) if costs is None else costs.reshape(k, k)
    return _problem_of_losses(weight[:, None] * by_class[codes], weight, weights.cases, ccp_alpha)


def _problem_of_losses(loss: Floats, weight: Floats, cases: Floats | None, ccp_alpha: float) -> Problem:
    """Return the problem of losses of each prediction (rows × predictions), put on a grid if need be."""
    k = loss.shape[1]
    total = float(loss.sum())
    whole = bool((loss == np.floor(loss)).all()) and total < 2.0**_BITS
    unit = 1.0
    if not whole:
        unit = math.ldexp(1.0, math.frexp(total)[1] - _BITS)
        loss = np.rint(loss / unit)
    margin = loss.max(axis=1, initial=0.0)
    split_cost = ccp_alpha * float(weight.sum()) / unit
    fields = {
        "n_classes": max(k, 2),
        "loss": np.ascontiguousarray(loss if k > 1 else np.zeros((len(loss), 2))).ravel(),
        "weight": None,
        "y": None,
        "cases": cases,
        "margin": None if (margin == 1.0).all() else margin,
    }
    tolerance = 0.5 if split_cost == 0 else _ROUNDING * max(1.0, float(margin.sum()))
    return Problem(fields, unit, split_cost, tolerance, float(weight.sum()))


def number_problem(target: WeightedTarget, ccp_alpha: float) -> Problem:
    """Return the numbers about their mean, with the most that each can add to the squared error.

    >>> from bough.data.target import read_weights
    >>> target = WeightedTarget(np.array([1.0, 3.0]), read_weights(None, 2))
    >>> number_problem(target, 0.0).target["y"]
    array([-1.,  1.])
    """
    y, weights = target.target, target.weights
    assert isinstance(y, np.ndarray)
    weight = weights.each(len(y))
    total = float(weight.sum())
    spread = float(y.max() / 2 - y.min() / 2)
    unit = 1.0 if spread == 0 else spread
    y = y / unit - float(weight @ (y / unit)) / total
    furthest = np.maximum(y - y.min(), y.max() - y)
    fields = {
        "n_classes": 0,
        "loss": None,
        "weight": weight,
        "y": y,
        "cases": weights.cases,
        "margin": weight * furthest**2,
    }
    squares = float(weight @ y**2)
    split_cost = ccp_alpha * total / unit / unit
    return Problem(fields, unit * unit, split_cost, _ROUNDING * squares, total)


def absolute_problem(target: WeightedTarget, ccp_alpha: float) -> Problem:
    """Return the absolute errors of predicting each value of y for each row, as whole numbers.

    A median is one of the values, or as good as one, so that the values are classes with losses.

    >>> from bough.data.target import read_weights
    >>> target = WeightedTarget(np.array([1.0, 3.0]), read_weights([1, 3], 2))
    >>> absolute_problem(target, 0.0).target["loss"]
    array([0., 2., 6., 0.])
    """
    y, weights = target.target, target.weights
    assert isinstance(y, np.ndarray)
    weight = weights.each(len(y))
    values = np.unique(y)
    if len(values) * len(y) > _MOST_ERRORS:
        raise TargetError(
            f"y has {len(values)} different values in {len(y)} rows, and the absolute error is searched with "
            f"at most {_MOST_ERRORS:,} pairs of a value and a row. Round y, take a sample of the rows, or "
            "use criterion='squared_error'."
        )
    losses = weight[:, None] * np.abs(y[:, None] - values)
    return _problem_of_losses(losses, weight, weights.cases, ccp_alpha)


def problem_of(target: WeightedTarget, ccp_alpha: float, criterion: str = "squared_error") -> Problem:
    """Return the problem of a target of classes or of numbers.

    >>> from bough.data.target import read_weights
    >>> problem_of(WeightedTarget(np.array([1.0, 3.0]), read_weights(None, 2)), 0.5).split_cost
    1.0
    """
    if isinstance(target.target, ClassTarget):
        return class_problem(target, ccp_alpha)
    by = absolute_problem if criterion == "absolute_error" else number_problem
    return by(target, ccp_alpha)


def grow_folds(job: GrowingJob) -> list[Tree]:
    """Search the best tree of all rows and of the rows outside each fold; see `bough.engines.choice.grow`.

    >>> from bough.data.target import read_classes, read_weights
    >>> from bough.growing.limits import Limits
    >>> table, y = Table.read([[1.0], [2.0], [3.0], [4.0]]), read_classes([0, 1, 1, 0])
    >>> recipe = Recipe("misclassification", limits=Limits(max_leaf_nodes=3), missing="learned",
    ...                 settings={"program": "optimal"}, task="classification")
    >>> [tree] = grow_folds(GrowingJob(table, WeightedTarget(y, read_weights(None, 4)), recipe))
    >>> tree.n_leaves, tree.provenance["optimality"]
    (3, {'objective': 0.0, 'lower_bound': 0.0, 'proved': True})
    """
    return [_best_tree(part) for part in job.parts()]


def _best_tree(job: GrowingJob) -> Tree:
    table, target, recipe = job.table, job.target, job.recipe
    alpha = float(recipe.settings.get("ccp_alpha", 0.0))
    problem = problem_of(target, alpha, recipe.criterion_name)
    found = search(table, target, recipe, problem, job.n_jobs)
    proved = not found["stopped"] or found["lower"] >= found["value"] - problem.tolerance
    tree = tree_of_nodes(found["nodes"], table, target, recipe, job.target_name)
    objective = float(tree.risk[tree.n_children == 0].sum()) / problem.weight + alpha * tree.n_leaves
    lower = objective if proved else min(objective, problem.objective(found["lower"], alpha))
    bounds = {"objective": objective, "lower_bound": lower, "proved": proved}
    return replace(tree, provenance={"optimality": bounds})


def search(
    table: Table, target: WeightedTarget, recipe: Recipe, problem: Problem, n_jobs: int | None
) -> dict[str, Any]:
    """Run the search of the core; return its nodes in preorder, its value and its lower bound."""
    time_limit = recipe.settings.get("time_limit")
    return _core.search_optimal(
        table.native(),
        table.n_rows,
        problem.target,
        core_settings(table, target, recipe, problem),
        math.inf if time_limit is None else float(time_limit),
        recipe.settings.get("on_interrupt", "keep") == "keep",
        n_threads(n_jobs),
        bounds_watcher(problem.unit / problem.weight, float(recipe.settings.get("ccp_alpha", 0.0))),
    )


def core_settings(table: Table, target: WeightedTarget, recipe: Recipe, problem: Problem) -> dict[str, Any]:
    """Return the limits of a recipe as the core reads them."""
    limits, n_cases = recipe.limits, target.weights.n_cases(table.n_rows)
    return {
        "max_depth": min(int(limits.max_depth or 30), 30),
        "max_leaves": min(int(limits.max_leaf_nodes or _NO_LIMIT), _NO_LIMIT),
        "min_cases": limits.cases_in_leaf(n_cases),
        "split_cost": problem.split_cost,
        "tolerance": problem.tolerance,
        "max_exhaustive": recipe.max_exhaustive_levels,
        "cache_bytes": CACHE_BYTES,
    }


@dataclass(eq=False)
class _Building:
    """A tree that is built from its splits: the rows of each node are summarized on the way down."""

    table: Table
    target: WeightedTarget
    measured: MeasuredRows
    max_exhaustive_levels: int
    costs: Floats | None
    splits: list[Split | None]
    defaults: list[int]
    rows: list[npt.NDArray[np.intp]]

    def children(self, node: int, found: tuple[Any, ...]) -> tuple[npt.NDArray[np.intp], ...]:
        """Split a node as the core has found, and return the rows of its children."""
        column, cut, levels, side, below, above = found
        rows = self.rows[node]
        values = self.table.columns[column][rows]
        if levels:
            split: Split = self._levels(column, values, levels)
        else:
            split = Threshold(column, cut, known_neighbours(below, above))
        branch = split.branch(values)
        weight = self.measured.weight[rows]
        heavier = int(weight[branch == 1].sum() > weight[branch == 0].sum())
        default = heavier if side == "none" else int(side == "right")
        self.splits[node], self.defaults[node] = split, default
        branch = np.where(branch < 0, default, branch)
        return rows[branch == 0], rows[branch == 1]

    def _levels(self, column: int, values: npt.NDArray[Any], left: list[int]) -> Levels:
        everywhere = self.table.columns[column]
        seen, present = np.unique(everywhere[everywhere >= 0]), np.unique(values[values >= 0])
        if len({code in left for code in present.tolist()}) < 2:
            # One side has only rows whose value is missing: its levels are those of other nodes.
            present = seen
        branches = tuple(int(code not in left) for code in present.tolist())
        kind: LevelKind = "one_vs_rest" if len(seen) > self.max_exhaustive_levels else "subset"
        return Levels(column, kind, tuple(present.tolist()), branches, 2)

    def risk(self, statistics: Floats, risk: float) -> float:
        """Return the risk of a node: the least loss of any prediction."""
        return risk if self.costs is None else float((statistics @ self.costs).min())


def tree_of_nodes(
    nodes: Sequence[tuple[Any, ...]],
    table: Table,
    target: WeightedTarget,
    recipe: Recipe,
    target_name: str | None,
) -> Tree:
    """Build the tree of the splits that the core lists in preorder; its nodes are numbered by level."""
    measured = MeasuredRows.of(target.single, target.weights, table.n_rows, recipe.reads)
    costs = target.error_costs()
    k = len(target.classes)
    by_class = None if costs is None else costs.reshape(k, k)
    levels = recipe.max_exhaustive_levels
    building = _Building(table, target, measured, levels, by_class, [None], [-1], [])
    building.rows.append(measured.present)
    level, parent_of = [(0, 0)], [-1]
    after = _ends(nodes)
    while level:
        below = []
        for node, position in level:
            if nodes[position][0] < 0:
                continue
            starts = (position + 1, after[position + 1])
            for start, rows in zip(starts, building.children(node, nodes[position]), strict=True):
                below.append((len(building.rows), start))
                building.rows.append(rows)
                building.splits.append(None)
                building.defaults.append(-1)
                parent_of.append(node)
        level = below
    return _tree(building, parent_of, recipe, target_name)


def _ends(nodes: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return for each node in preorder the position after its subtree."""
    ends = [0] * len(nodes)
    for position in reversed(range(len(nodes))):
        is_leaf = nodes[position][0] < 0
        ends[position] = position + 1 if is_leaf else ends[ends[position + 1]]
    return ends


def _tree(building: _Building, parent_of: list[int], recipe: Recipe, target_name: str | None) -> Tree:
    target = building.target
    summaries = [building.measured.summary(rows) for rows in building.rows]
    risk = np.array([building.risk(each.statistics, each.risk) for each in summaries])
    weight = np.array([each.weight for each in summaries])
    below = np.bincount(parent_of[1:], risk[1:], minlength=len(risk)) if len(risk) > 1 else np.zeros(1)
    is_split = np.array([split is not None for split in building.splits])
    return Tree.from_splits(
        building.splits,
        default_branch=building.defaults,
        gain=np.where(is_split, (risk - below) / weight, np.nan),
        weight=weight,
        cases=[each.cases for each in summaries],
        statistics=[each.statistics for each in summaries],
        risk=risk,
        **recipe.head(building.table.schema, target.classes, target_name),
        class_scale=target.class_scale,
        loss_matrix=target.loss_matrix,
    )
