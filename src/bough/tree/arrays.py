"""The arrays a tree is made of: their names, their types, and how the splits are laid out in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.errors import FormatError
from bough.tree.split import AtMost, Levels, Split, Threshold
from bough.tree.structure import family, read_only

KINDS = ("leaf", "threshold", "complete", "subset", "one_vs_rest", "at_most")
"""What the numbers in `Tree.kind` mean."""

ARRAYS: Mapping[str, type[np.generic]] = {
    "parent": np.int32,
    "first_child": np.int32,
    "n_children": np.int32,
    "column": np.int32,
    "kind": np.uint8,
    "cut": np.float64,
    "level_start": np.int64,
    "level_code": np.int32,
    "level_branch": np.int32,
    "default_branch": np.int32,
    "weight": np.float64,
    "rows": np.float64,
    "statistics": np.float64,
    "risk": np.float64,
    "gain": np.float64,
}
"""The arrays of a tree and their types."""


def frozen(name: str, values: npt.ArrayLike, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return the values as a read-only array of the type, without a copy if they are one already.

    >>> frozen("column", [0, -1], np.int32)
    array([ 0, -1], dtype=int32)
    >>> frozen("column", [0, 2**40], np.int32)
    Traceback (most recent call last):
    bough.errors.FormatError: At nodes.column: its values do not fit int32
    """
    given = np.asarray(values)
    if given.dtype == dtype and given.flags.c_contiguous:
        return read_only(given.view()) if given.flags.writeable else given
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            array = np.array(given, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None or not (
        given.size == 0 or np.array_equal(array, given, equal_nan=array.dtype.kind == "f")
    ):
        raise FormatError(f"nodes.{name}", f"its values do not fit {np.dtype(dtype)}")
    return read_only(array)


def check_shapes(arrays: Mapping[str, npt.NDArray[Any]], n_statistics: int) -> None:
    """Refuse arrays whose lengths do not go together.

    >>> check_shapes({name: np.zeros(0, dtype) for name, dtype in ARRAYS.items()}, n_statistics=2)
    Traceback (most recent call last):
    bough.errors.FormatError: At nodes: a tree has at least one node
    """
    n_nodes, n_levels = arrays["n_children"].size, arrays["level_code"].size
    if n_nodes == 0:
        raise FormatError("nodes", "a tree has at least one node")
    shapes = dict.fromkeys(ARRAYS, (n_nodes,)) | {
        "statistics": (n_nodes, n_statistics),
        "level_start": (n_nodes + 1,),
        "level_code": (n_levels,),
        "level_branch": (n_levels,),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise FormatError(f"nodes.{name}", f"has shape {arrays[name].shape}; {shape} is wanted")


def split_arrays(splits: Sequence[Split | None]) -> dict[str, Any]:
    """Lay out the split of each node, None for a leaf, in arrays.

    >>> arrays = split_arrays([Threshold(0, 2.5), None, None])
    >>> arrays["first_child"], arrays["cut"]
    (array([ 1, -1, -1], dtype=int32), array([2.5, nan, nan]))
    """
    levels = [split if isinstance(split, Levels) else None for split in splits]
    n_children = np.array([split.n_branches if split else 0 for split in splits], dtype=np.int32)
    parent, first_child = family(n_children)
    n_listed = [len(split.codes) if split else 0 for split in levels]
    return {
        "parent": parent,
        "first_child": first_child,
        "n_children": n_children,
        "column": np.array([split.column if split else -1 for split in splits], dtype=np.int32),
        "kind": np.array([_kind(split) for split in splits], dtype=np.uint8),
        "cut": np.array([split.cut if isinstance(split, Threshold) else np.nan for split in splits]),
        "level_start": np.append(0, np.cumsum(n_listed)),
        "level_code": np.array([code for split in levels if split for code in split.codes], dtype=np.int32),
        "level_branch": np.array(
            [way for split in levels if split for way in split.branches], dtype=np.int32
        ),
    }


def _kind(split: Split | None) -> int:
    if split is None:
        return KINDS.index("leaf")
    if isinstance(split, Threshold):
        return KINDS.index("at_most" if isinstance(split, AtMost) else "threshold")
    return KINDS.index(split.kind)
