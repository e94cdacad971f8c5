"""The order in which R's rpart adds up rows: ascending, and among equal values as its quicksort leaves them.

Splits whose gains tie exactly are told apart by the rounding of sums, hence by this order and nothing else.
Missing values count as 0 here; what is known keeps its order when they are left out.
"""

from __future__ import annotations

import numpy as np

_SHORT = 11


def tie_order(values):
    """Return the rows in rpart's order."""
    pairs = [(0.0 if np.isnan(value) else float(value), row) for row, value in enumerate(values)]
    ranges = [(0, len(pairs))]
    while ranges:
        start, stop = ranges.pop()
        if stop - start <= _SHORT:
            pairs[start:stop] = sorted(pairs[start:stop], key=_value)
        else:
            lower, upper = _parted(pairs, start, stop)
            ranges += [(start, lower), (upper, stop)]
    return np.array([row for _, row in pairs], dtype=int)


def _value(pair):
    return pair[0]


def _parted(pairs, start, stop):
    """Part a range around the median of its first, middle and last value: below, equal and above it.

    Two scans from the ends exchange what is on the wrong side; of equal values both stay.
    """
    low, high = start, stop - 1
    pivot = sorted(_value(pairs[place]) for place in (low, (low + high) // 2, high))[1]
    while low < high:
        while _value(pairs[low]) < pivot:
            low += 1
        while _value(pairs[high]) > pivot:
            high -= 1
        if low < high:
            if _value(pairs[low]) > _value(pairs[high]):
                pairs[low], pairs[high] = pairs[high], pairs[low]
            low, high = low + 1, high - 1
    while low > start and _value(pairs[low]) >= pivot:
        low -= 1
    while high < stop - 1 and _value(pairs[high]) <= pivot:
        high += 1
    return low + 1, high
