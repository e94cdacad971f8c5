"""What a forest is grown on: the training rows with the recipe, and rows whose error is watched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.training import Training
from bough.errors import ParameterError
from bough.growing.draws import RowSampling
from bough.growing.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Prepared:
    """The training rows of positive weight, and the recipe of the forest."""

    training: Training
    recipe: Recipe

    @property
    def sampling(self) -> RowSampling:
        """How rows are sampled for each tree."""
        assert self.recipe.ensemble is not None
        return self.recipe.ensemble.rows

    @property
    def rows(self) -> npt.NDArray[np.intp] | None:
        """The positions of these rows among the rows passed to fit; None if they are all rows."""
        return None if len(self.training.rows) == self.training.n_given else self.training.rows


@dataclass(frozen=True, eq=False)
class MonitoredRows:
    """Rows whose error is monitored while a forest grows: out-of-bag training rows, or a test set."""

    name: str
    table: Table
    truth: npt.NDArray[Any]
    out_of_bag: bool


def check_several_in_forest(estimator: Any) -> None:
    """Raise if a parameter of a forest is defined for one target only and y has several.

    >>> from bough import RandomForestRegressor
    >>> check_several_in_forest(RandomForestRegressor(quantiles=True))
    Traceback (most recent call last):
    bough.errors.ParameterError: quantiles is True; it must be False if y has several columns.
    """
    defaults = {"voting": "soft", "cutoff": None, "bias_correction": False, "quantiles": False}
    for name, default in defaults.items():
        given = getattr(estimator, name, default)
        if given != default:
            raise ParameterError.of(name, given, f"{default!r} if y has several columns")
    if getattr(estimator, "criterion", None) == "absolute_error":
        wanted = "'squared_error' or 'poisson' if y has several columns"
        raise ParameterError.of("criterion", estimator.criterion, wanted)
