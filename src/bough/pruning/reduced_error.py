"""Reduced-error pruning: a subtree is kept only if it makes fewer errors than a leaf on other rows.

Quinlan's method (1987) goes from the leaves to the root. The greedy variant repeatedly removes the subtree of
the whole tree whose removal reduces the errors most.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.pruning.bottom_up import cheaper_as_leaves, subtree_sums
from bough.pruning.collapse import collapsed
from bough.pruning.tuning import added_by_row, node_errors, node_statistics
from bough.tree.answer import expected_losses
from bough.tree.labeled_rows import LabeledRows, read_sample
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

# Errors whose difference is a smaller fraction of the root's errors are treated as equal.
_ROUNDING = 1e-9


def reduced_error(
    tree: Tree, X: Any, y: Any, sample_weight: Any = None, *, greedy: bool = False, backfit: bool = False
) -> Tree:
    """Return the tree without the subtrees that make no fewer errors on a tuning set than leaves would.

    If `greedy`, the subtree whose removal reduces the errors most is removed repeatedly, and subtrees whose
    removal makes no difference are kept. If `backfit`, the rows of the tuning set are finally added to the
    statistics of the nodes.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2], [4.7, 1.4], [6.0, 2.5]], ["setosa", "versicolor", "versicolor"]
    >>> reduced_error(iris_tree(), X, y).n_leaves
    2
    >>> reduced_error(iris_tree(), X[:2], y[:2], greedy=True).n_leaves
    3
    """
    return prune_on(tree, read_sample(tree, X, y, sample_weight), greedy=greedy, backfit=backfit)


def prune_on(
    tree: Tree, sample: LabeledRows, *, greedy: bool = False, backfit: bool = False, as_weka: bool = False
) -> Tree:
    """Return the tree pruned on rows read by `read_sample`; see `reduced_error`.

    With `as_weka` errors are added row by row and compared without allowing for
    rounding, as REPTree does it: which of two equal sums is greater then depends on the order of the rows.

    >>> from bough.tree.labeled_rows import read_sample
    >>> from bough.example_models import iris_tree
    >>> prune_on(iris_tree(), read_sample(iris_tree(), [[4.7, 1.4]], ["versicolor"])).n_leaves
    2
    """
    statistics = node_statistics(tree, sample)
    errors = added_by_row(tree, sample) if as_weka else node_errors(tree, statistics)
    slack = _ROUNDING * float(errors[0]) if tree.task == "classification" and not as_weka else 0.0
    chosen = _greedily(tree, errors, slack) if greedy else cheaper_as_leaves(tree, errors, slack=slack)
    step = {"by": "reduced error", "greedy": greedy, "backfit": backfit, "rows": sample.table.n_rows}
    fitted = _backfitted(tree, statistics, sample) if backfit else tree
    return collapsed(fitted, chosen, step)


def _greedily(tree: Tree, errors: Floats, slack: float) -> npt.NDArray[np.bool_]:
    subtree = subtree_sums(tree, np.where(tree.is_leaf, errors, 0.0))
    relief = np.where(tree.is_leaf, -np.inf, subtree - errors)
    chosen = np.zeros(tree.n_nodes, dtype=np.bool_)
    while relief[best := int(relief.argmax())] > slack:
        chosen[best] = True
        node = int(tree.parent[best])
        while node >= 0:
            relief[node] -= relief[best]
            node = int(tree.parent[node])
        _remove_below(tree, best, relief)
    return chosen


def _remove_below(tree: Tree, top: int, relief: Floats) -> None:
    pending = [top]
    while pending:
        node = pending.pop()
        relief[node] = -np.inf
        pending += tree.children(node)


def _backfitted(tree: Tree, sample_statistics: Floats, sample: LabeledRows) -> Tree:
    """Add the rows of the sample to the statistics of every node on their paths."""
    cases = sample.weights.cases
    if tree.task == "classification":
        statistics = tree.statistics + sample_statistics
        added = sample_statistics.sum(axis=1)
        risk = expected_losses(statistics, tree.class_scale, tree.loss_matrix).min(axis=1)
    else:
        added, total, squares = sample_statistics.T
        weight = tree.weight + added
        centre = tree.statistics[0, 0]
        old = np.where(tree.weight > 0, tree.statistics[:, 0] - centre, 0.0)
        mean = np.divide(tree.weight * old + total, weight, out=np.zeros_like(weight), where=weight > 0)
        statistics = (centre + mean)[:, None]
        moved = tree.weight * (old - mean) ** 2
        risk = np.maximum(tree.risk + moved + squares - 2.0 * mean * total + mean**2 * added, 0.0)
    per_weight = 1.0 if cases is None else float(cases.sum()) / float(sample.weight.sum())
    counted = tree.cases + added * per_weight
    return dataclasses.replace(
        tree,
        statistics=statistics,
        weight=tree.weight + added,
        cases=counted if tree.share is not None else np.rint(counted),
        risk=risk,
    )
