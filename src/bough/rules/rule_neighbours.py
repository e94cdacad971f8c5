"""Correction of rules by neighbours: the training rows nearest to a row say how wrong the rules are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Schema
from bough.data.table import Table
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class RuleNeighbours:
    """The training rows, and how their neighbours correct predictions, as in Cubist.

    `rows` has a column for each column of the schema, with the codes of levels, and no missing values; `y` is
    the target and `predicted` what the rules predict for it. The distance of two rows is the sum over the
    columns of their difference in units of five deviations, at most 1, or of 2 / k where one of k levels
    differs; ordinal columns of more than two levels do not count. A column of deviation 0 does not count
    either. Up to `n_neighbours` rows within `max_distance` count, with ties, weighted by
    1 / (distance + 0.5). The answer is limited to `floor` and `ceiling`.
    """

    schema: Schema
    rows: Floats
    y: Floats
    predicted: Floats
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    n_neighbours: int
    max_distance: float
    floor: float
    ceiling: float

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def corrected(self, table: Table, base: Floats) -> Floats:
        """Return predictions of the rules for rows without missing values, corrected by their neighbours."""
        if not table.n_rows:
            return base
        columns = native_columns(self.schema, table.columns)
        return np.asarray(self._native.correct(columns, base.astype(np.float32)))

    @cached_property
    def _native(self) -> Any:
        columns = [
            self.rows[:, place] if column.scale == "numeric" else self.rows[:, place].astype(np.int32)
            for place, column in enumerate(self.schema.columns)
        ]
        return _core.CubistNeighbours(
            native_columns(self.schema, columns),
            self.y.astype(np.float32),
            np.array(self.mean, dtype=np.float32),
            np.array(self.deviation, dtype=np.float32),
            self.predicted.astype(np.float32),
            self.n_neighbours,
            self.max_distance,
            self.floor,
            self.ceiling,
        )

    def document(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "rows": self.rows.tolist(),
            "y": self.y.tolist(),
            "predicted": self.predicted.tolist(),
            "mean": list(self.mean),
            "deviation": list(self.deviation),
            "n_neighbours": self.n_neighbours,
            "max_distance": self.max_distance,
            "floor": self.floor,
            "ceiling": self.ceiling,
        }


def native_columns(schema: Schema, columns: Sequence[npt.NDArray[Any]]) -> list[tuple[Any, bool, int]]:
    """Return columns as the core reads them: 32-bit numbers or codes, whether ordered, number of levels.

    >>> from bough.example_models import cars_tree
    >>> native_columns(cars_tree().schema, [np.array([4.0]), np.array([90.0])])[0]
    (array([4.], dtype=float32), False, -1)
    """
    made: list[tuple[Any, bool, int]] = []
    for column, values in zip(schema.columns, columns, strict=True):
        if column.scale == "numeric":
            with np.errstate(over="ignore"):
                made.append((np.ascontiguousarray(values, dtype=np.float32), False, -1))
        else:
            codes = np.ascontiguousarray(values, dtype=np.int32)
            # The order of two levels says nothing: Cubist takes them as nominal.
            is_ordered = column.scale == "ordinal" and len(column.levels) > 2
            made.append((codes, is_ordered, len(column.levels)))
    return made
