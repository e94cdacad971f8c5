"""Unsupervised discretizers: equal width, equal frequency, and k-means."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt

from bough.discretizers.discretizer import Discretizer, check_bins
from bough.types import Floats

_MOST_POINTS = 5000


class _BinsDiscretizer(Discretizer):
    """Base class of discretizers into a given number of intervals.

    Parameters
    ----------
    n_bins
        The number of intervals.
    encode
        "ordinal" numbers the intervals from 0; "interval" returns them as text.

    """

    def __init__(self, n_bins: int = 5, *, encode: str = "ordinal") -> None:
        self.n_bins = n_bins
        self.encode = encode

    def _cuts(self, values: Floats) -> Floats:
        n_bins = check_bins(self.n_bins)
        distinct, counts = np.unique(values, return_counts=True)
        return self._cuts_of(distinct, counts, n_bins) if len(distinct) > 1 else np.empty(0)

    @abstractmethod
    def _cuts_of(self, distinct: Floats, counts: npt.NDArray[np.intp], n_bins: int) -> Floats:
        """Return the cuts between two distinct values or more, each of which occurs so many times."""


class EqualWidthDiscretizer(_BinsDiscretizer):
    """Discretize columns into intervals of equal width between the minimum and the maximum.

    Examples
    --------
    >>> EqualWidthDiscretizer(4).fit([[0.0], [1.0], [8.0]]).cuts_
    [array([2., 4., 6.])]

    """

    def _cuts_of(self, distinct: Floats, counts: npt.NDArray[np.intp], n_bins: int) -> Floats:
        low, high = float(distinct[0]), float(distinct[-1])
        # high - low can overflow, so the cuts are weighted means of the two.
        shares = np.arange(1, n_bins) / n_bins
        return np.unique(low * (1 - shares) + high * shares)


class EqualFrequencyDiscretizer(_BinsDiscretizer):
    """Discretize columns into intervals with about the same number of rows.

    Equal values are always in the same interval. Cuts are midpoints of neighbouring values.

    Parameters
    ----------
    n_bins
        The number of intervals; there may be fewer if values are repeated.

    Examples
    --------
    >>> EqualFrequencyDiscretizer(2).fit([[1.0], [2.0], [3.0], [100.0]]).cuts_
    [array([2.5])]

    """

    def _cuts_of(self, distinct: Floats, counts: npt.NDArray[np.intp], n_bins: int) -> Floats:
        below = np.cumsum(counts)[:-1]
        wanted = np.arange(1, n_bins) * (int(counts.sum()) / n_bins)
        nearest = np.unique([int(np.abs(below - each).argmin()) for each in wanted])
        cuts: Floats = midpoints(distinct)[nearest]
        return cuts


class KMeansDiscretizer(_BinsDiscretizer):
    """Discretize columns into the intervals that minimize the sum of squared distances from their means.

    In one dimension k-means is solved exactly, by dynamic programming over the sorted values (Fisher 1958).
    More than 5,000 distinct values are first replaced by the means of 5,000 groups of equal frequency.

    Examples
    --------
    >>> KMeansDiscretizer(2).fit([[1.0], [2.0], [3.0], [100.0]]).cuts_
    [array([51.5])]

    """

    def _cuts_of(self, distinct: Floats, counts: npt.NDArray[np.intp], n_bins: int) -> Floats:
        gaps = midpoints(distinct)
        groups = np.arange(len(distinct))
        if len(distinct) > _MOST_POINTS:
            groups = (np.cumsum(counts) - counts) * _MOST_POINTS // counts.sum()
            groups = np.unique(groups, return_inverse=True)[1]
        weight: Floats = np.bincount(groups, counts).astype(np.float64)
        centres = np.bincount(groups, counts * distinct) / weight
        last = np.searchsorted(groups, np.arange(len(weight)), side="right") - 1
        firsts = best_clusters(centres, weight, min(n_bins, len(weight)))
        return gaps[last[firsts[1:] - 1]]


def midpoints(values: Floats) -> Floats:
    """Return the midpoints of neighbouring values; the upper value if no number lies between them.

    >>> midpoints(np.array([1.0, 2.0, 4.0]))
    array([1.5, 3. ])
    """
    low, high = values[:-1], values[1:]
    middle = low / 2 + high / 2
    between: Floats = np.where(middle > low, middle, high)
    return between


def best_clusters(centres: Floats, weight: Floats, n_clusters: int) -> npt.NDArray[np.intp]:
    """Return the first position of each cluster of the optimal one-dimensional k-means clustering.

    >>> best_clusters(np.array([1.0, 2.0, 9.0, 10.0]), np.ones(4), 2)
    array([0, 2])
    """
    n = len(centres)
    # Points are centred and scaled, so that squares neither overflow nor lose precision.
    span = float(centres[-1] / 2 - centres[0] / 2) or 1.0
    points = (centres / 2 - (centres[0] / 4 + centres[-1] / 4)) / span
    sums = np.append(0.0, np.cumsum(weight)), np.append(0.0, np.cumsum(weight * points))
    squares = np.append(0.0, np.cumsum(weight * points * points))

    def cost(first: npt.NDArray[np.intp], end: int) -> Floats:
        mass, total = sums[0][end] - sums[0][first], sums[1][end] - sums[1][first]
        return squares[end] - squares[first] - total * total / mass  # type: ignore[no-any-return]

    best = np.array([0.0, *(float(cost(np.zeros(1, np.intp), end)[0]) for end in range(1, n + 1))])
    starts = np.zeros((n_clusters, n + 1), dtype=np.intp)
    for cluster in range(1, n_clusters):
        better = np.full(n + 1, np.inf)
        low = cluster
        for end in range(cluster + 1, n + 1):
            # The optimal first position of the last cluster increases with its end.
            firsts = np.arange(low, end)
            costs = best[firsts] + cost(firsts, end)
            lowest = int(costs.argmin())
            better[end], starts[cluster, end] = costs[lowest], firsts[lowest]
            low = int(firsts[lowest])
        best = better
    found, end = [], n
    for cluster in range(n_clusters - 1, -1, -1):
        end = int(starts[cluster, end])
        found.append(end)
    return np.array(found[::-1], dtype=np.intp)
