"""A slow plain reference of a tree of a forest: every split by its definition, rows in plain arrays.

It draws the same random numbers as the native code: of a tree, the even stream for its sample, and the odd
one for the order of the levels of nominal columns, for the columns it may use, and then, node by node in the
order of a walk that goes left first, for the columns each node looks at and the splits drawn at random.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from tests.ensembles.plain_levels import CODES_KEPT, LevelTargets
from tests.ensembles.plain_random import Stream, drawn_rows
from tests.ensembles.plain_search import (
    NodeRows,
    PlainSplit,
    level_splits,
    order_splits,
    randomforest_splits,
    threshold_splits,
)

from bough.data.target import ClassTarget
from bough.ensembles.growing import native_recipe

FEW_ROWS = 64  # so few look no further once a split parts the classes
NEAR = 1e-10  # gains that differ by less than this share of them are told apart only by rounding


@dataclass(eq=False)
class PlainNode:
    """A node: the rows of the table in it, what they sum to, and where it lies: one of 0 and 1 a step."""

    rows: np.ndarray
    path: tuple[int, ...] = ()
    cases: float = 0.0
    weight: float = 0.0
    statistics: np.ndarray | None = None  # class weights; or mean and risk
    split: PlainSplit | None = None
    default_branch: int = -1
    bounds: tuple[float, float] = (-np.inf, np.inf)  # of answers, where columns are constrained
    children: list["PlainNode"] = field(default_factory=list)


def first_of(ties, _node):
    """Take the split that was seen first."""
    return ties[0]


class PlainGrower:
    """Grows one tree of a forest; `choose` takes one of the splits that gain the most, up to rounding."""

    values = None  # the distinct ones of y, under absolute error

    def __init__(self, table, target, weights, recipe, sample, seed, number):
        self.scales = [column.scale for column in table.schema.columns]
        self.n_levels = [len(column.levels) for column in table.schema.columns]
        self.columns = list(table.columns)
        self.criterion, self.recipe = recipe.criterion, recipe
        self.learned = recipe.missing == "learned"
        self.directions = [(recipe.monotonic_cst or {}).get(name, 0) for name in table.schema.names]
        size = sum(sample.size)
        cases = np.ones(table.n_rows) if weights.cases is None else weights.cases
        self.limits = native_recipe(recipe, float(size) if size else float(cases.sum()))
        self.count = drawn_rows(sample, table.n_rows, seed, number)
        self.stream = Stream(seed, 2 * number + 1)
        self.cases = self.count * cases
        self.target = target
        self.row_weight = np.ones(table.n_rows) if weights.weight is None else weights.weight
        weight = self.count * (1.0 if weights.weight is None else weights.weight)
        if isinstance(target, ClassTarget):
            self._set_classes(target, weight)
        else:
            self._set_numbers(target, weight)

    def _set_classes(self, target, weight):
        self.is_classes, n_classes, self.mean = True, len(target.classes), 0.0
        if self.recipe.class_weight == "balanced_subsample":
            of_class = np.bincount(target.codes, weight, n_classes)
            share = weight.sum() / (n_classes * np.where(of_class > 0, of_class, 1))
            weight = weight * share[target.codes]
        self.weight = weight
        self.statistics = np.zeros((len(weight), n_classes))
        self.statistics[np.arange(len(weight)), target.codes] = weight

    def _set_numbers(self, y, weight):
        self.is_classes, self.weight, self.y = False, weight, y
        self.mean = float((self.row_weight * y).sum() / self.row_weight.sum())
        self.origin = 0.0 if self.criterion == "poisson" else float((weight * y).sum() / weight.sum())
        self.mean -= self.origin
        self.statistics = np.stack([weight, weight * (y - self.origin)], axis=1)
        if self.criterion == "absolute_error":
            self.values, place = np.unique(y, return_inverse=True)
            self.statistics = np.zeros((len(y), len(self.values)))
            self.statistics[np.arange(len(y)), place] = weight

    def grow(self, choose: Callable = first_of) -> PlainNode:
        """Return the root of the tree."""
        self._draw_ranks()
        self._draw_columns()
        root = self._measured(PlainNode(np.flatnonzero(self.count)))
        self.root_weight = root.weight
        stack = [root] if self._live(root) else []
        while stack:
            node = stack.pop()
            ties = self._best_splits(node)
            if not ties:
                continue
            self._part(node, choose(ties, node))
            stack.extend(child for child in reversed(node.children) if self._live(child))
        self._keep_bounds(root)
        return root

    def _draw_ranks(self):
        """Draw the order of the levels of each column that is cut in one; missing values come last."""
        self.ranks = {}
        for column, n_levels in enumerate(self.n_levels):
            if self.scales[column] != "nominal":
                continue
            ranks = list(range(n_levels))
            if self._draws_order and n_levels > CODES_KEPT:
                rows = np.flatnonzero(self.count)
                codes = self.columns[column][rows].tolist()
                ranks = self._level_targets(rows).ranks(codes, n_levels, self.stream)
            self.ranks[column] = np.array(ranks)

    @property
    def _draws_order(self):
        return self.recipe.nominal == "ordered" and not self.recipe.columns.random_splits

    def _level_targets(self, rows):
        """Return what levels are ordered by; of several classes, that of a row drawn against the others."""
        values = self.y[rows] if not self.is_classes else self.target.codes[rows]
        if self.is_classes:
            one = np.sort(values)[self.stream.below(len(rows))] if len(self.target.classes) > 2 else 1
            values = (values == one).astype(float)
        return LevelTargets(values.tolist(), self.row_weight[rows].tolist(), whole=self.is_classes)

    def _draw_columns(self):
        self.order, few = list(range(len(self.columns))), self.recipe.columns.tree_features
        if few > 0:
            for i in range(few):
                self._swap(i)
            self.order = sorted(self.order[:few])

    def _swap(self, i):
        other = i + self.stream.below(len(self.order) - i)
        self.order[i], self.order[other] = self.order[other], self.order[i]

    def _measured(self, node):
        rows = node.rows
        node.cases, node.weight = self.cases[rows].sum(), self.weight[rows].sum()
        if self.is_classes:
            node.statistics = self.statistics[rows].sum(axis=0)
            return node
        y, w = self.y[rows], self.weight[rows]
        mean = (w * y).sum() / w.sum()
        if self.criterion == "poisson":
            loss = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / (mean or 1)), 0.0) - (y - mean)
            node.statistics = np.array([mean, 2 * (w * loss).sum()])
        elif self.criterion == "absolute_error":
            median = _median(y, w)
            node.statistics = np.array([median, (w * np.abs(y - median)).sum()])
        else:
            node.statistics = np.array([mean, (w * (y - mean) ** 2).sum()])
        return node

    def _live(self, node):
        limits = self.limits
        if len(node.rows) < 2 or len(node.path) >= limits["max_depth"]:
            return False
        if node.cases < max(limits["min_cases_split"], 2 * limits["min_cases_leaf"]):
            return False
        if self.is_classes:
            return (node.statistics > 0).sum() > 1
        return self.y[node.rows].min() < self.y[node.rows].max()

    def _best_splits(self, node):
        """Return the splits of most gain, equals in the order they were seen; none if it is not enough."""
        rows = NodeRows(
            self.criterion,
            self.statistics[node.rows],
            self.cases[node.rows],
            node.weight,
            self.limits["min_cases_leaf"],
            self.limits["min_weight_fraction_leaf"] * self.root_weight,
            values=self.values,
        )
        seen, least, pure = [], rows.least_gain(), rows.pure_gain() * (1 - 1e-12)
        for i in range(len(self.order)):
            found = any((value > least).any() for value, _ in seen)
            if i >= self.recipe.columns.max_features and (found or not self.recipe.columns.keep_searching):
                break
            if self.recipe.columns.max_features < len(self.order):
                self._swap(i)
            search = self._drawn_splits if self.recipe.columns.random_splits else self._all_splits
            constrained = replace(rows, direction=self.directions[self.order[i]], bounds=node.bounds)
            seen.append(search(constrained, node, self.order[i]))
            if len(node.rows) <= FEW_ROWS and (seen[-1][0] >= pure).any():
                break
        most = max((value.max() for value, _ in seen if len(value)), default=0.0)
        if not most > least or most * node.weight / self.root_weight + 2.2e-16 < self.limits["min_decrease"]:
            return []
        floor = most * (1 - NEAR)
        return [split(i) for value, split in seen for i in np.flatnonzero(value >= floor)]

    def _all_splits(self, rows, node, column):
        values = self.columns[column][node.rows]
        if self.scales[column] == "nominal" and self.recipe.nominal != "ordered":
            n_levels, few_classes = self.n_levels[column], self.statistics.shape[1] <= 2
            if self.recipe.nominal == "randomforest" and (few_classes or n_levels <= 10):
                return randomforest_splits(rows, column, values, n_levels, self.learned, self.mean)
            return level_splits(rows, column, values, self.learned, self.recipe.max_exhaustive_levels)
        if self.scales[column] == "nominal":
            return order_splits(rows, column, values, self.ranks[column], self.learned)
        return threshold_splits(
            rows, column, self._numbers(column, values), self.scales[column], self.learned
        )

    def _numbers(self, column, values):
        """Return numbers, or the codes of ordered levels; NaN where missing."""
        if self.scales[column] == "numeric":
            return values.astype(np.float64)
        return np.where(values < 0, np.nan, values)

    def _drawn_splits(self, rows, node, column):
        """Return the one split that is drawn, with missing values on either side if that is learned."""
        values = self.columns[column][node.rows]
        if self.scales[column] == "nominal":
            drawn = self._drawn_subset(np.unique(values[values >= 0]))
            known = values >= 0
        else:
            values = _as_floats(self._numbers(column, values))
            known = ~np.isnan(values)
            drawn = self._drawn_cut(values[known], self.scales[column])
        if drawn is None:
            return np.empty(0), None
        left = np.isin(values, list(drawn["left"])) if "left" in drawn else values < drawn["cut"]
        missing, learned = ~known, self.learned and not known.all()
        whole = rows.statistics[known | self.learned].sum(axis=0)
        whole_cases = rows.cases[known | self.learned].sum()
        sides = [left, left | missing] if learned else [left]
        value = rows.judged(
            np.stack([rows.statistics[side].sum(axis=0) for side in sides]),
            np.array([rows.cases[side].sum() for side in sides]),
            whole,
            whole_cases,
        )
        return value, lambda i: PlainSplit(column, value[i], missing=1 - i if learned else None, **drawn)

    def _drawn_subset(self, present):
        side = [self.stream.next() >> 63 for _ in present]
        if len(present) < 2:
            return None
        if sum(side) in (0, len(present)):
            side[self.stream.below(len(present))] ^= 1
        of = {
            branch: frozenset(int(p) for p, s in zip(present, side, strict=True) if s == branch)
            for branch in (0, 1)
        }
        return {"left": of[0], "right": of[1]}

    def _drawn_cut(self, values, scale):
        if len(values) == 0 or not values.min() < values.max():
            return None
        least, most = float(values.min()), float(values.max())
        if math.isfinite(most - least):
            cut = least + self.stream.uniform() * (most - least)
        else:
            cut = 0.0 if self.stream.next() >> 63 else most
        if scale != "numeric":
            cut = math.floor(cut) + 0.5
        cut = float(np.float32(cut))
        return {"cut": cut if least < cut <= most else most}

    def _part(self, node, split):
        values = self.columns[split.column][node.rows]
        if split.cut is None:
            missing, right = values < 0, np.isin(values, list(split.right))
        else:
            values = self._numbers(split.column, values)
            missing, right = np.isnan(values), values >= split.cut
        branch = split.missing
        if branch is None:
            weight, known = self.weight[node.rows], ~missing
            branch = int(weight[known & right].sum() > weight[known & ~right].sum())
        right = np.where(missing, branch == 1, right)
        node.split, node.default_branch = split, branch
        node.children = [
            self._measured(PlainNode(node.rows[right == bool(side)], (*node.path, side))) for side in (0, 1)
        ]
        self._bound_children(node, self.directions[split.column])

    def _answer(self, node):
        """Return the share of the second class, or the mean of y from the origin of the statistics."""
        sums = self.statistics[node.rows].sum(axis=0)
        return sums[1] / (sums.sum() if self.is_classes else sums[0])

    def _bound_children(self, node, direction):
        """Children keep the bounds of the node, and each its side of the middle of their answers."""
        for child in node.children:
            child.bounds = node.bounds
        if direction:
            low, high = node.children[::direction]
            middle = self._answer(low) / 2 + self._answer(high) / 2
            low.bounds, high.bounds = (node.bounds[0], middle), (middle, node.bounds[1])

    def _keep_bounds(self, node):
        """Move the answers of leaves to the nearest within their bounds."""
        for child in node.children:
            self._keep_bounds(child)
        if node.children or node.bounds == PlainNode.bounds:
            return
        answer = np.clip(self._answer(node), *node.bounds)
        if self.is_classes:
            node.statistics = np.array([1 - answer, answer]) * node.weight
        else:
            node.statistics[0] = answer + self.origin


def _median(y, weight):
    """Return the weighted median: the middle of two values where it lies between them."""
    order = np.argsort(y, kind="stable")
    below, values = np.cumsum(weight[order]), y[order]
    at = int(np.argmax(2 * below >= below[-1]))
    between = 2 * below[at] == below[-1] and at + 1 < len(y)
    return values[at] / 2 + values[at + 1] / 2 if between else values[at]


@np.errstate(over="ignore")
def _as_floats(values):
    """Return numbers as floats, rounded down: a number is below a float exactly if its float is."""
    floats = values.astype(np.float32)
    above = floats.astype(np.float64) > values
    return np.where(above, np.nextafter(floats, np.float32(-np.inf)), floats).astype(np.float64)


def pruned(root, max_leaves):
    """Take away all splits but those that gain the most, one after the other from the root."""
    kept, waiting = set(), [root] if root.split else []
    while waiting and len(kept) + 1 < max_leaves:
        best = max(waiting, key=lambda node: node.split.gain * node.weight)
        waiting.remove(best)
        kept.add(best.path)
        waiting += [child for child in best.children if child.split]
    stack = [root]
    while stack:
        node = stack.pop()
        if node.path not in kept:
            node.split, node.children = None, []
        stack += node.children
    return root
