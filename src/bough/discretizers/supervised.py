"""Supervised discretization by the minimum description length principle (Fayyad and Irani 1993)."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from bough.data.target import read_classes
from bough.discretizers.discretizer import Discretizer, numbers_of
from bough.discretizers.unsupervised import midpoints
from bough.learners.conventions import check_lengths, required
from bough.types import Floats


class MDLDiscretizer(Discretizer):
    """Discretize columns by class entropy, with the stopping rule of minimum description length.

    Intervals are split recursively at the cut of the lowest class entropy. A cut of N rows is accepted if its
    information gain exceeds log2(N - 1)/N + Δ/N, where Δ = log2(3^k - 2) - (k·Ent - k1·Ent1 - k2·Ent2) and k,
    k1, k2 are the numbers of classes present in the interval and in its two parts (Fayyad and Irani 1993). A
    column that is unrelated to the classes gets no cut.

    Parameters
    ----------
    encode
        "ordinal" numbers the intervals from 0; "interval" returns them as text.

    Examples
    --------
    >>> X, y = [[float(i)] for i in range(20)], ["a"] * 10 + ["b"] * 10
    >>> MDLDiscretizer().fit(X, y).cuts_
    [array([9.5])]

    """

    def __init__(self, *, encode: str = "ordinal") -> None:
        self.encode = encode

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cuts of each column for the classes y.

        >>> MDLDiscretizer().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]).cuts_
        [array([], dtype=float64)]
        """
        required(type(self).__name__, y)
        self._check()
        table, target = self._learned(X), read_classes(y)
        check_lengths(table, len(target.codes))
        n_classes = len(target.classes)
        self.cuts_ = [_column_cuts(values, target.codes, n_classes) for values in numbers_of(table)]
        return self

    def _cuts(self, values: Floats) -> Floats:
        return np.empty(0)

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that y is required."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _column_cuts(values: Floats, codes: npt.NDArray[np.int32], n_classes: int) -> Floats:
    known = np.isfinite(values)
    distinct, positions = np.unique(values[known], return_inverse=True)
    if len(distinct) < 2:
        return np.empty(0)
    cells = np.bincount(positions * n_classes + codes[known], minlength=len(distinct) * n_classes)
    # Row i holds the class counts of the rows below distinct value i.
    below = np.zeros((len(distinct) + 1, n_classes))
    below[1:] = cells.reshape(len(distinct), n_classes).cumsum(axis=0)
    found, pending = [], [(0, len(distinct))]
    while pending:
        first, end = pending.pop()
        cut = _best_cut(below, first, end)
        if cut is not None:
            found.append(cut)
            pending += [(first, cut), (cut, end)]
    return midpoints(distinct)[np.sort(np.array(found, dtype=np.intp)) - 1]


def _best_cut(below: Floats, first: int, end: int) -> int | None:
    """Return the position of the accepted cut between `first` and `end`, or None if no cut is accepted."""
    if end - first < 2:
        return None
    whole = below[end] - below[first]
    left = below[first + 1 : end] - below[first]
    right = whole - left
    n = float(whole.sum())
    weighted = (left.sum(axis=1) * entropy(left) + right.sum(axis=1) * entropy(right)) / n
    best = int(weighted.argmin())
    parts = whole, left[best], right[best]
    k, k1, k2 = (int(np.count_nonzero(part)) for part in parts)
    ent, ent1, ent2 = (float(entropy(part[None])[0]) for part in parts)
    gain = ent - float(weighted[best])
    # log2(3^k - 2), in a form that does not overflow.
    log_partitions = k * math.log2(3) + math.log2(1 - 2 * 3.0**-k)
    entropies = k * ent - k1 * ent1 - k2 * ent2
    accepted = n > 1 and gain > (math.log2(n - 1) + log_partitions - entropies) / n
    return first + 1 + best if accepted else None


def entropy(counts: Floats) -> Floats:
    """Return the entropy of each row of class counts, in bits.

    >>> entropy(np.array([[2.0, 2.0], [4.0, 0.0]]))
    array([1., 0.])
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    logs = np.zeros_like(shares)
    np.log2(shares, out=logs, where=shares > 0)
    bits: Floats = -(shares * logs).sum(axis=1) + 0.0
    return bits
