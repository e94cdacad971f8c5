"""The target as growth reads it: what each row weighs in splits and in nodes, and what errors cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.data.training import taken
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class WeightedTarget:
    """What the rows teach: the target of each, what each weighs, and what errors cost.

    `split_weight` is what the rows weigh when splits are evaluated, where that differs from what they weigh
    in the nodes. `class_scale` and `loss_matrix` say how a node answers; see `bough.Tree`. A Poisson rate is
    shrunk as if `prior_events` had come at the root's rate. `numbers` are what a user's method reads.
    """

    target: ClassTarget | Floats
    weights: Weights
    split_weight: Floats | None = None
    class_scale: Floats | None = None
    loss_matrix: Floats | None = None
    prior_events: float = 0.0
    numbers: Floats | None = None

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes; none where numbers are predicted."""
        return self.target.classes if isinstance(self.target, ClassTarget) else ()

    @property
    def answers(self) -> npt.NDArray[Any]:
        """The class code or the number of each row."""
        return self.target.codes if isinstance(self.target, ClassTarget) else self.target

    def take(self, rows: npt.NDArray[Any]) -> WeightedTarget:
        """Return the target of some rows, by their positions or a mask; what errors cost stays."""
        return replace(
            self,
            target=taken(self.target, rows),
            weights=self.weights.take(rows),
            split_weight=None if self.split_weight is None else self.split_weight[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
        )

    def parts(
        self, table: Table, folds: npt.NDArray[np.int32] | None
    ) -> Iterator[tuple[Table, WeightedTarget]]:
        """Give the table and the target of all rows, then for each fold those of the rows outside it.

        >>> from bough.data.target import read_classes, read_weights
        >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
        >>> target = WeightedTarget(y, read_weights(None, 3))
        >>> [part.n_rows for part, _ in target.parts(table, np.array([0, 1, 1], np.int32))]
        [3, 2, 1]
        """
        yield table, self
        for fold in range(0 if folds is None else int(folds.max(initial=-1)) + 1):
            rows = np.flatnonzero(folds != fold)
            yield table.take(rows), self.take(rows)

    def error_costs(self) -> Floats | None:
        """Return the loss of each answer for each class, scaled by the class; None: every error costs 1."""
        if self.class_scale is None and self.loss_matrix is None:
            return None
        k = len(self.classes)
        loss = 1.0 - np.eye(k) if self.loss_matrix is None else self.loss_matrix
        scale = np.ones(k) if self.class_scale is None else self.class_scale
        return np.ascontiguousarray((loss * scale[:, None]).ravel())
