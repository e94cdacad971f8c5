"""The target as growth reads it, with the weights of the rows and the losses of errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.data.several_targets import SeveralTargets, Target
from bough.data.target import ClassTarget, Weights, classes_of
from bough.data.training import taken
from bough.errors import TargetError
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class WeightedTarget:
    """The target and the weights of the rows, and the losses of errors.

    `split_weight` holds the weights for evaluating splits if they differ from the weights in the nodes.
    `class_scale` and `loss_matrix` determine the prediction of a node; see `bough.Tree`. A Poisson rate is
    shrunk as if a node had `prior_events` more events at the root's rate. `numbers` is the target of a user's
    method.
    """

    target: ClassTarget | Floats | SeveralTargets
    weights: Weights
    split_weight: Floats | None = None
    class_scale: Floats | None = None
    loss_matrix: Floats | None = None
    prior_events: float = 0.0
    numbers: Floats | None = None

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes; empty in regression. Of several targets those of the first."""
        if isinstance(self.target, SeveralTargets):
            return self.target.targets[0].classes
        return classes_of(self.target)

    @property
    def single(self) -> ClassTarget | Floats:
        """The target, for engines that grow trees of one target; raise if there are several."""
        if isinstance(self.target, SeveralTargets):
            raise TargetError("y has several columns, but this engine grows trees of one target.")
        return self.target

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets, if they are several."""
        return self.target.targets if isinstance(self.target, SeveralTargets) else ()

    @property
    def answers(self) -> npt.NDArray[Any]:
        """The class code or the number of each row; a row of them for each row if targets are several."""
        if isinstance(self.target, SeveralTargets):
            return self.target.values
        return self.target.codes if isinstance(self.target, ClassTarget) else self.target

    def take(self, rows: npt.NDArray[Any]) -> WeightedTarget:
        """Return the target of some rows, given by positions or a mask; losses do not change."""
        return replace(
            self,
            target=taken(self.target, rows),
            weights=self.weights.take(rows),
            split_weight=None if self.split_weight is None else self.split_weight[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
        )

    def error_costs(self) -> Floats | None:
        """Return the flattened loss matrix, scaled by class; None if every error costs 1."""
        if self.class_scale is None and self.loss_matrix is None:
            return None
        k = len(self.classes)
        loss = 1.0 - np.eye(k) if self.loss_matrix is None else self.loss_matrix
        scale = np.ones(k) if self.class_scale is None else self.class_scale
        return np.ascontiguousarray((loss * scale[:, None]).ravel())
