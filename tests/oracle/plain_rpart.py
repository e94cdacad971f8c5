"""R's rpart, slowly and plainly: a whole fit in the layout of rpart's own frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tests.oracle.plain_rpart_cv import cp_table, cross_validated, distinct_alphas
from tests.oracle.plain_rpart_growth import Control, Grower, PlainColumn, PlainNode
from tests.oracle.plain_rpart_methods import Anova, Classes, Poisson
from tests.oracle.plain_rpart_surrogates import LEFT, RIGHT, UNKNOWN, PlainSplit


@dataclass(frozen=True, eq=False)
class Problem:
    """What rpart is asked: columns, a method that holds the target, weights, costs, settings and folds.

    Each row must be known in some column: rpart drops the others before it begins.
    """

    columns: list[PlainColumn]
    method: Anova | Classes | Poisson
    weight: np.ndarray
    control: Control
    cost: np.ndarray | None = None
    groups: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """What rpart answers."""

    problem: Problem
    root: PlainNode
    cptable: list[list[float]]

    @property
    def nodes(self) -> dict[int, PlainNode]:
        """The nodes by rpart's numbers: the children of i are 2i and 2i + 1."""
        return {node.id: node for node in self.root.walk()}

    def where(self):
        """The node where each row of the table ended in growth."""
        ends = np.zeros(len(self.problem.weight), dtype=int)
        for node in self.root.walk():
            ends[node.rows] = node.id
        return ends

    def ends(self, columns):
        """The node where each row of another table ends.

        Where no split knows the side, the child with more rows is taken; here weights do not count.
        """
        n = len(columns[0].values)
        # After the fit a cut at a level itself has that level below it; in growth it is not there.
        values = [column.values - 0.25 * column.ordered for column in columns]
        return np.array([self._end([each[row : row + 1] for each in values]) for row in range(n)])

    def _end(self, values):
        node, use = self.root, self.problem.control.usesurrogate
        while node.children:
            side = UNKNOWN
            for split in [node.primary, *(node.surrogates if use > 0 else [])]:
                side = side or int(split.side(values[split.column])[0])
            if side == UNKNOWN and use > 1:
                left, right = (len(child.rows) for child in node.children)
                side = int(np.sign(right - left))
            if side == UNKNOWN:
                break
            node = node.children[0 if side == LEFT else 1]
        return node.id

    def importance(self):
        """What each column gained in primary splits, and in surrogates by their adjusted agreement."""
        gained: dict[int, float] = {}
        for node in self.root.walk():
            if node.primary is None:
                continue
            scale = node.risk if isinstance(self.problem.method, Anova) else 1.0
            gain = node.primary.improve * scale
            gained[node.primary.column] = gained.get(node.primary.column, 0.0) + gain
            for split in node.surrogates:
                gained[split.column] = gained.get(split.column, 0.0) + gain * split.adj
        return {self.problem.columns[position].name: value for position, value in gained.items()}


def fit(problem: Problem) -> Fit:
    """Fit as rpart does; without groups the cp table has no xerror and xstd."""
    grower = Grower(problem.columns, problem.method, problem.weight, problem.cost, problem.control)
    rows = np.arange(len(problem.weight))
    alpha = problem.control.cp * problem.method.evaluate(rows)[1]
    root = grower.tree(rows, alpha)
    alphas = distinct_alphas(root, alpha)
    table = cp_table(root, alphas)
    if problem.groups is not None:
        # rpart has nothing to choose from where the root is not split, and does not ask what its error is.
        errors = np.zeros((2, 1))
        if len(alphas) > 1:
            errors = cross_validated(grower, root, alphas, alpha, problem.groups)
        table = [[*row, *pair] for row, *pair in zip(table, *errors, strict=True)]
    return Fit(problem, root, table)


__all__ = ["LEFT", "RIGHT", "Control", "Fit", "PlainColumn", "PlainSplit", "Problem", "fit"]
