"""Growth by a method that the user wrote: the loop of `bough.growing.growth`, on rows instead of tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Level, Schema
from bough.data.table import Table
from bough.data.target import Weights
from bough.errors import ParameterError
from bough.growing.engine import NodeStatistics
from bough.growing.growth import Frontier, Nursery
from bough.growing.recipe import Recipe
from bough.growing.search import Found, midpoint
from bough.learners.user_method import Answer, Checked
from bough.tree import Tree
from bough.tree.split import Levels, Split, Threshold
from bough.types import Floats

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class UserGrown:
    """A tree and what each of its nodes answers: a number, or a row of numbers."""

    tree: Tree
    answers: Floats


@dataclass(eq=False)
class _Ground:
    """The rows a tree is grown on, and where they are in it."""

    table: Table
    y: Floats
    weight: Floats
    cases: Floats
    method: Checked
    rows: dict[int, Rows] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)
    root_risk: float = 0.0

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def classes(self) -> tuple[Level, ...]:
        return ()

    def summary(self, leaf: int) -> NodeStatistics:
        """Evaluate a leaf. Bounded by 0 and its risk, one without risk has nothing left to tell apart."""
        rows = self.rows[leaf]
        answer, risk = self.method.evaluate(self.y[rows], self.weight[rows], self.root_risk)
        if leaf == 0:
            self.root_risk = risk
        self.answers.append(answer)
        first = np.ravel(answer)[:1]
        weight, cases = float(self.weight[rows].sum()), float(self.cases[rows].sum())
        return NodeStatistics(weight, cases, first, risk, events=np.inf, lowest=0.0, highest=risk)


def grow_by_method(
    table: Table, y: Floats, weights: Weights, method: Checked, recipe: Recipe, target_name: str | None
) -> UserGrown:
    """Grow a tree by the user's method; rows without the value a split needs follow its heavier branch.

    >>> from bough.learners.user_method import UserMethod
    >>> from bough.data.target import read_weights
    >>> class Mean(UserMethod):
    ...     def evaluate(self, y, weight):
    ...         mean = np.average(y, weights=weight)
    ...         return mean, (weight * (y - mean) ** 2).sum()
    >>> table, y = Table.read([[1.0], [2.0], [4.0]]), np.array([5.0, 5.0, 8.0])
    >>> recipe = Recipe(Mean, task="regression")
    >>> grow_by_method(table, y, read_weights(None, 3), Checked(Mean()), recipe, None).tree.condition(1)
    'x0 < 3'
    """
    n = table.n_rows
    weight = np.ones(n) if weights.weight is None else weights.weight
    cases = np.ones(n) if weights.cases is None else weights.cases
    ground = _Ground(table, y, weight, cases, method, {0: np.arange(n)})
    nursery = Nursery([ground.summary(0)])
    frontier = Frontier(recipe.limits.max_leaf_nodes)
    fresh = [0]
    while fresh:
        for leaf in fresh:
            if nursery.splittable(leaf, recipe):
                frontier.add(leaf, _best_split(ground, leaf, nursery, recipe), nursery.nodes[leaf].weight)
        routings = nursery.split(frontier.take())
        for leaf, routing in routings.items():
            rows = ground.rows[leaf]
            branch = routing.split.branch(table.columns[routing.split.column][rows])
            branch = np.where(branch < 0, routing.default_branch, branch)
            for way in range(routing.split.n_branches):
                ground.rows[routing.first_child + way] = rows[branch == way]
        fresh = nursery.children(routings)
        nursery.nodes += [ground.summary(leaf) for leaf in fresh]
    order = nursery.order()
    answers = _stacked([ground.answers[node] for node in order], method)
    tree = nursery.tree(ground, recipe, target_name)  # type: ignore[arg-type]
    # Told in the tree: what its answers and risks are is the method's affair.
    return UserGrown(replace(tree, recipe=tree.recipe | {"method": method.name}), answers)


def _stacked(answers: list[Answer], method: Checked) -> Floats:
    shapes = {np.shape(answer) for answer in answers}
    if len(shapes) > 1:
        few, many = sorted(shapes)[0], sorted(shapes)[-1]
        raise ParameterError(
            f"{method.name}.evaluate returned answers of shapes {few} and {many}; all must have the same."
        )
    return np.array(answers, dtype=np.float64)


def _best_split(ground: _Ground, leaf: int, nursery: Nursery, recipe: Recipe) -> Found | None:
    """Return the best split of a leaf that the limits allow; of equals the first column's."""
    node, root = nursery.nodes[leaf], nursery.nodes[0]
    best: Found | None = None
    for position, column in enumerate(ground.schema.columns):
        found = _best_of_column(ground, leaf, position, column, recipe, root)
        if found is None or (best is not None and not found.rank > best.rank):
            continue
        of_root = nursery.found[0].rank if 0 in nursery.found else 0.0
        nothing = np.zeros((0, 0))
        if recipe.limits.worthwhile(found.value, node, root, nothing, (found.rank, of_root)):
            best = found
    return best


