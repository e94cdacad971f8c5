"""Bins: the values of each column as small codes, with the values that each code stands for.

Growth from histograms (`max_bins`) reads codes instead of values. If a column has at most `max_bins` distinct
values, each of them is a bin; otherwise bins end at equally spaced ranks. The rule is defined in the page on
architecture. It depends on the counts of the values alone, so that partitions of a table give the same bins.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.table import Table
from bough.errors import ParameterError, TableError
from bough.jobs import n_threads
from bough.progress import watcher
from bough.types import Floats, is_whole

MOST_BINS = 65534


@dataclass(frozen=True, eq=False)
class Bins:
    """The columns of a table as codes of bins.

    Bins are numbered from 0 in ascending order; missing values have the code after the last bin. A nominal or
    ordinal column has a bin for each level, whatever `max_bins` is.

    >>> bins = Bins.of(Table.read([[1.0], [1.0], [2.0], [3.0], [5.0], [8.0], [None], [9.0]]), max_bins=3)
    >>> bins.codes("x0")
    array([0, 0, 0, 1, 1, 2, 3, 2], dtype=uint16)
    >>> bins.lowest("x0"), bins.highest("x0")
    (array([1., 3., 8.]), array([2., 5., 9.]))
    """

    table: Table
    max_bins: int
    native: _core.BinnedTable = field(repr=False)

    @classmethod
    def of(
        cls,
        table: Table,
        max_bins: int = 255,
        cases: Floats | None = None,
        *,
        rows: npt.NDArray[np.bool_] | None = None,
        n_jobs: int | None = None,
    ) -> Bins:
        """Divide the columns of a table into bins.

        `cases` holds the number of cases of each row, 1 by default. `rows` marks the rows that the bins are
        made from; the others only get codes.

        >>> Bins.of(Table.read([[1.0], [2.0], [3.0]]), max_bins=2).codes("x0")
        array([0, 0, 1], dtype=uint16)
        """
        for column in table.schema.columns:
            if len(column.levels) > MOST_BINS:
                raise TableError(
                    f"Column {column.name!r} has {len(column.levels)} levels; bins hold at most {MOST_BINS}. "
                    "Group its rare levels, or choose a tree or a forest without max_bins."
                )
        marked = None if rows is None else np.ascontiguousarray(rows, dtype=np.uint8)
        binned = _core.bin_table(
            table.native(),
            table.n_rows,
            cases,
            marked,
            read_max_bins(max_bins),
            n_threads(n_jobs),
            watcher(),
        )
        return cls(table, int(max_bins), binned)

    def codes(self, name: str) -> npt.NDArray[np.uint16]:
        """Return the code of each row in a column.

        >>> Bins.of(Table.read([["b"], ["a"], [None]])).codes("x0")
        array([1, 0, 2], dtype=uint16)
        """
        return self.native.codes(self.table.schema.position(name))

    def lowest(self, name: str) -> Floats:
        """Return the lowest value of each bin of a column.

        >>> Bins.of(Table.read([[4.0], [2.0]])).lowest("x0")
        array([2., 4.])
        """
        return self._extremes(name)[0]

    def highest(self, name: str) -> Floats:
        """Return the highest value of each bin of a column.

        >>> Bins.of(Table.read([[1.0], [2.0], [3.0], [4.0]]), max_bins=2).highest("x0")
        array([2., 4.])
        """
        return self._extremes(name)[1]

    def _extremes(self, name: str) -> tuple[Floats, Floats]:
        return self.native.extremes(self.table.schema.position(name))


def bins_of_values(values: Floats, max_bins: int, cases: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of each bin of known values, of one case each by default.

    >>> bins_of_values(np.array([5.0, 1.0, 2.0, 3.0]), 2)
    (array([1., 3.]), array([2., 5.]))
    """
    if len(values) == 0:
        return np.empty(0), np.empty(0)
    column = (np.ascontiguousarray(values), "numeric", 0)
    return _core.bin_table([column], len(values), cases, None, max_bins, 1, None).extremes(0)


def too_many_levels(name: str) -> TableError:
    """Return the error for a column of levels or classes that has more values than there are codes.

    >>> raise too_many_levels("id")
    Traceback (most recent call last):
    bough.errors.TableError: Column 'id' has more than 65534 different values, the most that levels and
    classes may have. Group them, or leave the column out.
    """
    return TableError(
        f"Column {name!r} has more than {MOST_BINS} different values, the most that levels and classes may "
        "have. Group them, or leave the column out."
    )


def read_max_bins(max_bins: object) -> int:
    """Return the checked value of `max_bins`.

    >>> read_max_bins(1)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_bins is 1; it must be a whole number from 2 to 65534.
    """
    if not (is_whole(max_bins) and 2 <= int(max_bins) <= MOST_BINS):
        raise ParameterError.of("max_bins", max_bins, f"a whole number from 2 to {MOST_BINS}")
    return int(max_bins)


def last_of_bins(cases: npt.NDArray[np.int64], max_bins: int) -> npt.NDArray[np.intp]:
    """Return the position of the last value of each bin, given the cases of each distinct value in order.

    This is the definition of the rule. Counts of partitions of a table can be added before it is applied.

    >>> last_of_bins(np.array([2, 1, 1, 1, 1, 1]), 3)
    array([1, 3, 5])
    """
    if len(cases) <= max_bins:
        return np.arange(len(cases))
    reached, total = np.cumsum(cases), int(cases.sum())
    ranks = [-(-k * total // max_bins) for k in range(1, max_bins + 1)]
    return np.unique(np.searchsorted(reached, ranks))
