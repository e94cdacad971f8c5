"""Pruning by a validation set: the subtree that makes the fewest errors on rows the tree was not grown on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from bough.growing.pruning import check_choice
from bough.pruning.reduced_error import prune_on
from bough.pruning.tuning import ends_statistics, node_errors, node_statistics
from bough.tree.labeled_rows import LabeledRows, read_sample
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

ValidationMethod: TypeAlias = Literal["cost_complexity", "reduced_error"]
"""Which subtrees compete: those of the cost-complexity path, or all of them (reduced-error pruning)."""

# Errors whose difference is a smaller fraction of the root's errors are treated as equal.
_ROUNDING = 1e-9


def pruned_on(
    tree: Tree, X: Any, y: Any, sample_weight: Any = None, *, method: ValidationMethod = "cost_complexity"
) -> Tree:
    """Return the subtree that makes the fewest errors on a validation set; the smallest of several.

    With `method="cost_complexity"` it is one of the trees of the cost-complexity path; with "reduced_error"
    any subtree, see `bough.pruning.reduced_error`, which follows the validation set more closely. Errors are
    the misclassified weight, or the loss if the tree has priors or losses; in regression the sum of squared
    errors.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2], [4.7, 1.4], [6.0, 2.5]], ["setosa", "versicolor", "versicolor"]
    >>> pruned_on(iris_tree(), X, y).n_leaves
    2
    """
    check_choice("method", method, get_args(ValidationMethod))
    sample = read_sample(tree, X, y, sample_weight)
    if method == "reduced_error":
        return prune_on(tree, sample)
    path = tree.cost_complexity_path()
    errors = path_errors(tree, sample)
    fewest = errors.min() + _ROUNDING * abs(errors[-1])
    return tree.pruned(float(path.alphas[np.flatnonzero(errors <= fewest)[-1]]))


def path_errors(tree: Tree, sample: LabeledRows) -> Floats:
    """Return the errors on a sample of each tree of the cost-complexity path, in the order of its alphas.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2], [4.7, 1.4], [6.0, 2.5]], ["setosa", "versicolor", "versicolor"]
    >>> path_errors(iris_tree(), read_sample(iris_tree(), X, y))
    array([1., 0., 2.])
    """
    as_leaf = node_errors(tree, node_statistics(tree, sample))
    # Some rows stop at inner nodes, because a value is missing.
    at_end = node_errors(tree, ends_statistics(tree, sample))
    below = np.bincount(tree.parent[1:], as_leaf[1:], minlength=tree.n_nodes)
    increase = np.where(tree.is_leaf, 0.0, as_leaf - below - at_end)
    alphas = tree.cost_complexity_path().alphas
    added = np.bincount(np.searchsorted(alphas, tree.complexity), increase, minlength=len(alphas))
    return np.asarray(float(at_end.sum()) + np.cumsum(added))
