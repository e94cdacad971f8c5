"""The job of an engine: the rows and the recipe that trees are grown from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget


@dataclass(frozen=True, eq=False)
class GrowingJob:
    """A tree to grow on all rows of a table and, for each fold, a tree on the rows outside it.

    Folds are numbered from 0; a row of fold −1 is in every tree. `n_jobs` is the number of threads.
    """

    table: Table
    target: WeightedTarget
    recipe: Recipe
    folds: npt.NDArray[np.int32] | None = None
    target_name: str | None = None
    n_jobs: int | None = None

    @property
    def n_folds(self) -> int:
        """The number of folds, 0 without any."""
        return 0 if self.folds is None else int(self.folds.max(initial=-1)) + 1

    def parts(self) -> Iterator[GrowingJob]:
        """Yield the job of each tree: all rows, then for each fold the rows outside it.

        >>> from bough.data.target import read_classes, read_weights
        >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
        >>> target, recipe = WeightedTarget(y, read_weights(None, 3)), Recipe("gini", task="classification")
        >>> job = GrowingJob(table, target, recipe, np.array([0, 1, 1], np.int32))
        >>> [part.table.n_rows for part in job.parts()]
        [3, 2, 1]
        """
        yield replace(self, folds=None)
        for fold in range(self.n_folds):
            rows = np.flatnonzero(self.folds != fold)
            yield replace(self, table=self.table.take(rows), target=self.target.take(rows), folds=None)
