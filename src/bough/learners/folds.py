"""Folds: which rows are left out together when a learner is cross-validated."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.errors import ParameterError
from bough.target import ClassTarget

Folds = npt.NDArray[np.int32]


def read_folds(
    cv: Any, target: ClassTarget | npt.NDArray[np.float64], rows: npt.NDArray[np.intp], random_state: Any
) -> Folds | None:
    """Return the fold of each row, numbered from 0; None if there are too few rows to leave any out.

    `cv` is a number of folds, drawn so that each has its share of every class; or the fold of each row given
    to fit, of which `rows` are those that are left; or a scikit-learn splitter or the pairs it yields. A
    number of folds greater than the rows leaves each row out once.

    >>> y = np.zeros(4)
    >>> read_folds(["a", "b", "a", "b"], y, np.arange(4), 0)
    array([0, 1, 0, 1], dtype=int32)
    >>> read_folds(1, y, np.arange(4), 0)
    Traceback (most recent call last):
    bough.errors.ParameterError: cv is 1; it must be a whole number of at least 2, or the fold of each row.
    """
    n_rows = len(rows)
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ParameterError.of("cv", cv, "a whole number of at least 2, or the fold of each row")
        return drawn_folds(min(int(cv), n_rows), target, n_rows, random_state) if n_rows > 1 else None
    if hasattr(cv, "split"):
        labels = target.codes if isinstance(target, ClassTarget) else target
        return _from_pairs(cv.split(np.zeros((n_rows, 1)), labels), np.arange(n_rows))
    folds = _given(cv, rows)
    _check_classes(folds, target)
    return folds


def drawn_folds(
    n_folds: int, target: ClassTarget | npt.NDArray[np.float64], n_rows: int, random_state: Any
) -> Folds:
    """Draw folds of the same size, each with its share of every class; numbers are shared out by their rank.

    >>> folds = drawn_folds(2, ClassTarget(("a", "b"), np.array([0, 0, 1, 1], np.int32)), 4, 0)
    >>> sorted(folds[:2].tolist()), sorted(folds[2:].tolist())
    ([0, 1], [0, 1])
    """
    from sklearn.utils import check_random_state

    random = check_random_state(random_state)
    key = target.codes if isinstance(target, ClassTarget) else target
    # Along the order of the target, each run of n_folds rows goes into all folds once.
    order = np.lexsort((random.permutation(n_rows), key))
    folds = np.empty(n_rows, dtype=np.int32)
    runs = [random.permutation(n_folds) for _ in range(-(-n_rows // n_folds))]
    folds[order] = np.concatenate(runs)[:n_rows]
    return folds


def _given(cv: Any, rows: npt.NDArray[np.intp]) -> Folds:
    if isinstance(cv, str) or not hasattr(cv, "__iter__"):
        wanted = "a number of folds, the fold of each row, or a scikit-learn splitter"
        raise ParameterError.of("cv", cv, wanted)
    entries = list(cv)
    if entries and isinstance(entries[0], tuple | list) and len(entries[0]) == 2:
        return _from_pairs(entries, rows)
    labels = np.asarray(entries)
    if len(rows) and (len(labels) <= rows[-1]):
        raise ParameterError(f"cv has {len(labels)} entries; give the fold of each row.")
    distinct, folds = np.unique(labels[rows], return_inverse=True)
    if len(distinct) < 2:
        raise ParameterError("cv puts every row into the same fold; give at least 2 folds.")
    return folds.astype(np.int32)


def _from_pairs(pairs: Any, rows: npt.NDArray[np.intp]) -> Folds:
    """Return the folds of pairs of (rows kept, rows left out), numbered as they were given to fit."""
    left_out = [np.asarray(pair[1]) for pair in pairs]
    given = np.full(max([int(rows[-1]), *(int(part.max(initial=-1)) for part in left_out)]) + 1, -1)
    for fold, part in enumerate(left_out):
        if (given[part] >= 0).any():
            raise ParameterError("cv leaves a row out twice; each row may be in one fold only.")
        given[part] = fold
    return given[rows].astype(np.int32)


def _check_classes(folds: Folds, target: ClassTarget | npt.NDArray[np.float64]) -> None:
    """Refuse given folds where the rows outside one lack a class."""
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
            "sorted order, and the others cannot learn it. Spread its rows over two folds at least."
        )
