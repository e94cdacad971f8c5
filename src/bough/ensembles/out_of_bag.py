"""Out-of-bag results of forests: each row is predicted by the trees that did not sample it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.errors import ParameterError
from bough.types import Floats


def check_training_rows(model: Any, table: Table) -> None:
    """Raise if a table cannot be the training rows, or if no tree leaves a row out."""
    samples = model._samples
    if table.n_rows != samples.n_rows:
        raise ParameterError(
            f"X has {table.n_rows} rows, but the forest was grown on {samples.n_rows}. Out-of-bag rows are "
            "known only for the training table: give the same table."
        )
    if samples.sampling.draw == "all":
        raise ParameterError.of(
            "bootstrap", model.bootstrap, "True: if every tree is grown on all rows, none is out of bag"
        )


def means_out_of_bag(model: Any, table: Table) -> tuple[Floats, npt.NDArray[np.uint32]]:
    """Return the means of several targets over the trees that did not sample a row, and their number."""
    tallied = model._tally(table, **model._samples.native())
    times = tallied["trees"]
    check_out_of_bag(model, times, least=1)
    warn_without_oob(times)
    with np.errstate(invalid="ignore", divide="ignore"):
        return tallied["share"] / times[:, None], times


def check_out_of_bag(estimator: Any, times: npt.NDArray[Any], least: int) -> None:
    """Raise if fewer than `least` rows are out of bag, too few to score or to correct predictions.

    `times` is the number of trees whose samples lack each row.

    >>> from bough import RandomForestRegressor
    >>> check_out_of_bag(RandomForestRegressor(oob_score=True), np.array([0, 1]), least=2)
    Traceback (most recent call last):
    bough.errors.ParameterError: oob_score is True; it must be False unless there are more rows or
    n_estimators is larger: one row is out of bag, and at least 2 are needed.
    """
    found = int(np.count_nonzero(times))
    if found < least:
        name = "oob_score" if estimator.oob_score else "bias_correction"
        wanted = "False unless there are more rows or n_estimators is larger: "
        wanted += f"{'one' if found else 'no'} row is out of bag"
        wanted += ", and at least 2 are needed" if least == 2 else ""
        raise ParameterError.of(name, getattr(estimator, name), wanted)


def warn_without_oob(times: npt.NDArray[np.uint32]) -> None:
    """Warn if some rows are in the sample of every tree.

    >>> warn_without_oob(np.array([3, 1], dtype=np.uint32))
    """
    if (times == 0).any():
        warnings.warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates.",
            stacklevel=4,
        )
