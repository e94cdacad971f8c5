"""A split maps the values of one column to branch numbers; −1 marks a value that it cannot route.

A split can write itself as text. It holds no statistics of the rows it was found on; the tree holds those.
"""

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.data.formula import column_words
from bough.data.schema import Column, Level, Schema
from bough.data.table import is_missing
from bough.data.words import level_set_words, level_words, name_words, threshold_words
from bough.errors import ParameterError

LevelKind: TypeAlias = Literal["complete", "subset", "one_vs_rest"]
Branches: TypeAlias = npt.NDArray[np.int32]
Neighbours: TypeAlias = tuple[float, float]

_LEVEL_KINDS: tuple[str, ...] = get_args(LevelKind)


def known_neighbours(below: float, above: float) -> Neighbours | None:
    """Return the two values beside a cut, or None if one of them is NaN and so unknown.

    >>> known_neighbours(1.0, 2.0), known_neighbours(1.0, math.nan)
    ((1.0, 2.0), None)
    """
    return None if math.isnan(below) or math.isnan(above) else (float(below), float(above))


@dataclass(frozen=True, slots=True)
class Threshold:
    """Branch 0 where value < cut, branch 1 where value >= cut, −1 where the value is missing.

    Floating-point values belong to a numeric column, and NaN is missing. Integer values are the level codes
    of an ordinal column; −1 is missing, and the cut lies halfway between two codes. `neighbours` are the
    greatest training value that takes branch 0 and the least that takes branch 1, if they are known; the text
    of the split uses them to be short.

    >>> Threshold(column=0, cut=2.45).branch(np.array([1.4, 2.45, np.nan, np.inf]))
    array([ 0,  1, -1,  1], dtype=int32)
    >>> Threshold(column=0, cut=0.5).branch(np.array([0, 1, 2, -1]))
    array([ 0,  1,  1, -1], dtype=int32)
    """

    closed: ClassVar[bool] = False

    column: int
    cut: float
    neighbours: Neighbours | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if math.isnan(self.cut):
            raise ParameterError.of("cut", self.cut, "a number")

    @property
    def n_branches(self) -> int:
        """The number of branches: 2, and in a `ThresholdWithMissing` 3.

        >>> Threshold(0, 2.45).n_branches, ThresholdWithMissing(0, 2.45).n_branches
        (2, 3)
        """
        return 2

    def branch(self, values: npt.NDArray[Any]) -> Branches:
        """Return the branch of each value.

        >>> Threshold(0, 12.5).branch(np.array([15.0, 10.0], dtype=np.float32))
        array([1, 0], dtype=int32)
        """
        # Compare in float64 even for a float32 column: a cut rounded to float32 could move a row.
        exact = values.astype(np.float64, copy=False)
        return np.where(is_missing(values), -1, exact >= self.cut).astype(np.int32)

    def words(self, schema: Schema, branch: int, most: int | None = None) -> str:
        """Return the condition that a row in the branch meets, as text; `most` has no effect here.

        >>> from bough.data.schema import Column
        >>> Threshold(0, 2.45).words(Schema((Column("Petal.Length", "numeric"),)), 1)
        'Petal.Length >= 2.45'
        >>> Threshold(0, 1.5).words(Schema((Column("size", "ordinal", ("S", "M", "L")),)), 0)
        'size <= M'
        """
        _check_branch(branch, self.n_branches)
        column = schema.shown[self.column]
        if takes_only_missing(self, branch):
            return f"{column_words(column)} is missing"
        if isinstance(self, IsMissing):
            return f"{column_words(column)} is known"
        if column.scale == "ordinal":
            level = level_words(column.levels[int(self.cut)])
            return f"{column_words(column)} {('<=', '>')[branch]} {level}"
        return f"{column_words(column)} {('<', '>=')[branch]} {self.cut_words(column)}"

    def cut_words(self, column: Column) -> str:
        """Return the cut as a short text that routes the neighbours as the cut does.

        >>> from bough.data.schema import Column
        >>> Threshold(0, 15.00365925177657, neighbours=(14.98, 15.03)).cut_words(Column("age", "numeric"))
        '15'
        """
        return threshold_words(column, self.cut, self.neighbours, closed=self.closed)

    def narrowed_to(self, value: float) -> "Threshold":
        """Return the threshold with its neighbours narrowed, so that its text is also true of this value.

        >>> from bough.data.schema import Column
        >>> split = Threshold(0, 15.00365925177657, neighbours=(14.98, 15.03))
        >>> split.narrowed_to(15.001).cut_words(Column("age", "numeric"))
        '15.01'
        """
        if self.neighbours is None:
            return self
        below, above = self.neighbours
        first = bool(self.branch(np.array([value]))[0] == 0)
        return replace(self, neighbours=(max(below, value), above) if first else (below, min(above, value)))

    def question(self, schema: Schema) -> str:
        """Return the split as a question; branch 0 is yes.

        >>> from bough.data.schema import Column
        >>> Threshold(0, 2.45).question(Schema((Column("Petal.Length", "numeric"),)))
        'Petal.Length < 2.45?'
        """
        return self.words(schema, 0) + "?"


