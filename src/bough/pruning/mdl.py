"""Pruning by minimum description length: the fewest bits for a tree and its exceptions.

The encoding is that of Quinlan and Rivest (1989). A tree is encoded node by node: one bit tells whether the
node is a leaf; a leaf adds its class; a split adds its column, out of those not used up by its ancestors, and
the split itself. Then each leaf encodes its exceptions, the cases of other classes: their number, which cases
they are, and their classes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bough.pruning.bottom_up import cheaper_as_leaves
from bough.pruning.collapse import collapsed
from bough.pruning.pessimistic import refuse_uncounted
from bough.tree.arrays import KINDS
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


def mdl(tree: Tree) -> Tree:
    """Return the pruned tree of minimum description length; the smallest tree wins a tie.

    >>> from bough import CARTClassifier
    >>> grown = CARTClassifier(prune="none").fit([[i] for i in range(24)], list("aaaaaaaaaaababbbbbbbbbbb"))
    >>> tree = grown.tree_
    >>> tree.n_leaves, mdl(tree).n_leaves
    (4, 2)
    """
    refuse_uncounted(tree, "mdl")
    chosen = cheaper_as_leaves(tree, _leaf_bits(tree), _split_bits(tree))
    return collapsed(tree, chosen, {"by": "description length"})


def description_length(tree: Tree) -> float:
    """Return the number of bits of the tree and its exceptions.

    >>> from bough.example_models import tennis_tree
    >>> round(description_length(tennis_tree()), 2)
    23.75
    """
    refuse_uncounted(tree, "mdl")
    leaf = tree.is_leaf
    return float(_leaf_bits(tree)[leaf].sum() + _split_bits(tree)[~leaf].sum())


def _leaf_bits(tree: Tree) -> Floats:
    """Return the bits of each node as a leaf: one bit, its class and its exceptions."""
    n_classes = len(tree.classes)
    wrong, weight = tree.risk, tree.weight
    # The greatest possible number of cases outside the most frequent class.
    most = np.maximum(np.floor(weight - weight / n_classes), 0.0)
    bits = 1.0 + np.log2(n_classes) + np.log2(most + 1.0) + _log2_choices(weight, wrong)
    return np.asarray(bits + wrong * np.log2(max(n_classes - 1, 1)))


def _log2_choices(n: Floats, k: Floats) -> Floats:
    from scipy.special import gammaln

    return np.asarray((gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / np.log(2))


def _split_bits(tree: Tree) -> Floats:
    """Return the bits of each node as a split: one bit, its column and the split of the column."""
    kind = np.array(KINDS)[tree.kind]
    n_levels = np.maximum(np.diff(tree.level_start), 1).astype(np.float64)
    n_cuts = np.maximum(tree.cases - 1.0, 1.0)
    own = np.select(
        [(kind == "threshold") | (kind == "at_most"), kind == "one_vs_rest", kind == "subset"],
        # There are 2^(n-1) - 1 subset splits of n levels, so n - 1 bits are enough.
        [np.log2(n_cuts), np.log2(n_levels), n_levels - 1.0],
        0.0,
    )
    return np.asarray(1.0 + np.log2(_columns_left(tree, kind == "complete")) + own)


def _columns_left(tree: Tree, complete: npt.NDArray[np.bool_]) -> Floats:
    """Return the number of columns a split can use: those without a complete split at an ancestor."""
    used = np.zeros(tree.n_nodes)
    starts = np.searchsorted(tree.node_depths, np.arange(1, tree.depth + 2)).tolist()
    for first, end in pairwise(starts):
        above = tree.parent[first:end]
        used[first:end] = used[above] + complete[above]
    return np.maximum(len(tree.schema) - used, 1.0)