def _best_of_column(
    ground: _Ground, leaf: int, position: int, column: Column, recipe: Recipe, root: NodeStatistics
) -> Found | None:
    """Return the best cut of one column among the rows that have its value."""
    rows = ground.rows[leaf]
    values = ground.table.columns[position][rows]
    known = ~np.isnan(values) if column.scale == "numeric" else values >= 0
    rows, values = rows[known], values[known]
    if len(rows) < 2 or (values == values[0]).all():
        return None
    levels: Rows | None = None
    x = values.astype(np.float64)
    if column.scale == "nominal":
        levels, x = _places(ground, rows, values)
    order = np.argsort(x, kind="stable")
    rows, x = rows[order], x[order]
    weight = ground.weight[rows]
    goodness = ground.method.split(ground.y[rows], weight, x.copy())
    below = np.cumsum(weight)[:-1]
    allowed = (
        (x[1:] > x[:-1]) & (goodness > 0) & _large_enough(ground.cases[rows], below, weight, recipe, root)
    )
    if not allowed.any():
        return None
    cut = int(np.argmax(np.where(allowed, goodness, -np.inf)))
    split = _split_at(position, column, x, cut, levels)
    weights = np.bincount(split.branch(values[order]), weight, minlength=2)
    value = float(goodness[cut]) / float(ground.weight[ground.rows[leaf]].sum())
    return Found(value, float(goodness[cut]), split, int(weights.argmax()))


def _places(ground: _Ground, rows: Rows, codes: npt.NDArray[Any]) -> tuple[Rows, Floats]:
    """Return the levels present in the order they are cut in, and for each row the place of its level."""
    present, level = np.unique(codes, return_inverse=True)
    ranks = ground.method.rank_levels(ground.y[rows], ground.weight[rows], level.copy())
    order = np.argsort(ranks, kind="stable")
    place = np.empty(len(present))
    place[order] = np.arange(len(present))
    return present[order].astype(np.intp), place[level]


def _large_enough(
    cases: Floats, below: Floats, weight: Floats, recipe: Recipe, root: NodeStatistics
) -> npt.NDArray[np.bool_]:
    limits = recipe.limits
    least_cases, least_weight = (
        limits.cases_in_leaf(root.cases),
        limits.min_weight_fraction_leaf * root.weight,
    )
    cases_below = np.cumsum(cases)[:-1]
    fewer = np.minimum(cases_below, cases.sum() - cases_below)
    lighter = np.minimum(below, weight.sum() - below)
    enough: npt.NDArray[np.bool_] = (fewer >= least_cases) & (lighter >= least_weight)
    return enough


def _split_at(position: int, column: Column, x: Floats, cut: int, levels: Rows | None) -> Split:
    if levels is None:
        threshold = midpoint(float(x[cut]), float(x[cut + 1]))
        return Threshold(
            position, float(np.floor(threshold) + 0.5) if column.scale == "ordinal" else threshold
        )
    side = (np.arange(len(levels)) > x[cut]).astype(int)
    codes = np.argsort(levels)
    branches = side[codes]
    # The first level is in the first branch, as in every tree.
    branches = branches if branches[0] == 0 else 1 - branches
    return Levels(position, "subset", tuple(levels[codes].tolist()), tuple(branches.tolist()), 2)
