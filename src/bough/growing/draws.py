"""What an ensemble draws: the rows of each tree, the columns of each node, and how many trees there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough import _core

Draw: TypeAlias = Literal["all", "with_replacement", "without_replacement"]
EnsembleKind: TypeAlias = Literal["forest", "boosting", "bagging"]

_DRAWN_AT_ONCE = 10_000_000


@dataclass(frozen=True)
class RowSampling:
    """How each tree draws its rows: all of them, or a number of each stratum with or without replacement.

    >>> RowSampling("with_replacement", (3,)).native()
    {'draw': 'with_replacement', 'size': [3], 'stratum': None}
    """

    draw: Draw = "all"
    size: tuple[int, ...] = ()
    stratum: npt.NDArray[np.int32] | None = None

    def native(self) -> dict[str, Any]:
        """Return it as the native code takes it.

        >>> RowSampling().native()["draw"]
        'all'
        """
        return {"draw": self.draw, "size": list(self.size), "stratum": self.stratum}

    def is_like(self, other: RowSampling) -> bool:
        """Whether the other draws the same rows from the same seed.

        >>> RowSampling("with_replacement", (3,)).is_like(RowSampling("with_replacement", (2,)))
        False
        """
        if (self.draw, self.size) != (other.draw, other.size):
            return False
        if self.stratum is None or other.stratum is None:
            return self.stratum is other.stratum
        return np.array_equal(self.stratum, other.stratum)

    def draws(self, n_rows: int, seed: int, n_trees: int) -> npt.NDArray[np.uint32]:
        """Return how often each row is in the bag of each tree (rows × trees); R's `inbag`.

        >>> RowSampling("with_replacement", (3,)).draws(3, seed=1, n_trees=2).sum(axis=0)
        array([3, 3], dtype=uint64)
        """
        drawn = np.empty((n_rows, n_trees), dtype=np.uint32)
        # In parts, so that it can be interrupted.
        step = max(1, _DRAWN_AT_ONCE // max(1, n_rows))
        for first in range(0, n_trees, step):
            some = _core.draws(self.native(), n_rows, seed, first, min(step, n_trees - first))
            drawn[:, first : first + step] = some
        return drawn

    def rows(self, n_rows: int, seed: int, n_trees: int) -> list[npt.NDArray[np.intp]]:
        """Return the rows in the bag of each tree, each as often as it was drawn.

        >>> RowSampling("all", (2,)).rows(2, seed=1, n_trees=1)
        [array([0, 1])]
        """
        return [np.repeat(np.arange(n_rows), counts) for counts in self.draws(n_rows, seed, n_trees).T]


@dataclass(frozen=True)
class ColumnSampling:
    """Which columns a node of a forest's tree looks at.

    A node looks at `max_features` columns drawn anew, a tree at `tree_features` drawn once (0: at all). With
    `keep_searching` a node looks at further columns, one by one, while none that it saw can be split. With
    `random_splits` one random split of each column is tried instead of the best.

    >>> ColumnSampling(3).tree_features
    0
    """

    max_features: int = 1
    tree_features: int = 0
    keep_searching: bool = True
    random_splits: bool = False


@dataclass(frozen=True)
class Ensemble:
    """How many models answer together, of which kind, and which rows each of them draws.

    >>> Ensemble("forest", 100).rows.draw
    'all'
    """

    kind: EnsembleKind
    n_estimators: int = 1
    rows: RowSampling = RowSampling()
