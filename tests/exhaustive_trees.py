"""The plain reference of optimal trees: every tree within the limits is tried.

It is far too slow for anything but small tables, and written to be obviously right.
"""

from itertools import combinations
from math import inf

import numpy as np


def is_known(values):
    """Return where values are not missing."""
    return ~np.isnan(values) if values.dtype.kind == "f" else values >= 0


class Exhaustive:
    """All trees over columns of values (floats, NaN missing) or codes (ints, −1 missing).

    `leaf(rows)` is the loss of a leaf. `split_cost` is added for each split. `nominal` columns are split into
    every set of levels, or above `max_exhaustive` levels one against the rest.
    """

    def __init__(
        self, columns, leaf, *, nominal=(), split_cost=0.0, min_cases=1, cases=None, max_exhaustive=5
    ):
        self.columns, self.leaf, self.nominal = columns, leaf, set(nominal)
        self.split_cost, self.min_cases, self.max_exhaustive = split_cost, min_cases, max_exhaustive
        self.left_values = [self._left_values(position) for position in range(len(columns))]
        self.cases = np.ones(len(columns[0])) if cases is None else cases

    def sides(self, rows):
        """Yield the rows of both sides of every split that leaves rows on either."""
        for _, left, right in self.named_sides(rows):
            yield left, right

    def named_sides(self, rows):
        """Yield the column and the sides of every split."""
        for position, (values, left_values) in enumerate(zip(self.columns, self.left_values, strict=True)):
            known = is_known(values[rows])
            for is_left in left_values:
                for missing_left in (False, True) if not known.all() else (False,):
                    left = np.where(known, is_left[rows], missing_left)
                    if left.any() and not left.all():
                        yield position, rows[left], rows[~left]

    def _left_values(self, position):
        """Return for each threshold or set of levels of a column which rows of the table are on its left."""
        values = self.columns[position]
        distinct = np.unique(values[is_known(values)])
        if position not in self.nominal:
            return [values < cut for cut in distinct[1:]]
        sizes = range(1, len(distinct)) if len(distinct) <= self.max_exhaustive else (1,)
        return [np.isin(values, chosen) for size in sizes for chosen in combinations(distinct, size)]

    def best(self, rows, depth, leaves=inf):
        """Return the least loss of any tree of these rows."""
        least = self.leaf(rows)
        if depth == 0 or leaves < 2:
            return least
        for left, right in self.sides(rows):
            if min(self.cases[left].sum(), self.cases[right].sum()) < self.min_cases:
                continue
            if leaves >= 2**depth:
                below = self.best(left, depth - 1) + self.best(right, depth - 1)
            else:
                below = min(
                    self.best(left, depth - 1, k) + self.best(right, depth - 1, leaves - k)
                    for k in range(1, leaves)
                )
            least = min(least, below + self.split_cost)
        return least

    def values(self, rows, depth):
        """Return the values of all trees of these rows; a split into two leaves must lower the loss.

        Splits of a column that divide the rows alike are one.
        """
        found, leaf = [(self.leaf(rows), True)], self.leaf(rows)
        seen = set()
        for position, left, right in self.named_sides(rows) if depth else ():
            name = (position, frozenset((frozenset(left.tolist()), frozenset(right.tolist()))))
            if name in seen or min(self.cases[left].sum(), self.cases[right].sum()) < self.min_cases:
                continue
            seen.add(name)
            for first, is_leaf in self.values(left, depth - 1):
                for second, both in self.values(right, depth - 1):
                    if not (is_leaf and both and first + second >= leaf):
                        found.append((first + second + self.split_cost, False))
        return found


def class_leaf(codes, losses):
    """Return the loss of a leaf that predicts the class of least loss; `losses` has a row for each row."""
    return lambda rows: float(losses[rows].sum(axis=0).min())


def absolute_leaf(y, weight):
    """Return the absolute error of a leaf about the value of y where it is least."""
    return lambda rows: min(float((weight[rows] * np.abs(y[rows] - value)).sum()) for value in y[rows])


def squared_leaf(y, weight):
    """Return the squared error of a leaf about its mean."""

    def leaf(rows):
        own, w = y[rows], weight[rows]
        return float((w * (own - np.average(own, weights=w)) ** 2).sum())

    return leaf
