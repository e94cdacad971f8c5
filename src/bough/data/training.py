"""Training rows: the table, the target and the weights that a learner is fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from bough.data.ranking import Groups
from bough.data.schema import Level
from bough.data.several_targets import SeveralTargets
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.types import Floats


class GivenRows(NamedTuple):
    """The arguments of `fit` that describe rows, before they are read."""

    X: Any
    y: Any = None
    sample_weight: Any = None
    exposure: Any = None
    groups: Any = None


@dataclass(frozen=True, eq=False)
class Training:
    """The rows given to `fit` that have positive weight.

    `rows` are their positions among the `n_given` rows. `target` holds their classes or numbers; for survival
    times it holds whether the event happened, and `exposure` holds the times. `absent_classes` are classes of
    y whose rows all have weight 0: they are not classes of the model, but priors and losses may name them.
    `row_keys` are the keys by whose hash rows are divided into folds.
    `groups` are the codes of the groups that rows are ranked in.
    """

    table: Table
    target: ClassTarget | npt.NDArray[Any] | SeveralTargets
    weights: Weights
    rows: npt.NDArray[np.intp]
    n_given: int
    target_name: str | None = None
    exposure: Floats | None = None
    absent_classes: tuple[Level, ...] = ()
    row_keys: npt.NDArray[Any] | None = None
    groups: Groups | None = None

    def take(self, kept: npt.NDArray[np.intp]) -> Training:
        """Return the training rows at some positions.

        >>> from bough.data.target import read_weights
        >>> y = np.array([5.0, 7.0])
        >>> training = Training(Table.read([[1.0], [2.0]]), y, read_weights(None, 2), np.arange(2), 2)
        >>> training.take(np.array([1])).target
        array([7.])
        """
        return replace(
            self,
            table=self.table.take(kept),
            target=taken(self.target, kept),
            weights=self.weights.take(kept),
            rows=self.rows[kept],
            exposure=None if self.exposure is None else self.exposure[kept],
            row_keys=None if self.row_keys is None else self.row_keys[kept],
            groups=None if self.groups is None else self.groups[kept],
        )


@overload
def taken(target: SeveralTargets, rows: npt.NDArray[Any]) -> SeveralTargets: ...
@overload
def taken(
    target: ClassTarget | npt.NDArray[Any], rows: npt.NDArray[Any]
) -> ClassTarget | npt.NDArray[Any]: ...
@overload
def taken(
    target: ClassTarget | npt.NDArray[Any] | SeveralTargets, rows: npt.NDArray[Any]
) -> ClassTarget | npt.NDArray[Any] | SeveralTargets: ...
def taken(
    target: ClassTarget | npt.NDArray[Any] | SeveralTargets, rows: npt.NDArray[Any]
) -> ClassTarget | npt.NDArray[Any] | SeveralTargets:
    """Return the target of some rows, with the same list of classes.

    >>> taken(ClassTarget(("a", "b"), np.array([0, 1], np.int32)), np.array([1])).codes
    array([1], dtype=int32)
    """
    if isinstance(target, ClassTarget):
        return ClassTarget(target.classes, target.codes[rows])
    return target.take(rows) if isinstance(target, SeveralTargets) else target[rows]
