"""The split of one column that routes each value of a contingency table to a branch."""

import math
from typing import Literal, TypeAlias

import numpy as np

from bough.data.schema import Column
from bough.growing.engine import ContingencyTable
from bough.tree.split import (
    Branches,
    Intervals,
    IsMissing,
    LevelKind,
    Levels,
    Split,
    Threshold,
    ThresholdWithMissing,
)

SplitKind: TypeAlias = Literal["threshold"] | LevelKind
CandidateKind: TypeAlias = SplitKind | Literal["groups"]
"""A kind of split, or "groups" for the best groups of a column's values."""


def midpoint(below: float, above: float) -> float:
    """Return the threshold between two adjacent values: the midpoint, or the upper value if it rounds down.

    >>> midpoint(10.0, 15.0), midpoint(float("-inf"), 1.0)
    (12.5, 1.0)
    """
    middle = (below + above) / 2
    if not math.isfinite(middle):
        middle = below / 2 + above / 2
    return middle if middle > below else above


def threshold_between(position: int, column: Column, below: float, above: float) -> Threshold:
    """Return the threshold between two adjacent values of a column; on an ordinal one, between two codes.

    >>> threshold_between(0, Column("size", "ordinal", ("S", "M", "L")), 0.0, 2.0)
    Threshold(column=0, cut=1.5)
    """
    cut = midpoint(below, above)
    return Threshold(position, math.floor(cut) + 0.5 if column.scale == "ordinal" else cut, (below, above))


def split_of(table: ContingencyTable, column: Column, kind: SplitKind, branches: Branches) -> Split:
    """Return the split that routes each value of the table to the given branch.

    A complete split lists every level of the column, including those without rows in the node.

    >>> table = ContingencyTable(0, np.array([0.0, 2.0]), np.array([[2.0, 0.0], [1.0, 3.0]]),
    ...                          np.array([2.0, 4.0]), np.zeros(2), 0.0, "classes")
    >>> split_of(table, Column("size", "nominal", ("S", "M", "L")), "subset", np.array([0, 1], np.int32))
    Levels(column=0, kind='subset', codes=(0, 2), branches=(0, 1), n_branches=2)
    """
    if kind == "threshold":
        below = int(np.count_nonzero(branches == 0)) - 1
        return threshold_between(table.column, column, *table.beside(below))
    if kind == "complete":
        every = tuple(range(len(column.levels)))
        return Levels(table.column, kind, every, every, len(every))
    codes = tuple(table.values.astype(int).tolist())
    return Levels(table.column, kind, codes, tuple(branches.tolist()), 2)


def grouped_split(
    table: ContingencyTable, column: Column, group: Branches, *, missing_alone: bool = False
) -> Split:
    """Return the split that routes each value of a table to its group, perhaps with a branch for missing.

    The groups of a numeric or ordinal column are ranges in ascending order. Two of them are a threshold; one
    is the split of missing from known values.

    >>> table = ContingencyTable(0, np.array([1.0, 2.0, 4.0]), np.zeros((3, 2)), np.ones(3), np.zeros(2), 0.0,
    ...                          "classes")
    >>> grouped_split(table, Column("age", "numeric"), np.array([0, 1, 2], np.int32))
    Intervals(column=0, cuts=(1.5, 3.0), has_missing_branch=False)
    """
    n_groups = int(group.max()) + 1
    if column.scale == "nominal":
        codes = tuple(table.values.astype(int).tolist())
        return Levels(table.column, "subset", codes, tuple(group.tolist()), n_groups + missing_alone)
    ends = np.flatnonzero(np.diff(group) > 0)
    cuts = [threshold_between(table.column, column, *table.beside(end)) for end in ends.tolist()]
    if n_groups == 1:
        return IsMissing(table.column)
    if n_groups == 2:
        of_kind = ThresholdWithMissing if missing_alone else Threshold
        return of_kind(table.column, cuts[0].cut, cuts[0].neighbours)
    beside = tuple([each.neighbours for each in cuts if each.neighbours])
    return Intervals(table.column, tuple([each.cut for each in cuts]), missing_alone, beside)
