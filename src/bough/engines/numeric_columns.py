"""Columns of numbers for linear models: missing values are replaced, and levels become indicators.

A nominal or ordinal column of k levels becomes k − 1 indicators, as in M5: the levels are ordered by their
mean of y, and indicator j is 1 for the levels after the first j. A split on an indicator is then one of the
splits of the column into two sets of levels that can be best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.errors import TableError
from bough.tree.leaf_models import LinearModel, Term
from bough.types import Floats

# Sums of squares keep enough digits if numbers are not greater than this many half ranges.
_MOST_OFFSET = 2.0**20
_LEAST_RANGE, _MOST_RANGE = 2.0**-20, 2.0**100


@dataclass(frozen=True)
class Conditioning:
    """A shift and a power of two that bring numbers into a range in which sums of squares can be formed.

    Ordinary numbers stay as they are.

    >>> Conditioning.of(np.array([1.0, 3.0])), Conditioning.of(np.array([1e9, 1e9 + 8]))
    (Conditioning(center=0.0, exponent=0), Conditioning(center=1000000004.0, exponent=0))
    >>> Conditioning.of(np.array([0.0, 1e-9]))
    Conditioning(center=0.0, exponent=30)
    """

    center: float = 0.0
    exponent: int = 0

    @classmethod
    def of(cls, numbers: Floats) -> Conditioning:
        """Return the conditioning of some numbers."""
        low, high = float(numbers.min()), float(numbers.max())
        half = high / 2 - low / 2
        if half == 0:
            half = abs(high)
        if half == 0:
            return cls()
        center = low / 2 + high / 2 if max(abs(low), abs(high)) > _MOST_OFFSET * half else 0.0
        within = _LEAST_RANGE <= half <= _MOST_RANGE
        return cls(center, 0 if within else -math.frexp(half)[1])

    @property
    def is_none(self) -> bool:
        """Whether numbers stay as they are."""
        return self == Conditioning()

    def apply(self, numbers: Floats) -> Floats:
        """Return the numbers shifted and scaled.

        >>> Conditioning(1.0, 1).apply(np.array([3.0]))
        array([4.])
        """
        return numbers if self.is_none else np.ldexp(numbers - self.center, self.exponent)


@dataclass(frozen=True)
class NumericColumn:
    """Where a column of numbers comes from: a numeric column, or the indicator of some levels of a column.

    `substitute` stands for missing values: the mean, or the indicator of the most frequent level.
    """

    source: int
    substitute: float
    codes: tuple[int, ...] = ()
    conditioning: Conditioning = Conditioning()


@dataclass(frozen=True, eq=False)
class NumericColumns:
    """Columns of numbers, one in each row of `values`, and where they come from.

    >>> table = Table.read([[1.0, "a"], [None, "b"], [4.0, "b"]])
    >>> made = NumericColumns.of(table, np.array([5.0, 1.0, 2.0]))
    >>> made.values
    array([[1. , 2.5, 4. ],
           [1. , 0. , 0. ]])
    >>> made.columns[1].codes
    (0,)
    """

    columns: tuple[NumericColumn, ...]
    values: Floats

    @classmethod
    def of(cls, table: Table, y: Floats | None, weight: Floats | None = None) -> NumericColumns:
        """Return the columns of a table as numbers; those with one value are left out.

        The order of levels depends on y and on the weights of the rows. Without y, each level has an
        indicator, of two levels only the second.
        """
        made: list[tuple[NumericColumn, Floats]] = []
        weights = np.ones(table.n_rows) if weight is None else weight
        for position, column in enumerate(table.schema.columns):
            if column.scale == "numeric":
                made.append(_numbers(table, position, weights))
            elif y is None:
                made += _level_indicators(table, position, weights)
            else:
                made += _indicators(table, position, y, weights)
        varied = [(column, values) for column, values in made if (values != values[0]).any()]
        values = np.stack([each for _, each in varied]) if varied else np.empty((0, table.n_rows))
        return cls(tuple(column for column, _ in varied), values)

    def cut(
        self, table: Table, position: int, cut: float, below: float, above: float
    ) -> tuple[float, tuple[float, float]]:
        """Return a cut of one of these columns and its neighbours in the units of the table."""
        column = self.columns[position]
        if not column.conditioning.is_none:
            values, scaled = table.columns[column.source], self.values[position]
            below = float(np.nanmax(values[scaled <= below]))
            above = float(np.nanmin(values[scaled >= above]))
            cut = below / 2 + above / 2
        return cut if below <= cut < above else below, (below, above)

    def model(
        self,
        intercept: float,
        positions: npt.NDArray[np.int32],
        coefficients: Floats,
        of_y: Conditioning,
        mean: float,
    ) -> LinearModel:
        """Return a model of these columns, given by their positions, as one of the columns of the table.

        Where a coefficient has no finite value in the units of the table, the model is the mean.
        """
        terms: list[Term] = []
        total = of_y.center + _ldexp(intercept, -of_y.exponent)
        for position, scaled in zip(positions.tolist(), coefficients.tolist(), strict=True):
            column = self.columns[position]
            coefficient = _ldexp(scaled, column.conditioning.exponent - of_y.exponent)
            total -= coefficient * column.conditioning.center
            terms.append(Term(column.source, coefficient, column.substitute, column.codes))
        finite = math.isfinite(total) and all(math.isfinite(term.coefficient) for term in terms)
        return LinearModel(total, tuple(terms)) if finite else LinearModel(mean)


def sort_levels(means: Sequence[float]) -> list[int]:
    """Return the positions of the means in ascending order; of equal ones in the order of Weka's quicksort.

    >>> sort_levels([3.0, 1.0, 2.0]), sort_levels([1.0, 1.0, 1.0, 1.0])
    ([1, 2, 0], [0, 1, 2, 3])
    """
    order = list(range(len(means)))

    def put_in_order(*places: int) -> None:
        for i, first in enumerate(places):
            for second in places[i + 1 :]:
                if means[order[first]] > means[order[second]]:
                    order[first], order[second] = order[second], order[first]

    ranges = [(0, len(means) - 1)]
    while ranges:
        left, right = ranges.pop()
        middle = (left + right) // 2
        if right - left < 3:
            put_in_order(*range(left, right + 1))
            continue
        put_in_order(left, middle, right)
        order[middle], order[right - 1] = order[right - 1], order[middle]
        pivot, low, high = means[order[right - 1]], left, right - 1
        while True:
            low, high = low + 1, high - 1
            while means[order[low]] < pivot:
                low += 1
            while means[order[high]] > pivot:
                high -= 1
            if low >= high:
                break
            order[low], order[high] = order[high], order[low]
        order[low], order[right - 1] = order[right - 1], order[low]
        ranges += [(left, low - 1), (low + 1, right)]
    return order


def _numbers(table: Table, position: int, weights: Floats) -> tuple[NumericColumn, Floats]:
    values = table.columns[position].astype(np.float64)
    known = ~np.isnan(values)
    if np.isinf(values[known]).any():
        raise TableError(
            f"Column {table.schema[position].name!r} holds infinite values, which linear models cannot use. "
            "Replace them by numbers, or leave the column out."
        )
    conditioning = Conditioning.of(values[known]) if known.any() else Conditioning()
    scaled = conditioning.apply(values)
    # A running sum adds the values one after the other, as Weka does.
    total = np.cumsum(weights[known] * scaled[known])
    mean = float(total[-1] / np.cumsum(weights[known])[-1]) if known.any() else 0.0
    substitute = conditioning.center + _ldexp(mean, -conditioning.exponent)
    column = NumericColumn(position, substitute, conditioning=conditioning)
    return column, np.where(known, scaled, mean)


def _completed(codes: npt.NDArray[Any], n_levels: int, weights: Floats) -> tuple[npt.NDArray[Any], int]:
    """Return the codes with the most frequent one in place of missing ones, and this code."""
    mode = int(np.bincount(codes[codes >= 0], weights[codes >= 0], minlength=n_levels).argmax())
    return np.where(codes < 0, mode, codes), mode


def _level_indicators(table: Table, position: int, weights: Floats) -> list[tuple[NumericColumn, Floats]]:
    n_levels = len(table.schema[position].levels)
    if n_levels == 0:
        return []
    codes, mode = _completed(table.columns[position], n_levels, weights)
    return [
        (NumericColumn(position, float(mode == level), (level,)), (codes == level).astype(np.float64))
        for level in range(int(n_levels == 2), n_levels)
    ]


def _indicators(
    table: Table, position: int, y: Floats, weights: Floats
) -> list[tuple[NumericColumn, Floats]]:
    n_levels = len(table.schema[position].levels)
    if n_levels == 0:
        return []
    codes, mode = _completed(table.columns[position], n_levels, weights)
    sums = np.bincount(codes, weights * y, minlength=n_levels)
    counts = np.bincount(codes, weights, minlength=n_levels)
    means = np.full(n_levels, np.cumsum(sums)[-1] / np.cumsum(counts)[-1])
    np.divide(sums, counts, out=means, where=counts > 0)
    order = sort_levels(means.tolist())
    place = np.argsort(order)
    return [
        (
            NumericColumn(position, float(place[mode] >= first), tuple(sorted(order[first:]))),
            (place[codes] >= first).astype(np.float64),
        )
        for first in range(1, n_levels)
    ]


def _ldexp(number: float, exponent: int) -> float:
    """Return number · 2^exponent; infinity where that is too large."""
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.copysign(math.inf, number)
