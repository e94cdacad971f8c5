"""All candidate splits of a contingency table, in the order in which the search evaluates them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bough.growing.column_split import CandidateKind, SplitKind
from bough.growing.engine import ContingencyTable
from bough.tree.split import Branches
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class Candidates:
    """All candidate splits of a table: statistics and cases of their children, and the branch of each row.

    `statistics` has shape (candidates, children, k) and `cases` (candidates, children); `branches(i)` gives
    the branch of each row of the table under candidate i.
    """

    kind: CandidateKind
    statistics: Floats
    cases: Floats
    branches: Callable[[int], Branches]

    def __len__(self) -> int:
        return len(self.statistics)


def enumerate_candidates(table: ContingencyTable, kind: SplitKind, max_exhaustive: int = 12) -> Candidates:
    """Enumerate every candidate split of a table with at least two rows.

    Thresholds are in ascending order. Subsets are in Gray-code order with the first level always in branch 0;
    for more than `max_exhaustive` levels they are the splits of the levels ordered by the share of each class
    and by the first principal component of the shares (Coppersmith, Hong and Hosking 1999), or by the mean
    of y.

    >>> table = ContingencyTable(0, np.array([0.0, 1.0, 2.0]), np.array([[2.0, 0.0], [1.0, 2.0], [1.0, 2.0]]),
    ...                          np.array([2.0, 3.0, 3.0]), np.zeros(2), 0.0, "classes")
    >>> listed = enumerate_candidates(table, "subset")
    >>> [listed.branches(i).tolist() for i in range(len(listed))]
    [[0, 1, 1], [0, 0, 1], [0, 1, 0]]
    """
    if kind == "threshold":
        return _scans(table, kind, [np.arange(len(table))])
    if kind == "complete":
        every = np.arange(len(table), dtype=np.int32)
        return Candidates(kind, table.statistics[np.newaxis], table.cases[np.newaxis], lambda _: every)
    if kind == "subset" and len(table) > max_exhaustive:
        return _scans(table, kind, level_orders(table))
    return _sides(table, kind, _subsets(len(table)) if kind == "subset" else _singles(len(table)))


def _subsets(n: int) -> npt.NDArray[np.int8]:
    """Return all partitions of n rows into two sets: 0 for the set of the first row, 1 for the other."""
    step = np.arange(1, 2 ** (n - 1))
    inside = ((step ^ (step >> 1))[:, np.newaxis] >> np.arange(n)) & 1
    return np.asarray(inside != inside[:, :1], dtype=np.int8)


def _singles(n: int) -> npt.NDArray[np.int8]:
    """Return the partitions into one row and all others; two rows have only one such partition."""
    return (1 - np.eye(n, dtype=np.int8))[: 1 if n == 2 else n]


def _sides(table: ContingencyTable, kind: SplitKind, sides: npt.NDArray[np.int8]) -> Candidates:
    first = (sides == 0).astype(np.float64)
    statistics = np.stack([first @ table.statistics, (1 - first) @ table.statistics], axis=1)
    cases = np.stack([first @ table.cases, (1 - first) @ table.cases], axis=1)
    return Candidates(kind, statistics, cases, lambda i: sides[i].astype(np.int32))


def _scans(table: ContingencyTable, kind: SplitKind, orders: Sequence[npt.NDArray[np.intp]]) -> Candidates:
    """Enumerate the thresholds of the rows in each order, without repeating those of an earlier order."""
    n = len(table)
    left = np.concatenate([np.cumsum(table.statistics[order], axis=0)[:-1] for order in orders])
    left_cases = np.concatenate([np.cumsum(table.cases[order])[:-1] for order in orders])
    kept = np.arange(n - 1) if len(orders) == 1 else _distinct(orders)
    left, left_cases = left[kept], left_cases[kept]

    def branches(i: int) -> Branches:
        order, cut = divmod(int(kept[i]), n - 1)
        side = np.ones(n, dtype=np.int32)
        side[orders[order][: cut + 1]] = 0
        return side if kind == "threshold" or side[0] == 0 else 1 - side

    statistics = np.stack([left, table.statistics.sum(axis=0) - left], axis=1)
    cases = np.stack([left_cases, table.cases.sum() - left_cases], axis=1)
    if kind != "threshold":
        mirrored = np.concatenate([np.arange(n - 1) < order.argmin() for order in orders])[kept]
        statistics[mirrored], cases[mirrored] = statistics[mirrored, ::-1], cases[mirrored, ::-1]
    return Candidates(kind, statistics, cases, branches)


def _distinct(orders: Sequence[npt.NDArray[np.intp]]) -> npt.NDArray[np.intp]:
    # Sets are compared by Zobrist hashing (1970): the exclusive or of random numbers of their members.
    numbers = np.random.default_rng(0).integers(2**63, size=len(orders[0]), dtype=np.int64)
    every = np.bitwise_xor.reduce(numbers)
    sets = np.concatenate([np.bitwise_xor.accumulate(numbers[order])[:-1] for order in orders])
    _, first = np.unique(np.minimum(sets, sets ^ every), return_index=True)
    return np.sort(first)


def level_orders(table: ContingencyTable) -> list[npt.NDArray[np.intp]]:
    """Return the orders of levels among whose cuts the best groups are searched.

    It is the order of the mean of y, or of the share of one of two classes; for more classes the order of
    the share of each, and that of the first principal component of the shares.

    >>> counts = np.array([[1.0, 3.0], [4.0, 0.0], [2.0, 2.0]])
    >>> table = ContingencyTable(0, np.arange(3.0), counts, counts.sum(axis=1), np.zeros(2), 0.0, "classes")
    >>> level_orders(table)
    [array([1, 2, 0])]
    """
    statistics, weight = table.statistics, table.weights(table.statistics)
    if table.reads == "moments":
        return [np.argsort(statistics[:, 1] / weight, kind="stable")]
    if table.reads == "rates":
        # The last of equal rates comes first, as in the native core.
        return [len(weight) - 1 - np.argsort((statistics[:, 1] / weight)[::-1], kind="stable")]
    if table.reads == "values":
        reached = 2 * np.cumsum(statistics, axis=1) >= weight[:, np.newaxis]
        return [np.argsort(reached.argmax(axis=1), kind="stable")]
    present = np.flatnonzero(statistics.sum(axis=0) > 0)
    shares = statistics / weight[:, np.newaxis]
    if len(present) <= 2:
        return [np.argsort(shares[:, present[-1]], kind="stable")]
    deviation = shares - statistics.sum(axis=0) / weight.sum()
    _, axes = np.linalg.eigh((deviation * weight[:, np.newaxis]).T @ deviation)
    scores = [shares[:, c] for c in present] + [deviation @ axes[:, -1]]
    return [np.argsort(score, kind="stable") for score in scores]
