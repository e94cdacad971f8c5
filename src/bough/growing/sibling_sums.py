"""Histograms of leaves, kept until their children are counted: one child of a node follows by subtraction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bough.growing.coded import CodedRoute, NodeTotals
from bough.types import Floats

_MOST_KEPT = 2**23
"""Histograms are kept as long as they have at most so many sums together."""


class SiblingSums:
    """The histograms of leaves. All sums are whole numbers, so that subtraction is exact.

    `first_cell` holds the first cell of each column, and the number of all cells.
    """

    def __init__(self, first_cell: Sequence[int]) -> None:
        self._first_cell = first_cell
        self._kept: dict[int, Floats] = {}
        self._parent: dict[int, tuple[int, CodedRoute]] = {}
        self._ready: dict[int, Floats] = {}
        # The leaf that follows from a leaf that is counted, and what is left of its parent's histogram.
        self._follows: dict[int, int] = {}
        self._rest: dict[int, Floats] = {}

    def route(self, routes: Mapping[int, CodedRoute]) -> None:
        """Note the children of leaves that are split."""
        for leaf, route in routes.items():
            for branch in range(route.n_branches):
                self._parent[route.first_child + branch] = leaf, route

    def totals(self, leaf: int) -> NodeTotals | None:
        """Return the sums of a new leaf if the histogram of its parent has them."""
        parent, route = self._parent.get(leaf, (-1, None))
        if route is None or parent not in self._kept or len(route.splits) > 1 or route.default_branch < 0:
            return None
        [split] = route.splits
        branches = np.where(split.branches < 0, route.default_branch, split.branches)
        first = self._first_cell[split.column]
        cells = self._kept[parent][first : first + len(branches)]
        sums = cells[branches == leaf - route.first_child].sum(axis=0)
        return NodeTotals(sums[:-1], float(sums[-1]))

    def to_count(self, leaves: Sequence[int], cases: Mapping[int, float]) -> list[int]:
        """Return the leaves to count; the histograms of the others will follow from these.

        The child of most cases follows if all its siblings with any case are to be counted.
        """
        families: dict[int, list[int]] = {}
        for leaf in leaves:
            if leaf in self._parent:
                families.setdefault(self._parent[leaf][0], []).append(leaf)
        for parent, asked in families.items():
            route = self._parent[asked[0]][1]
            children = range(route.first_child, route.first_child + route.n_branches)
            others = [child for child in children if cases[child] > 0 and child not in asked]
            if parent in self._kept and route.default_branch >= 0 and not others:
                most = max(asked, key=lambda leaf: cases[leaf])
                self._rest[most] = self._kept[parent].copy()
                self._follows |= {leaf: most for leaf in asked if leaf != most}
                if len(asked) == 1:
                    self._ready[most] = self._rest.pop(most)
        for parent, _ in self._parent.values():
            self._kept.pop(parent, None)
        self._parent.clear()
        return [leaf for leaf in leaves if leaf not in self._rest and leaf not in self._ready]

    def add(self, leaf: int, sums: Floats) -> None:
        """Add the histogram of a leaf that was counted, and subtract it from that of its parent."""
        self._ready[leaf] = sums
        derived = self._follows.pop(leaf, None)
        if derived is not None:
            self._rest[derived] -= sums
            if derived not in self._follows.values():
                self._ready[derived] = self._rest.pop(derived)

    def take(self, leaf: int) -> Floats | None:
        """Return the histogram of a leaf, or None if others must be counted first; it is kept if it fits."""
        sums = self._ready.pop(leaf, None)
        if sums is not None and (len(self._kept) + 1) * sums.size <= _MOST_KEPT:
            self._kept[leaf] = sums
        return sums
