"""Packing of trees into a forest; the layout of the words is that of `bough.ensembles.unpack`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.ensembles.forest import Forest
from bough.ensembles.unpack import (
    BITS,
    COLUMN_SHIFT,
    CUT,
    LEAF_NUMBERS,
    LEVELS,
    RIGHT,
    SPECIAL,
    UPPER,
    WIDE_COLUMN_BITS,
)
from bough.tree import Tree
from bough.tree.arrays import KINDS

_MOST_LEAVES = 0x7FFFFF
_THRESHOLD = KINDS.index("threshold")


def packed(trees: Sequence[Tree]) -> Forest:
    """Return the forest of some trees of the same schema, whose splits have two branches each.

    >>> from bough.example_models import iris_tree
    >>> forest = packed([iris_tree(), iris_tree()])
    >>> forest
    Forest(2 trees, 10 nodes)
    >>> forest.trees[0].condition(1) == iris_tree().condition(1)
    True
    """
    first, *others = [_packed(tree) for tree in trees]
    return first.joined(*others)


def _packed(tree: Tree) -> Forest:
    n_columns, n_nodes = len(tree.schema), tree.n_nodes
    column_bits = max(1, (n_columns - 1).bit_length())
    n_leaves = int(tree.is_leaf.sum())
    wide = n_nodes.bit_length() + COLUMN_SHIFT + column_bits > UPPER or n_leaves > _MOST_LEAVES
    column_bits = WIDE_COLUMN_BITS if wide else column_bits
    upper, is_special, special = _upper_halves(tree)
    leaf = tree.is_leaf
    number = np.where(leaf, np.cumsum(leaf) - 1, 0).astype(np.uint64)
    child = np.where(leaf, np.arange(n_nodes), tree.first_child).astype(np.uint64)
    upper = np.where(leaf, np.uint64(LEAF_NUMBERS) + (np.uint64(0) if wide else number), upper)
    column = np.where(leaf, 0, tree.column).astype(np.uint64) << np.uint64(COLUMN_SHIFT)
    head = upper << np.uint64(UPPER) | column
    head |= np.where(is_special, SPECIAL, np.uint64(0))
    head |= np.where(~leaf & (tree.default_branch == 1), RIGHT, np.uint64(0))
    if wide:
        words = np.stack([head, number << np.uint64(UPPER) | child], axis=1).ravel()
    else:
        words = head | child << np.uint64(COLUMN_SHIFT + column_bits)
    gain = np.where(leaf, 0.0, tree.gain)
    importance = np.zeros(n_columns)
    np.add.at(importance, tree.column[~leaf], (gain * tree.weight)[~leaf])
    of_classes = tree.task == "classification"
    totals = np.column_stack([tree.weight, tree.risk])[leaf]
    head_of_tree = {
        name: getattr(tree, name)
        for name in ("schema", "task", "classes", "target_name", "criterion", "recipe")
    }
    return Forest(
        **head_of_tree,
        wide=wide,
        column_bits=column_bits,
        nodes=words,
        gain=np.minimum(gain, np.finfo(np.float32).max).astype(np.float32),
        leaf=np.ascontiguousarray(tree.statistics[leaf]),
        leaf_totals=np.empty((0, 2)) if of_classes else totals,
        cases=tree.cases[leaf].astype(np.float32),
        special=special,
        node_start=np.array([0, n_nodes]),
        leaf_start=np.array([0, n_leaves]),
        special_start=np.array([0, len(special)]),
        tree_importance=importance.reshape(1, n_columns),
    )


def _upper_halves(
    tree: Tree,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_], npt.NDArray[np.uint32]]:
    """Return the cut of each node as the bits of a float32, or where its special words are; and these."""
    with np.errstate(over="ignore"):
        # A cut beyond float32 becomes infinite, so that it is kept as special words.
        single = tree.cut.astype(np.float32)
    is_threshold = tree.kind == _THRESHOLD
    is_special = ~tree.is_leaf & ~(is_threshold & (single.astype(np.float64) == tree.cut))
    upper = single.view(np.uint32).astype(np.uint64)
    words: list[int] = []
    for node in np.flatnonzero(is_special).tolist():
        upper[node] = len(words)
        words += _cut_words(tree.cut[node]) if is_threshold[node] else _level_words(tree, node)
    return upper, is_special, np.array(words, dtype=np.uint32)


def _cut_words(cut: Any) -> list[int]:
    return [CUT, 2, *np.array([cut], dtype="<f8").view("<u4").tolist()]


def _level_words(tree: Tree, node: int) -> list[int]:
    """Return the words of a split of levels: those that do not take the branch of missing values."""
    listed = slice(tree.level_start[node], tree.level_start[node + 1])
    others = np.sort(tree.level_code[listed][tree.level_branch[listed] != tree.default_branch[node]])
    n_levels = len(tree.schema[int(tree.column[node])].levels)
    n_bits = (n_levels + 31) // 32
    if n_bits > max(2, len(others)):
        return [LEVELS, len(others), *others.tolist()]
    bits = np.zeros(32 * n_bits, dtype=np.bool_)
    bits[others] = True
    packed_bits = np.packbits(bits, bitorder="little").view("<u4")
    return [BITS, n_bits, *packed_bits.tolist()]
