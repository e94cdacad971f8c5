"""Measures of rankings: NDCG, mean average precision and mean reciprocal rank, over groups of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.groups import read_groups
from bough.data.target import read_numbers
from bough.errors import ParameterError, TargetError
from bough.evaluation.measures import Measure, mean_and_error
from bough.growing.limits import check_whole
from bough.growing.pruning import check_choice
from bough.types import Floats

Gain: TypeAlias = Literal["exponential", "linear"]

_MOST_GRADE = 62


def gains_of(y: Floats, gain: str) -> Floats:
    """Return the gains of grades: 2ʸ − 1, as in LightGBM, or y itself, as in scikit-learn.

    >>> gains_of(np.array([0.0, 1.0, 2.0]), "exponential")
    array([0., 1., 3.])
    """
    check_choice("gain", gain, ("exponential", "linear"))
    if (y < 0).any():
        row = int(np.argmax(y < 0))
        raise TargetError(f"y is {float(y[row])!r} in row {row}; the grades of a ranking are at least 0.")
    if gain == "linear":
        return y
    if (y > _MOST_GRADE).any():
        row = int(np.argmax(y > _MOST_GRADE))
        raise TargetError(
            f"y is {float(y[row])!r} in row {row}, and its gain 2**y - 1 is too large. Choose gain='linear', "
            "or give grades such as 0 to 4."
        )
    return np.asarray(np.exp2(y) - 1)


def ndcg(y: Any, scores: Any, groups: Any, *, k: int | None = None, gain: Gain = "exponential") -> float:
    """Return the mean over groups of the normalized discounted cumulative gain at k.

    The rows of a group are ordered by falling score; a row at place i adds its gain divided by log₂(1 + i),
    and the sum over the first k places is divided by that of the best order. Rows of equal scores share the
    mean of their gains, as in scikit-learn. A group without a positive gain does not count.

    >>> ndcg([3, 2, 3, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], [1, 1, 1, 2, 2])
    0.7978...
    """
    gains, given, codes = _checked(y, scores, groups)
    gains = gains_of(gains, gain)
    return _mean(codes, lambda rows: _ndcg_of(gains[rows], given[rows], _limit(k)))


def mean_average_precision(y: Any, scores: Any, groups: Any, *, k: int | None = None) -> float:
    """Return the mean over groups of the average precision at k.

    Rows whose y is above 0 are relevant. The precision at the place of each relevant row among the first k is
    summed and divided by the number of relevant rows, or k if there are more. Ties go to the first row. A
    group without a relevant row does not count.

    >>> mean_average_precision([0, 1, 1], [3.0, 2.0, 1.0], [7, 7, 7])
    0.5833...
    """
    relevant, given, codes = _checked(y, scores, groups)
    return _mean(codes, lambda rows: _precision_of(relevant[rows] > 0, given[rows], _limit(k)))


def mean_reciprocal_rank(y: Any, scores: Any, groups: Any, *, k: int | None = None) -> float:
    """Return the mean over groups of 1 / place of the first row whose y is above 0; 0 if it is beyond k.

    Ties go to the first row. A group without a relevant row does not count.

    >>> mean_reciprocal_rank([0, 1, 1], [3.0, 2.0, 1.0], [7, 7, 7])
    0.5
    """
    relevant, given, codes = _checked(y, scores, groups)
    return _mean(codes, lambda rows: _reciprocal_of(relevant[rows] > 0, given[rows], _limit(k)))


def ranking_measures(
    y: Floats, scores: Floats, codes: npt.NDArray[np.int32], gain: Gain
) -> dict[str, Measure]:
    """Return the measures of a ranking, with standard errors over groups and those of equal scores.

    >>> y, scores, codes = np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 0], np.int32)
    >>> {name: round(measure.value, 3) for name, measure in ranking_measures(y, scores, codes, "linear").items()}
    {'NDCG': 0.631, 'NDCG@10': 0.631, 'MAP': 0.5, 'MRR': 0.5}
    """
    gains, none = gains_of(y, gain), np.zeros(len(y))
    functions: dict[str, Callable[[npt.NDArray[np.intp], Floats], float | None]] = {
        "NDCG": lambda rows, given: _ndcg_of(gains[rows], given[rows], None),
        "NDCG@10": lambda rows, given: _ndcg_of(gains[rows], given[rows], 10),
        "MAP": lambda rows, given: _precision_of(y[rows] > 0, given[rows], None),
        "MRR": lambda rows, given: _reciprocal_of(y[rows] > 0, given[rows], None),
    }
    found = {}
    for name, function in functions.items():
        values = _values(codes, lambda rows, of=function: of(rows, scores))  # type: ignore[misc]
        # Equal scores order the rows of a group by chance.
        baseline = _values(codes, lambda rows, of=function: of(rows, none)) if "NDCG" in name else None  # type: ignore[misc]
        found[name] = Measure(*mean_and_error(values), None if baseline is None else float(baseline.mean()))
    return found


def _checked(y: Any, scores: Any, groups: Any) -> tuple[Floats, Floats, npt.NDArray[np.int32]]:
    numbers, given = read_numbers(y), read_numbers(scores)
    if len(numbers) != len(given):
        raise TargetError(f"y has {len(numbers)} entries and scores {len(given)}; give one of each for a row.")
    return numbers, given, read_groups(groups, len(numbers))


def _limit(k: int | None) -> int | None:
    return None if k is None else check_whole("k", k, 1, 2**31 - 1)


def _rows_by_group(codes: npt.NDArray[np.int32]) -> Iterator[npt.NDArray[np.intp]]:
    order = codes.argsort(kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _values(
    codes: npt.NDArray[np.int32], of_rows: Callable[[npt.NDArray[np.intp]], float | None]
) -> Floats:
    found = [value for value in map(of_rows, _rows_by_group(codes)) if value is not None]
    if not found:
        raise TargetError("No group has a row whose y is above 0, so that no order is better than another.")
    return np.array(found)


def _mean(codes: npt.NDArray[np.int32], of_rows: Callable[[npt.NDArray[np.intp]], float | None]) -> float:
    return float(_values(codes, of_rows).mean())


def _ndcg_of(gains: Floats, scores: Floats, k: int | None) -> float | None:
    discounts = 1 / np.log2(np.arange(2, len(gains) + 2))
    if k is not None:
        discounts[k:] = 0
    best = float(np.sort(gains)[::-1] @ discounts)
    if best <= 0:
        return None
    # Rows of equal scores share the mean of their gains.
    _, codes, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    means = np.bincount(codes, gains) / counts
    return float(np.repeat(means, counts) @ discounts) / best


def _precision_of(relevant: npt.NDArray[np.bool_], scores: Floats, k: int | None) -> float | None:
    n_relevant = int(relevant.sum())
    if n_relevant == 0:
        return None
    places = np.flatnonzero(relevant[(-scores).argsort(kind="stable")]) + 1
    precisions = np.arange(1, n_relevant + 1) / places
    if k is None:
        return float(precisions.mean())
    return float(precisions[places <= k].sum()) / min(n_relevant, k)


def _reciprocal_of(relevant: npt.NDArray[np.bool_], scores: Floats, k: int | None) -> float | None:
    if not relevant.any():
        return None
    place = int(relevant[(-scores).argsort(kind="stable")].argmax()) + 1
    return 1 / place if k is None or place <= k else 0.0
