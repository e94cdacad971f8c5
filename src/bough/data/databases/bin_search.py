"""The bin of a value as an expression of DuckDB.

A bin among 64 takes six comparisons one after the other, each a CASE of its own. It is faster to divide
the range of the bounds into equal cells: a list tells how many bounds lie before each cell, and a value is
compared only with those in its own cell. Where bounds lie so unevenly that a cell would hold many of them,
a few CASEs divide the bounds first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.data.databases.database import NAN
from bough.data.sql import literal
from bough.types import Floats

# A list is copied for each vector of 2048 values, so that longer ones cost more than they save.
_MOST_CELLS = 1024
_MOST_COMPARISONS = 2
# Fewer bounds are compared by CASE alone: those of a whole column, and those of a part of it.
_LEAST_BOUNDS, _LEAST_IN_PART = 6, 60


def bin_expression(value: str, bounds: Sequence[float], missing: int) -> str:
    """Return the SQL of the number of ascending bounds that are not above a value; `missing` if it is NULL.

    >>> bin_expression("x", [1.0], 2)
    'CASE WHEN x IS NULL THEN 2 ELSE CASE WHEN x < 1.0e0 THEN 0 ELSE 1 END END'
    """
    own = np.array(bounds, dtype=np.float64)
    cells = _Cells.of(own) if len(own) >= _LEAST_BOUNDS else None
    if cells is not None:
        return f"coalesce({cells.expression(value, 0)}, {missing})"
    return f"CASE WHEN {value} IS NULL THEN {missing} ELSE {_between(value, own, 0, len(own))} END"


def _between(value: str, bounds: Floats, first: int, last: int) -> str:
    """Return the SQL of a bin that is known to lie between two."""
    if first == last:
        return str(first)
    own = bounds[first:last]
    cells = _Cells.of(own) if len(own) >= _LEAST_IN_PART else None
    if cells is not None:
        return cells.expression(value, first)
    middle = (first + last + 1) // 2
    below, above = _between(value, bounds, first, middle - 1), _between(value, bounds, middle, last)
    return f"CASE WHEN {value} < {literal(float(bounds[middle - 1]))} THEN {below} ELSE {above} END"


@dataclass(frozen=True, eq=False)
class _Cells:
    """Equal cells from `lowest` to `highest`; values outside belong to the first and the last.

    The cell of a value is floor((value − lowest) · factor). Its rounding is monotonic, so that a bound in an
    earlier cell is below the value, and one in a later cell above it.
    """

    bounds: Floats
    lowest: float
    highest: float
    factor: float
    n_cells: int

    @classmethod
    def of(cls, bounds: Floats) -> _Cells | None:
        """Return the fewest cells that hold few bounds each, or None if they would be too many."""
        known = bounds[np.isfinite(bounds)]
        if len(known) < 2 or len(bounds) > _MOST_COMPARISONS * _MOST_CELLS:
            return None
        lowest, highest = float(known[0]), float(known[-1])
        with np.errstate(over="ignore"):
            if not 0 < _MOST_CELLS / np.float64(highest - lowest) < np.inf:
                return None
        for most in range(1, _MOST_COMPARISONS + 1):
            n_cells = 64
            while n_cells <= _MOST_CELLS:
                found = cls(bounds, lowest, highest, n_cells / (highest - lowest), n_cells)
                if found.n_comparisons <= most:
                    return found
                n_cells *= 2
        return None

    @property
    def cell_of_bound(self) -> npt.NDArray[np.intp]:
        """The cell of each bound."""
        within = np.clip(self.bounds, self.lowest, self.highest)
        return np.floor((within - self.lowest) * self.factor).astype(np.intp)

    @property
    def n_comparisons(self) -> int:
        """The greatest number of bounds in a cell."""
        return int(np.bincount(self.cell_of_bound).max())

    def expression(self, value: str, first: int) -> str:
        """Return the SQL of the number of bounds that are not above a value, plus `first`; NULL if it is."""
        lowest, highest = literal(self.lowest), literal(self.highest)
        within = f"least(greatest({value}, {lowest}), {highest})"
        cell = f"CAST(floor(({within} - {lowest}) * {literal(self.factor)}) AS USMALLINT)"
        before = np.searchsorted(self.cell_of_bound, np.arange(self.n_cells + 1))
        counts = f"(CAST([{', '.join(map(str, before.tolist()))}] AS USMALLINT[]))[{cell} + 1]"
        # Nothing reaches NaN, which stands for a bound after the last.
        listed = ", ".join([*map(literal, self.bounds.tolist()), *[NAN] * self.n_comparisons])
        reached = [
            f"CAST({value} >= (CAST([{listed}] AS DOUBLE[]))[{counts} + {place}] AS USMALLINT)"
            for place in range(1, self.n_comparisons + 1)
        ]
        return f"({' + '.join([counts, *reached, *([str(first)] if first else [])])})"
