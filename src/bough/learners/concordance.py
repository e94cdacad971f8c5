"""Harrell's concordance index for censored times."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.survival import read_finite, read_survival
from bough.data.target import read_weights
from bough.errors import TargetError
from bough.types import Floats

RowRanks: TypeAlias = npt.NDArray[np.intp]


def concordance(time: Any, status: Any, risk: Any, weight: Any = None) -> float:
    """Return Harrell's concordance index: the fraction of comparable pairs that the risks order correctly.

    Two rows are comparable if the earlier time is that of an event; a censored time is later than an event at
    the same time. A pair is ordered correctly if the row with the earlier event has the greater risk; equal
    risks count one half. With `weight`, a pair is weighted by the product of its weights.

    >>> concordance([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1], [0.9, 0.5, 0.5, 0.5])
    0.875
    """
    times, events = read_survival((time, status))
    risks = read_finite("risk", risk, "a finite number")
    if len(risks) != len(times):
        raise TargetError(
            f"risk has {len(risks)} rows and time {len(times)}; they must have the same number."
        )
    weights = read_weights(weight, len(times)).each(len(times))
    # Censored rows come after events of the same time; events of the same time are tied.
    moments = 2 * _ranks(times) + (events == 0)
    ranks = _ranks(risks)
    at_events = weights * (events > 0)
    lower, equal = _outlasting(moments, ranks, weights)
    later = _outlasting(moments, np.zeros_like(ranks), weights)[1]
    known = float((at_events * later).sum())
    if known == 0:
        raise TargetError(
            "No two rows are comparable: no event is earlier than the time of another row. Give more rows."
        )
    return float((at_events * (lower + equal / 2)).sum() / known)


def _ranks(values: Floats) -> RowRanks:
    ranks: RowRanks = np.unique(values, return_inverse=True)[1]
    return ranks


def _outlasting(moments: RowRanks, ranks: RowRanks, weights: Floats) -> tuple[Floats, Floats]:
    """Return for each row the total weight of later rows with a lower rank, and with the same rank.

    This is a radix sort by rank, from the highest bit to the lowest. Within each group the rows are sorted
    from the latest to the earliest, so that cumulative sums count later rows. It takes O(n log n) time.
    """
    order = np.argsort(-moments, kind="stable")
    lower = np.zeros(len(ranks))
    for bit in range(int(ranks.max(initial=0)).bit_length() - 1, -1, -1):
        part = ranks[order] >> (bit + 1)
        is_low = (ranks[order] >> bit) & 1 == 0
        before = _before(part, moments[order], np.where(is_low, weights[order], 0.0))
        lower[order] += np.where(is_low, 0.0, before)
        order = order[np.lexsort((-moments[order], ranks[order] >> bit))]
    equal = np.zeros(len(ranks))
    equal[order] = _before(ranks[order], moments[order], weights[order])
    return lower, equal


def _before(part: RowRanks, moments: RowRanks, weights: Floats) -> Floats:
    """Return the sum of the weights from the start of each row's group up to the first row of its time."""
    sums = np.append(0.0, np.cumsum(weights))
    is_first = np.append(True, np.diff(part) != 0)
    starts = np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    is_new = is_first | np.append(True, np.diff(moments) != 0)
    news = np.flatnonzero(is_new)[np.cumsum(is_new) - 1]
    before: Floats = sums[news] - sums[starts]
    return before
