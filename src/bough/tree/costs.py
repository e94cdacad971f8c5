"""Costs of errors: the loss matrix of a tree, and the expected cost of each prediction in its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bough.data.lines import aligned
from bough.data.schema import Level
from bough.data.words import decimals_of, figure_words, level_words
from bough.tree.answer import answers_of, expected_losses
from bough.tree.nodes import Nodes
from bough.types import Floats

_MOST_CLASSES = 6


class ExpectedCost(NamedTuple):
    """The expected cost per case of a tree, and the least that a constant answer costs, on training rows."""

    tree: float
    constant: float
    answer: Level

    def words(self) -> str:
        """Return the two costs as a sentence.

        >>> ExpectedCost(0.153, 0.627, "ill").words()
        'Expected cost per training case: 0.153; of the best constant answer, ill: 0.627.'
        """
        constant = (
            f"of the best constant answer, {level_words(self.answer)}: {figure_words(self.constant, 4)}"
        )
        return f"Expected cost per training case: {figure_words(self.tree, 4)}; {constant}."


def answer_costs(tree: Nodes) -> Floats | None:
    """Return the expected cost per case of predicting each class (column) at each node (row).

    Cases count as in the tree's priors. It is None if the tree was grown without a loss matrix.

    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["ill", "well", "well", "well"]
    >>> model = bough.CARTClassifier(loss_matrix={("ill", "well"): 5}, prune="none", max_depth=1)
    >>> answer_costs(model.fit(X, y).tree_)
    array([[0.75, 1.25],
           [0.  , 5.  ],
           [1.  , 0.  ]])
    """
    return None if tree.loss_matrix is None else _per_case(tree, answers_of(tree).class_weights)


def expected_cost(tree: Nodes) -> ExpectedCost | None:
    """Return the expected cost per case of a tree and of the best constant answer; None without losses.

    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["ill", "well", "ill", "well"]
    >>> expected_cost(bough.CARTClassifier(loss_matrix={("ill", "well"): 3}, prune="none").fit(X, y).tree_)
    ExpectedCost(tree=0.0, constant=0.5, answer='ill')
    """
    costs = answer_costs(tree)
    if costs is None:
        return None
    leaves = np.flatnonzero(tree.is_leaf & (tree.weight > 0))
    weights = tree.statistics if tree.class_scale is None else tree.statistics * tree.class_scale
    mass = weights[leaves].sum(axis=1)
    own = costs[leaves, answers_of(tree).codes[leaves]]
    best = int(costs[0].argmin())
    return ExpectedCost(float(own @ mass / mass.sum()), float(costs[0, best]), tree.classes[best])


def node_costs(tree: Nodes, node: int) -> dict[Level, float] | None:
    """Return the expected cost per case of each answer at a node; None without a loss matrix.

    >>> from bough.example_models import iris_tree
    >>> node_costs(iris_tree(), 0) is None
    True
    """
    if tree.loss_matrix is None:
        return None
    costs = _per_case(tree, tree.statistics[tree.answering[node]])
    return dict(zip(tree.classes, costs.tolist(), strict=True))


def _per_case(tree: Nodes, weights: Floats) -> Floats:
    mass = weights if tree.class_scale is None else weights * tree.class_scale
    losses = expected_losses(weights, tree.class_scale, tree.loss_matrix)
    return np.asarray(losses / mass.sum(axis=-1, keepdims=True))


def cost_words(costs: dict[Level, float], answer: Level) -> str:
    """Return the expected cost of each answer as text; with more than six classes, that of the answer given.

    >>> cost_words({"ill": 0.5, "well": 1.5}, "ill")
    'cost as ill 0.5, as well 1.5'
    """
    shown = costs if len(costs) <= _MOST_CLASSES else {answer: costs[answer]}
    return "cost " + ", ".join(f"as {level_words(a)} {figure_words(cost, 4)}" for a, cost in shown.items())


def loss_matrix_text(classes: tuple[Level, ...], loss_matrix: Floats) -> str:
    r"""Return the loss matrix as text, with a line for each true class; only its range for many classes.

    >>> print(loss_matrix_text(("ill", "well"), np.array([[0.0, 3.0], [1.0, 0.0]])))
    Costs of errors:
    true \ answer  ill  well
    ill            0    3
    well           1    0
    """
    if len(classes) > _MOST_CLASSES:
        errors = loss_matrix[~np.eye(len(classes), dtype=np.bool_)]
        return f"Costs of errors: from {figure_words(errors.min())} to {figure_words(errors.max())}"
    labels = [level_words(label) for label in classes]
    lines = [["true \\ answer", *labels]]
    decimals = decimals_of(loss_matrix.ravel().tolist())
    for label, row in zip(labels, loss_matrix, strict=True):
        lines.append([label, *(figure_words(cost, decimals=decimals) for cost in row)])
    return "\n".join(["Costs of errors:", *aligned(lines, right=range(1, len(lines[0])))])


def costs_text(tree: Nodes) -> str:
    r"""Return the loss matrix and the expected cost of a tree as text; "" without a loss matrix.

    >>> from bough.example_models import iris_tree
    >>> costs_text(iris_tree())
    ''
    """
    expected = expected_cost(tree)
    if expected is None or tree.loss_matrix is None:
        return ""
    return f"{loss_matrix_text(tree.classes, tree.loss_matrix)}\n{expected.words()}"
