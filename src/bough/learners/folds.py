"""Folds of cross-validation: the rows that are left out together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.target import ClassTarget
from bough.errors import ParameterError
from bough.growing.draws import random_numbers
from bough.types import is_whole

Folds = npt.NDArray[np.int32]

# So many calls of numpy take longer than drawing the random numbers at once.
_MANY_RUNS = 20
_SHORT = 2**15


def read_folds(
    cv: Any,
    target: ClassTarget | npt.NDArray[np.float64],
    rows: npt.NDArray[np.intp],
    n_given: int,
    random_state: Any,
) -> Folds | None:
    """Return the fold of each row, numbered from 0; None if there are too few rows to leave any out.

    `cv` is a number of folds, which are stratified by class; or the fold of each of the `n_given` rows passed
    to fit, of which only `rows` are used; or a scikit-learn splitter or the pairs it yields. If there are
    more folds than rows, each row is a fold of its own.

    >>> y = np.zeros(4)
    >>> read_folds(["a", "b", "a", "b"], y, np.arange(4), 4, 0)
    array([0, 1, 0, 1], dtype=int32)
    >>> read_folds(1, y, np.arange(4), 4, 0)
    Traceback (most recent call last):
    bough.errors.ParameterError: cv is 1; it must be a whole number of at least 2, or the fold of each row.
    """
    n_rows = len(rows)
    if is_whole(cv):
        if cv < 2:
            raise ParameterError.of("cv", cv, "a whole number of at least 2, or the fold of each row")
        return drawn_folds(min(int(cv), n_rows), target, n_rows, random_state) if n_rows > 1 else None
    if hasattr(cv, "split") and not isinstance(cv, str):
        labels = target.codes if isinstance(target, ClassTarget) else target
        folds = _from_pairs(list(cv.split(np.zeros((n_rows, 1)), labels)), np.arange(n_rows), n_rows)
        _check_number(folds)
        return folds
    folds = _given(cv, rows, n_given)
    _check_number(folds)
    _check_classes(folds, target)
    return folds


def drawn_folds(
    n_folds: int, target: ClassTarget | npt.NDArray[np.float64], n_rows: int, random_state: Any
) -> Folds:
    """Draw folds of equal size, stratified by class or, for a numeric target, by the rank of y.

    >>> folds = drawn_folds(2, ClassTarget(("a", "b"), np.array([0, 0, 1, 1], np.int32)), 4, 0)
    >>> sorted(folds[:2].tolist()), sorted(folds[2:].tolist())
    ([0, 1], [0, 1])
    """
    random = random_numbers(random_state)
    key = target.codes if isinstance(target, ClassTarget) else target
    # Sort by the target, rows of one target at random; each run of n_folds consecutive rows gets every fold
    # once.
    shuffled = np.empty(n_rows, dtype=np.intp)
    shuffled[random.permutation(n_rows)] = np.arange(n_rows)
    order = shuffled[np.argsort(_short(key)[shuffled], kind="stable")]
    folds = np.empty(n_rows, dtype=np.int32)
    folds[order] = shuffled_runs(random, n_folds, -(-n_rows // n_folds))[:n_rows]
    return folds


def shuffled_runs(random: np.random.RandomState, length: int, n_runs: int) -> npt.NDArray[np.int32]:
    """Return `n_runs` permutations of 0 to `length` - 1, one after the other.

    They are those of as many calls of `random.permutation(length)`, and leave the generator as these do.

    >>> shuffled_runs(np.random.RandomState(0), 3, 2)
    array([2, 1, 0, 2, 0, 1], dtype=int32)
    """
    state: Any = random.get_state(legacy=False)
    if n_runs < _MANY_RUNS or state["bit_generator"] != "MT19937":
        runs = [random.permutation(length) for _ in range(n_runs)]
        return np.concatenate(runs).astype(np.int32)
    twister, found, n_random = np.random.MT19937(), None, 2 * n_runs * length
    while found is None:
        twister.state = {"bit_generator": "MT19937", "state": state["state"]}
        found = _core.shuffled_runs(twister.random_raw(n_random).astype(np.uint32), length, n_runs)
        n_random *= 2
    numbers, n_used = found
    twister.state = {"bit_generator": "MT19937", "state": state["state"]}
    twister.random_raw(n_used, output=False)
    random.set_state(state | {"state": twister.state["state"]})
    return numbers


def _short(key: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return whole numbers of up to 15 bits as such, since these are sorted faster than floats."""
    if len(key) == 0 or not (key.min() >= -_SHORT and key.max() < _SHORT):
        return key
    short = key.astype(np.int16)
    return short if (short == key).all() else key


