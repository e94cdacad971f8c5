"""Pessimistic error pruning (Quinlan 1987): each leaf is taken to err half a case more than it does."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from bough.errors import ParameterError, TargetError
from bough.pruning.bottom_up import summed_up
from bough.pruning.collapse import collapsed

if TYPE_CHECKING:
    from bough.tree import Tree


def pessimistic(tree: Tree, *, standard_errors: float = 1.0) -> Tree:
    """Return the tree without the subtrees that are less than a standard error better than their roots.

    A leaf that misclassifies e of its cases counts e + 1/2; a subtree counts the sum over its leaves, and the
    standard error of a count E of N cases is that of a binomial number, sqrt(E (N − E) / N). No rows are
    needed: the tree's own statistics are enough.

    >>> from bough import CARTClassifier
    >>> tree = CARTClassifier(prune="none").fit([[i] for i in range(10)], list("aaaaababbb")).tree_
    >>> tree.n_leaves, pessimistic(tree).n_leaves
    (4, 2)
    """
    refuse_uncounted(tree, "pessimistic")
    if not isinstance(standard_errors, Real) or isinstance(standard_errors, bool) or not standard_errors >= 0:
        raise ParameterError.of("standard_errors", standard_errors, "a number of at least 0")
    counted = summed_up(tree, np.where(tree.is_leaf, tree.risk + 0.5, 0.0))
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
    """Refuse a tree whose risk is no count of misclassified rows.

    >>> from bough.example_models import cars_tree
    >>> refuse_uncounted(cars_tree(), "pessimistic")
    Traceback (most recent call last):
    bough.errors.TargetError: pessimistic counts misclassified rows, and this tree answers with numbers. Prune
    it with reduced_error or by its cost-complexity path.
    """
    if tree.task == "regression":
        raise TargetError(
            f"{method} counts misclassified rows, and this tree answers with numbers. Prune it with "
            "reduced_error or by its cost-complexity path."
        )
    if tree.class_scale is not None or tree.loss is not None:
        raise TargetError(
            f"{method} counts misclassified rows, and this tree was grown with priors or losses. Prune it "
            "with reduced_error or by its cost-complexity path."
        )
