"""The branch of missing values in the splits of a column, by the missing policy of a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

import numpy as np

from bough.data.schema import Column
from bough.growing.column_split import CandidateKind, SplitKind, grouped_split, split_of
from bough.growing.engine import ContingencyTable
from bough.growing.missing import BY_VALUE, Missing
from bough.tree.split import Branches, IsMissing, Levels, Split, Threshold, ThresholdWithMissing
from bough.types import Floats

Where: TypeAlias = Literal["nowhere", "right", "left", "level", "apart", "apart, last", "own branch"]


@dataclass(frozen=True)
class Placement:
    """How candidate splits of a column treat its missing values.

    They are in no branch ("nowhere"), above or below every threshold ("right", "left"; the first candidate of
    "left" separates them from all known values), one more level ("level"), the only values of the first or
    the last of two branches ("apart", "apart, last"), or in a further branch ("own branch").

    >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
    ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
    >>> Placement("left").grouped(table).statistics.tolist()
    [[0.0, 1.0], [1.0, 2.0], [3.0, 2.0]]
    """

    where: Where = "nowhere"

    @property
    def is_apart(self) -> bool:
        """Whether missing values are separated from all known ones.

        >>> Placement("apart").is_apart, Placement("left").is_apart
        (True, False)
        """
        return self.where.startswith("apart")

    def grouped(self, table: ContingencyTable) -> ContingencyTable:
        """Return the table whose rows the candidates divide, with the missing values in one of them.

        >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
        ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
        >>> Placement("right").grouped(table).statistics.tolist()
        [[1.0, 2.0], [3.0, 3.0]]
        """
        statistics, cases, missing = table.statistics, table.cases, table.missing
        if self.where == "right":
            last = np.zeros((len(table), 1))
            last[-1] = 1
            return regrouped(table, statistics + last * missing, cases + last[:, 0] * table.missing_cases)
        if self.where == "left":
            return regrouped(table, np.vstack([missing, statistics]), np.append(table.missing_cases, cases))
        if self.where == "level":
            return regrouped(table, np.vstack([statistics, missing]), np.append(cases, table.missing_cases))
        if self.is_apart:
            step = -1 if self.where.endswith("last") else 1
            two = np.stack([missing, statistics.sum(axis=0)])[::step]
            return regrouped(table, two, np.array([table.missing_cases, cases.sum()])[::step])
        return table

    def completed(self, table: ContingencyTable, children: Floats) -> Floats:
        """Return the statistics of the children, with a child of the missing values if they have a branch.

        >>> table = ContingencyTable(0, np.array([5.0]), np.array([[1.0, 2.0]]), np.array([3.0]),
        ...                          np.array([0.0, 1.0]), 1.0, "classes")
        >>> Placement("own branch").completed(table, np.ones((1, 2, 2))).shape
        (1, 3, 2)
        """
        if self.where != "own branch":
            return children
        missing = np.broadcast_to(table.missing, (len(children), 1, children.shape[2]))
        return np.ascontiguousarray(np.concatenate([children, missing], axis=1))

    def split(
        self, table: ContingencyTable, column: Column, kind: CandidateKind, branches: Branches
    ) -> tuple[Split, int]:
        """Return the split of a candidate and the branch of missing values, −1 for none.

        >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
        ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
        >>> Placement("left").split(table, Column("x", "numeric"), "threshold", np.array([0, 1, 1], np.int32))
        (IsMissing(column=0, cut=-inf), 0)
        """
        if kind == "groups":
            known, missing = branches[: len(table)], int(branches[-1]) if self.where == "level" else -1
            split = grouped_split(table, column, known, missing_alone=missing > int(known.max()))
            return split, 0 if isinstance(split, IsMissing) else missing
        if self.is_apart:
            if kind == "threshold":
                return IsMissing(table.column), 0
            missing = int(self.where.endswith("last"))
            every = np.full(len(table), 1 - missing, dtype=np.int32)
            return split_of(table, column, kind, every), missing
        if self.where == "left":
            branches = branches[1:]
            if branches.all():
                return IsMissing(table.column), 0
            return split_of(table, column, kind, branches), 0
        known = branches[:-1] if self.where == "level" else branches
        split = split_of(table, column, kind, known)
        if self.where == "own branch" or (self.where == "level" and kind == "complete"):
            return with_missing_branch(split), split.n_branches
        return split, {"right": 1, "level": int(branches[-1])}.get(self.where, -1)


NOWHERE = Placement()


def placements(
    policy: Missing | None, table: ContingencyTable, kind: SplitKind, *, own_leaf: bool
) -> Sequence[Placement]:
    """Return the placements of missing values that a policy tries for a column, in its order.

    `own_leaf` says whether the missing values are enough for a leaf; if not, they have no branch of their own
    under "own_level".

    >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
    ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
    >>> [each.where for each in placements("learned", table, "threshold", own_leaf=True)]
    ['right', 'left']
    """
    if table.missing_cases == 0 or len(table) == 0 or policy not in BY_VALUE:
        return (NOWHERE,)
    if policy == "own_level" and not own_leaf:
        return (NOWHERE,)
    if kind == "complete" or (policy == "learned" and kind != "threshold"):
        return (Placement("level"),)
    if policy == "learned":
        return Placement("right"), Placement("left")
    return Placement("apart, last" if kind == "subset" else "apart"), Placement("own branch")


def regrouped(table: ContingencyTable, statistics: Floats, cases: Floats) -> ContingencyTable:
    """Return a table of the same node without missing values, whose values are numbered from 0.

    >>> table = ContingencyTable(0, np.array([5.0]), np.array([[1.0, 2.0]]), np.array([3.0]),
    ...                          np.array([0.0, 1.0]), 1.0, "classes")
    >>> regrouped(table, np.array([[1.0, 3.0]]), np.array([4.0])).missing_cases
    0.0
    """
    return replace(
        table,
        values=np.arange(len(cases), dtype=np.float64),
        statistics=np.ascontiguousarray(statistics),
        cases=np.ascontiguousarray(cases),
        missing=np.zeros_like(table.missing),
        missing_cases=0.0,
        lowest=None,
    )


def with_missing_branch(split: Split) -> Split:
    """Return a split with one more branch, the last, for missing values.

    >>> with_missing_branch(Threshold(0, 2.5))
    ThresholdWithMissing(column=0, cut=2.5)
    """
    if isinstance(split, Threshold):
        return ThresholdWithMissing(split.column, split.cut, split.neighbours)
    return replace(cast("Levels", split), n_branches=split.n_branches + 1)


def three_branches(table: ContingencyTable, branches: Branches) -> ContingencyTable:
    """Return a table with a row for each of two branches of known values, and one for missing values.

    >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
    ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
    >>> three_branches(table, np.array([0, 1], np.int32)).cases
    array([3., 5., 1.])
    """
    sums = np.zeros((2, table.statistics.shape[1]))
    np.add.at(sums, branches, table.statistics)
    cases = np.append(np.bincount(branches, table.cases, minlength=2), table.missing_cases)
    return regrouped(table, np.vstack([sums, table.missing]), cases)
