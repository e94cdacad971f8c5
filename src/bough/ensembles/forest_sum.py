"""The trees of a forest as a sum of trees, with a new value for each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.ensembles.forest import Forest
from bough.ensembles.unpack import breadth_first, by_tree, fields_of, splits_of
from bough.types import Floats, Longs


@dataclass(frozen=True, eq=False)
class SummedTrees:
    """All nodes of a forest, tree after tree, each tree level by level, as `bough.GradientBoosted` has them.

    `arrays` are those of the sum but for `value` and `gain`. `levels` has the nodes of each level of all
    trees: siblings are next to each other, and follow the order of their parents.
    """

    arrays: dict[str, npt.NDArray[Any]]
    depth: Longs
    levels: list[Longs]

    @property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node is a leaf.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> summed_trees(model.forest_).is_leaf
        array([False,  True,  True, False,  True,  True])
        """
        return np.asarray(self.arrays["n_children"] == 0)

    def with_values(self, leaf_values: Floats) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of the sum, with a value for each leaf, in their order.

        The value of a split node is the mean of the leaves below it, weighted by their cases, and its gain
        is the variance of the values between its children.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(1, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> arrays = summed_trees(model.forest_).with_values(np.array([3.0, 5.0]))
        >>> arrays["value"], arrays["gain"]
        (array([4., 3., 5.]), array([ 1., nan, nan]))
        """
        cases, leaf = self.arrays["cases"], self.is_leaf
        value, gain = np.zeros(len(leaf)), np.full(len(leaf), np.nan)
        value[leaf] = leaf_values
        for above, below in zip(self.levels[-2::-1], self.levels[:0:-1], strict=True):
            parents = above[~leaf[above]]
            left, right = below[::2], below[1::2]
            share = cases[right] / cases[parents]
            apart = value[right] - value[left]
            value[parents] = value[left] + share * apart
            gain[parents] = share * (1 - share) * apart**2
        return {**self.arrays, "value": value, "gain": gain}


def summed_trees(forest: Forest) -> SummedTrees:
    """Return the nodes of all trees of a forest, unpacked at once.

    >>> from bough import RandomForestRegressor
    >>> forest = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
    >>> summed_trees(forest).arrays["parent"]
    array([-1,  0,  0, -1,  0,  0], dtype=int32)
    """
    fields = fields_of(forest.nodes, forest.wide, forest.column_bits)
    tree = np.repeat(np.arange(forest.n_trees), np.diff(forest.node_start))
    first_of_tree = forest.node_start[tree]
    child = fields["child"] + first_of_tree
    found = breadth_first(fields["inner"], child, forest.node_start[:-1])
    order = by_tree(found, tree)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    levels = [rank[level] for level in found]
    inner, first_of_tree = fields["inner"][order], first_of_tree[order]
    first_child = np.where(inner, rank[np.where(inner, child[order], 0)], -1)
    kind, cut, listed = splits_of(forest, fields, order, forest.special_start[tree[order]])
    cases, depth, parent = np.zeros(len(order)), np.zeros(len(order), np.int64), np.full(len(order), -1)
    ends = order[~inner]
    cases[~inner] = forest.cases[forest.leaf_start[tree[ends]] + fields["upper"][ends]]
    for number, level in enumerate(levels):
        depth[level] = number
    for above, below in zip(levels[-2::-1], levels[:0:-1], strict=True):
        parents = above[inner[above]]
        cases[parents] = cases[below[::2]] + cases[below[1::2]]
        parent[below] = np.repeat(parents - first_of_tree[parents], 2)
    nowhere = np.full(len(order), np.nan)
    arrays: dict[str, npt.NDArray[Any]] = {
        "tree_start": forest.node_start,
        "parent": parent.astype(np.int32),
        "first_child": np.where(inner, first_child - first_of_tree, -1).astype(np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.int32),
        "column": np.where(inner, fields["column"][order], -1).astype(np.int32),
        "kind": kind,
        "cut": cut,
        "cut_below": nowhere,
        "cut_above": nowhere,
        "default_branch": np.where(inner, fields["right"][order], -1).astype(np.int32),
        **listed,
        "weight": cases,
        "cases": cases,
    }
    return SummedTrees(arrays, depth, levels)
