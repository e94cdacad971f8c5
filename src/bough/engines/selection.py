"""Quantiles of numbers that are divided among partitions, from counts that add up.

The bits of a float64, turned so that they ascend with it, are found from the upper digits to the lower ones.
In each pass the partitions count their numbers by the next digit, among those that agree in the ones before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from bough.types import Floats, Keys

_BITS = 11
_SIGN = np.uint64(1 << 63)

CountDigits: TypeAlias = Callable[[Keys, int, int], Floats]
"""Of each group: the weight by digit, given the digits so far, the number of bits left, and that to count."""


def counted_digits(values: Floats, weight: Floats | None, prefix: int, left: int, bits: int) -> Floats:
    """Return the weight of numbers by their next `bits` bits, among those whose bits above `left` are given.

    >>> counted_digits(np.array([-1.0, 2.0, 3.0]), None, 0, left=64, bits=1)
    array([1., 2.])
    """
    raw = (values + 0.0).view(np.uint64)
    keys = np.where(raw & _SIGN, ~raw, raw | _SIGN)
    chosen = (
        np.ones(len(keys), dtype=np.bool_) if left == 64 else keys >> np.uint64(left) == np.uint64(prefix)
    )
    digits = (keys[chosen] >> np.uint64(left - bits)) & np.uint64((1 << bits) - 1)
    own = None if weight is None else weight[chosen]
    return np.bincount(digits.astype(np.intp), own, 1 << bits).astype(np.float64)


def selected(count: CountDigits, n_groups: int, share: float) -> Floats:
    """Return the least number of each group that at least a share of the group's weight does not exceed.

    >>> values = np.array([5.0, -1.0, 0.0, 2.5])
    >>> selected(lambda prefix, *left: counted_digits(values, None, int(prefix[0]), *left)[None], 1, 0.5)
    array([0.])
    """
    prefix, before, left = np.zeros(n_groups, dtype=np.uint64), np.zeros(n_groups), 64
    wanted: Floats | None = None
    groups = np.arange(n_groups)
    while left > 0:
        bits = min(_BITS, left)
        counts = count(prefix, left, bits)
        if wanted is None:
            wanted = share * counts.sum(axis=1)
        reached = before[:, None] + np.cumsum(counts, axis=1)
        digit = np.argmax(reached >= wanted[:, None], axis=1)
        before = reached[groups, digit] - counts[groups, digit]
        prefix = (prefix << np.uint64(bits)) | digit.astype(np.uint64)
        left -= bits
    return np.where(prefix & _SIGN, prefix & ~_SIGN, ~prefix).view(np.float64)
