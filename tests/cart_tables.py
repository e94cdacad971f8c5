"""Tables to try CART on: numbers and levels, some missing, and targets that follow them with noise."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bough.data.schema import Column, Schema
from bough.data.table import Table

LEVELS = ("l0", "l1", "l2", "l3")


@dataclass
class Drawn:
    """A table with a target of each kind."""

    table: Table
    labels: np.ndarray
    numbers: np.ndarray
    events: np.ndarray
    rng: np.random.Generator = field(repr=False)

    def whole_weights(self, most: int = 3) -> np.ndarray:
        """Weights from 1 to `most`."""
        return self.rng.integers(1, most + 1, self.table.n_rows).astype(float)

    def repeated(self, weight: np.ndarray, *arrays: Any) -> tuple[Any, ...]:
        """The table, then the arrays, with each row as often as it weighs."""
        rows = np.repeat(np.arange(self.table.n_rows), weight.astype(int))
        return self.table.take(rows), *(np.asarray(array)[rows] for array in arrays)


def drawn(seed: int, n_rows: int = 60, *, missing: float = 0.0, n_classes: int = 2) -> Drawn:
    """Draw three columns of numbers, one of which is much like another, one of levels and a noisy target."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 3))
    x[:, 1] = x[:, 0] + 0.4 * x[:, 1]
    codes = rng.integers(0, len(LEVELS), n_rows).astype(np.int32)
    signal = x[:, 0] - 0.5 * x[:, 2] + 0.6 * (codes % 2) + 0.5 * rng.normal(size=n_rows)
    ranks = np.argsort(np.argsort(signal))
    labels = ranks * n_classes // n_rows
    columns = [*x.T.copy(), codes]
    for column in columns:
        column[rng.random(n_rows) < missing] = -1 if column is codes else np.nan
    schema = Schema((*(Column(f"x{i}", "numeric") for i in range(3)), Column("level", "nominal", LEVELS)))
    columns[2] = np.where(_empty(columns), 0.0, columns[2])
    table = Table(schema, tuple(columns), n_rows)
    events = rng.poisson(np.exp(0.7 * signal)).astype(float)
    events[0] += 1
    return Drawn(table, labels, signal, events, rng)


def _empty(columns: list[np.ndarray]) -> np.ndarray:
    return np.logical_and.reduce([np.isnan(columns[i]) for i in range(3)] + [columns[3] < 0])
