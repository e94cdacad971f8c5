"""Measures of rankings: NDCG, mean average precision and mean reciprocal rank, over groups of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.data.ranking import Groups, gains_of, read_groups
from bough.data.target import read_numbers
from bough.errors import TargetError
from bough.growing.limits import check_whole
from bough.growing.pruning import check_choice
from bough.types import Floats

Gain: TypeAlias = Literal["exponential", "linear"]
"""The gain of a grade y: 2ʸ − 1, as in LightGBM, or y, as in scikit-learn."""


def ndcg(y: Any, scores: Any, groups: Any, *, k: int | None = None, gain: Gain = "exponential") -> float:
    """Return the mean over groups of the normalized discounted cumulative gain at k.

    The rows of a group are ordered by falling score; a row at position i adds its gain divided by
    log₂(1 + i), and the sum over the first k positions is divided by that of the best order. Rows of equal
    scores share the mean of their gains, as in scikit-learn. A group without a positive gain does not count.

    >>> round(ndcg([3, 2, 3, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], [1, 1, 1, 2, 2]), 4)
    0.7952
    """
    gains, given, codes = _checked(y, scores, groups)
    check_choice("gain", gain, get_args(Gain))
    return float(ndcg_by_group(gains_of(gains, gain), given, codes, _limit(k)).mean())


def mean_average_precision(y: Any, scores: Any, groups: Any, *, k: int | None = None) -> float:
    """Return the mean over groups of the average precision at k.

    Rows whose y is above 0 are relevant. The precision at the position of each relevant row among the first k
    is summed and divided by the number of relevant rows, or k if there are more. Ties go to the first row. A
    group without a relevant row does not count.

    >>> round(mean_average_precision([0, 1, 1], [3.0, 2.0, 1.0], [7, 7, 7]), 4)
    0.5833
    """
    relevant, given, codes = _checked(y, scores, groups)
    return float(precision_by_group(relevant, given, codes, _limit(k)).mean())


def mean_reciprocal_rank(y: Any, scores: Any, groups: Any, *, k: int | None = None) -> float:
    """Return the mean over groups of 1 / position of the first row whose y is above 0; 0 if it is beyond k.

    Ties go to the first row. A group without a relevant row does not count.

    >>> mean_reciprocal_rank([0, 1, 1], [3.0, 2.0, 1.0], [7, 7, 7])
    0.5
    """
    relevant, given, codes = _checked(y, scores, groups)
    return float(reciprocal_by_group(relevant, given, codes, _limit(k)).mean())


def _checked(y: Any, scores: Any, groups: Any) -> tuple[Floats, Floats, Groups]:
    numbers, given = read_numbers(y), read_numbers(scores)
    if len(numbers) != len(given):
        raise TargetError(
            f"y has {len(numbers)} entries and scores {len(given)}; give one of each for a row."
        )
    return numbers, given, read_groups(groups, len(numbers))


def _limit(k: int | None) -> int | None:
    if k is not None:
        check_whole("k", k, 1, 2**31 - 1)
    return k


def ndcg_by_group(gains: Floats, scores: Floats, codes: Groups, k: int | None = None) -> Floats:
    """Return the NDCG at k of each group that has a positive gain.

    >>> ndcg_by_group(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([0, 0], np.int32))
    array([1.])
    """

    def of_rows(rows: npt.NDArray[np.intp]) -> float | None:
        discounts = 1 / np.log2(np.arange(2, len(rows) + 2))
        discounts[len(rows) if k is None else k :] = 0
        best = float(np.sort(gains[rows])[::-1] @ discounts)
        # Rows of equal scores share the mean of their gains.
        _, levels, counts = np.unique(-scores[rows], return_inverse=True, return_counts=True)
        means = np.bincount(levels, gains[rows]) / counts
        return float(np.repeat(means, counts) @ discounts) / best if best > 0 else None

    return _values(codes, of_rows)


def precision_by_group(y: Floats, scores: Floats, codes: Groups, k: int | None = None) -> Floats:
    """Return the average precision at k of each group that has a row whose y is above 0.

    >>> precision_by_group(np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 0], np.int32))
    array([0.5])
    """

    def precision(positions: npt.NDArray[np.intp]) -> float:
        precisions = np.arange(1, len(positions) + 1) / positions
        if k is None:
            return float(precisions.mean())
        return float(precisions[positions <= k].sum()) / min(len(positions), k)

    return _values_of_positions(y, scores, codes, precision)


def reciprocal_by_group(y: Floats, scores: Floats, codes: Groups, k: int | None = None) -> Floats:
    """Return 1 / position of the first row of each group whose y is above 0, or 0 if it is beyond k.

    >>> reciprocal_by_group(np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 0], np.int32))
    array([0.5])
    """

    def reciprocal(positions: npt.NDArray[np.intp]) -> float:
        return 1 / float(positions[0]) if k is None or positions[0] <= k else 0.0

    return _values_of_positions(y, scores, codes, reciprocal)


def _values_of_positions(
    y: Floats, scores: Floats, codes: Groups, measure: Callable[[npt.NDArray[np.intp]], float]
) -> Floats:
    """Return a measure of the positions, from 1 on, of the relevant rows of each group that has any."""

    def of_rows(rows: npt.NDArray[np.intp]) -> float | None:
        order = (-scores[rows]).argsort(kind="stable")
        positions = np.flatnonzero(y[rows][order] > 0) + 1
        return measure(positions) if len(positions) else None

    return _values(codes, of_rows)


def _values(codes: Groups, of_rows: Callable[[npt.NDArray[np.intp]], float | None]) -> Floats:
    order = codes.argsort(kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    found = [value for value in map(of_rows, groups) if value is not None]
    if not found:
        raise TargetError("No group has a row whose y is above 0, so that no order is better than another.")
    return np.array(found)
