"""Alternative splits of a node: competitors and surrogates.

A competitor is the best split of another column. A surrogate routes rows much as the node's own split does,
and is used for the rows that the node's own split cannot route.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bough.data.schema import Schema
from bough.tree.arrays import ArrayGroup, cut_arrays, level_arrays, ranges_of
from bough.tree.split import Branches, IsMissing, Levels, Split, Threshold, known_neighbours

ALTERNATIVE_ARRAYS: Mapping[str, type[np.generic]] = {
    "start": np.int64,
    "column": np.int32,
    "cut": np.float64,
    "turned": np.uint8,
    "level_start": np.int64,
    "level_code": np.int32,
    "level_branch": np.int32,
    "value": np.float64,
    "adjusted": np.float64,
    "cases": np.float64,
}
"""The arrays of alternative splits and their types."""
OPTIONAL_ALTERNATIVE_ARRAYS: Mapping[str, type[np.generic]] = {
    "cut_below": np.float64,
    "cut_above": np.float64,
}
"""The arrays that alternative splits may have: the neighbours of each cut."""


@dataclass(frozen=True, slots=True)
class AlternativeSplit:
    """One alternative split of a node, and how good it is.

    For a competitor, `value` is the criterion's value and `cases` the number of cases it was computed from.
    For a surrogate, `value` is the agreement, the share of cases sent where the node's own split sends them;
    `adjusted` is the improvement over sending every case with the majority, 1 for a perfect surrogate; and
    `cases` is the number of cases that it routed while the tree grew. A threshold that is `turned` sends
    lower values to the second branch.

    >>> alternative = AlternativeSplit(Threshold(0, 2.45), turned=True, value=0.9, adjusted=0.8, cases=20.0)
    >>> alternative.branch(np.array([1.0, 3.0, np.nan]))
    array([ 1,  0, -1], dtype=int32)
    """

    split: Split
    turned: bool
    value: float
    adjusted: float
    cases: float

    def branch(self, values: npt.NDArray[Any]) -> Branches:
        """Return the branch of each value of the column, −1 where the split cannot route it.

        >>> perfect = AlternativeSplit(Threshold(0, 0.5), turned=False, value=1.0, adjusted=1.0, cases=4.0)
        >>> perfect.branch(np.array([0, 1]))
        array([0, 1], dtype=int32)
        """
        branch = self.split.branch(values)
        return np.where(branch >= 0, 1 - branch, branch).astype(np.int32) if self.turned else branch

    def words(self, schema: Schema, branch: int, most: int | None = None) -> str:
        """Return the condition of a branch as text; a set shows at most `most` levels.

        >>> from bough.example_models import iris_tree
        >>> AlternativeSplit(Threshold(0, 2.45), turned=True, value=0.9, adjusted=0.8, cases=20.0).words(
        ...     iris_tree().schema, 0)
        'Petal.Length >= 2.45'
        """
        return self.split.words(schema, 1 - branch if self.turned else branch, most)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AlternativeSplits(ArrayGroup):
    """The alternative splits of all nodes, the best of each node first.

    Those of node i are the entries `start[i]` to `start[i + 1]`. A threshold has a `cut`. A split of levels
    has none; its level codes and their branches are the entries `level_start[s]` to `level_start[s + 1]`.
    `cut_below` and `cut_above` are the neighbours of each cut, if they are known.

    >>> surrogate = AlternativeSplit(Threshold(1, 1.75), False, 0.9, 0.8, 20.0)
    >>> alternatives = AlternativeSplits.of_nodes([[surrogate], [], []])
    >>> alternatives.of(0)[0].split, len(alternatives.of(1))
    (Threshold(column=1, cut=1.75), 0)
    """

    ARRAYS: ClassVar[Mapping[str, type[np.generic]]] = ALTERNATIVE_ARRAYS
    OPTIONAL: ClassVar[Mapping[str, type[np.generic]]] = OPTIONAL_ALTERNATIVE_ARRAYS

    start: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    cut: npt.NDArray[np.float64]
    turned: npt.NDArray[np.uint8]
    level_start: npt.NDArray[np.int64]
    level_code: npt.NDArray[np.int32]
    level_branch: npt.NDArray[np.int32]
    value: npt.NDArray[np.float64]
    adjusted: npt.NDArray[np.float64]
    cases: npt.NDArray[np.float64]
    cut_below: npt.NDArray[np.float64] | None = None
    cut_above: npt.NDArray[np.float64] | None = None

    @classmethod
    def of_nodes(cls, alternatives: list[list[AlternativeSplit]]) -> AlternativeSplits:
        """Return the arrays for the alternative splits of each node.

        >>> AlternativeSplits.of_nodes([[], []]).start
        array([0, 0, 0])
        """
        flat = [alternative for of_node in alternatives for alternative in of_node]
        splits = [alternative.split for alternative in flat]
        cuts, below, above = cut_arrays(splits)
        return cls(
            start=np.append(0, np.cumsum([len(of_node) for of_node in alternatives])),
            column=np.array([split.column for split in splits], dtype=np.int32),
            cut=cuts,
            cut_below=below,
            cut_above=above,
            turned=np.array([alternative.turned for alternative in flat], dtype=np.uint8),
            **level_arrays(splits),
            value=np.array([alternative.value for alternative in flat], dtype=np.float64),
            adjusted=np.array([alternative.adjusted for alternative in flat], dtype=np.float64),
            cases=np.array([alternative.cases for alternative in flat], dtype=np.float64),
        )

    def of(self, node: int) -> list[AlternativeSplit]:
        """Return the alternative splits of a node, the best first.

        >>> surrogate = AlternativeSplit(Threshold(1, 1.75), False, 0.9, 0.8, 20.0)
        >>> AlternativeSplits.of_nodes([[surrogate]]).of(0)[0].value
        0.9
        """
        return [self._at(index) for index in range(int(self.start[node]), int(self.start[node + 1]))]

    def _at(self, index: int) -> AlternativeSplit:
        column, cut = int(self.column[index]), float(self.cut[index])
        split: Split
        if cut == cut:
            beside = None
            if self.cut_below is not None and self.cut_above is not None:
                beside = known_neighbours(self.cut_below[index], self.cut_above[index])
            split = IsMissing(column) if cut == -np.inf else Threshold(column, cut, beside)
        else:
            listed = slice(self.level_start[index], self.level_start[index + 1])
            codes, branches = self.level_code[listed].tolist(), self.level_branch[listed].tolist()
            split = Levels(column, "subset", tuple(codes), tuple(branches), 2)
        figures = (float(array[index]) for array in (self.value, self.adjusted, self.cases))
        return AlternativeSplit(split, bool(self.turned[index]), *figures)

    def take(self, nodes: npt.NDArray[np.intp], emptied: npt.NDArray[np.bool_]) -> AlternativeSplits:
        """Return the alternative splits of some nodes, in that order; a node in `emptied` gets none.

        >>> surrogate = AlternativeSplit(Threshold(1, 1.75), False, 0.9, 0.8, 20.0)
        >>> alternatives = AlternativeSplits.of_nodes([[surrogate], [], []])
        >>> alternatives.take(np.array([1, 0]), np.array([False, False])).start
        array([0, 0, 1])
        """
        counts = np.where(emptied, 0, np.diff(self.start)[nodes])
        start = np.append(0, np.cumsum(counts))
        index = np.repeat(self.start[nodes] - start[:-1], counts) + np.arange(start[-1])
        level_start, listed = ranges_of(self.level_start, index)
        own = {*self.given()} - {"start", "level_start", "level_code", "level_branch"}
        return AlternativeSplits(
            start=start,
            level_start=level_start,
            level_code=self.level_code[listed],
            level_branch=self.level_branch[listed],
            **{name: getattr(self, name)[index] for name in own},
        )

    def __repr__(self) -> str:
        return f"<AlternativeSplits: {len(self.column)} of {len(self.start) - 1} nodes>"
