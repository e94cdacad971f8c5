"""The branch of missing values in the candidate splits of a column, by the missing policy of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from bough.data.schema import Column
from bough.growing.engine import ContingencyTable
from bough.growing.groups import grouped_split
from bough.growing.missing import BY_VALUE, Missing
from bough.growing.search import (
    Branches,
    CandidateKind,
    Candidates,
    ChildLimits,
    SplitKind,
    enumerate_candidates,
    regrouped,
    split_of,
    with_missing_branch,
)
from bough.tree.split import IsMissing, Split
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
    >>> Placement("left").candidates(table, "threshold", 12).statistics.tolist()
    [[[0.0, 1.0], [4.0, 4.0]], [[1.0, 3.0], [3.0, 2.0]]]
    """

    where: Where = "nowhere"

    def candidates(self, table: ContingencyTable, kind: SplitKind, max_exhaustive: int) -> Candidates:
        """Return the candidates of a table; `branches` gives the branches of the rows of `grouped`.

        >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
        ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
        >>> Placement("own branch").candidates(table, "threshold", 12).statistics.tolist()
        [[[1.0, 2.0], [3.0, 2.0], [0.0, 1.0]]]
        """
        own = enumerate_candidates(self.grouped(table), kind, max_exhaustive)
        return replace(own, statistics=self.completed(table, own.statistics))

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
        if self.where.startswith("apart"):
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
        if self.where.startswith("apart"):
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
    policy: Missing | None, table: ContingencyTable, kind: SplitKind, enough: ChildLimits
) -> Sequence[Placement]:
    """Return the placements of missing values that a policy tries for a column, in its order.

    Under "own_level", missing values that are too few for a leaf have no branch of their own.

    >>> table = ContingencyTable(0, np.array([5.0, 10.0]), np.array([[1.0, 2.0], [3.0, 2.0]]),
    ...                          np.array([3.0, 5.0]), np.array([0.0, 1.0]), 1.0, "classes")
    >>> [each.where for each in placements("learned", table, "threshold", ChildLimits())]
    ['right', 'left']
    """
    if table.missing_cases == 0 or len(table) == 0 or policy not in BY_VALUE:
        return (NOWHERE,)
    if policy == "own_level" and not enough.allow_leaf(table):
        return (NOWHERE,)
    if kind == "complete" or (policy == "learned" and kind != "threshold"):
        return (Placement("level"),)
    if policy == "learned":
        return Placement("right"), Placement("left")
    return Placement("apart, last" if kind == "subset" else "apart"), Placement("own branch")
