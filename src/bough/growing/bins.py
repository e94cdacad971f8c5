"""Bins of equal frequency over the distinct values of a numeric column."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.types import Floats


def highest_of_bins(values: Floats, cases: Floats, max_bins: int) -> Floats:
    """Return the highest value of each bin; each value is a bin if there are at most `max_bins`.

    Otherwise bin k ends at the value of the case of rank ⌈kN / max_bins⌉, where N is the number of cases;
    there are fewer bins where these values are equal.

    >>> highest_of_bins(np.array([1.0, 2.0, 3.0, 5.0, 8.0, 9.0]), np.array([2.0, 1, 1, 1, 1, 1]), 3)
    array([2., 5., 9.])
    """
    if len(values) <= max_bins:
        return values
    reached = np.cumsum(cases)
    ranks = np.ceil(np.arange(1, max_bins + 1) * reached[-1] / max_bins)
    position = np.searchsorted(reached, np.minimum(ranks, reached[-1]))
    return np.asarray(values[np.unique(position)])


def bin_of_each(values: Floats, highest: Floats) -> npt.NDArray[np.intp]:
    """Return the bin of each ascending value, counting only bins that have any value.

    A value belongs to the first bin whose highest value is not below it, else to the last.

    >>> bin_of_each(np.array([1.0, 5.0, 6.0, 12.0]), np.array([2.0, 4.0, 5.0, 9.0]))
    array([0, 1, 2, 2])
    """
    bins = np.minimum(np.searchsorted(highest, values), len(highest) - 1)
    return np.asarray(np.cumsum(np.append(0, np.diff(bins) > 0)), dtype=np.intp)
