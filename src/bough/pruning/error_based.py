"""Error-based pruning (Quinlan 1993), by the upper confidence limit of the error of each node."""

from __future__ import annotations

import dataclasses
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

import bough._core as _core
from bough.errors import ParameterError
from bough.growing.pruning import ErrorBased, Estimate
from bough.progress import watcher
from bough.pruning.bottom_up import cheaper_as_leaves
from bough.pruning.collapse import collapsed, with_step
from bough.pruning.pessimistic import refuse_uncounted
from bough.tree.arrays import CUT_ARRAYS
from bough.tree.fractional import split_arrays_of
from bough.tree.labeled_rows import LabeledRows, read_sample
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

# A leaf is preferred if its expected errors exceed those of the subtree by at most this.
_SLACK = 0.1


def error_based(
    tree: Tree,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    confidence: float = 0.25,
    subtree_raising: bool = True,
    estimate: Estimate = "c4.5",
) -> Tree:
    """Return the tree with nodes replaced by leaves or by a branch where that does not add expected errors.

    X and y are the rows that the tree was grown on. Subtree raising needs them: if a node is replaced by its
    largest branch, the rows of the other branches are routed down that branch. A lower confidence prunes
    more. `estimate` selects the error estimate of release 8 of C4.5 or of Weka's J48. In a tree with
    surrogates, competitors or formulas no subtree is raised, because they belong to the rows of their node.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(28)], list("aaaaaaaabaaaaaabbbbbabbbbbbb")
    >>> tree = CARTClassifier(prune="none").fit(X, y).tree_
    >>> tree.n_leaves, error_based(tree, X, y).n_leaves
    (6, 2)
    """
    settings = ErrorBased(confidence, subtree_raising, estimate)
    if X is not None:
        return prune_by_errors(tree, read_sample(tree, X, y, sample_weight), settings)
    if subtree_raising:
        raise ParameterError.of("X", X, "the rows the tree was grown on, or subtree_raising=False")
    return _from_statistics(tree, settings)


def prune_by_errors(tree: Tree, sample: LabeledRows, settings: ErrorBased) -> Tree:
    """Return the tree pruned with the rows it was grown on; see `error_based`.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2]] * 9 + [[4.7, 1.4]] * 9, ["setosa"] * 9 + ["versicolor"] * 9
    >>> prune_by_errors(iris_tree(), read_sample(iris_tree(), X, y), ErrorBased()).n_leaves
    2
    """
    if tree.surrogates is not None or tree.competitors is not None or tree.formulas:
        return _from_statistics(tree, settings)
    refuse_uncounted(tree, "error_based")
    is_fractional = tree.share is not None
    arrays: dict[str, Any] = _core.prune_by_errors(
        split_arrays_of(tree),
        sample.table.native(),
        sample.table.n_rows,
        len(tree.classes),
        sample.answers,
        sample.weights.weight,
        sample.weights.cases,
        settings.estimate,
        float(settings.confidence),
        _deviate(settings),
        settings.subtree_raising,
        is_fractional,
        watcher(),
    )
    if not is_fractional:
        arrays["share"] = None
        arrays["cases"] = np.rint(arrays["cases"])
    step = _step(settings, subtree_raising=settings.subtree_raising)
    # Nodes have new numbers; the bounds of soft thresholds are dropped.
    arrays = dict.fromkeys(CUT_ARRAYS) | arrays
    return dataclasses.replace(tree, recipe=with_step(tree.recipe, step), **arrays)


def expected_errors(tree: Tree, *, confidence: float = 0.25, estimate: Estimate = "c4.5") -> Floats:
    """Return the expected errors of each node as a leaf, on as many rows as it was grown on.

    >>> from bough.example_models import tennis_tree
    >>> expected_errors(tennis_tree()).round(3)[[0, 2, 4]]
    array([6.795, 1.172, 1.11 ])
    """
    refuse_uncounted(tree, "error_based")
    settings = ErrorBased(confidence, estimate=estimate)
    deviate = _deviate(settings)
    return np.asarray(
        _core.expected_errors(tree.weight, tree.risk, settings.estimate, float(confidence), deviate)
    )


def _from_statistics(tree: Tree, settings: ErrorBased) -> Tree:
    expected = expected_errors(tree, confidence=settings.confidence, estimate=settings.estimate)
    step = _step(settings, subtree_raising=False)
    return collapsed(tree, cheaper_as_leaves(tree, expected, slack=_SLACK), step)


def _step(settings: ErrorBased, *, subtree_raising: bool) -> dict[str, Any]:
    return {
        "by": "expected errors",
        "confidence": float(settings.confidence),
        "subtree_raising": subtree_raising,
        "estimate": settings.estimate,
    }


def _deviate(settings: ErrorBased) -> float:
    return NormalDist().inv_cdf(1.0 - settings.confidence) if settings.confidence < 1.0 else -np.inf
