"""Times until an event on the command line: `--event COLUMN` says whether the event happened at the time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.cli.option_groups import RowOptions
from bough.cli.terminal import working
from bough.errors import ParameterError, TargetError

if TYPE_CHECKING:
    from bough.cli.sample import Sample
    from bough.cli.score import Score
    from bough.data.table import Table
    from bough.models.model import Model


def survival_sample(table: Table, target: str, event: str, weights: str | None) -> Sample:
    """Divide a table into features, weights, and a time and a status for each row: 1 if the event happened.

    >>> import pyarrow
    >>> from bough.data.table import Table
    >>> columns = {"load": [9.0, 7.0], "years": [1.5, 2.5], "failed": ["yes", "no"]}
    >>> sample = survival_sample(Table.read(pyarrow.table(columns)), "years", "failed", None)
    >>> sample.target, sample.features.schema.names
    (array([[1.5, 1. ],
           [2.5, 0. ]]), ('load',))
    """
    from bough.cli.sample import Sample, features_of

    features, weight = features_of(table, [target, event], weights)
    return Sample(features, _times_and_status(table, target, event), weight)


def survival_rows(model: Model, path: str, na: tuple[str, ...], target: str, rows: RowOptions) -> Sample:
    r"""Read the features of a model, times and events from a file; the features have the model's schema.

    >>> import os, tempfile
    >>> from bough.example_models import cars_tree
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
    ...     _ = file.write("cyl,hp,years,failed\n4,90,1.5,yes\n8,200,2.5,no\n")
    >>> survival_rows(cars_tree(), file.name, ("",), "years", RowOptions(event="failed")).target
    array([[1.5, 1. ],
           [2.5, 0. ]])
    >>> os.remove(file.name)
    """
    from bough.cli.labelled import weights_of
    from bough.cli.sample import Sample, known_positions
    from bough.data.files import check_known, fit_columns, open_table, read_columns

    with working("Reading the table"), open_table(path, na) as file:
        others = [name for name in (rows.event, rows.weights) if name is not None]
        check_known([*model.schema.names, target, *others], file.names, path)
        features = fit_columns(file, model.schema)
        outcome = read_columns(file, [target, str(rows.event)])
        weight = weights_of(file, rows.weights)
    if rows.skips_missing:
        kept = known_positions(outcome, target)
        features, outcome = features.take(kept), outcome.take(kept)
        weight = None if weight is None else weight[kept]
    return Sample(features, _times_and_status(outcome, target, str(rows.event)), weight)


def _times_and_status(table: Table, target: str, event: str) -> npt.NDArray[np.float64]:
    """Return the time and the status of each row; a missing time is refused."""
    times = table.columns[table.schema.position(target)]
    if table.schema[target].scale != "numeric" or table.schema[target].unit is not None:
        raise ParameterError.of("--target", target, "a column of times as numbers, since --event is given")
    if np.isnan(times).any():
        raise TargetError(
            f"The target {target!r} is missing in {int(np.isnan(times).sum())} of {table.n_rows} rows; "
            "add --missing-target skip to use the other rows."
        )
    return np.column_stack([times, status_of(table, event)])


_STATUS = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}


def status_of(table: Table, event: str) -> Any:
    """Return 1 for the rows whose event happened and 0 for the others.

    >>> import pyarrow
    >>> from bough.data.table import Table
    >>> status_of(Table.read(pyarrow.table({"failed": [True, False]})), "failed")
    array([1., 0.])
    """
    column, values = table.schema[event], table.columns[table.schema.position(event)]
    if column.scale == "numeric":
        status = values.astype(np.float64)
    else:
        levels = [_STATUS.get(str(level).lower(), np.nan) for level in column.levels]
        status = np.where(values < 0, np.nan, np.array([*levels, np.nan])[values])
    wrong = np.flatnonzero(~np.isin(status, (0.0, 1.0)))
    if wrong.size:
        raise ParameterError(
            f"--event {event}: row {wrong[0] + 1} is neither 1 nor 0, true nor false, yes nor no; it must "
            "say whether the event happened at the time of the row."
        )
    return status


def concordance_score(model: Any, sample: Sample) -> Score:
    """Return Harrell's concordance index of the predicted hazards with the times of the rows."""
    from dataclasses import replace

    from bough.cli.score import Score
    from bough.learners.concordance import concordance

    risk = model.predict(replace(sample.features, schema=model.schema))
    times = np.asarray(sample.target)
    value = concordance(times[:, 0], times[:, 1], risk, sample.weight)
    return Score("Concordance", value, 0.5, None, len(times))
