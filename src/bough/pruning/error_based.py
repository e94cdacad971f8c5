"""Error-based pruning (Quinlan 1993), by the upper confidence limit of the error of each node."""

from __future__ import annotations

import dataclasses
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

import bough._core as _core
from bough.errors import ParameterError
from bough.growing.pruning import ErrorBased, Estimate, check_confidence
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
    ErrorBased(confidence, subtree_raising, estimate)  # checks the settings
    if X is None:
        if subtree_raising:
            raise ParameterError.of("X", X, "the rows the tree was grown on, or subtree_raising=False")
        return _from_statistics(tree, confidence, estimate)
    return prune_by_errors(
        tree,
        read_sample(tree, X, y, sample_weight),
        confidence=confidence,
        subtree_raising=subtree_raising,
        estimate=estimate,
    )


def prune_by_errors(
    tree: Tree,
    sample: LabeledRows,
    *,
    confidence: float = 0.25,
    subtree_raising: bool = True,
    estimate: Estimate = "c4.5",
) -> Tree:
    """Return the tree pruned with the rows it was grown on; see `error_based`.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2]] * 9 + [[4.7, 1.4]] * 9, ["setosa"] * 9 + ["versicolor"] * 9
    >>> prune_by_errors(iris_tree(), read_sample(iris_tree(), X, y)).n_leaves
    2
    """
    if tree.surrogates is not None or tree.competitors is not None or tree.formulas:
        return _from_statistics(tree, confidence, estimate)
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
        _checked(estimate),
        float(confidence),
        _deviate(confidence),
        subtree_raising,
        is_fractional,
        watcher(),
    )
    if not is_fractional:
        arrays["share"] = None
        arrays["cases"] = np.rint(arrays["cases"])
    step = _step(confidence, estimate, subtree_raising=subtree_raising)
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
    check_confidence(confidence)
    return np.asarray(
        _core.expected_errors(
            tree.weight, tree.risk, _checked(estimate), float(confidence), _deviate(confidence)
        )
    )


def _from_statistics(tree: Tree, confidence: float, estimate: Estimate) -> Tree:
    expected = expected_errors(tree, confidence=confidence, estimate=estimate)
    step = _step(confidence, estimate, subtree_raising=False)
    return collapsed(tree, cheaper_as_leaves(tree, expected, slack=_SLACK), step)


def _step(confidence: float, estimate: Estimate, *, subtree_raising: bool) -> dict[str, Any]:
    return {
        "by": "expected errors",
        "confidence": float(confidence),
        "subtree_raising": subtree_raising,
        "estimate": estimate,
    }


def _deviate(confidence: float) -> float:
    return NormalDist().inv_cdf(1.0 - confidence) if confidence < 1.0 else -np.inf


def _checked(estimate: object) -> str:
    if not (isinstance(estimate, str) and estimate in get_args(Estimate)):
        raise ParameterError.of("estimate", estimate, "'c4.5' or 'j48'")
    return estimate
