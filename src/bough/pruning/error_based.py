"""Error-based pruning (Quinlan 1993): errors are expected at the upper limit of their confidence interval."""

from __future__ import annotations

import dataclasses
from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from bough import _core
from bough.errors import ParameterError
from bough.progress import watcher
from bough.pruning.bottom_up import cheaper_as_leaves
from bough.pruning.collapse import collapsed, noted
from bough.pruning.pessimistic import refuse_uncounted
from bough.pruning.tuning import AnsweredRows, read_sample
from bough.tree.fractional import split_arrays_of
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

Estimate: TypeAlias = Literal["c4.5", "j48"]

# A leaf may be expected to make this many errors more than the subtree it replaces.
_SLACK = 0.1


def error_based(
    tree: Tree,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    confidence: float = 0.25,
    raising: bool = True,
    estimate: Estimate = "c4.5",
) -> Tree:
    """Return the tree with nodes made leaves, or replaced by a branch, where no more errors are expected.

    X and y are the rows the tree was grown on: when the largest branch of a node is raised into its place,
    the rows of its siblings are sent down it. Without raising they are not needed. The less the confidence,
    the more is pruned. "c4.5" expects errors as release 8 of C4.5 does, "j48" as Weka. In a tree with
    surrogates, competitors or formulas no branch is raised: they were found for the rows of their node.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(28)], list("aaaaaaaabaaaaaabbbbbabbbbbbb")
    >>> tree = CARTClassifier(prune="none").fit(X, y).tree_
    >>> tree.n_leaves, error_based(tree, X, y).n_leaves
    (6, 2)
    """
    check_confidence(confidence)
    if X is None:
        if raising:
            raise ParameterError.of("X", X, "the rows the tree was grown on, or raising=False")
        return _from_statistics(tree, confidence, estimate)
    return prune_by_errors(
        tree,
        read_sample(tree, X, y, sample_weight),
        confidence=confidence,
        raising=raising,
        estimate=estimate,
    )


def prune_by_errors(
    tree: Tree,
    sample: AnsweredRows,
    *,
    confidence: float = 0.25,
    raising: bool = True,
    estimate: Estimate = "c4.5",
) -> Tree:
    """Return the tree pruned with the sample it was grown on; see `error_based`.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2]] * 9 + [[4.7, 1.4]] * 9, ["setosa"] * 9 + ["versicolor"] * 9
    >>> prune_by_errors(iris_tree(), read_sample(iris_tree(), X, y)).n_leaves
    2
    """
    if tree.surrogates is not None or tree.competitors is not None or tree.formulas:
        return _from_statistics(tree, confidence, estimate)
    refuse_uncounted(tree, "error_based")
    spreads = tree.share is not None
    arrays: dict[str, Any] = _core.prune_by_errors(
        split_arrays_of(tree),
        sample.table.native(),
        sample.table.n_rows,
        len(tree.classes),
        sample.answers,
        sample.weights.weight,
        sample.weights.cases,
        _known(estimate),
        float(confidence),
        _deviate(confidence),
        raising,
        spreads,
        watcher(),
    )
    if not spreads:
        arrays["share"] = None
        arrays["rows"] = np.rint(arrays["rows"])
    step = {
        "by": "expected errors",
        "confidence": float(confidence),
        "raising": raising,
        "estimate": estimate,
    }
    return dataclasses.replace(tree, recipe=noted(tree.recipe, step), **arrays)


def expected_errors(tree: Tree, *, confidence: float = 0.25, estimate: Estimate = "c4.5") -> Floats:
    """Return the errors to be expected of each node as a leaf, on as many rows as it was grown on.

    >>> from bough.example_models import tennis_tree
    >>> expected_errors(tennis_tree()).round(3)[[0, 2, 4]]
    array([6.795, 1.172, 1.11 ])
    """
    refuse_uncounted(tree, "error_based")
    check_confidence(confidence)
    return np.asarray(
        _core.expected_errors(
            tree.weight, tree.risk, _known(estimate), float(confidence), _deviate(confidence)
        )
    )


def _from_statistics(tree: Tree, confidence: float, estimate: Estimate) -> Tree:
    expected = expected_errors(tree, confidence=confidence, estimate=estimate)
    step = {"by": "expected errors", "confidence": float(confidence), "raising": False, "estimate": estimate}
    return collapsed(tree, cheaper_as_leaves(tree, expected, slack=_SLACK), step)


def _deviate(confidence: float) -> float:
    return NormalDist().inv_cdf(1.0 - confidence) if confidence < 1.0 else -np.inf


def _known(estimate: object) -> str:
    if not (isinstance(estimate, str) and estimate in get_args(Estimate)):
        raise ParameterError.of("estimate", estimate, "'c4.5' or 'j48'")
    return estimate


def check_confidence(confidence: object) -> None:
    """Refuse a confidence that is no share above 0.

    >>> check_confidence(25)
    Traceback (most recent call last):
    bough.errors.ParameterError: confidence is 25; it must be a number above 0 and at most 1.
    """
    is_number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not (is_number and 0 < confidence <= 1):  # type: ignore[operator]
        raise ParameterError.of("confidence", confidence, "a number above 0 and at most 1")