def _given(cv: Any, rows: npt.NDArray[np.intp], n_given: int) -> Folds:
    if isinstance(cv, str) or not hasattr(cv, "__iter__"):
        wanted = "a number of folds, the fold of each row, or a scikit-learn splitter"
        raise ParameterError.of("cv", cv, wanted)
    entries = list(cv)
    if entries and isinstance(entries[0], tuple | list) and len(entries[0]) == 2:
        return _from_pairs(entries, rows, n_given)
    if len(entries) != n_given:
        raise ParameterError(f"cv has {len(entries)} entries; give the fold of each of {n_given} rows.")
    labels = _labels(cv if isinstance(cv, np.ndarray) else entries)
    _, folds = np.unique(labels[rows], return_inverse=True)
    return folds.astype(np.int32)


def _labels(given: Any) -> npt.NDArray[Any]:
    try:
        labels = np.asarray(given)
    except ValueError:
        labels = np.empty((0, 0))
    if labels.ndim != 1:
        raise ParameterError(f"cv holds {given[0]!r} in row 0; give the fold of each row.")
    # NaN does not equal itself.
    missing = labels != labels if labels.dtype.kind != "O" else [x is None or x != x for x in labels]
    if np.any(missing):
        row = int(np.argmax(missing))
        raise ParameterError(f"cv holds {given[row]!r} in row {row}; give the fold of each row.")
    return labels


def _from_pairs(pairs: list[Any], rows: npt.NDArray[np.intp], n_given: int) -> Folds:
    """Return the folds defined by pairs (training rows, test rows) of positions in the rows passed to fit."""
    given = np.full(n_given, -1, dtype=np.int32)
    for fold, pair in enumerate(pairs):
        kept, left_out = (_positions(part, n_given) for part in pair)
        if (given[left_out] >= 0).any() or len(np.unique(left_out)) != len(left_out):
            raise ParameterError("cv leaves a row out twice; each row may be in one fold only.")
        if len(np.setdiff1d(kept, left_out)) != n_given - len(left_out):
            raise ParameterError(
                f"cv keeps {len(kept)} rows and leaves {len(left_out)} out, of {n_given}; each pair must "
                "contain every row once, because a fold's tree is grown on all rows outside the fold."
            )
        given[left_out] = fold
    if (never := given[rows] < 0).any():
        row = int(rows[np.argmax(never)])
        raise ParameterError(f"cv never leaves row {row} out; each row must be in one fold.")
    return given[rows]


def _positions(part: Any, n_given: int) -> npt.NDArray[np.intp]:
    try:
        positions = np.asarray(part)
    except ValueError:
        positions = np.array([np.nan])
    is_whole = positions.dtype.kind in "iu" or positions.size == 0
    if positions.ndim != 1 or not is_whole or ((positions < 0) | (positions >= n_given)).any():
        raise ParameterError(f"cv holds pairs; each has two lists of rows, from 0 to {n_given - 1}.")
    return positions.astype(np.intp)


def _check_number(folds: Folds) -> None:
    """Raise if one fold contains every row."""
    if len(folds) and np.bincount(folds).max() == len(folds):
        raise ParameterError("cv puts every row into the same fold; give at least 2 folds.")


def _check_classes(folds: Folds, target: ClassTarget | npt.NDArray[np.float64]) -> None:
    """Raise if the rows outside a fold lack a class."""
    if not isinstance(target, ClassTarget):
        return
    k = len(target.classes)
    counts = np.bincount(folds.astype(np.int64) * k + target.codes, minlength=(int(folds.max()) + 1) * k)
    counts = counts.reshape(-1, k)
    lacking = counts == counts.sum(axis=0)
    lacking[:, counts.sum(axis=0) == 0] = False
    if lacking.any():
        fold, code = np.argwhere(lacking)[0]
        raise ParameterError(
            f"cv leaves class {target.classes[code]!r} out: all its rows are in fold {fold + 1} of those in "
            "sorted order, so the tree grown without that fold cannot predict it. Put its rows into at least "
            "two folds."
        )
