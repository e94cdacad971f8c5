"""The arrays of a tree: their names and types, and the conversion of splits into arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough.errors import FormatError
from bough.tree.split import AtMost, Intervals, Levels, Split, Threshold
from bough.tree.structure import family, read_only
from bough.types import Floats

KINDS = ("leaf", "threshold", "complete", "subset", "one_vs_rest", "at_most", "intervals")
"""The names of the numbers in `Tree.kind`. The order is part of the file format: add new kinds at the end."""

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
    "cases": np.float64,
    "statistics": np.float64,
    "risk": np.float64,
    "gain": np.float64,
}
"""The arrays that every tree has and their types."""

CUT_ARRAYS = ("cut_below", "cut_above", "cut_low", "cut_mid", "cut_high")
"""Optional arrays with a number for each threshold, NaN elsewhere."""

OPTIONAL_ARRAYS: Mapping[str, type[np.generic]] = {
    "share": np.float64,
    **dict.fromkeys(CUT_ARRAYS, np.float64),
    "interval_start": np.int64,
    "interval_cut": np.float64,
    "interval_below": np.float64,
    "interval_above": np.float64,
    "p_value": np.float64,
    "test_statistic": np.float64,
    "target_risk": np.float64,
}
"""The arrays that a tree may have and their types."""

INTERVAL_ARRAYS = ("interval_cut", "interval_below", "interval_above")
"""Optional arrays with a number for each cut of the splits into intervals."""

TEST_ARRAYS = ("p_value", "test_statistic")
"""Optional arrays with a number for each node and column, NaN where the column was not tested."""

TABLE_ARRAYS = ("statistics", "target_risk", *TEST_ARRAYS)
"""The arrays that have a row of numbers for each node."""


def frozen(name: str, values: npt.ArrayLike, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return the values as a read-only array of the type; an array of that type is not copied.

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


def same_array(ours: npt.NDArray[Any] | None, theirs: npt.NDArray[Any] | None) -> bool:
    """Return whether two arrays are equal; an array without any number equals None.

    >>> same_array(np.array([1.0, np.nan]), np.array([1.0, np.nan])), same_array(np.array([np.nan]), None)
    (True, True)
    """
    if ours is None or theirs is None:
        given = theirs if ours is None else ours
        return given is None or bool(np.isnan(given).all())
    return np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")


class ArrayGroup:
    """Base of dataclasses that hold a group of read-only arrays, with the names and types in `ARRAYS`.

    The arrays named in `OPTIONAL` may be None.
    """

    ARRAYS: ClassVar[Mapping[str, type[np.generic]]]
    OPTIONAL: ClassVar[Mapping[str, type[np.generic]]] = {}

    def __post_init__(self) -> None:
        for name, dtype in {**self.ARRAYS, **self.OPTIONAL}.items():
            if name in self.ARRAYS or self.__dict__[name] is not None:
                self.__dict__[name] = frozen(name, self.__dict__[name], dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(
            same_array(getattr(self, name), getattr(other, name)) for name in (*self.ARRAYS, *self.OPTIONAL)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling calls the constructor, so that the arrays are read-only again.
        return rebuilt, (type(self), self.given())

    def given(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name, without the optional ones that are absent.

        >>> from bough.tree.leaf_models import LeafModels
        >>> list(LeafModels(intercept=[], start=[0], column=[], coefficient=[], substitute=[]).given())
        ['intercept', 'start', 'column', 'coefficient', 'substitute']
        """
        optional = [name for name in self.OPTIONAL if getattr(self, name) is not None]
        return {name: getattr(self, name) for name in (*self.ARRAYS, *optional)}

    def check_lengths(self, group: str, lengths: Mapping[str, int]) -> None:
        """Raise `FormatError` if an array does not have the length given for it.

        >>> from bough.tree.leaf_models import LeafModels
        >>> models = LeafModels(intercept=[], start=[0], column=[], coefficient=[], substitute=[])
        >>> models.check_lengths("leaf_models", {"start": 6})
        Traceback (most recent call last):
        bough.errors.FormatError: At leaf_models.start: has 1 entries, where 6 are wanted
        """
        for name, length in lengths.items():
            array = getattr(self, name)
            if array.shape != (length,):
                raise FormatError(f"{group}.{name}", f"has {len(array)} entries, where {length} are wanted")

    def check_starts(self, group: str, name: str, end: int) -> None:
        """Raise `FormatError` if the starts do not increase from 0 to `end`.

        >>> from bough.tree.leaf_models import LeafModels
        >>> models = LeafModels(intercept=[], start=[1], column=[], coefficient=[], substitute=[])
        >>> models.check_starts("leaf_models", "start", 0)
        Traceback (most recent call last):
        bough.errors.FormatError: At leaf_models.start: it must increase from 0 to 0
        """
        starts = getattr(self, name)
        if starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
            raise FormatError(f"{group}.{name}", f"it must increase from 0 to {end}")


def rebuilt(kind: type[Any], fields: dict[str, Any]) -> Any:
    """Return an object made of its fields; unpickling calls it.

    >>> rebuilt(complex, {"real": 1.0, "imag": 2.0})
    (1+2j)
    """
    return kind(**fields)


