"""A slow plain reference of isolation forests, written from Liu, Ting and Zhou (2008).

iTree and PathLength are algorithms 2 and 3 of the paper, the score is its equation 2. A node draws columns
until one differs among its rows; a threshold is drawn between the least and the greatest value, a set of
levels by a coin for each level. The draws are those of a tree of a forest, see `plain_forest`.
"""

import math
from dataclasses import dataclass

import numpy as np
from tests.ensembles.plain_random import Stream


@dataclass
class Node:
    """A node of an isolation tree; without `column` it is a leaf of `size` rows."""

    size: int
    column: int | None = None
    cut: float | None = None
    left_levels: frozenset = frozenset()
    right_levels: frozenset = frozenset()
    missing_left: bool = True
    left: "Node | None" = None
    right: "Node | None" = None


class PlainIsolationTree:
    """One isolation tree of rows: a matrix of numbers or, in nominal columns, codes; NaN if missing."""

    def __init__(self, rows, nominal, seed, number, tree_features=0):
        self.nominal, self.stream = nominal, Stream(seed, 2 * number + 1)
        self.order = list(range(rows.shape[1]))
        if tree_features:
            for i in range(tree_features):
                self._swap(i)
            self.order = sorted(self.order[:tree_features])
        self.limit = math.ceil(math.log2(max(len(rows), 2)))
        self.root = self._grow(rows, 0)

    def _swap(self, i):
        other = i + self.stream.below(len(self.order) - i)
        self.order[i], self.order[other] = self.order[other], self.order[i]

    def _grow(self, rows, depth):
        if depth >= self.limit or len(rows) <= 1:
            return Node(len(rows))
        for i in range(len(self.order)):
            if len(self.order) > 1:
                self._swap(i)
            column = self.order[i]
            node = Node(len(rows), column)
            values = rows[:, column]
            left = self._divide(node, values)
            if left is None:
                continue
            known = ~np.isnan(values)
            node.missing_left = (left & known).sum() >= (~left & known).sum()
            left = np.where(known, left, node.missing_left)
            node.left = self._grow(rows[left], depth + 1)
            node.right = self._grow(rows[~left], depth + 1)
            return node
        return Node(len(rows))

    def _divide(self, node, values):
        known = values[~np.isnan(values)]
        if self.nominal[node.column]:
            present = np.unique(known)
            side = [self.stream.next() >> 63 for _ in present]
            if len(present) < 2:
                return None
            if sum(side) in (0, len(present)):
                side[self.stream.below(len(present))] ^= 1
            of = [[p for p, s in zip(present.tolist(), side, strict=True) if s == b] for b in (0, 1)]
            node.left_levels, node.right_levels = map(frozenset, of)
            return np.isin(values, list(node.left_levels))
        if len(known) == 0 or not known.min() < known.max():
            return None
        least, most = known.min(), known.max()
        cut = float(np.float32(least + self.stream.uniform() * (most - least)))
        node.cut = cut if least < cut <= most else most
        return values < node.cut

    def path_length(self, row):
        """Return the number of splits on the path of a row, and what is expected below its leaf."""
        node, length = self.root, 0
        while node.column is not None:
            value = row[node.column]
            if node.cut is not None and not math.isnan(value):
                goes_left = value < node.cut
            elif value in node.left_levels or value in node.right_levels:
                goes_left = value in node.left_levels
            else:  # missing, or a level that no row of the node had
                goes_left = node.missing_left
            node, length = node.left if goes_left else node.right, length + 1
        return length + c(node.size)


def c(n):
    """Return the mean length of an unsuccessful search in a binary search tree of n rows."""
    if n <= 2:
        return float(n == 2)
    return 2 * (math.log(n - 1) + 0.5772156649015329) - 2 * (n - 1) / n


def score(trees, row, size):
    """Return the anomaly score of a row by trees of samples of this size."""
    mean = sum(tree.path_length(row) for tree in trees) / len(trees)
    return 2.0 ** (-mean / c(size))
