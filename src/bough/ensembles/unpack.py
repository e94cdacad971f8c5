"""Unpacking of one tree of a forest into the arrays of a `bough.Tree`, and figures of the nodes of all trees.

The layout of the packed words is defined in cpp/bough/forest/packed.hpp. From the lowest bit on they hold
whether missing values go right, whether the split is special, its column and its first child; the upper half
is the threshold, a float32, or if that is NaN the number of the leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.tree.arrays import KINDS
from bough.tree.structure import family
from bough.types import Longs

if TYPE_CHECKING:
    from bough.ensembles.forest import Forest

RIGHT, SPECIAL = np.uint64(1), np.uint64(2)
COLUMN_SHIFT, UPPER = 2, 32
LEAF_NUMBERS = 0x7F800001
WIDE_COLUMN_BITS = UPPER - COLUMN_SHIFT
BITS, LEVELS, CUT = 0, 1, 2
_LEAF, _THRESHOLD, _SUBSET = (KINDS.index(kind) for kind in ("leaf", "threshold", "subset"))


def fields_of(words: npt.NDArray[np.uint64], wide: bool, column_bits: int) -> dict[str, npt.NDArray[Any]]:
    """Return the fields of the packed words of some nodes; `upper` is the number of a leaf.

    >>> leaf = np.array([(0x7F800001 + 7) << 32], dtype=np.uint64)
    >>> fields_of(leaf, wide=False, column_bits=4)["upper"]
    array([7], dtype=uint32)
    """
    head = words[::2] if wide else words
    shift = np.uint64(COLUMN_SHIFT + column_bits)
    low, upper = head & np.uint64(2**UPPER - 1), (head >> np.uint64(UPPER)).astype(np.uint32)
    special = (head & SPECIAL) != 0
    inner = special | ~np.isnan(upper.view(np.float32))
    child = words[1::2] & np.uint64(2**UPPER - 1) if wide else low >> shift
    number = words[1::2] >> np.uint64(UPPER) if wide else upper - np.uint32(LEAF_NUMBERS)
    return {
        "inner": inner,
        "special": special,
        "right": (head & RIGHT) != 0,
        "column": (head >> np.uint64(COLUMN_SHIFT) & np.uint64(2**column_bits - 1)).astype(np.int32),
        "child": child.astype(np.int64),
        "upper": np.where(inner, upper, number).astype(np.uint32),
    }


def widened(words: npt.NDArray[np.uint64], column_bits: int) -> npt.NDArray[np.uint64]:
    """Convert nodes of one word into nodes of two words, for forests with very many nodes or columns.

    >>> leaf = np.array([(0x7F800001 + 7) << 32], dtype=np.uint64)
    >>> fields_of(widened(leaf, column_bits=4), wide=True, column_bits=WIDE_COLUMN_BITS)["upper"]
    array([7], dtype=uint32)
    """
    fields = fields_of(words, wide=False, column_bits=column_bits)
    lower = words & np.uint64(2 ** (COLUMN_SHIFT + column_bits) - 1)
    inner, upper = fields["inner"], fields["upper"].astype(np.uint64)
    head = lower | np.where(inner, upper, np.uint64(LEAF_NUMBERS)) << np.uint64(UPPER)
    tail = fields["child"].astype(np.uint64) | np.where(inner, np.uint64(0), upper) << np.uint64(UPPER)
    return np.stack([head, tail], axis=1).ravel()


def breadth_first(inner: npt.NDArray[np.bool_], child: Longs, roots: Longs | None = None) -> list[Longs]:
    """Return the nodes of each level of a tree, or of trees with these roots, siblings next to each other.

    >>> breadth_first(np.array([True, True, False, False, False]), np.array([1, 3, 2, 3, 4]))
    [array([0]), array([1, 2]), array([3, 4])]
    """
    levels = [np.zeros(1, dtype=np.int64) if roots is None else roots]
    while True:
        first = child[levels[-1][inner[levels[-1]]]]
        if len(first) == 0:
            return levels
        levels.append(np.stack([first, first + 1], axis=1).ravel())


def by_tree(levels: list[Longs], tree: Longs) -> Longs:
    """Return the nodes of several trees, tree after tree; `tree` is that of each node.

    >>> by_tree([np.array([0, 3]), np.array([1, 2, 4, 5])], np.array([0, 0, 0, 1, 1, 1]))
    array([0, 1, 2, 3, 4, 5])
    """
    order = np.concatenate(levels)
    return order[np.argsort(tree[order], kind="stable")]


def tree_arrays(forest: Forest, number: int) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of one tree, with nodes numbered in breadth-first order.

    >>> from bough import RandomForestClassifier
    >>> model = RandomForestClassifier(1, bootstrap=False, random_state=0).fit([[1.0], [2.0]], ["a", "b"])
    >>> tree_arrays(model.forest_, 0)["cut"]
    array([1.50000012,        nan,        nan])
    """
    fields = fields_of(forest.words(number), forest.wide, forest.column_bits)
    levels = breadth_first(fields["inner"], fields["child"])
    order = np.concatenate(levels)
    inner, upper = fields["inner"][order], fields["upper"][order]
    n_children = np.where(inner, 2, 0).astype(np.int32)
    parent, first_child = family(n_children)
    kind, cut, listed = splits_of(forest, fields, order, forest.special_start[[number]])
    gain = forest.gain[forest.node_start[number] :][order].astype(np.float64)
    figures = _figures(forest, number, upper, parent, np.cumsum([len(level) for level in levels]), gain)
    return {
        "parent": parent,
        "first_child": first_child,
        "n_children": n_children,
        "column": np.where(inner, fields["column"][order], -1).astype(np.int32),
        "kind": kind,
        "cut": cut,
        **listed,
        "default_branch": np.where(inner, fields["right"][order], -1).astype(np.int32),
        "gain": np.where(inner, gain, np.nan),
        **figures,
    }


