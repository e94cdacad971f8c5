"""Growth by a user-written method: the loop of `bough.growing.growth` on rows, not contingency tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Level, Schema
from bough.data.table import Table, is_missing
from bough.errors import ParameterError
from bough.growing.column_split import threshold_between
from bough.growing.engine import NodeStatistics
from bough.growing.growth import GrowingTree, SplitQueue
from bough.growing.recipe import Recipe
from bough.growing.search import Found
from bough.growing.weighted_target import WeightedTarget
from bough.learners.user_method import CheckedMethod, NodeAnswer
from bough.tree import Tree
from bough.tree.split import Levels, Split
from bough.types import Floats, Rows


@dataclass(frozen=True, eq=False)
class UserGrown:
    """A tree and the prediction of each of its nodes: a number, or a row of numbers."""

    tree: Tree
    answers: Floats


@dataclass(eq=False)
class _MethodEngine:
    """The rows that a tree is grown on, and the rows of each node."""

    table: Table
    y: Floats
    weight: Floats
    cases: Floats
    method: CheckedMethod
    rows: dict[int, Rows] = field(default_factory=dict)
    answers: list[NodeAnswer] = field(default_factory=list)
    root_risk: float = 0.0

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def classes(self) -> tuple[Level, ...]:
        return ()

    def summary(self, leaf: int) -> NodeStatistics:
        """Evaluate a leaf. With `lowest` 0 and `highest` its risk, a leaf of risk 0 counts as pure."""
        rows = self.rows[leaf]
        answer, risk = self.method.evaluate(self.y[rows], self.weight[rows], self.root_risk)
        if leaf == 0:
            self.root_risk = risk
        self.answers.append(answer)
        first = np.ravel(answer)[:1]
        weight, cases = float(self.weight[rows].sum()), float(self.cases[rows].sum())
        return NodeStatistics(weight, cases, first, risk, events=np.inf, lowest=0.0, highest=risk)


def grow_by_method(
    table: Table, target: WeightedTarget, recipe: Recipe, target_name: str | None
) -> UserGrown:
    """Grow a tree by the user's method; rows with a missing value are routed to the heavier branch.

    >>> from bough.learners.user_method import UserMethod
    >>> from bough.data.target import read_weights
    >>> class Mean(UserMethod):
    ...     def evaluate(self, y, weight):
    ...         mean = np.average(y, weights=weight)
    ...         return mean, (weight * (y - mean) ** 2).sum()
    >>> table, y = Table.read([[1.0], [2.0], [4.0]]), np.array([5.0, 5.0, 8.0])
    >>> target = WeightedTarget(y, read_weights(None, 3), numbers=y)
    >>> recipe = Recipe(Mean, method=Mean(), task="regression")
    >>> grow_by_method(table, target, recipe, None).tree.condition(1)
    'x0 < 3'
    """
    method, y, weights = CheckedMethod(recipe.method), target.numbers, target.weights
    assert y is not None
    n = table.n_rows
    of_rows = weights.each(n), weights.cases_of_each(n)
    engine = _MethodEngine(table, y, *of_rows, method, {0: np.arange(n)})
    growing = GrowingTree([engine.summary(0)], recipe)
    queue = SplitQueue(recipe.limits.max_leaf_nodes)
    new_leaves = [0]
    while new_leaves:
        for leaf in new_leaves:
            if growing.splittable(leaf):
                queue.add(leaf, _best_split(engine, leaf, growing, recipe), growing.nodes[leaf].weight)
        routings = growing.split(queue.take())
        for leaf, routing in routings.items():
            rows = engine.rows[leaf]
            branch = routing.split.branch(table.columns[routing.split.column][rows])
            branch = np.where(branch < 0, routing.default_branch, branch)
            for child in range(routing.split.n_branches):
                engine.rows[routing.first_child + child] = rows[branch == child]
        new_leaves = growing.children(routings)
        growing.nodes += [engine.summary(leaf) for leaf in new_leaves]
    order = growing.order()
    answers = _stacked([engine.answers[node] for node in order], method)
    tree = growing.tree(engine, target_name)  # type: ignore[arg-type]
    return UserGrown(tree, answers)


def _stacked(answers: list[NodeAnswer], method: CheckedMethod) -> Floats:
    shapes = {np.shape(answer) for answer in answers}
    if len(shapes) > 1:
        first, last = sorted(shapes)[0], sorted(shapes)[-1]
        raise ParameterError(
            f"{method.name}.evaluate returned answers of shapes {first} and {last}; all must have the same "
            "shape."
        )
    return np.array(answers, dtype=np.float64)


def _best_split(engine: _MethodEngine, leaf: int, growing: GrowingTree, recipe: Recipe) -> Found | None:
    """Return the best split of a leaf that the limits allow; the first column wins a tie."""
    node, root = growing.nodes[leaf], growing.nodes[0]
    best: Found | None = None
    for position, column in enumerate(engine.schema.columns):
        found = _best_of_column(engine, leaf, position, column, recipe, root)
        if found is None or (best is not None and not found.rank > best.rank):
            continue
        root_rank = growing.found[0].rank if 0 in growing.found else 0.0
        no_classes = np.zeros((0, 0))
        if recipe.limits.worthwhile(found.value, node, root, no_classes, (found.rank, root_rank)):
            best = found
    return best


def _best_of_column(
    engine: _MethodEngine, leaf: int, position: int, column: Column, recipe: Recipe, root: NodeStatistics
) -> Found | None:
    """Return the best split of one column, computed from the rows whose value is known."""
    rows = engine.rows[leaf]
    values = engine.table.columns[position][rows]
    known = ~is_missing(values)
    rows, values = rows[known], values[known]
    if len(rows) < 2 or (values == values[0]).all():
        return None
    levels: Rows | None = None
    x = values.astype(np.float64)
    if column.scale == "nominal":
        levels, x = _order_levels(engine, rows, values)
    order = np.argsort(x, kind="stable")
    rows, x = rows[order], x[order]
    weight = engine.weight[rows]
    goodness = engine.method.split(engine.y[rows], weight, x.copy())
    below = np.cumsum(weight)[:-1]
    allowed = (
        (x[1:] > x[:-1]) & (goodness > 0) & _large_enough(engine.cases[rows], below, weight, recipe, root)
    )
    if not allowed.any():
        return None
    cut = int(np.argmax(np.where(allowed, goodness, -np.inf)))
    split = _split_at(position, column, x, cut, levels)
    weights = np.bincount(split.branch(values[order]), weight, minlength=2)
    value = float(goodness[cut]) / float(engine.weight[engine.rows[leaf]].sum())
    return Found(value, float(goodness[cut]), split, int(weights.argmax()))


def _order_levels(engine: _MethodEngine, rows: Rows, codes: npt.NDArray[Any]) -> tuple[Rows, Floats]:
    """Return the levels that are present, sorted by `rank_levels`, and each row's position in that order."""
    present, level = np.unique(codes, return_inverse=True)
    ranks = engine.method.rank_levels(engine.y[rows], engine.weight[rows], level.copy())
    order = np.argsort(ranks, kind="stable")
    position = np.empty(len(present))
    position[order] = np.arange(len(present))
    return present[order].astype(np.intp), position[level]


def _large_enough(
    cases: Floats, below: Floats, weight: Floats, recipe: Recipe, root: NodeStatistics
) -> npt.NDArray[np.bool_]:
    limits = recipe.limits
    least_cases, least_weight = (
        limits.cases_in_branch(root.cases),
        limits.min_weight_fraction_leaf * root.weight,
    )
    cases_below = np.cumsum(cases)[:-1]
    fewer = np.minimum(cases_below, cases.sum() - cases_below)
    lighter = np.minimum(below, weight.sum() - below)
    enough: npt.NDArray[np.bool_] = (fewer >= least_cases) & (lighter >= least_weight)
    return enough


def _split_at(position: int, column: Column, x: Floats, cut: int, levels: Rows | None) -> Split:
    if levels is None:
        return threshold_between(position, column, *x[cut : cut + 2].tolist())
    side = (np.arange(len(levels)) > x[cut]).astype(int)
    codes = np.argsort(levels)
    branches = side[codes]
    # By convention the first level is in the first branch.
    branches = branches if branches[0] == 0 else 1 - branches
    return Levels(position, "subset", tuple(levels[codes].tolist()), tuple(branches.tolist()), 2)
