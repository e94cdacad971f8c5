"""Refitting: keep the splits of a tree and compute the statistics of its nodes from other rows.

Statistics of rows that did not choose the splits are honest: the predictions and errors of the leaves are not
biased by the search for splits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.data.target import ClassTarget, Weights
from bough.errors import ParameterError, WeightError
from bough.growing.criterion import CRITERIA, reads_losses, split_loss, statistics_of
from bough.growing.measure import MeasuredRows
from bough.growing.search import value_of_branches
from bough.pruning.bottom_up import subtree_sums
from bough.pruning.collapse import with_step
from bough.pruning.tuning import node_statistics
from bough.tree.answer import expected_losses
from bough.tree.arrays import TEST_ARRAYS
from bough.tree.fractional import collected
from bough.tree.labeled_rows import LabeledRows, read_sample
from bough.tree.routing import column_values, route, rows_by_node
from bough.tree.split import takes_only_missing
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


def refitted(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Tree:
    """Return the tree with the same splits and the statistics of other rows.

    Cases, weights, class weights or means, risks and gains of all nodes are computed from X and y, and so are
    the predictions. A node that no row reaches predicts as its parent. Priors and losses stay; the weights of
    classes are not applied again, so give them as `sample_weight`. What routes rows with missing values stays
    as it was learned. Competitors are dropped, and the splits of C4.5, C5.0 and REPTree keep their gains.

    >>> from bough.example_models import iris_tree
    >>> X = [[1.4, 0.2], [4.7, 1.4], [6.0, 2.5], [5.9, 2.1]]
    >>> tree = refitted(iris_tree(), X, ["setosa", "versicolor", "virginica", "setosa"])
    >>> tree.cases.tolist(), tree.predict([[5.9, 2.1]]).tolist()
    ([4.0, 1.0, 3.0, 1.0, 2.0], ['setosa'])
    """
    _check(tree)
    sample = read_sample(tree, X, y, sample_weight)
    present = np.flatnonzero(sample.weight > 0)
    if len(present) == 0:
        raise WeightError("No row has a positive weight; give at least one.")
    if len(present) < sample.table.n_rows:
        sample = sample.take(present)
    fields = _from_fractions(tree, sample) if tree.share is not None else _from_rows(tree, sample)
    step = {"by": "refit", "rows": sample.table.n_rows}
    untested: dict[str, Any] = dict.fromkeys(TEST_ARRAYS)
    kept = dataclasses.replace(tree, competitors=None, **untested)
    return dataclasses.replace(kept, recipe=with_step(tree.recipe, step), **fields)


def _check(tree: Tree) -> None:
    if tree.leaf_models is not None or "method" in tree.recipe or tree.criterion == "poisson":
        what = "leaf models" if tree.leaf_models is not None else "a method of your own"
        what = "Poisson rates" if tree.criterion == "poisson" else what
        raise ParameterError(f"A tree with {what} cannot be refitted; grow it again with bough.regrow.")


def _from_rows(tree: Tree, sample: LabeledRows) -> dict[str, Any]:
    """Return the statistics of each node, computed as growth computes them."""
    rows_at = dict(rows_by_node(tree, route(tree, sample.table)))
    measured = _measured(tree, sample, sample.weights)
    nodes = [measured.summary(rows_at[node]) for node in range(tree.n_nodes)]
    statistics = np.stack([node.statistics for node in nodes])
    weight, risk = (np.array([getattr(node, name) for node in nodes]) for name in ("weight", "risk"))
    fields: dict[str, Any] = {"cases": np.array([node.cases for node in nodes]), "weight": weight}
    class_scale = _class_scale(tree, statistics[0])
    if class_scale is not None or tree.loss_matrix is not None:
        risk = expected_losses(statistics, class_scale, tree.loss_matrix).min(axis=1)
        fields["class_scale"] = class_scale
    gain = tree.gain
    if tree.criterion in CRITERIA[tree.task]:
        split_weights = _split_weights(tree, sample, class_scale, statistics[0])
        gain = _gains(tree, sample, _measured(tree, sample, split_weights), rows_at, weight)
    return fields | {"statistics": statistics, "risk": risk, "gain": gain}


def _measured(tree: Tree, sample: LabeledRows, weights: Weights) -> MeasuredRows:
    target = ClassTarget(tree.classes, sample.answers) if tree.task == "classification" else sample.answers
    own = tree.criterion in CRITERIA[tree.task]
    reads = statistics_of(tree.criterion, tree.task) if own else None
    return MeasuredRows.of(target, weights, sample.table.n_rows, reads)


def _class_scale(tree: Tree, counts: Floats) -> Floats | None:
    """Return prior / frequency of each class, with the frequencies of the new rows."""
    if tree.class_scale is None:
        return None
    prior = tree.class_scale * tree.statistics[0] / tree.weight[0]
    share = counts / counts.sum()
    return np.asarray(np.divide(prior, share, out=tree.class_scale.copy(), where=share > 0))


def _split_weights(tree: Tree, sample: LabeledRows, class_scale: Floats | None, counts: Floats) -> Weights:
    """Return the weights of the rows in splits, which priors and losses alter; see `class_costs`."""
    if class_scale is None and (tree.loss_matrix is None or reads_losses(tree.criterion)):
        return sample.weights
    scale = np.ones(len(tree.classes)) if class_scale is None else class_scale
    if not reads_losses(tree.criterion):
        losses = 1.0 - np.eye(len(scale)) if tree.loss_matrix is None else tree.loss_matrix
        scale = scale * losses.sum(axis=1)
        scale = scale / (scale * counts / counts.sum()).sum()
    return Weights(sample.weight * scale[sample.answers], sample.weights.cases, whole=False)


def _gains(
    tree: Tree,
    sample: LabeledRows,
    measured: MeasuredRows,
    rows_at: Mapping[int, npt.NDArray[np.intp]],
    weight: Floats,
) -> Floats:
    """Return the value of each split per unit of its node's weight; 0 if it does not divide the rows."""
    loss = split_loss(tree.criterion, tree.loss_matrix)
    gains = np.where(tree.is_leaf, np.nan, 0.0)
    learned = tree.recipe.get("missing") in ("learned", "floating_level")
    for node in np.flatnonzero(~tree.is_leaf & (weight > 0)).tolist():
        split, rows = tree.split(node), rows_at[node]
        if split is None or not np.ptp(sample.answers[rows]) > 0:
            continue
        branch = split.branch(column_values(tree, sample.table, split.column, rows))
        # Missing values count if the search chose a branch for them.
        default = int(tree.default_branch[node])
        chosen = learned or takes_only_missing(split, default)
        group = np.where(branch < 0, default if chosen else split.n_branches, branch).astype(np.intp)
        value, of_node = value_of_branches(tree.criterion, measured, rows, group, split.n_branches, loss)
        gains[node] = value * (of_node / weight[node])
    return gains


def _from_fractions(tree: Tree, sample: LabeledRows) -> dict[str, Any]:
    """Return the statistics of each node of a tree that divides rows with missing values into fractions."""
    sums = node_statistics(tree, sample)
    cases = sample.weights.cases_of_each(sample.table.n_rows)
    counted = subtree_sums(tree, collected(tree, sample.table, cases[:, None])[:, 0])
    if tree.task == "classification":
        class_scale = _class_scale(tree, sums[0])
        risk = expected_losses(sums, class_scale, tree.loss_matrix).min(axis=1)
        statistics, weight = sums, sums.sum(axis=1)
        return {
            "cases": counted,
            "weight": weight,
            "statistics": statistics,
            "risk": risk,
            "class_scale": class_scale,
        }
    weight, total, squares = sums.T
    mean = np.divide(total, weight, out=np.zeros_like(weight), where=weight > 0)
    return {
        "cases": counted,
        "weight": weight,
        "statistics": (tree.statistics[0, 0] + mean)[:, None],
        "risk": np.maximum(squares - mean * total, 0.0),
    }