def check_shapes(arrays: Mapping[str, npt.NDArray[Any]], n_statistics: int) -> None:
    """Raise `FormatError` if the shapes of the arrays do not agree.

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
    n_cuts = arrays["interval_cut"].size if arrays.get("interval_cut") is not None else 0
    lengths = {"interval_start": n_nodes + 1} | dict.fromkeys(INTERVAL_ARRAYS, n_cuts)
    for name in OPTIONAL_ARRAYS:
        array, length = arrays.get(name), lengths.get(name, n_nodes)
        shape = (n_nodes, n_statistics) if name == "target_risk" else (length,)
        if array is not None and name not in TEST_ARRAYS and array.shape != shape:
            raise FormatError(f"nodes.{name}", f"has shape {array.shape}; {shape} is wanted")
    for name in TEST_ARRAYS:
        tests = arrays.get(name)
        if tests is not None and (tests.ndim != 2 or len(tests) != n_nodes):
            raise FormatError(f"nodes.{name}", f"has shape {tests.shape}; a row for each node is wanted")


def split_arrays(splits: Sequence[Split | None]) -> dict[str, Any]:
    """Return the arrays for the split of each node; None stands for a leaf.

    >>> arrays = split_arrays([Threshold(0, 2.5), None, None])
    >>> arrays["first_child"], arrays["cut"]
    (array([ 1, -1, -1], dtype=int32), array([2.5, nan, nan]))
    """
    intervals = [split.cuts if isinstance(split, Intervals) else () for split in splits]
    n_children = np.array([split.n_branches if split else 0 for split in splits], dtype=np.int32)
    parent, first_child = family(n_children)
    cut, below, above = cut_arrays(splits)
    return (
        {
            "parent": parent,
            "first_child": first_child,
            "n_children": n_children,
            "column": np.array([split.column if split else -1 for split in splits], dtype=np.int32),
            "kind": np.array([_kind(split) for split in splits], dtype=np.uint8),
            "cut": cut,
            **level_arrays(splits),
        }
        | (
            {
                "interval_start": np.append(0, np.cumsum([len(cuts) for cuts in intervals])),
                "interval_cut": np.array([cut for cuts in intervals for cut in cuts], dtype=np.float64),
            }
            | _interval_neighbours(splits)
            if any(intervals)
            else {}
        )
        | ({} if below is None else {"cut_below": below, "cut_above": above})
    )


def level_arrays(splits: Sequence[Split | None]) -> dict[str, Any]:
    """Return where the listed levels of each split begin, their codes and their branches.

    >>> level_arrays([None, Levels(0, "subset", (1, 3), (0, 1), 2)])["level_start"]
    array([0, 0, 2])
    """
    levels = [(split.codes, split.branches) if isinstance(split, Levels) else ((), ()) for split in splits]
    return {
        "level_start": np.cumsum([0, *(len(codes) for codes, _ in levels)]),
        "level_code": np.array([code for codes, _ in levels for code in codes], dtype=np.int32),
        "level_branch": np.array([way for _, branches in levels for way in branches], dtype=np.int32),
    }


def ranges_of(
    starts: npt.NDArray[Any], chosen: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the starts of chosen ranges that follow one another, and the positions of their entries.

    >>> ranges_of(np.array([0, 2, 3, 5]), np.array([2, 0]))
    (array([0, 2, 4]), array([3, 4, 0, 1]))
    """
    counts = np.diff(starts)[chosen]
    new = np.append(0, np.cumsum(counts))
    return new, np.repeat(starts[chosen] - new[:-1], counts) + np.arange(new[-1])


def _interval_neighbours(splits: Sequence[Split | None]) -> dict[str, Any]:
    intervals = [split for split in splits if isinstance(split, Intervals)]
    if not any(split.neighbours for split in intervals):
        return {}
    nan = (np.nan, np.nan)
    beside = [each for split in intervals for each in split.neighbours or (nan,) * len(split.cuts)]
    below, above = np.array(beside, dtype=np.float64).T
    return {"interval_below": below, "interval_above": above}


def cut_arrays(splits: Sequence[Split | None]) -> tuple[Floats, Floats | None, Floats | None]:
    """Return the cut of each threshold, NaN elsewhere, and its neighbours; None if no threshold has any.

    >>> cut_arrays([Threshold(0, 2.5, (2.0, 3.0)), None])
    (array([2.5, nan]), array([ 2., nan]), array([ 3., nan]))
    """
    thresholds = [split if isinstance(split, Threshold) else None for split in splits]
    cut = np.array([split.cut if split else np.nan for split in thresholds], dtype=np.float64)
    if not any(split and split.neighbours for split in thresholds):
        return cut, None, None
    nan = (np.nan, np.nan)
    below, above = zip(*[(split.neighbours if split else None) or nan for split in thresholds], strict=True)
    return cut, np.array(below), np.array(above)


def _kind(split: Split | None) -> int:
    if split is None:
        return KINDS.index("leaf")
    if isinstance(split, Threshold):
        return KINDS.index("at_most" if isinstance(split, AtMost) else "threshold")
    return KINDS.index("intervals" if isinstance(split, Intervals) else split.kind)
