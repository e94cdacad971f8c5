"""Growth of a tree as R's rpart grows it, slowly: the best split of each column, then the best column.

A node is split while the fall in risk that its subtree brings, a split, is more than alpha.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from tests.oracle.plain_rpart_order import tie_order
from tests.oracle.plain_rpart_surrogates import LEFT, RIGHT, UNKNOWN, PlainSplit, surrogates

CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """A column: numbers, codes from 0 of levels, or codes from 1 of ordered levels; NaN is missing."""

    name: str
    values: np.ndarray
    levels: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def n_levels(self) -> int:
        """How many unordered levels there are: 0 if values are compared by size."""
        return 0 if self.ordered else len(self.levels)


@dataclass(frozen=True)
class Control:
    """The settings of rpart, by its names."""

    minsplit: int = 20
    minbucket: int = 7
    cp: float = 0.01
    maxcompete: int = 4
    maxsurrogate: int = 5
    usesurrogate: int = 2
    surrogatestyle: int = 0
    maxdepth: int = 30


@dataclass(eq=False)
class PlainNode:
    """A node: what rows it holds, what it answers, and below which alpha it is split."""

    id: int
    rows: np.ndarray
    weight: float
    answer: np.ndarray
    risk: float
    complexity: float
    primary: PlainSplit | None = None
    competitors: list[PlainSplit] = field(default_factory=list)
    surrogates: list[PlainSplit] = field(default_factory=list)
    default: int = UNKNOWN
    children: list[PlainNode] = field(default_factory=list)

    def walk(self):
        """This node and all below it, left before right."""
        yield self
        for child in self.children:
            yield from child.walk()


class Grower:
    """Grows trees on some rows of a table."""

    def __init__(self, columns, method, weight, cost, control):
        self.columns, self.whole, self.weight, self.control = columns, method, weight, control
        self.method = method
        self.cost = np.ones(len(columns)) if cost is None else np.asarray(cost, dtype=float)
        # Only columns whose values are compared by size are sorted; others keep the order of the rows.
        self.orders = [
            np.arange(len(column.values)) if column.n_levels else tie_order(column.values)
            for column in columns
        ]
        self.largest = 0.0
        # Whether two splits of a node ever were as good as each other but for rounding.
        self.tied = False

    def tree(self, rows, alpha):
        """Grow a tree on some rows; a split must be worth more than alpha."""
        self.method = self.whole.on(rows)
        root = self._node(1, rows, np.inf)
        root.complexity = root.risk
        self._grow(root, alpha)
        _hold_below(root, root.complexity)
        return root

    def _node(self, number, rows, bound):
        if number > 1:
            is_in = np.zeros(len(self.weight), dtype=bool)
            is_in[rows] = True
            rows = self.orders[0][is_in[self.orders[0]]]
        answer, risk = self.method.evaluate(rows)
        return PlainNode(number, rows, float(self.weight[rows].sum()), answer, risk, bound)

    def _grow(self, node, alpha):
        """Grow below a node; return the risk and the number of splits of what remains.

        `node.complexity` comes in as the most that it can be.
        """
        most = min(node.risk, node.complexity)
        is_deep = node.id >= 2**self.control.maxdepth
        too_small = len(node.rows) < self.control.minsplit or most <= alpha or is_deep
        if too_small or not self._split(node):
            node.complexity = alpha
            return node.risk, 0
        parts = self._parts(node)
        left = self._node(2 * node.id, parts[0], most - alpha)
        left_risk, left_splits = self._grow(left, alpha)
        most = max((node.risk - left_risk) / (left_splits + 1), node.risk - left.risk)
        right = self._node(2 * node.id + 1, parts[1], min(most, node.complexity) - alpha)
        right_risk, right_splits = self._grow(right, alpha)
        node.children = [left, right]
        risk, splits = _before_collapse(
            node.risk, [(left, left_risk, left_splits), (right, right_risk, right_splits)]
        )
        node.complexity = (node.risk - risk) / splits
        if node.complexity > alpha:
            return risk, splits
        node.primary, node.competitors, node.surrogates, node.children = None, [], [], []
        return node.risk, 0

    def _split(self, node):
        found = []
        for position in range(len(self.columns)):
            split = self.best_split(position, node)
            if split is None:
                continue
            self.largest = max(self.largest, split.improve)
            if split.improve > 1e-10 * self.largest:
                found.append(replace(split, improve=split.improve / self.cost[position]))
        if not found:
            return False
        found.sort(key=lambda split: -split.improve)
        self.tied |= len(found) > 1 and found[1].improve > (1 - CLOSE) * found[0].improve
        node.primary, *node.competitors = found[: self.control.maxcompete + 1]
        if self.control.maxsurrogate > 0:
            node.surrogates, node.default = surrogates(
                self.columns, self.weight, node.rows, node.primary, self.control
            )
        return True

    def _parts(self, node):
        """Send the rows of a node to its children; count what each surrogate sends."""
        values = [column.values[node.rows] for column in self.columns]
        sides = node.primary.side(values[node.primary.column])
        if self.control.usesurrogate > 0:
            for i, split in enumerate(node.surrogates):
                own = np.where(sides == UNKNOWN, split.side(values[split.column]), UNKNOWN)
                node.surrogates[i] = replace(split, count=int((own != UNKNOWN).sum()))
                sides = np.where(sides == UNKNOWN, own, sides)
        if self.control.usesurrogate > 1:
            sides = np.where(sides == UNKNOWN, node.default, sides)
        return node.rows[sides == LEFT], node.rows[sides == RIGHT]

    def best_split(self, position, node):
        """The best split of a column over the rows of a node where it is known, or None."""
        column = self.columns[position]
        is_in = np.zeros(len(column.values), dtype=bool)
        is_in[node.rows] = self.weight[node.rows] > 0
        rows = self.orders[position]
        rows = rows[is_in[rows] & ~np.isnan(column.values[rows])]
        values = column.values[rows]
        if len(rows) == 0 or (not column.n_levels and values[0] == values[-1]):
            return None
        units, start = self.method.statistics(rows)
        if column.n_levels:
            return self._best_of_levels(position, node, values.astype(int), units, start)
        moves, counts = units[:-1], np.ones(len(rows) - 1, dtype=int)
        may_cut = values[1:] != values[:-1]
        best = self._best(moves, counts, start, len(rows), may_cut, node.risk)
        if best is None:
            return None
        place, improve, left_is_lower = best
        cut = (values[place] + values[place + 1]) / 2
        return PlainSplit(position, improve, len(rows), cut=cut, below=LEFT if left_is_lower else RIGHT)

    def _best_of_levels(self, position, node, codes, units, start):
        n_levels = self.columns[position].n_levels
        counts = np.bincount(codes, minlength=n_levels)
        present = np.flatnonzero(counts)
        sums = np.column_stack([np.bincount(codes, unit, minlength=n_levels) for unit in units.T])
        order = self.method.order(sums[present])
        levels = _gray_code(present, n_levels) if order is None else present[order]
        moved = dict.fromkeys(present, -1)
        signs = []
        for level in levels:
            moved[level] = -moved[level]
            signs.append(moved[level])
        signs = np.array(signs, dtype=int)
        moves, move_counts = signs[:, None] * sums[levels], signs * counts[levels]
        may_cut = np.ones(len(levels), dtype=bool)
        best = self._best(moves, move_counts, start, len(codes), may_cut, node.risk)
        if best is None:
            return None
        place, improve, left_is_lower = best
        sides = np.where(counts > 0, RIGHT, UNKNOWN)
        for level in levels[: place + 1]:
            sides[level] = -sides[level]
        sides = sides if left_is_lower else -sides
        return PlainSplit(position, improve, len(codes), sides=tuple(int(side) for side in sides))

    def _best(self, moves, move_counts, start, n, may_cut, risk):
        """The first best of a sequence of splits, each one move from that before."""
        if len(moves) == 0:
            return None
        left = np.cumsum(moves, axis=0)
        right = np.subtract.accumulate(np.vstack([start, moves]), axis=0)[1:]
        n_left = np.cumsum(move_counts)
        may_cut = may_cut & (n_left >= self.control.minbucket) & (n - n_left >= self.control.minbucket)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = self.method.scores(left, right, start)
        value = np.where(may_cut & ~np.isnan(scores.value), scores.value, -np.inf)
        place = int(np.argmax(value))
        if not value[place] > scores.base:
            return None
        gain = float(value[place]) - scores.base
        self.tied |= np.count_nonzero(value - scores.base > (1 - CLOSE) * gain) > 1
        improve = self.method.improve(gain, risk)
        return place, float(improve), bool(scores.left_is_lower[place])


def _before_collapse(risk, sides):
    """Risk and splits of a node's subtree just before it collapses: a child of less alpha goes before it."""
    remaining = {child.id: (below, splits) for child, below, splits in sides}
    # Of equals the right one goes first.
    for child, _, _ in sorted(sides, key=lambda side: (side[0].complexity, -side[0].id)):
        if _alpha(risk, remaining) <= child.complexity:
            break
        remaining[child.id] = (child.risk, 0)
    return sum(below for below, _ in remaining.values()), 1 + sum(splits for _, splits in remaining.values())


def _alpha(risk, remaining):
    below = sum(below for below, _ in remaining.values())
    return (risk - below) / (1 + sum(splits for _, splits in remaining.values()))


def _hold_below(node, most):
    """No node outlives the one above it."""
    node.complexity = min(node.complexity, most)
    for child in node.children:
        _hold_below(child, node.complexity)


def _gray_code(present, n_levels):
    """The level that changes sides at each step so that all subsets come, each differing in one level.

    The last of all levels stays where it is; the first one changes at every other step.
    """
    movable = [level for level in present if level < n_levels - 1]
    steps = range(1, 2 ** len(movable))
    return np.array([movable[(step & -step).bit_length() - 1] for step in steps], dtype=int)
