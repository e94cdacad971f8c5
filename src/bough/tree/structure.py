"""The structure of a tree: the parent and the children of each node.

Node 0 is the root. Nodes are numbered level by level: the children of a node have consecutive numbers, and
children are in the order of their parents. So a parent has a smaller number than its children, and the number
of children of each node determines the structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.errors import FormatError, ParameterError
from bough.types import Floats, Ints, is_whole

_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def read_only(array: _Array) -> _Array:
    """Make an array read-only.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    array.setflags(write=False)
    return array


def family(
    n_children: npt.NDArray[np.integer[Any]], roots: npt.NDArray[np.integer[Any]] | None = None
) -> tuple[Ints, Ints]:
    """Return the parent and the first child of each node, −1 where there is none.

    With several `roots`, the nodes are those of several trees, each of which begins at its root.

    >>> family(np.array([2, 0, 2, 0, 0]))
    (array([-1,  0,  0,  2,  2], dtype=int32), array([ 1, -1,  3, -1, -1], dtype=int32))
    """
    starts = np.arange(min(len(n_children), 1)) if roots is None else roots
    try:
        return _core.family(
            np.ascontiguousarray(n_children, dtype=np.int32), np.ascontiguousarray(starts, dtype=np.int64)
        )
    except ValueError as error:
        raise FormatError("nodes.n_children", str(error)) from None


def answering_nodes(parent: Ints, weight: Floats) -> Ints:
    """Return the node that each node predicts from: itself or, if empty, its nearest non-empty ancestor.

    >>> answering_nodes(np.array([-1, 0, 0, 2, 2], np.int32), np.array([4.0, 4.0, 0.0, 0.0, 0.0]))
    array([0, 1, 0, 0, 0], dtype=int32)
    """
    nodes = np.arange(len(parent), dtype=np.int32)
    empty = weight == 0
    empty[0] = False
    if not empty.any():
        return nodes
    answering = np.where(empty, parent, nodes)
    # Each pass doubles the number of steps up, so a chain of k empty nodes takes about log2(k) passes.
    while empty[answering].any():
        answering = answering[answering]
    return answering


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Structure:
    """Parent, first child and number of children of each node; −1 where there is none.

    >>> parent, first_child = family(np.array([2, 0, 2, 0, 0]))
    >>> structure = Structure(parent=parent, first_child=first_child, n_children=np.array([2, 0, 2, 0, 0]))
    >>> structure.n_leaves, structure.depth, list(structure.walk())
    (3, 2, [0, 1, 2, 3, 4])
    """

    parent: Ints
    first_child: Ints
    n_children: Ints

    @property
    def n_nodes(self) -> int:
        """The number of nodes.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().n_nodes
        5
        """
        return len(self.parent)

    @cached_property
    def n_leaves(self) -> int:
        """The number of leaves.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().n_leaves
        3
        """
        return int(np.count_nonzero(self.is_leaf))

    @cached_property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node is a leaf.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().is_leaf
        array([False,  True, False,  True,  True])
        """
        return read_only(np.equal(self.n_children, 0))

    @property
    def depth(self) -> int:
        """The number of splits on the longest path.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().depth
        2
        """
        return int(self.node_depths[-1])

    @cached_property
    def node_depths(self) -> Ints:
        """The number of splits above each node.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().node_depths
        array([0, 1, 1, 2, 2], dtype=int32)
        """
        depths = np.minimum(np.arange(self.n_nodes, dtype=np.int32), 1)
        ancestor = np.maximum(self.parent, 0)
        # `depths` counts the steps from a node up to `ancestor`; each pass doubles them.
        while ancestor.any():
            depths = depths + depths[ancestor]
            ancestor = ancestor[ancestor]
        return read_only(depths)

    def known(self, node: int) -> int:
        """Return the number of a node as an int; raise `ParameterError` if there is no such node.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().known(8)
        Traceback (most recent call last):
        bough.errors.ParameterError: node is 8; it must be a whole number from 0 to 4.
        """
        if not (is_whole(node) and 0 <= node < len(self.parent)):
            raise ParameterError.of("node", node, f"a whole number from 0 to {self.n_nodes - 1}")
        return int(node)

    def children(self, node: int) -> range:
        """Return the children of a node, in the order of its branches.

        >>> from bough.example_models import iris_tree
        >>> list(iris_tree().children(2))
        [3, 4]
        """
        node = self.known(node)
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node])) if first >= 0 else range(0)

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().path(4)
        [0, 2, 4]
        """
        path = [self.known(node)]
        while path[-1]:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def walk(self, first: int | None = None) -> Iterator[int]:
        """Yield the nodes depth first, each before its children; with `first`, only nodes below that number.

        >>> from bough.example_models import tennis_tree
        >>> list(tennis_tree().walk()), list(tennis_tree().walk(first=4))
        ([0, 1, 4, 5, 2, 3, 6, 7], [0, 1, 2, 3])
        """
        limit = self.n_nodes if first is None else first
        pending = [0]
        while pending:
            node = pending.pop()
            yield node
            children = self.children(node)
            pending += reversed(range(children.start, min(children.stop, limit)))
