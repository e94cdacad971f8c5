"""The support of a tree's rules on rows that the tree was not grown on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bough.rules.rule import RuleSupport
from bough.tree.answer import deviation
from bough.tree.fractional import collected
from bough.tree.labeled_rows import LabeledRows, read_sample
from bough.tree.routing import route
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree


def measured_support(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> dict[int, RuleSupport]:
    """Return the support of the rule of each leaf on the rows of X and y, by leaf.

    A row whose value is missing at a split counts where the tree routes it: in one leaf, as fractions in
    several, or in none if it stops at an inner node.

    >>> from bough.example_models import iris_tree
    >>> X, y = [[1.4, 0.2], [5.1, 1.9], [5.1, 1.0]], ["setosa", "virginica", "virginica"]
    >>> [(leaf, each.confidence) for leaf, each in measured_support(iris_tree(), X, y).items()]
    [(1, 1.0), (3, 0.0), (4, 1.0)]
    """
    rows = read_sample(tree, X, y, sample_weight)
    cases = (rows.weight > 0).astype(np.float64) if rows.weights.cases is None else rows.weights.cases
    by_class = tree.task == "classification"
    targets = _class_weights(tree, rows) if by_class else rows.weight[:, None]
    sums = collected(tree, rows.table, np.column_stack([cases, rows.weight, targets]))
    count, weight = sums[:, 0], sums[:, 1]
    right = sums[np.arange(tree.n_nodes), 2 + tree.answer_codes()] if by_class else None
    errors = None if by_class else _deviations(tree, rows, weight)
    return {
        leaf: RuleSupport(
            cases=float(count[leaf]),
            share=float(count[leaf] / cases.sum()),
            weight=float(weight[leaf]),
            confidence=None if right is None or weight[leaf] == 0 else float(right[leaf] / weight[leaf]),
            deviation=None if errors is None or weight[leaf] == 0 else float(errors[leaf]),
            right=None if right is None or weight[leaf] == 0 else float(right[leaf]),
        )
        for leaf in np.flatnonzero(tree.is_leaf).tolist()
    }


def _class_weights(tree: Tree, rows: LabeledRows) -> Floats:
    weights = np.zeros((rows.table.n_rows, len(tree.classes)))
    weights[np.arange(rows.table.n_rows), rows.answers] = rows.weight
    return weights


def _deviations(tree: Tree, rows: LabeledRows, weight: Floats) -> Floats | None:
    """Return the error of each node's number on the rows that end there; None under a user's method."""
    if "method" in tree.recipe:
        return None
    answers, y = tree.answers(), rows.answers
    if tree.leaf_models is not None:
        error = y - tree.predict(rows.table)
        squares = rows.weight * error**2
        sums = np.bincount(route(tree, rows.table), squares, minlength=tree.n_nodes).astype(np.float64)
        return deviation(sums, weight, tree.criterion)
    if tree.criterion in ("absolute_error", "poisson"):
        ends = route(tree, rows.table)
        error = np.abs(y - answers[ends]) if tree.criterion != "poisson" else _deviance(y, answers[ends])
        risk = np.bincount(ends, rows.weight * error, minlength=tree.n_nodes).astype(np.float64)
    else:
        # Relative to the root's mean, so that squares do not lose digits.
        centre = tree.statistics[0, 0]
        moments = np.column_stack([rows.weight * (y - centre), rows.weight * (y - centre) ** 2])
        total, squares = collected(tree, rows.table, moments).T
        offset = answers - centre
        risk = np.maximum(squares - 2.0 * offset * total + offset**2 * weight, 0.0)
    return deviation(risk, weight, tree.criterion)


def _deviance(y: Floats, rate: Floats) -> Floats:
    """Return 2 (y ln(y / rate) − (y − rate)), which is infinite for events where none are predicted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(y > 0, y * np.log(y / rate), 0.0)
    return np.asarray(2.0 * (terms - (y - rate)))
