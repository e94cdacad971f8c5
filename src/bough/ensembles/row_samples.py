"""The samples of rows that the members of a fitted ensemble were grown on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.training import Training
from bough.growing.draws import RowSampling


@dataclass(frozen=True, eq=False)
class RowSamples:
    """The samples of an ensemble, which follow from their settings and a seed and take no memory.

    They are drawn from the `n_rows` rows of positive weight. `rows` are the positions of these among the
    `n_given` rows of fit, or None if they are all of them.
    """

    sampling: RowSampling
    seed: int
    n_rows: int
    n_given: int
    rows: npt.NDArray[np.intp] | None

    @classmethod
    def of(cls, training: Training, sampling: RowSampling, seed: int) -> RowSamples:
        """Return the samples from the rows of a fit.

        >>> from bough.growing.recipe import Recipe
        >>> from bough.learners.reading import read_training
        >>> rows = read_training(Recipe("gini", task="classification"), [[1], [2]], ["a", "b"], [1, 0])
        >>> RowSamples.of(rows, RowSampling(), seed=0).rows
        array([0])
        """
        n_rows, n_given = training.table.n_rows, training.n_given
        return cls(sampling, seed, n_rows, n_given, None if n_rows == n_given else training.rows)

    def draws(self, n_members: int) -> npt.NDArray[np.uint32]:
        """Return how often each row of positive weight is in each sample (rows × members).

        >>> RowSamples(RowSampling(), 0, 2, 2, None).draws(1).T
        array([[1, 1]], dtype=uint32)
        """
        return self.sampling.draws(self.n_rows, self.seed, n_members)

    def members(self, n_members: int) -> list[npt.NDArray[np.intp]]:
        """Return the rows of each sample, repeated as often as drawn, counted among those of positive weight.

        >>> RowSamples(RowSampling(), 0, 2, 2, None).members(1)
        [array([0, 1])]
        """
        return self.sampling.rows(self.n_rows, self.seed, n_members)

    def native(self) -> dict[str, Any]:
        """Return the samples as arguments of the native code, such as that of `Forest.tally`.

        >>> RowSamples(RowSampling(), 7, 2, 2, None).native()["seed"]
        7
        """
        return {"sample": self.sampling.native(), "seed": self.seed}

    def are_of(self, training: Training) -> bool:
        """Whether other training rows have the same positions among as many rows.

        >>> from bough.growing.recipe import Recipe
        >>> from bough.learners.reading import read_training
        >>> rows = read_training(Recipe("gini", task="classification"), [[1], [2]], ["a", "b"])
        >>> RowSamples(RowSampling(), 7, 3, 3, None).are_of(rows)
        False
        """
        if self.n_given != training.n_given or self.n_rows != training.table.n_rows:
            return False
        return self.rows is None or np.array_equal(self.rows, training.rows)

    def expanded(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Expand to all rows of fit; rows of weight 0 get NaN, or 0 in integer arrays.

        >>> RowSamples(RowSampling(), 0, 2, 3, np.array([0, 2])).expanded(np.array([0.5, 1.5]))
        array([0.5, nan, 1.5])
        """
        if self.rows is None:
            return values
        filler = np.nan if values.dtype.kind == "f" else 0
        full = np.full((self.n_given, *values.shape[1:]), filler, dtype=values.dtype)
        full[self.rows] = values
        return full
