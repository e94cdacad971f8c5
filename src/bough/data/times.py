"""Dates, times and durations as numbers of a unit, and such numbers as text.

A date is the number of days since 1970-01-01. A date with a time, a time of day and a duration are numbers of
microseconds: since 1970-01-01 00:00:00, since midnight, and in all. A date with a time and a time zone is
that of UTC. All of them are whole numbers, so a threshold between two of them can be written as one of them.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.types import Floats

Unit: TypeAlias = Literal["date", "datetime", "datetime_utc", "time", "duration"]

UNITS: tuple[str, ...] = get_args(Unit)

UNIT_WORDS: dict[Unit, str] = {
    "date": "dates",
    "datetime": "dates with times",
    "datetime_utc": "dates with times and a time zone",
    "time": "times of day",
    "duration": "durations",
}
"""What the values of a unit are called in messages."""

_DAY = 86_400_000_000
_STEPS = (_DAY, _DAY // 24, _DAY // 24 // 60, 1_000_000)
_MOST_DAYS, _MOST_MICROSECONDS = 2**31, 2**62


def time_words(unit: Unit, value: float) -> str:
    """Return a whole number of a unit as text.

    >>> time_words("date", 19723), time_words("datetime", 1.7040672e15), time_words("time", 45_000_500_000)
    ('2024-01-01', '2024-01-01 00:00:00', '12:30:00.5')
    >>> time_words("datetime_utc", 0), time_words("duration", -93_600_000_000), time_words("duration", 1)
    ('1970-01-01 00:00:00+00:00', '-1 day 02:00:00', '00:00:00.000001')
    """
    most = _MOST_DAYS if unit == "date" else _MOST_MICROSECONDS
    if not abs(value) < most:
        # No calendar reaches this far; infinity is the only such value that a table holds.
        return str(float(value))
    number = int(value)
    if unit == "date":
        return str(np.datetime64(number, "D"))
    if unit == "time":
        return _clock(number)
    if unit == "duration":
        days, rest = divmod(abs(number), _DAY)
        parts = [f"{days} {'day' if days == 1 else 'days'}"] if days else []
        parts += [_clock(rest)] if rest or not days else []
        return ("-" if number < 0 else "") + " ".join(parts)
    date, clock = divmod(number, _DAY)
    zone = "+00:00" if unit == "datetime_utc" else ""
    return f"{np.datetime64(date, 'D')} {_clock(clock)}{zone}"


def cut_time_words(
    unit: Unit, cut: float, neighbours: tuple[float, float] | None = None, *, closed: bool = False
) -> str:
    """Return a threshold as text: the value that separates whole numbers of the unit as the cut does.

    The test is `x < cut`, or `x <= cut` if closed. With `neighbours`, the values on both sides of the cut, it
    is the value nearest to the cut that separates them, in whole days, hours, minutes or seconds if it can.

    >>> cut_time_words("date", 19723.5), cut_time_words("date", 19723.5, closed=True)
    ('2024-01-02', '2024-01-01')
    >>> cut_time_words("time", 45_123_500_000), cut_time_words("time", 45_123_500_000, (44e9, 46e9))
    ('12:32:03.5', '12:32:00')
    """
    if not math.isfinite(cut):
        return str(cut)
    if neighbours is not None and unit != "date":
        below, above = neighbours
        for step in _STEPS:
            first = math.floor(cut) // step * step
            for whole in sorted((first, first + step), key=lambda each: abs(each - cut)):
                if below <= whole < above if closed else below < whole <= above:
                    return time_words(unit, whole)
    return time_words(unit, math.floor(cut) if closed else math.ceil(cut))


def time_sql(unit: Unit, cut: float, *, closed: bool = False) -> str:
    """Return a threshold as an SQL literal; DuckDB, PostgreSQL and SQLite compare text with dates and times.

    >>> time_sql("date", 19723.5), time_sql("duration", 1.5e6)
    ("'2024-01-02'", "INTERVAL '1500000 microseconds'")
    """
    if unit == "duration":
        return f"INTERVAL '{math.floor(cut) if closed else math.ceil(cut)} microseconds'"
    return f"'{cut_time_words(unit, cut, closed=closed)}'"


def _clock(microseconds: int) -> str:
    seconds, fraction = divmod(microseconds, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


def numbers_of_times(values: npt.NDArray[Any], *, utc: bool = False) -> tuple[Floats, Unit]:
    """Return an array of datetime64 or timedelta64 as numbers, NaN for NaT, and their unit.

    Dates with times are dates if all of them are at midnight.

    >>> numbers_of_times(np.array(["2024-01-01", "NaT"], "datetime64[ns]"))
    (array([19723.,    nan]), 'date')
    >>> numbers_of_times(np.array([90], "timedelta64[s]"))
    (array([90000000.]), 'duration')
    """
    missing = np.isnat(values)
    if np.datetime_data(values.dtype)[0] in ("ns", "ps", "fs", "as"):
        # numpy would round a negative duration towards 0.
        values = values.astype(f"{values.dtype.kind}8[ns]")
        whole = values.view(np.int64) // 1000
    else:
        whole = values.astype(f"{values.dtype.kind}8[us]").view(np.int64)
    whole = np.where(missing, 0, whole)
    unit: Unit = "duration" if values.dtype.kind == "m" else "datetime_utc" if utc else "datetime"
    has_days = np.datetime_data(values.dtype)[0] in ("Y", "M", "W", "D")
    if unit == "datetime" and (has_days or not ((whole % _DAY).any() or missing.all())):
        whole, unit = whole // _DAY, "date"
    return np.where(missing, np.nan, whole.astype(np.float64)), unit


def numbers_of_objects(values: list[Any]) -> tuple[Floats, Unit]:
    """Return dates, times or durations of Python, all of one kind or None, as numbers, and their unit.

    >>> numbers_of_objects([dt.date(2024, 1, 1), None])
    (array([19723.,    nan]), 'date')
    >>> numbers_of_objects([dt.time(12, 30)])
    (array([4.5e+10]), 'time')
    """
    known = [value for value in values if value is not None]
    if isinstance(known[0], dt.time):
        clocks = [math.nan if each is None else _microseconds(each) for each in values]
        return np.array(clocks, dtype=np.float64), "time"
    if isinstance(known[0], dt.timedelta | np.timedelta64):
        return numbers_of_times(np.array(values, dtype="timedelta64[us]"))
    aware = [getattr(value, "tzinfo", None) is not None for value in known]
    if any(aware) and not all(aware):
        raise ValueError("some dates have a time zone and others do not")
    if any(aware):
        values = [None if each is None else _in_utc(each) for each in values]
    return numbers_of_times(np.array(values, dtype="datetime64[us]"), utc=any(aware))


def objects_of_numbers(values: npt.NDArray[Any], unit: Unit) -> npt.NDArray[Any]:
    """Return numbers of a unit as objects of Python, None where missing.

    >>> objects_of_numbers(np.array([19723.0, np.nan]), "date")
    array([datetime.date(2024, 1, 1), None], dtype=object)
    """
    missing = np.isnan(values)
    whole = np.where(missing, 0, np.round(values)).astype(np.int64)
    if unit == "time":
        midnight = dt.datetime(1970, 1, 1)
        found = np.empty(len(whole), dtype=object)
        found[:] = [(midnight + dt.timedelta(microseconds=int(each))).time() for each in whole]
    else:
        kind = {"date": "M8[D]", "duration": "m8[us]"}.get(unit, "M8[us]")
        found = whole.astype(kind).astype(object)
    if unit == "datetime_utc":
        found[:] = [each.replace(tzinfo=dt.UTC) for each in found]
    found[missing] = None
    return found


def converted(values: npt.NDArray[Any], given: Unit, wanted: Unit) -> npt.NDArray[Any] | None:
    """Return numbers of one unit in another; None if one kind of value does not stand for the other.

    A date is its midnight, and a date with a time counts by its date.

    >>> converted(np.array([1.0]), "date", "datetime"), converted(np.array([1.0]), "time", "date")
    (array([8.64e+10]), None)
    """
    if given == wanted:
        return values
    if (given, wanted) == ("date", "datetime"):
        return values * float(_DAY)
    return np.floor(values / float(_DAY)) if (given, wanted) == ("datetime", "date") else None


def _microseconds(time: dt.time) -> int:
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 1_000_000 + time.microsecond


def _in_utc(value: dt.datetime) -> dt.datetime:
    return value.astimezone(dt.UTC).replace(tzinfo=None)