@dataclass(frozen=True)
class AllNodes:
    """The nodes of all trees of a forest, tree after tree, each in the order of `bough.Tree`: level by level.

    `position` is the number of a node within its tree if a node is followed by its left subtree, then by its
    right one, as in scikit-learn. `leaf` has the index of each leaf of the forest among all nodes.
    """

    start: Longs
    leaf_start: Longs
    position: Longs
    depth: Longs
    cases: npt.NDArray[np.float64]
    leaf: Longs

    def of_tree(self, number: int) -> slice:
        """Return where the nodes of a tree are.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> nodes = all_nodes(model.forest_)
        >>> nodes.of_tree(1), nodes.cases[nodes.of_tree(1)]
        (slice(np.int64(3), np.int64(6), None), array([2., 1., 1.]))
        """
        return slice(self.start[number], self.start[number + 1])

    @property
    def numbers(self) -> Longs:
        """The number of each node within its tree.

        >>> from bough import RandomForestRegressor
        >>> model = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0])
        >>> all_nodes(model.forest_).numbers.tolist()
        [0, 1, 2, 0, 1, 2]
        """
        return np.arange(self.start[-1]) - np.repeat(self.start[:-1], np.diff(self.start))

    @property
    def leaf_ranks(self) -> Longs:
        """The number of each leaf of the forest, tree after tree, in the order of their positions.

        >>> from bough import ExtraTreesRegressor
        >>> X, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
        >>> all_nodes(ExtraTreesRegressor(2, random_state=0).fit(X, y).forest_).leaf_ranks
        array([0, 1, 2, 5, 3, 4])
        """
        tree = np.repeat(np.arange(len(self.leaf_start) - 1), np.diff(self.leaf_start))
        ranks = np.empty(len(self.leaf), dtype=np.int64)
        ranks[np.lexsort((self.position[self.leaf], tree))] = np.arange(len(self.leaf))
        return ranks

    def at_leaves(self, values: npt.NDArray[Any], leaves: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        """Return the values, one for each node, of the leaves that `Forest.leaves` returns (rows × trees).

        >>> from bough import RandomForestRegressor
        >>> forest = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
        >>> all_nodes(forest).at_leaves(all_nodes(forest).position, np.array([[0, 1]], dtype=np.uint32))
        array([[1, 2]])
        """
        return np.asarray(values[self.leaf][leaves + self.leaf_start[:-1]])


def all_nodes(forest: Forest) -> AllNodes:
    """Return the figures of all nodes of a forest.

    >>> from bough import ExtraTreesRegressor
    >>> X, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]
    >>> nodes = all_nodes(ExtraTreesRegressor(2, random_state=0).fit(X, y).forest_)
    >>> nodes.start.tolist(), nodes.position.tolist()
    ([0, 5, 10], [0, 1, 2, 3, 4, 0, 1, 4, 2, 3])
    """
    fields = fields_of(forest.nodes, forest.wide, forest.column_bits)
    inner, n_nodes = fields["inner"], forest.n_nodes
    tree = np.repeat(np.arange(forest.n_trees), np.diff(forest.node_start))
    child = fields["child"] + forest.node_start[tree]
    levels = breadth_first(inner, child, forest.node_start[:-1])
    parents = [level[inner[level]] for level in levels[:-1]]
    size, depth, position = (
        np.ones(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
    )
    cases = np.zeros(n_nodes)
    ends = np.flatnonzero(~inner)
    number = forest.leaf_start[tree[ends]] + fields["upper"][ends]
    cases[ends] = forest.cases[number]
    for parent in reversed(parents):
        left = child[parent]
        size[parent] += size[left] + size[left + 1]
        cases[parent] = cases[left] + cases[left + 1]
    for level, parent in enumerate(parents):
        left = child[parent]
        depth[left] = depth[left + 1] = level + 1
        position[left] = position[parent] + 1
        position[left + 1] = position[left] + size[left]
    order = by_tree(levels, tree)
    rank, leaf = np.empty(n_nodes, np.int64), np.empty(len(ends), np.int64)
    rank[order] = np.arange(n_nodes)
    leaf[number] = rank[ends]
    return AllNodes(forest.node_start, forest.leaf_start, position[order], depth[order], cases[order], leaf)


def splits_of(
    forest: Forest, fields: dict[str, npt.NDArray[Any]], order: Longs, special_start: Longs
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64], dict[str, npt.NDArray[Any]]]:
    """Return the kinds and cuts of nodes in an order, and the levels that they list.

    `special_start` is where the special splits of their tree start: that of all nodes, or of each node.

    >>> from bough import RandomForestClassifier
    >>> forest = RandomForestClassifier(1, bootstrap=False).fit([["a"], ["b"]], ["no", "yes"]).forest_
    >>> fields = fields_of(forest.nodes, forest.wide, forest.column_bits)
    >>> splits_of(forest, fields, np.arange(3), forest.special_start[:1])[2]["level_branch"]
    array([0, 1], dtype=int32)
    """
    inner, special = fields["inner"][order], fields["special"][order]
    kind = np.where(inner, _THRESHOLD, _LEAF).astype(np.uint8)
    cut = np.where(inner, fields["upper"][order].view(np.float32), np.nan).astype(np.float64)
    codes: list[npt.NDArray[np.int32]] = []
    branches: list[npt.NDArray[np.int32]] = []
    n_listed = np.zeros(len(order), dtype=np.int64)
    words, starts = forest.special, np.broadcast_to(special_start, len(order))
    for node in np.flatnonzero(special):
        at = int(starts[node]) + int(fields["upper"][order[node]])
        payload = words[at + 2 : at + 2 + int(words[at + 1])]
        if words[at] == CUT:
            cut[node] = payload.view(np.float64)[0]
            continue
        n_levels = len(forest.schema.columns[fields["column"][order[node]]].levels)
        others = _members(payload, int(words[at]), n_levels)
        default = int(fields["right"][order[node]])
        branch = np.full(n_levels, default, dtype=np.int32)
        branch[others] = 1 - default
        kind[node], cut[node], n_listed[node] = _SUBSET, np.nan, n_levels
        codes.append(np.arange(n_levels, dtype=np.int32))
        branches.append(branch)
    none = np.empty(0, dtype=np.int32)
    return (
        kind,
        cut,
        {
            "level_start": np.append(0, np.cumsum(n_listed)),
            "level_code": np.concatenate(codes) if codes else none,
            "level_branch": np.concatenate(branches) if branches else none,
        },
    )


def _members(payload: npt.NDArray[np.uint32], how: int, n_levels: int) -> npt.NDArray[Any]:
    if how == LEVELS:
        return payload.astype(np.int64)
    bits = np.unpackbits(payload.view(np.uint8), bitorder="little")
    return np.flatnonzero(bits[:n_levels])


def _figures(
    forest: Forest,
    number: int,
    upper: npt.NDArray[np.uint32],
    parent: npt.NDArray[np.int32],
    level_ends: Longs,
    gain: npt.NDArray[np.float64],
) -> dict[str, npt.NDArray[Any]]:
    """Return cases, weight, statistics and risk of every node, summed from the leaves to the root.

    Under absolute error, the statistic of an inner node is the mean of its leaves' medians, since its own
    median does not follow from them; its risk is that of its leaves and what its splits gain.
    """
    medians = forest.criterion == "absolute_error"
    n_nodes = len(parent)
    leaf = np.ones(n_nodes, dtype=np.bool_)
    leaf[parent[1:]] = False
    own = slice(forest.leaf_start[number], forest.leaf_start[number + 1])
    leaves = forest.leaf[own]
    held = leaves if forest.task == "classification" else np.hstack([leaves, forest.leaf_totals[own]])
    statistics, cases = np.zeros((n_nodes, held.shape[1])), np.zeros(n_nodes)
    statistics[leaf] = held[upper[leaf]]
    cases[leaf] = forest.cases[own][upper[leaf]]
    for end, start in zip(level_ends[:0:-1], level_ends[-2::-1], strict=True):
        low, high, above = np.arange(start, end, 2), np.arange(start + 1, end, 2), parent[start:end:2]
        cases[above] = cases[low] + cases[high]
        if forest.task == "classification":
            statistics[above] = statistics[low] + statistics[high]
        else:
            saved = gain[above] if medians else None
            events = forest.criterion == "poisson"
            statistics[above] = _pooled(statistics[low], statistics[high], saved, events)
    if forest.targets:
        return {"cases": cases, **_figures_of_targets(forest, statistics)}
    if forest.task == "classification":
        weight = statistics.sum(axis=1)
        return {
            "cases": cases,
            "weight": weight,
            "statistics": statistics,
            "risk": weight - statistics.max(axis=1),
        }
    mean, weight, risk = (np.ascontiguousarray(each) for each in statistics.T)
    return {"cases": cases, "weight": weight, "statistics": mean[:, None], "risk": risk}


def _pooled(
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    saved: npt.NDArray[np.float64] | None,
    events: bool,
) -> npt.NDArray[np.float64]:
    """Return the mean, weight and risk of the union of two groups, or the means and risks of several targets.

    The risk is the squared error; the deviance if y are numbers of `events`; or greater than that of the
    groups by `saved` for each unit of weight.
    """
    k = low.shape[1] // 2
    weight_low, weight_high = low[:, k : k + 1], high[:, k : k + 1]
    weight = weight_low + weight_high
    apart = high[:, :k] - low[:, :k]
    mean = low[:, :k] + apart * (weight_high / weight)
    if saved is not None:
        between = saved[:, None] * weight
    elif events:
        rates, weights = np.stack([low[:, :k], high[:, :k]]), np.stack([weight_low, weight_high])
        between = (2 * weights * rates * np.log(np.where(rates > 0, rates, mean) / mean)).sum(axis=0)
    else:
        with np.errstate(over="ignore"):
            between = apart**2 * weight_low * weight_high / weight
        # The product of great weights overflows where their quotient does not.
        between = np.where(np.isfinite(between), between, apart**2 * weight_low * (weight_high / weight))
    return np.hstack([mean, weight, low[:, k + 1 :] + high[:, k + 1 :] + between])


def _figures_of_targets(forest: Forest, statistics: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[Any]]:
    """Return weight, statistics and risk of nodes from the sums or means of several targets."""
    k = len(forest.targets)
    if forest.task == "regression":
        mean, weight, risks = np.split(statistics, [k, k + 1], axis=1)
        return {
            "weight": np.ascontiguousarray(weight[:, 0]),
            "statistics": np.ascontiguousarray(mean),
            "risk": risks.mean(axis=1),
            "target_risk": np.ascontiguousarray(risks),
        }
    weight = statistics[:, : len(forest.classes)].sum(axis=1)
    ends = np.cumsum([len(target.classes) for target in forest.targets])
    most = [each.max(axis=1) for each in np.split(statistics, ends[:-1], axis=1)]
    return {"weight": weight, "statistics": statistics, "risk": weight - np.mean(most, axis=0)}