@dataclass(frozen=True, slots=True)
class AtMost(Threshold):
    """Branch 0 where value <= cut, branch 1 where value > cut, −1 where the value is missing.

    C4.5, J48 and C5.0 use this split, with a cut at a value that occurs in the table. The column is numeric.

    >>> AtMost(column=0, cut=75.0).branch(np.array([70.0, 75.0, np.nan, 75.1]))
    array([ 0,  0, -1,  1], dtype=int32)
    """

    closed: ClassVar[bool] = True

    def branch(self, values: npt.NDArray[Any]) -> Branches:
        """Return the branch of each value.

        >>> AtMost(0, 12.5).branch(np.array([12.5, 13.0], dtype=np.float32))
        array([0, 1], dtype=int32)
        """
        exact = values.astype(np.float64, copy=False)
        return np.where(np.isnan(exact), -1, exact > self.cut).astype(np.int32)

    def words(self, schema: Schema, branch: int, most: int | None = None) -> str:
        """Return the condition that a row in the branch meets, as text; `most` has no effect here.

        >>> from bough.data.schema import Column
        >>> AtMost(0, 75.0).words(Schema((Column("humidity", "numeric"),)), 0)
        'humidity <= 75'
        """
        _check_branch(branch, 2)
        column = schema.shown[self.column]
        return f"{column_words(column)} {('<=', '>')[branch]} {self.cut_words(column)}"


@dataclass(frozen=True, slots=True)
class ThresholdWithMissing(Threshold):
    """A threshold with a third branch for missing values; the default branch of the node is then 2.

    >>> from bough.data.schema import Column
    >>> split = ThresholdWithMissing(column=0, cut=18.0)
    >>> [split.words(Schema((Column("age", "numeric"),)), branch) for branch in range(3)]
    ['age < 18', 'age >= 18', 'age is missing']
    """

    @property
    def n_branches(self) -> int:
        """The number of branches, always 3.

        >>> ThresholdWithMissing(0, 18.0).n_branches
        3
        """
        return 3


@dataclass(frozen=True, slots=True)
class IsMissing(Threshold):
    """A threshold of −infinity at a node whose default branch is 0: missing values there, known ones in 1.

    >>> from bough.data.schema import Column
    >>> [IsMissing(0).words(Schema((Column("age", "numeric"),)), branch) for branch in range(2)]
    ['age is missing', 'age is known']
    """

    cut: float = -math.inf


