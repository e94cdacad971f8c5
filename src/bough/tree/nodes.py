"""The nodes of a tree: read-only arrays with one entry per node, and the schema of its tables.

The functions of this package take `Nodes`; `bough.tree.Tree` adds the methods that call them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from bough.data.formula import Formula, WideSchema
from bough.data.schema import Level, Schema
from bough.data.several_targets import Target
from bough.tree.alternatives import AlternativeSplit, AlternativeSplits
from bough.tree.arrays import ARRAYS, KINDS, OPTIONAL_ARRAYS, check_shapes, frozen
from bough.tree.leaf_models import LeafModels
from bough.tree.split import (
    AtMost,
    Intervals,
    IsMissing,
    LevelKind,
    Levels,
    Neighbours,
    Split,
    Threshold,
    ThresholdWithMissing,
    known_neighbours,
)
from bough.tree.structure import Structure, answering_nodes, read_only
from bough.tree.tests import ColumnTest
from bough.types import Floats, Ints, Smoothing, Task

TreeArithmetic: TypeAlias = Literal["bough", "c5.0"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Nodes(Structure):
    """The nodes of a decision tree, stored as read-only arrays with one entry per node.

    The arrays are not copied, and become read-only. The constructor checks their lengths and types; `check`
    checks everything that the file format requires.

    `kind` is an index into `KINDS`. `column` is the position of the column that a node splits on; a position
    beyond the schema is one of the `formulas`, a number computed from several columns (see `wide_schema`).
    `cut` is the threshold. The levels of node i and their branches are the entries `level_start[i]` to
    `level_start[i + 1]` of `level_code` and `level_branch`. `default_branch` takes the rows that the split
    cannot route, because their value is missing or a level that the split does not list; where it is −1, such
    a row stops at the node, which then predicts for it.

    `cases` is the number of cases in each node, and `weight` is the sum of their weights. `statistics` holds
    the class weights or, in a regression tree, the mean (the median under absolute error). `risk` is the
    misclassified weight or the sum of errors, and `gain` is the criterion's value of the split. A node of
    weight 0 predicts as its nearest ancestor of positive weight. `smoothing` is the default of the parameter
    of that name of `predict_proba`.

    A row that a split cannot route follows the first surrogate that can route it, if the tree has
    `surrogates` and `follows_surrogates` is true. `competitors` are the best splits of other columns. With
    priors or losses, a case of class i counts `class_scale[i]` times when the node predicts, and predicting
    class j for it costs `loss_matrix[i, j]`; the risk is then the loss.

    With `share`, rows that a split cannot route are fractional, as in C4.5: they are sent down all branches,
    and `share` is the fraction that reaches each node from its parent. The predictions of the leaves are
    averaged with these fractions as weights. `apply` still returns one node, that at the end of the default
    branches. Weights and cases need not be whole numbers then.

    Further arrays are optional. The cuts of node i, if it splits into several intervals, are the entries
    `interval_start[i]` to `interval_start[i + 1]` of `interval_cut`; `interval_below` and `interval_above`
    are the training values beside each. `cut_below` and `cut_above` are the
    greatest training value that takes the first branch of each threshold and the least that takes the second;
    printed thresholds are short because of them. `cut_low`, `cut_mid` and `cut_high`
    describe C5.0's soft thresholds. `p_value` holds the adjusted p-value of each column in each node whose
    columns were tested, NaN elsewhere; it is not limited to 1. `test_statistic` holds the statistics of these
    tests, if they are kept. `leaf_models` are linear functions that predict instead of the leaf's
    statistics: of each node a number, or the scores of the classes. With
    `arithmetic="c5.0"` the tree predicts as Quinlan's program does, in single precision.
    `provenance` records where the tree comes from (date, versions, source); `==` ignores it.

    A tree of several `targets` has the statistics of all of them side by side: class weights or means.
    `classes` and `target_name` are then those of the first, `risk` and `gain` are means over the targets, and
    `target_risk` holds the risk of each target if they are numbers.

    >>> from bough.example_models import iris_tree
    >>> iris_tree().cut
    array([2.45,  nan, 1.75,  nan,  nan])
    """

    schema: Schema
    task: Task
    classes: tuple[Level, ...]
    target_name: str | None
    criterion: str
    recipe: dict[str, Any] = dataclasses.field(default_factory=dict)
    provenance: dict[str, Any] = dataclasses.field(default_factory=dict)
    formulas: tuple[Formula, ...] = ()
    column: Ints
    kind: npt.NDArray[np.uint8]
    cut: Floats
    level_start: npt.NDArray[np.int64]
    level_code: Ints
    level_branch: Ints
    default_branch: Ints
    weight: Floats
    cases: Floats
    statistics: Floats
    risk: Floats
    gain: Floats
    competitors: AlternativeSplits | None = None
    surrogates: AlternativeSplits | None = None
    follows_surrogates: bool = True
    class_scale: Floats | None = None
    loss_matrix: Floats | None = None
    smoothing: Smoothing = "none"
    arithmetic: TreeArithmetic = "bough"
    share: Floats | None = None
    cut_below: Floats | None = None
    cut_above: Floats | None = None
    cut_low: Floats | None = None
    cut_mid: Floats | None = None
    cut_high: Floats | None = None
    interval_start: npt.NDArray[np.int64] | None = None
    interval_cut: Floats | None = None
    interval_below: Floats | None = None
    interval_above: Floats | None = None
    p_value: Floats | None = None
    test_statistic: Floats | None = None
    leaf_models: LeafModels | None = None
    targets: tuple[Target, ...] = ()
    target_risk: Floats | None = None

    def __post_init__(self) -> None:
        fields = self.__dict__
        for name, dtype in ARRAYS.items():
            fields[name] = frozen(name, fields[name], dtype)
        for name in ("class_scale", "loss_matrix", *OPTIONAL_ARRAYS):
            if fields[name] is not None:
                fields[name] = frozen(name, fields[name], OPTIONAL_ARRAYS.get(name, np.float64))
        check_shapes(fields, self.n_statistics)

    @property
    def n_statistics(self) -> int:
        """The number of statistics of a node.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().n_statistics
        3
        """
        if self.task != "classification":
            return max(1, len(self.targets))
        return sum(len(target.classes) for target in self.targets) or len(self.classes)

    def split(self, node: int) -> Split | None:
        """Return the split of a node, or None if it is a leaf.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().split(2)
        Threshold(column=1, cut=1.75)
        """
        node = self.known(node)
        # The last split is cached: printing a node of many children needs its split once per child.
        last: tuple[int, Split | None] | None = self.__dict__.get("_last_split")
        if last is None or last[0] != node:
            last = (node, _split(self, node))
            self.__dict__["_last_split"] = last
        return last[1]

    def surrogates_of(self, node: int) -> list[AlternativeSplit]:
        """Return the surrogates of a node's split, the best first.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().surrogates_of(0)
        []
        """
        return self.surrogates.of(self.known(node)) if self.surrogates else []

    def competitors_of(self, node: int) -> list[AlternativeSplit]:
        """Return the best splits of other columns that the tree keeps for a node, the best first.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().competitors_of(0)
        []
        """
        return self.competitors.of(self.known(node)) if self.competitors else []

    def tests_of(self, node: int) -> list[ColumnTest]:
        """Return the tests of the columns in a node, without the columns that were not tested.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().tests_of(0)
        []
        """
        node = self.known(node)
        if self.p_value is None:
            return []
        p_values = self.p_value[node]
        statistics = (
            np.full(len(p_values), np.nan) if self.test_statistic is None else self.test_statistic[node]
        )
        return [
            ColumnTest(column, float(statistics[column]), float(p_values[column]))
            for column in np.flatnonzero(~np.isnan(p_values)).tolist()
        ]

    def condition(self, node: int, most: int | None = None) -> str:
        """Return the condition under which a row reaches a node from its parent, as text.

        A set of levels shows at most `most` of them.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().condition(1), iris_tree().condition(0)
        ('Petal.Length < 2.45', 'all')
        """
        node = self.known(node)
        if node == 0:
            return "all"
        parent = int(self.parent[node])
        split = cast("Split", self.split(parent))
        return split.words(self.wide_schema, node - int(self.first_child[parent]), most)

    @cached_property
    def answering(self) -> Ints:
        """The node that each node predicts from: itself or, if empty, its nearest non-empty ancestor.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().answering
        array([0, 1, 2, 3, 4], dtype=int32)
        """
        return read_only(answering_nodes(self.parent, self.weight))

    @cached_property
    def wide_schema(self) -> Schema:
        """The columns that splits may use: those of the schema, then a computed column for each formula.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().wide_schema == iris_tree().schema
        True
        """
        return WideSchema.of(self.schema, self.formulas) if self.formulas else self.schema


def _interval_neighbours(tree: Nodes, node: int) -> tuple[Neighbours, ...] | None:
    start, below, above = tree.interval_start, tree.interval_below, tree.interval_above
    if start is None or below is None or above is None:
        return None
    own = slice(start[node], start[node + 1])
    pairs = [*zip(below[own].tolist(), above[own].tolist(), strict=True)]
    return tuple(pairs) if all(known_neighbours(*pair) for pair in pairs) else None


def _split(tree: Nodes, node: int) -> Split | None:
    kind = KINDS[tree.kind[node]]
    if kind == "leaf":
        return None
    column, n_branches = int(tree.column[node]), int(tree.n_children[node])
    if kind == "threshold" and tree.cut[node] == -np.inf and tree.default_branch[node] == 0:
        return IsMissing(column)
    if kind in ("threshold", "at_most"):
        beside = None
        if tree.cut_below is not None and tree.cut_above is not None:
            beside = known_neighbours(tree.cut_below[node], tree.cut_above[node])
        if kind == "at_most":
            return AtMost(column, float(tree.cut[node]), beside)
        of_kind = Threshold if n_branches == 2 else ThresholdWithMissing
        return of_kind(column, float(tree.cut[node]), beside)
    if kind == "intervals":
        start, cuts = cast("Ints", tree.interval_start), cast("Floats", tree.interval_cut)
        own = tuple(cuts[start[node] : start[node + 1]].tolist())
        return Intervals(column, own, n_branches > len(own) + 1, _interval_neighbours(tree, node))
    listed = slice(tree.level_start[node], tree.level_start[node + 1])
    codes, branches = tree.level_code[listed].tolist(), tree.level_branch[listed].tolist()
    return Levels(column, cast("LevelKind", kind), tuple(codes), tuple(branches), n_branches)
