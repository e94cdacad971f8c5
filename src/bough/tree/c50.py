"""Predictions in C5.0's arithmetic, by a native predictor that is built from the arrays of the trees.

C5.0 keeps values, cuts, class weights and cases in single precision. A row with a missing value is sent down
all branches, and a row near a soft threshold down both. Class probabilities are smoothed by an m-estimate
with m = 1 towards the proportions at the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.errors import ParameterError
from bough.jobs import n_threads
from bough.tree.answer import answers_of
from bough.tree.arrays import KINDS
from bough.tree.nodes import Nodes
from bough.types import Floats

if TYPE_CHECKING:
    from bough.data.table import Table

MOST_DEPTH = 4000
"""The native code is recursive, and a deeper tree would overflow its stack."""

# The numbers of C5.0's kinds of test in the native code.
LEAF, DISCRETE, THRESHOLD, SUBSET = range(4)
_TESTS = {"leaf": LEAF, "complete": DISCRETE, "at_most": THRESHOLD, "subset": SUBSET, "threshold": SUBSET}


def c50_predictor(trees: Sequence[Nodes]) -> _core.C50Predictor:
    """Return the native predictor of one C5.0 tree, or of several boosted ones, which vote.

    >>> from bough import C50Classifier
    >>> tree = C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).tree_
    >>> c50_predictor([tree]).predict(tree._table([[0.0]]).native(), 1, 0, 1)[0]
    array([[0.83333333, 0.16666667]])
    """
    if any(tree.depth > MOST_DEPTH for tree in trees):
        raise ParameterError(f"A tree with C5.0's arithmetic can have a depth of at most {MOST_DEPTH}.")
    first = trees[0]
    levels = [-1 if column.scale == "numeric" else len(column.levels) for column in first.schema.columns]
    # C5.0 indexes costs by the predicted class first, then by the true class.
    cost = np.empty(0) if first.loss_matrix is None else np.ascontiguousarray(first.loss_matrix.T).ravel()
    return _core.C50Predictor([native_arrays(tree) for tree in trees], len(first.classes), cost, levels)


def predicted_by_c50(
    predictor: _core.C50Predictor, table: Table, n_trials: int, n_jobs: int | None
) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Return the probabilities and the class code of each row, from the first trials; 0 means all.

    >>> from bough import C50Classifier
    >>> tree = C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).tree_
    >>> predicted_by_c50(c50_predictor([tree]), tree._table([[0.0]]), 0, 1)[1]
    array([0], dtype=int32)
    """
    blocks = [
        predictor.predict(block.native(), block.n_rows, n_trials, n_threads(n_jobs))
        for _, block in table.dense_blocks()
    ]
    if len(blocks) == 1:
        return blocks[0]
    shares, codes = zip(*blocks, strict=True)
    return np.concatenate(shares), np.concatenate(codes)


def c50_answers(tree: Nodes, table: Table, n_jobs: int | None = None) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Return the probabilities and the class code of each row; the native predictor is built on first use.

    >>> from bough import C50Classifier
    >>> tree = C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).tree_
    >>> c50_answers(tree, tree._table([[0.0]]))[1]
    array([0], dtype=int32)
    """
    predictor: _core.C50Predictor | None = tree.__dict__.get("_c50_predictor")
    if predictor is None:
        tree.__dict__["_c50_predictor"] = predictor = c50_predictor([tree])
    return predicted_by_c50(predictor, table, 0, n_jobs)


def native_arrays(tree: Nodes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a tree in the form that the native predictor of C5.0 expects.

    >>> from bough import C50Classifier
    >>> tree = C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).tree_
    >>> native_arrays(tree)["cut"]
    array([ 2., nan, nan], dtype=float32)
    """
    by_rank = tree.kind == KINDS.index("threshold")
    cut = _single(tree.cut)
    return {
        "parent": tree.parent,
        "first_child": tree.first_child,
        "n_children": tree.n_children,
        "column": tree.column,
        "label": np.full(tree.n_nodes, answers_of(tree).codes[0], dtype=np.int32),
        "test": np.array([_TESTS.get(kind, LEAF) for kind in KINDS], dtype=np.uint8)[tree.kind],
        "cut": cut,
        "lower": cut if tree.cut_low is None else _single(tree.cut_low),
        "upper": cut if tree.cut_high is None else _single(tree.cut_high),
        "cases": _single(tree.cases),
        "dist": _single(tree.statistics),
        **_levels(tree, by_rank),
    }


def _single(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def _levels(tree: Nodes, by_rank: npt.NDArray[np.bool_]) -> dict[str, npt.NDArray[Any]]:
    """Return the levels of each branch; a threshold on an ordinal column is written as two sets of levels."""
    if not by_rank.any():
        return {name: getattr(tree, name) for name in ("level_start", "level_code", "level_branch")}
    codes, branches = [], []
    for node in range(tree.n_nodes):
        own = slice(tree.level_start[node], tree.level_start[node + 1])
        code, branch = tree.level_code[own], tree.level_branch[own]
        if by_rank[node]:
            code = np.arange(len(tree.schema[int(tree.column[node])].levels), dtype=np.int32)
            branch = (code >= tree.cut[node]).astype(np.int32)
        codes.append(code)
        branches.append(branch)
    return {
        "level_start": np.append(0, np.cumsum([len(code) for code in codes])).astype(np.int64),
        "level_code": np.concatenate(codes),
        "level_branch": np.concatenate(branches),
    }
