"""Losses of held-out rows computed by a Python function, with one call for each level of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.growing.pruning import PathMethod
from bough.pruning.cost_complexity import complexities
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

RowLoss: TypeAlias = Callable[["Tree", npt.NDArray[np.int32], npt.NDArray[np.intp]], Floats]
"""A function that returns the losses of rows if the given nodes of a tree predict them."""


@dataclass(frozen=True, eq=False)
class RowLosses:
    """The losses of held-out rows, computed by a function and multiplied by 4**`power`."""

    loss: RowLoss
    power: int = 0

    def scaled(self, power: int) -> RowLosses:
        """Return the same losses times 4**power.

        >>> RowLosses(lambda tree, nodes, rows: np.ones(len(rows))).scaled(-1).power
        -1
        """
        return replace(self, power=power)

    def sums(
        self,
        tree: Tree,
        method: PathMethod,
        ends: npt.NDArray[np.int32],
        rows: npt.NDArray[np.intp],
        weight: Floats,
        alphas: Floats,
    ) -> tuple[Floats, Floats]:
        """Return for each alpha the weighted sums of the losses of the pruned tree and of their squares.

        `ends` are the nodes that the rows are routed to. A node predicts the rows that pass it for alphas
        from its own complexity up to but excluding its parent's.

        >>> from bough.example_models import cars_tree
        >>> y, tree = np.array([30.0, 10.0]), cars_tree()
        >>> losses = RowLosses(lambda tree, nodes, rows: abs(y[rows] - tree.answers()[nodes]))
        >>> ends, rows = tree.apply([[2.0, 4], [5.0, 8]]), np.arange(2)
        >>> losses.sums(tree, "weakest_link", ends, rows, np.ones(2), np.array([0.0, np.inf]))[0].round(2)
        array([11.6, 20. ])
        """
        complexity = complexities(tree, method)
        sums, squares, infinite = np.zeros((3, len(alphas) + 1))
        # A row that stops at an inner node is predicted there for any smaller alpha too.
        low = np.zeros(len(ends), dtype=np.intp)
        current = ends
        while len(current):
            high = np.searchsorted(alphas, complexity[tree.parent[current]], side="left")
            high[current == 0] = len(alphas)
            answers = low < high
            if answers.any():
                lost, own = self.loss(tree, current[answers], rows[answers]), weight[answers]
                lost = np.ldexp(lost, 2 * self.power)
                # A rate of 0 has an infinite loss if an event occurred. Infinities cannot be subtracted, so
                # they are counted separately.
                endless = np.isinf(lost)
                lost = np.where(endless, 0.0, lost)
                for into, value in ((sums, own * lost), (squares, own * lost * lost), (infinite, endless)):
                    np.add.at(into, low[answers], value)
                    np.subtract.at(into, high[answers], value)
            onward = current > 0
            low, current = high[onward], tree.parent[current[onward]]
            rows, weight = rows[onward], weight[onward]
        is_endless = np.cumsum(infinite) > 0
        risk, square = (np.where(is_endless, np.inf, np.cumsum(each))[:-1] for each in (sums, squares))
        return risk, square
