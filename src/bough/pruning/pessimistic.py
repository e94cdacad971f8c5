"""Pessimistic error pruning (Quinlan 1987), with a continuity correction of half a case for each leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bough.errors import TargetError
from bough.growing.limits import check_number
from bough.pruning.bottom_up import subtree_sums
from bough.pruning.collapse import collapsed

if TYPE_CHECKING:
    from bough.tree import Tree


def pessimistic(tree: Tree, *, standard_errors: float = 1.0) -> Tree:
    """Return the tree without the subtrees that are less than one standard error better than a leaf.

    The corrected errors of a leaf that misclassifies e cases are e + 1/2; those of a subtree are the sum over
    its leaves. The standard error of E errors in N cases is binomial, sqrt(E (N − E) / N). Only the tree's
    own statistics are used.

    >>> from bough import CARTClassifier
    >>> tree = CARTClassifier(prune="none").fit([[i] for i in range(10)], list("aaaaababbb")).tree_
    >>> tree.n_leaves, pessimistic(tree).n_leaves
    (4, 2)
    """
    refuse_uncounted(tree, "pessimistic")
    check_number("standard_errors", standard_errors, 0.0)
    counted = subtree_sums(tree, np.where(tree.is_leaf, tree.risk + 0.5, 0.0))
    spread = np.divide(
        np.maximum(counted * (tree.weight - counted), 0.0),
        tree.weight,
        out=np.zeros(tree.n_nodes),
        where=tree.weight > 0,
    )
    chosen = ~tree.is_leaf & (tree.risk + 0.5 <= counted + float(standard_errors) * np.sqrt(spread))
    step = {"by": "pessimistic errors", "standard_errors": float(standard_errors)}
    return collapsed(tree, chosen, step)


def refuse_uncounted(tree: Tree, method: str) -> None:
    """Raise if the risk of a tree is not the number of misclassified rows.

    >>> from bough.example_models import cars_tree
    >>> refuse_uncounted(cars_tree(), "pessimistic")
    Traceback (most recent call last):
    bough.errors.TargetError: pessimistic counts misclassified rows, but this tree predicts numbers. Prune
    it with reduced_error or by its cost-complexity path.
    """
    if tree.task == "regression":
        raise TargetError(
            f"{method} counts misclassified rows, but this tree predicts numbers. Prune it with "
            "reduced_error or by its cost-complexity path."
        )
    if tree.class_scale is not None or tree.loss_matrix is not None:
        raise TargetError(
            f"{method} counts misclassified rows, but this tree was grown with priors or losses. Prune it "
            "with reduced_error or by its cost-complexity path."
        )
