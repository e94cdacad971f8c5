"""The classes of y as codes, as `numpy.unique` numbers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

MOST_BETWEEN = 4096
"""The greatest difference of whole numbers that are counted instead of sorted."""

Coded = tuple[list[npt.NDArray[Any]], npt.NDArray[np.int64]]


def checked_classes(y: npt.NDArray[Any]) -> Coded:
    """Return the classes of each column of y, and their codes; raise scikit-learn's error if y has none.

    Whole numbers that lie close together are never refused: they are classes, and far fewer than rows.

    >>> classes, codes = checked_classes(np.array([["b", "x"], ["a", "x"]]))
    >>> [list(map(str, each)) for each in classes], codes.tolist()
    ([['a', 'b'], ['x']], [[1, 0], [0, 0]])
    """
    coded = _counted(y)
    if coded is not None and len(y) > 20 and 2 * max(map(len, coded[0])) * len(coded[0]) < len(y):
        return coded
    check_classification_targets(y)
    return coded or _sorted(y)


def classes_of(y: npt.NDArray[Any]) -> Coded:
    """Return the classes of each column of y, and their codes.

    >>> classes_of(np.array([[3.0], [1.0], [3.0]]))
    ([array([1., 3.])], array([[1],
           [0],
           [1]]))
    """
    return _counted(y) or _sorted(y)


def _sorted(y: npt.NDArray[Any]) -> Coded:
    pairs = [np.unique(column, return_inverse=True) for column in y.T]
    return [classes for classes, _ in pairs], np.stack([codes for _, codes in pairs], axis=1)


def _counted(y: npt.NDArray[Any]) -> Coded | None:
    """The same for whole numbers that lie close together; None for others."""
    if y.dtype.kind not in "iufb" or y.size == 0:
        return None
    low, high = y.min(), y.max()
    near = np.isfinite(low) and np.isfinite(high) and max(abs(int(low)), abs(int(high))) < 2**53
    if not near or int(high) - int(low) > MOST_BETWEEN:
        return None
    codes = y.astype(np.int64)
    if y.dtype.kind == "f" and not (codes == y).all():
        return None
    first = int(low)
    codes -= first
    classes = []
    for column in codes.T:
        present = np.bincount(column) > 0
        classes.append((np.flatnonzero(present) + first).astype(y.dtype))
        if not present.all():
            column[:] = (np.cumsum(present) - 1)[column]
    return classes, codes
