"""The choice of useful ratios of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.formula import Ratio
from bough.data.table import Table


@dataclass(frozen=True)
class _Denominator:
    """Whether a column changes sign or contains 0, and its greatest absolute value."""

    changes_sign: bool
    has_zero: bool
    size: float


def ratios(table: Table, columns: Sequence[int]) -> list[Ratio]:
    """Return the useful ratios of each pair of columns.

    A column that changes sign is not used as a denominator, because the ratio is discontinuous at 0. If
    neither column contains 0, thresholds on x / y and on y / x define the same splits, and only the ratio
    with the larger denominator is returned. A column that contains 0 is divided by one that does not. If both
    contain 0, both ratios are returned.

    >>> ratios(Table.read([[5.1, 0.2, -1.0], [6.3, 1.8, 2.0]]), [0, 1, 2])
    [Ratio(numerator=1, denominator=0), Ratio(numerator=2, denominator=0), Ratio(numerator=2, denominator=1)]
    """
    sides = {column: _as_denominator(table.columns[column]) for column in columns}
    return [
        ratio
        for one, other in combinations(columns, 2)
        for ratio in _of_pair(one, other, sides[one], sides[other])
    ]


def _as_denominator(values: npt.NDArray[Any]) -> _Denominator:
    known = values[np.isfinite(values)].astype(np.float64)
    if len(known) == 0:
        return _Denominator(changes_sign=True, has_zero=True, size=0.0)
    return _Denominator(
        changes_sign=bool(known.min() < 0 < known.max()),
        has_zero=bool((known == 0).any()),
        size=float(np.abs(known).max()),
    )


def _of_pair(one: int, other: int, ours: _Denominator, theirs: _Denominator) -> Iterator[Ratio]:
    allowed = [
        (Ratio(above, below), side)
        for above, below, side in ((one, other, theirs), (other, one, ours))
        if not side.changes_sign
    ]
    whole = [(ratio, side) for ratio, side in allowed if not side.has_zero]
    if len(whole) == 2:
        yield max(whole, key=lambda each: each[1].size)[0]
    else:
        yield from (ratio for ratio, _ in whole or allowed)
