"""Times until an event, some of them cut off before it came (censored), made ready for a Poisson tree.

A tree of constant hazards would else split on when rows were observed, not on how fast events come.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.answer import Floats
from bough.errors import TableError, TargetError
from bough.readers import vector_of
from bough.readers.source import Coded, Numbers
from bough.target import read_weights

# The rescaling needs only the rough course of the hazard; rpart stops here too.
_MOST_INTERVALS = 1000


def rescaled_times(time: Any, status: Any, weight: Any = None) -> Floats:
    """Return times on a scale on which the events of all rows come at rate 1 throughout.

    `status` is 1 where the event came at `time` and 0 where observation ended without it. The hazard is taken
    as constant between one event and the next; a time becomes the hazard summed up to it. So the times then
    add up to the number of events, and what a tree finds is how much faster or slower a node's events come
    (LeBlanc and Crowley 1992; method "exp" of R's rpart). rpart gives each row the same weight here, whatever
    it weighs in the tree; with `weight`, rows count by theirs.

    >>> rescaled_times([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1])
    array([0.25, 0.45, 0.65, 1.65])
    """
    times, events = _read_times(time), _read_events(status)
    if len(times) != len(events):
        raise TargetError(f"time has {len(times)} rows and status {len(events)}; they must have as many.")
    weights = read_weights(weight, len(times)).weight
    if weights is None:
        weights = np.ones(len(times))
    if not np.any(events * weights > 0):
        raise TargetError("status is 0 for each row that weighs anything; there must be an event.")
    edges = _edges(times, (events > 0) & (weights > 0))
    interval = np.searchsorted(edges, times) - 1
    lengths = np.diff(edges)
    ending = np.bincount(interval, weights, minlength=len(lengths))
    outliving = np.append(np.cumsum(ending[:0:-1])[::-1], 0.0)
    partly = np.bincount(interval, weights * (times - edges[interval]), minlength=len(lengths))
    came = np.bincount(interval, weights * events, minlength=len(lengths))
    hazard = came / (outliving * lengths + partly)
    rescaled: Floats = np.interp(times, edges, np.append(0.0, np.cumsum(hazard * lengths)))
    return rescaled


def _edges(times: Floats, is_event: Any) -> Floats:
    """Return the ends of the intervals: 0, each event's time but the last, and the greatest time."""
    distinct = np.unique(times[is_event])
    # Times that differ by rounding alone would make intervals too short to have a rate.
    apart = np.diff(distinct) > np.finfo(np.float64).eps * distinct[1:]
    distinct = distinct[np.append(apart, True)]
    if len(distinct) > _MOST_INTERVALS:
        distinct = np.quantile(distinct, np.linspace(0, 1, _MOST_INTERVALS + 1))
    edges: Floats = np.concatenate([[0.0], distinct[:-1], [times.max()]])
    return edges


def _read_times(time: Any) -> Floats:
    times = _read("time", time, "greater than 0")
    if not (times > 0).all():
        raise TargetError(f"time is {times.min():g} in a row; it must be greater than 0.")
    return times


def _read_events(status: Any) -> Floats:
    wanted = "1 (the event came) or 0 (censored)"
    events = _read("status", status, wanted)
    other = events[(events != 0) & (events != 1)]
    if len(other):
        raise TargetError(f"status is {other[0]:g} in a row; it must be {wanted}.")
    return events


def _read(name: str, given: Any, wanted: str) -> Floats:
    """Read a finite number for each row; truth values are 1 and 0."""
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