@dataclass(frozen=True, slots=True)
class Levels:
    """The branch of each level code listed; −1 where the code is not listed or is missing.

    A code is not listed if no training row of the node had that level. `kind` is "complete" if each branch
    has one level, "subset" if each has a set of levels, and "one_vs_rest" if branch 0 has one level and
    branch 1 all others. `n_branches` may exceed the branches listed, because a branch may have no level: it
    is the default branch of the node, and takes missing values and levels that are not listed.

    >>> split = Levels(column=0, kind="subset", codes=(0, 1, 2), branches=(0, 0, 1), n_branches=2)
    >>> split.branch(np.array([2, 1, 0, -1, 7]))
    array([ 1,  0,  0, -1, -1], dtype=int32)
    """

    column: int
    kind: LevelKind
    codes: tuple[int, ...]
    branches: tuple[int, ...]
    n_branches: int

    def __post_init__(self) -> None:
        if self.kind not in _LEVEL_KINDS:
            raise ParameterError.of("kind", self.kind, f"one of {', '.join(map(repr, _LEVEL_KINDS))}")
        if len(self.codes) != len(self.branches) or len(set(self.codes)) < len(self.codes):
            raise ParameterError.of("codes", self.codes, "distinct, and as many as there are branches listed")
        if not self.codes or min(self.codes) < 0:
            raise ParameterError.of("codes", self.codes, "codes of levels, 0 or more, and not empty")
        if min(self.branches) < 0 or max(self.branches) >= self.n_branches:
            raise ParameterError.of("branches", self.branches, f"numbers from 0 to {self.n_branches - 1}")

    def branch(self, values: npt.NDArray[np.integer[Any]]) -> Branches:
        """Return the branch of each code.

        >>> Levels(0, "complete", (0, 2), (0, 1), 2).branch(np.array([0, 1, 2]))
        array([ 0, -1,  1], dtype=int32)
        """
        # The last entry is for codes greater than those listed and, as index −1, for missing values.
        lookup = np.full(max(self.codes) + 2, -1, dtype=np.int32)
        lookup[np.array(self.codes)] = self.branches
        index: npt.NDArray[np.intp] = np.clip(values, -1, len(lookup) - 1)
        return lookup[index]

    def levels(self, schema: Schema, branch: int) -> tuple[Level, ...]:
        """Return the levels listed for the branch, in the order of the column.

        >>> from bough.data.schema import Column
        >>> schema = Schema((Column("referrer", "nominal", ("s", "a", "o")),))
        >>> Levels(0, "subset", (2, 1, 0), (1, 0, 0), 2).levels(schema, 0)
        ('s', 'a')
        """
        _check_branch(branch, self.n_branches)
        levels = schema[self.column].levels
        if (
            self.kind == "complete"
            and len(self.branches) == self.n_branches > branch == self.branches[branch]
        ):
            return (levels[self.codes[branch]],)
        codes = sorted(code for code, taken in zip(self.codes, self.branches, strict=True) if taken == branch)
        return tuple([levels[code] for code in codes])

    def words(self, schema: Schema, branch: int, most: int | None = None) -> str:
        """Return the condition that a row in the branch meets, as text; a set shows at most `most` levels.

        >>> from bough.data.schema import Column
        >>> schema = Schema((Column("referrer", "nominal", ("s", "a", "o")),))
        >>> split = Levels(0, "subset", (0, 1, 2), (0, 0, 1), 2)
        >>> split.words(schema, 0), split.words(schema, 1)
        ('referrer in {s, a}', 'referrer = o')
        >>> Levels(0, "one_vs_rest", (0, 1, 2), (0, 1, 1), 2).words(schema, 1)
        'referrer is not s'
        """
        schema = schema.shown
        name = name_words(schema[self.column].name)
        levels = self.levels(schema, branch)
        if not levels:
            return f"{name} is missing"
        if self.kind == "one_vs_rest" and branch == 1:
            one = self.levels(schema, 0)
            return f"{name} is not {level_words(one[0])}" if one else f"{name} is known"
        if len(levels) == 1:
            return f"{name} = {level_words(levels[0])}"
        return f"{name} in {level_set_words(levels, most)}"

    def question(self, schema: Schema) -> str:
        """Return the split as a question: for the level if it is complete, else whether a row is in branch 0.

        >>> from bough.data.schema import Column
        >>> schema = Schema((Column("referrer", "nominal", ("s", "a", "o")),))
        >>> Levels(0, "complete", (0, 1, 2), (0, 1, 2), 3).question(schema)
        'referrer?'
        >>> Levels(0, "one_vs_rest", (0, 1, 2), (0, 1, 1), 2).question(schema)
        'referrer = s?'
        """
        whole = self.kind == "complete" or self.n_branches > 2
        return (name_words(schema.shown[self.column].name) if whole else self.words(schema, 0)) + "?"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Branch i where cuts[i − 1] <= value < cuts[i]; −1 where the value is missing.

    The cuts increase, and there is one branch more than there are cuts. With `has_missing_branch` there is a
    further branch, the last, for missing values; the tree's default branch is then that one. On an ordinal
    column a cut lies halfway between two codes. `neighbours` are the training values beside each cut, if they
    are known, as in a `Threshold`.

    >>> split = Intervals(column=0, cuts=(1.5, 4.0))
    >>> split.branch(np.array([1.0, 1.5, 4.0, np.nan])), split.n_branches
    (array([ 0,  1,  2, -1], dtype=int32), 3)
    """

    column: int
    cuts: tuple[float, ...]
    has_missing_branch: bool = False
    neighbours: tuple[Neighbours, ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        increases = all(low < high for low, high in itertools.pairwise(self.cuts))
        if not self.cuts or not increases or any(math.isnan(cut) for cut in self.cuts):
            raise ParameterError.of("cuts", self.cuts, "one or more increasing numbers")

    @property
    def n_branches(self) -> int:
        """The number of branches, including that of missing values if there is one.

        >>> Intervals(0, (1.5, 4.0), has_missing_branch=True).n_branches
        4
        """
        return len(self.cuts) + 1 + self.has_missing_branch

    def branch(self, values: npt.NDArray[Any]) -> Branches:
        """Return the branch of each value.

        >>> Intervals(0, (0.5, 1.5)).branch(np.array([0, 1, 2, -1]))
        array([ 0,  1,  2, -1], dtype=int32)
        """
        exact = values.astype(np.float64, copy=False)
        return np.where(is_missing(values), -1, np.searchsorted(self.cuts, exact, side="right")).astype(
            np.int32
        )

    def words(self, schema: Schema, branch: int, most: int | None = None) -> str:
        """Return the condition that a row in the branch meets, as text; `most` has no effect here.

        >>> from bough.data.schema import Column
        >>> schema = Schema((Column("age", "numeric"), Column("size", "ordinal", ("S", "M", "L"))))
        >>> [Intervals(0, (18.0, 65.0)).words(schema, branch) for branch in range(3)]
        ['age < 18', '18 <= age < 65', 'age >= 65']
        >>> Intervals(1, (0.5, 1.5)).words(schema, 1)
        'S < size <= M'
        """
        _check_branch(branch, self.n_branches)
        column, name = schema.shown[self.column], column_words(schema.shown[self.column])
        if takes_only_missing(self, branch):
            return f"{name} is missing"
        coded = column.scale == "ordinal"
        bounds = [
            level_words(column.levels[int(cut)]) if coded else threshold_words(column, cut, beside)
            for cut, beside in zip(self.cuts, self.neighbours or (None,) * len(self.cuts), strict=True)
        ]
        below, above, from_, to = ("<=", ">", "<", "<=") if coded else ("<", ">=", "<=", "<")
        if branch == 0:
            return f"{name} {below} {bounds[0]}"
        if branch == len(self.cuts):
            return f"{name} {above} {bounds[-1]}"
        return f"{bounds[branch - 1]} {from_} {name} {to} {bounds[branch]}"

    def narrowed_to(self, value: float) -> "Intervals":
        """Return the intervals with their neighbours narrowed, so that their text is also true of this value.

        >>> Intervals(0, (1.5, 4.0), neighbours=((1.0, 2.0), (3.0, 5.0))).narrowed_to(3.5).neighbours
        ((1.0, 2.0), (3.5, 5.0))
        """
        if self.neighbours is None:
            return self
        beside = [
            Threshold(self.column, cut, pair).narrowed_to(value).neighbours or pair
            for cut, pair in zip(self.cuts, self.neighbours, strict=True)
        ]
        return replace(self, neighbours=tuple(beside))

    def question(self, schema: Schema) -> str:
        """Return the split as a question.

        >>> from bough.data.schema import Column
        >>> Intervals(0, (18.0, 65.0)).question(Schema((Column("age", "numeric"),)))
        'age?'
        """
        return column_words(schema.shown[self.column]) + "?"


Split: TypeAlias = Threshold | Levels | Intervals


def takes_only_missing(split: Split, branch: int) -> bool:
    """Whether no known value leads to a branch; a level that the split does not list may.

    >>> takes_only_missing(Threshold(0, 2.45), 0), takes_only_missing(IsMissing(0), 0)
    (False, True)
    """
    if isinstance(split, Threshold):
        return branch == (0 if isinstance(split, IsMissing) else 2)
    if isinstance(split, Intervals):
        return branch > len(split.cuts)
    return branch not in split.branches


def _check_branch(branch: int, n_branches: int) -> None:
    if not 0 <= branch < n_branches:
        raise ParameterError.of("branch", branch, f"a number from 0 to {n_branches - 1}")
