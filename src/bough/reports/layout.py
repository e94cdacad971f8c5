"""The positions of the nodes in a diagram of a tree (Reingold and Tilford 1981).

Each parent is centred above its children. Nodes of a level have at least the distance 1, and subtrees are as
close as that allows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from bough.tree import Tree
from bough.types import Floats


class Layout(NamedTuple):
    """The nodes shown, parents first, their horizontal positions (`place`) and depths, and the open nodes."""

    nodes: list[int]
    place: Floats
    depth: Floats
    open: frozenset[int]


def layout(tree: Tree, most_leaves: int | None = None, max_depth: int | None = None) -> Layout:
    """Return the positions of the nodes; beyond the limits the nodes of the smallest weight are folded.

    The leftmost node has the position 0. A folded node is drawn without its children.

    >>> from bough.example_models import iris_tree
    >>> drawn = layout(iris_tree())
    >>> drawn.nodes, drawn.place[drawn.nodes].tolist()
    ([0, 1, 2, 3, 4], [0.5, 0.0, 1.0, 0.5, 1.5])
    """
    opened = _opened(tree, most_leaves, max_depth)
    nodes, pending = [], [0]
    while pending:
        node = pending.pop()
        nodes.append(node)
        if node in opened:
            pending += reversed(tree.children(node))
    offset = np.zeros(tree.n_nodes)
    contours: dict[int, _Contour] = {}
    for node in reversed(nodes):
        children = tree.children(node) if node in opened else range(0)
        contours[node], offset[list(children)] = _joined([contours.pop(child) for child in children])
    place = np.full(tree.n_nodes, np.nan)
    place[0] = -min(contours[0].left)
    for node in nodes[1:]:
        place[node] = place[tree.parent[node]] + offset[node]
    return Layout(nodes, place, tree.node_depths.astype(np.float64), frozenset(opened))


class _Contour(NamedTuple):
    """The leftmost and rightmost positions of a subtree at each level, relative to its root."""

    left: list[float]
    right: list[float]


def _joined(subtrees: list[_Contour]) -> tuple[_Contour, list[float]]:
    """Place subtrees side by side below their parent, as close as the distance 1 allows."""
    left: list[float] = []
    right: list[float] = []
    shifts: list[float] = []
    for subtree in subtrees:
        gaps = [reach + 1 - own for reach, own in zip(right, subtree.left, strict=False)]
        shift = max([0.0, *gaps]) if shifts else 0.0
        for depth, (low, high) in enumerate(zip(*subtree, strict=True)):
            if depth < len(left):
                left[depth], right[depth] = min(left[depth], low + shift), max(right[depth], high + shift)
            else:
                left.append(low + shift)
                right.append(high + shift)
        shifts.append(shift)
    middle = (shifts[0] + shifts[-1]) / 2 if shifts else 0.0
    contour = _Contour([0.0, *(each - middle for each in left)], [0.0, *(each - middle for each in right)])
    return contour, [shift - middle for shift in shifts]


def _opened(tree: Tree, most_leaves: int | None, max_depth: int | None) -> Collection[int]:
    """Return the nodes to open: those of the largest weight, as long as `most_leaves` is not exceeded."""
    inner = np.flatnonzero(~tree.is_leaf)
    if max_depth is not None:
        inner = inner[tree.node_depths[inner] < max_depth]
    if most_leaves is None or tree.n_leaves <= most_leaves:
        return set(inner.tolist())
    allowed = set(inner.tolist())
    opened: set[int] = set()
    leaves, frontier = 1, [0]
    while frontier:
        node = max(frontier, key=lambda each: (float(tree.weight[each]), -each))
        frontier.remove(node)
        more = int(tree.n_children[node]) - 1
        if node in allowed and leaves + more <= most_leaves:
            opened.add(node)
            leaves += more
            frontier += tree.children(node)
    return opened
