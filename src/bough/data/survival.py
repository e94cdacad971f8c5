"""Survival times, some of them censored, prepared for a Poisson tree.

The times are rescaled so that the overall hazard is constant. Otherwise a tree, which assumes a constant
hazard in each node, would respond to the length of observation rather than to the rate of events.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from bough.data.readers import vector_of
from bough.data.readers.array import plain_array
from bough.data.readers.frame import as_frame
from bough.data.readers.source import Coded, Numbers
from bough.data.target import read_weights
from bough.errors import TableError, TargetError
from bough.types import Floats

# An approximation of the hazard is enough for the rescaling; rpart has the same limit.
_MOST_INTERVALS = 1000


def rescaled_times(time: Any, status: Any, sample_weight: Any = None) -> Floats:
    """Return the times rescaled to an overall event rate of 1.

    `status` is 1 if the event happened at `time` and 0 if the time is censored. The hazard is estimated as
    constant between successive events, and each time is replaced by the cumulative hazard up to it. The
    rescaled times sum to the number of events, and a tree then estimates the event rate of each node relative
    to that of all rows (LeBlanc and Crowley 1992; method "exp" of R's rpart). As in rpart, rows have equal
    weight here unless `sample_weight` is given.

    >>> rescaled_times([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1])
    array([0.25, 0.45, 0.65, 1.65])
    """
    times, events = read_survival((time, status))
    weights = read_weights(sample_weight, len(times)).each(len(times))
    if not np.any(events * weights > 0):
        raise TargetError("status is 0 for every row of positive weight; there must be an event.")
    edges = _edges(times, (events > 0) & (weights > 0))
    interval = np.searchsorted(edges, times) - 1
    lengths = np.diff(edges)
    ended = np.bincount(interval, weights, minlength=len(lengths))
    surviving = np.append(np.cumsum(ended[:0:-1])[::-1], 0.0)
    partial_time = np.bincount(interval, weights * (times - edges[interval]), minlength=len(lengths))
    n_events = np.bincount(interval, weights * events, minlength=len(lengths))
    hazard = n_events / (surviving * lengths + partial_time)
    rescaled: Floats = np.interp(times, edges, np.append(0.0, np.cumsum(hazard * lengths)))
    return rescaled


def logrank_scores(time: Any, status: Any, sample_weight: Any = None) -> Floats:
    """Return the log-rank score of each row: its status minus the cumulative hazard at its time.

    The cumulative hazard is the Nelson-Aalen estimate from all rows. Scores sum to 0 and are high for rows
    whose event came early; a test of independence of scores and groups is a log-rank test.

    >>> logrank_scores([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1])
    array([ 0.75, -0.25,  0.25, -0.75])
    """
    times, events = read_survival((time, status))
    weights = read_weights(sample_weight, len(times)).each(len(times))
    distinct, place = np.unique(times, return_inverse=True)
    n_events, ended = np.bincount(place, weights * events), np.bincount(place, weights)
    at_risk = np.cumsum(ended[::-1])[::-1]
    hazard = np.divide(n_events, at_risk, out=np.zeros(len(distinct)), where=at_risk > 0)
    scores: Floats = events - np.cumsum(hazard)[place]
    return scores


def read_survival(y: Any) -> tuple[Floats, Floats]:
    """Return the time of each row, and its status: 1 if the event happened, 0 if the time is censored.

    `y` is a pair (time, status), a table of these two columns, or a structured array of two fields. In a
    table or a structured array, the column of truth values is the status, in either position.

    >>> read_survival(([5, 8], [True, False]))
    (array([5., 8.]), array([1., 0.]))
    >>> read_survival(np.array([(True, 5.0)], dtype=[("event", bool), ("time", float)]))
    (array([5.]), array([1.]))
    """
    time, status = _columns(y)
    times, events = _read_times(time), _read_events(status)
    if len(times) != len(events):
        raise TargetError(
            f"time has {len(times)} rows and status {len(events)}; they must be of equal length."
        )
    return times, events


def _columns(y: Any) -> tuple[Any, Any]:
    """Return the columns of time and of status, unconverted."""
    wanted = "give a time and a status (1 if the event happened, 0 if not) for each row"
    if isinstance(y, tuple) and len(y) == 2:
        return y
    frame = None if isinstance(y, np.ndarray | list | tuple) else as_frame(y)
    if isinstance(frame, nw.DataFrame):
        columns = [(series.to_native(), series.dtype == nw.Boolean) for series in frame.iter_columns()]
    else:
        columns = _array_columns(_plain(y), wanted)
    if len(columns) != 2:
        raise TargetError(f"y has {len(columns)} columns; {wanted}: two columns.")
    (first, first_is_truth), (second, second_is_truth) = columns
    return (second, first) if first_is_truth and not second_is_truth else (first, second)


def _plain(y: Any) -> npt.NDArray[Any]:
    try:
        return plain_array(y, "y")
    except TableError as error:
        raise TargetError(str(error)) from None


def _array_columns(array: npt.NDArray[Any], wanted: str) -> list[tuple[Any, bool]]:
    """Return the columns or fields of an array, and whether each holds truth values."""
    if array.dtype.names is None:
        if array.ndim != 2:
            raise TargetError(f"y has shape {array.shape}; {wanted}: a pair, or a table of two columns.")
        return [(column, False) for column in array.T]
    fields = [(array[name], array.dtype[name] == np.bool_) for name in array.dtype.names]
    if sum(is_truth for _, is_truth in fields) != 1:
        names = ", ".join(map(repr, array.dtype.names))
        raise TargetError(f"y has the fields {names}; one of the two must hold truth values, the status.")
    return fields


def _edges(times: Floats, is_event: Any) -> Floats:
    """Return the edges of the intervals: 0, the time of each event but the last, and the greatest time."""
    distinct = np.unique(times[is_event])
    # Event times that differ only by rounding are one, because the interval between them is too short.
    apart = np.diff(distinct) > np.finfo(np.float64).eps * distinct[1:]
    distinct = distinct[np.append(apart, True)]
    if len(distinct) > _MOST_INTERVALS:
        distinct = np.quantile(distinct, np.linspace(0, 1, _MOST_INTERVALS + 1))
    edges: Floats = np.concatenate([[0.0], distinct[:-1], [times.max()]])
    return edges


def _read_times(time: Any) -> Floats:
    times = read_finite("time", time, "greater than 0")
    if not (times > 0).all():
        raise TargetError(f"time is {times.min():g} in a row; it must be greater than 0.")
    return times


def _read_events(status: Any) -> Floats:
    wanted = "1 (the event happened) or 0 (censored)"
    events = read_finite("status", status, wanted)
    other = events[(events != 0) & (events != 1)]
    if len(other):
        raise TargetError(f"status is {other[0]:g} in a row; it must be {wanted}.")
    return events


def read_finite(name: str, given: Any, wanted: str) -> Floats:
    """Read a finite number for each row; truth values are 1 and 0.

    >>> read_finite("status", [True, False], "1 or 0")
    array([1., 0.])
    """
    try:
        vector = vector_of(name, given)
        raw = None if vector is None or len(vector.shape) != 1 or vector.shape[0] == 0 else vector.read()
    except TableError as error:
        raise TargetError(str(error)) from None
    if isinstance(raw, Coded) and set(raw.levels) <= {True, False} and (raw.codes >= 0).all():
        return np.array(raw.levels, dtype=np.float64)[raw.codes]
    if not isinstance(raw, Numbers):
        raise TargetError(f"{name} is {type(given).__name__}; it must be a column of numbers, each {wanted}.")
    if not np.isfinite(raw.values).all():
        row = int(np.argmin(np.isfinite(raw.values)))
        raise TargetError(
            f"{name} is {raw.values[row]:g} in row {row}; it must be {wanted}. Leave the row out."
        )
    return np.ascontiguousarray(raw.values, dtype=np.float64)
