"""Tests of the columns in the nodes of a tree: a statistic and an adjusted p-value per node and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.tree.arrays import ArrayGroup
from bough.types import Floats

TEST_ARRAYS: Mapping[str, type[np.generic]] = {
    "start": np.int64,
    "column": np.int32,
    "statistic": np.float64,
    "p_value": np.float64,
}
"""The arrays of tests and their types."""


class ColumnTest(NamedTuple):
    """The test of one column in one node; `p_value` is adjusted as the learner does it.

    >>> ColumnTest(column=2, statistic=3.84, p_value=0.05).statistic
    3.84
    """

    column: int
    statistic: float
    p_value: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NodeTests(ArrayGroup):
    """The tests of the columns in all nodes, in the order of the columns.

    Those of node i are the entries `start[i]` to `start[i + 1]`. A column that could not be tested in a node
    has no entry there; a node that was not tested, because it is too small or too deep, has none at all.

    >>> tests = NodeTests.of_nodes([[ColumnTest(0, 8.0, 0.005), ColumnTest(1, 0.1, 0.75)], [], []])
    >>> tests.of(0)[1], tests.of(2)
    (ColumnTest(column=1, statistic=0.1, p_value=0.75), [])
    """

    ARRAYS: ClassVar[Mapping[str, type[np.generic]]] = TEST_ARRAYS

    start: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    statistic: Floats
    p_value: Floats

    @classmethod
    def of_nodes(cls, tests: Sequence[Sequence[ColumnTest]]) -> NodeTests:
        """Return the arrays for the tests of each node.

        >>> NodeTests.of_nodes([[], []]).start
        array([0, 0, 0])
        """
        flat = [test for of_node in tests for test in of_node]
        return cls(
            start=np.append(0, np.cumsum([len(of_node) for of_node in tests])).astype(np.int64),
            column=np.array([test.column for test in flat], dtype=np.int32),
            statistic=np.array([test.statistic for test in flat], dtype=np.float64),
            p_value=np.array([test.p_value for test in flat], dtype=np.float64),
        )

    def of(self, node: int) -> list[ColumnTest]:
        """Return the tests of a node, in the order of the columns.

        >>> NodeTests.of_nodes([[ColumnTest(0, 8.0, 0.005)]]).of(0)
        [ColumnTest(column=0, statistic=8.0, p_value=0.005)]
        """
        own = slice(int(self.start[node]), int(self.start[node + 1]))
        arrays = (self.column, self.statistic, self.p_value)
        return [ColumnTest(*each) for each in zip(*(array[own].tolist() for array in arrays), strict=True)]

    def take(self, nodes: npt.NDArray[np.intp]) -> NodeTests:
        """Return the tests of some nodes, in that order.

        >>> tests = NodeTests.of_nodes([[ColumnTest(0, 8.0, 0.005)], []])
        >>> tests.take(np.array([1, 0])).start
        array([0, 0, 1])
        """
        counts = np.diff(self.start)[nodes]
        start = np.append(0, np.cumsum(counts))
        entry = np.repeat(self.start[nodes] - start[:-1], counts) + np.arange(start[-1])
        own = {name: getattr(self, name)[entry] for name in TEST_ARRAYS if name != "start"}
        return NodeTests(start=start, **own)

    def __repr__(self) -> str:
        return f"<NodeTests: {len(self.column)} of {len(self.start) - 1} nodes>"
