"""The rows that boosting trains on, and those that it holds out to validate on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from bough.data.bins import Bins
from bough.data.ranking import Groups
from bough.data.several_targets import SeveralTargets, Target
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.errors import ParameterError
from bough.types import Floats

_LEAST_TO_HOLD_OUT = 2


@dataclass(frozen=True, eq=False)
class ValidationRows:
    """Rows that are not trained on and decide when boosting stops: a table, its target and its weights."""

    table: Table
    target: npt.NDArray[Any]
    weight: Floats | None = None
    time: Floats | None = None
    groups: Groups | None = None


@dataclass(frozen=True, eq=False)
class BoostingRows:
    """The rows that boosting reads: those to train on, and those that are held out to validate on.

    `values` are codes of classes, numbers, whether the event of a time happened, or the gains of rows that
    are ranked in `groups`. The last `n_added` rows were given to validate on.
    """

    table: Table
    values: npt.NDArray[Any]
    n_classes: int
    weight: Floats | None
    cases: Floats | None
    time: Floats | None
    targets: tuple[Target, ...] = ()
    held_out: npt.NDArray[np.bool_] | None = None
    groups: Groups | None = None
    n_added: int = 0

    @classmethod
    def of(cls, training: Training) -> Self:
        """Return training rows; none is held out.

        >>> from bough.data.target import read_weights
        >>> y = np.array([5.0, 7.0])
        >>> training = Training(Table.read([[1.0], [2.0]]), y, read_weights(None, 2), np.arange(2), 2)
        >>> BoostingRows.of(training).values
        array([5., 7.])
        """
        target, weights = training.target, training.weights
        n_classes = len(target.classes) if isinstance(target, ClassTarget) else 0
        targets = target.targets if isinstance(target, SeveralTargets) else ()
        if isinstance(target, ClassTarget):
            values: npt.NDArray[Any] = target.codes
        else:
            values = np.ascontiguousarray(target.values if isinstance(target, SeveralTargets) else target)
        return cls(
            training.table,
            values,
            n_classes,
            weights.weight,
            weights.cases,
            training.exposure,
            targets,
            groups=training.groups,
        )

    def with_validation(self, validation: ValidationRows) -> Self:
        """Return the rows with the validation rows behind them, which are held out.

        >>> rows = BoostingRows(Table.read([[1.0]]), np.array([5.0]), 0, None, None, None)
        >>> rows.with_validation(ValidationRows(Table.read([[2.0]]), np.array([7.0]))).held_out
        array([False,  True])
        """
        own, other = self.table, validation.table
        columns = tuple(
            np.concatenate([ours, theirs.astype(ours.dtype)])
            for ours, theirs in zip(own.columns, other.columns, strict=True)
        )
        table = Table(own.schema, columns, own.n_rows + other.n_rows)
        weight, time, cases = self.weight, self.time, self.cases
        if weight is not None or validation.weight is not None:
            weights = (weight, own.n_rows), (validation.weight, other.n_rows)
            weight = np.concatenate([np.ones(n) if each is None else each for each, n in weights])
        if time is not None and validation.time is not None:
            time = np.concatenate([time, validation.time])
        groups = self.groups
        if groups is not None and validation.groups is not None:
            groups = np.concatenate([groups, validation.groups + groups.max() + 1])
        return replace(
            self,
            table=table,
            values=np.concatenate([self.values, validation.target.astype(self.values.dtype)]),
            weight=weight,
            cases=None if cases is None else np.concatenate([cases, np.ones(other.n_rows)]),
            time=time,
            held_out=np.arange(table.n_rows) >= own.n_rows,
            groups=groups,
            n_added=other.n_rows,
        )

    def without(self, held_out: npt.NDArray[np.bool_]) -> Self:
        """Return the same rows, some of which are held out.

        >>> rows = BoostingRows(Table.read([[1.0], [2.0]]), np.array([5.0, 7.0]), 0, None, None, None)
        >>> rows.without(np.array([True, False])).held_out
        array([ True, False])
        """
        return replace(self, held_out=held_out)

    def bins(self, max_bins: int, n_jobs: int | None) -> Bins:
        """Return the bins of the rows that are not held out.

        >>> rows = BoostingRows(Table.read([[1.0], [2.0]]), np.array([5.0, 7.0]), 0, None, None, None)
        >>> rows.bins(255, 1).max_bins
        255
        """
        trained = None if self.held_out is None else ~self.held_out
        return Bins.of(self.table, max_bins, self.cases, rows=trained, n_jobs=n_jobs)

    def native(self, scores: Floats | None) -> dict[str, Any]:
        """Return the target as an argument of the native code; `scores` are those to start from.

        >>> rows = BoostingRows(Table.read([[1.0]]), np.array([5.0]), 0, None, None, None)
        >>> rows.native(None)["y"]
        array([5.])
        """
        return {
            "label": self.values if self.n_classes else None,
            "y": None if self.n_classes else self.values,
            "weight": self.weight,
            "time": self.time,
            "group": self.groups,
            "validation": None if self.held_out is None else self.held_out.astype(np.uint8),
            "scores": None if scores is None else np.ascontiguousarray(scores.T).ravel(),
        }

    def _parts(self) -> tuple[list[npt.NDArray[np.intp]], npt.NDArray[np.intp] | None]:
        """Return the positions of the rows of each class, all of them without classes, and None.

        Of rows that are ranked, return the positions of groups, and the position of the group of each row.
        """
        if self.groups is not None:
            ids, of_rows = np.unique(self.groups, return_inverse=True)
            return [np.arange(len(ids))], of_rows
        if not self.n_classes:
            return [np.arange(self.table.n_rows)], None
        return [np.flatnonzero(self.values == code) for code in range(self.n_classes)], None

    def drawn(self, share: float, seed: int | None) -> npt.NDArray[np.bool_]:
        """Return which rows are held out: a share of each class, or of the groups, drawn at random.

        >>> rows = BoostingRows(Table.read([[1.0], [2.0]]), np.array([5.0, 7.0]), 0, None, None, None)
        >>> rows.drawn(0.5, seed=0).sum()
        np.int64(1)
        """
        numbers = np.random.default_rng(seed)
        parts, of_rows = self._parts()
        held_out = np.zeros(sum(map(len, parts)), dtype=np.bool_)
        for part in parts:
            if len(part) >= _LEAST_TO_HOLD_OUT:
                many = min(max(1, round(share * len(part))), len(part) - 1)
                held_out[numbers.permutation(part)[:many]] = True
        if not held_out.any():
            what = "rows" if of_rows is None else "groups"
            raise ParameterError(
                f"validation_fraction is {share:g}, but there are too few {what} to hold any out. Set "
                "early_stopping=False."
            )
        return held_out if of_rows is None else held_out[of_rows]

    def folds(self, n_folds: int, seed: int | None) -> npt.NDArray[np.intp]:
        """Return the fold of each row; folds have as many rows of each class, or groups, up to one.

        >>> rows = BoostingRows(Table.read([[1.0], [2.0]]), np.array([5.0, 7.0]), 0, None, None, None)
        >>> sorted(rows.folds(2, seed=0).tolist())
        [0, 1]
        """
        parts, of_rows = self._parts()
        numbers = np.random.default_rng(seed)
        order = np.concatenate([numbers.permutation(part) for part in parts])
        if n_folds > len(order):
            what = "rows" if of_rows is None else "groups"
            raise ParameterError.of("cv", n_folds, f"at most {len(order)}, the number of {what}")
        fold = np.empty(len(order), dtype=np.intp)
        fold[order] = np.arange(len(order)) % n_folds
        return fold if of_rows is None else fold[of_rows]
