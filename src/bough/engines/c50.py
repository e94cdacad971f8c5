"""The native engine of C5.0: it learns trees or rules, and answers by the trees as C5.0 answers.

C5.0's trees say more than a `Tree` does: thresholds may be soft, cases without a value go along all branches,
and probabilities lean towards the root's. So the arrays it made are kept beside the trees, and are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.jobs import n_threads
from bough.progress import watcher
from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval, LevelSet, merged
from bough.rules.rule_set import RuleSet
from bough.tree import Tree
from bough.tree.arrays import KINDS
from bough.types import Floats

Arrays = dict[str, npt.NDArray[Any]]

# C5.0's tests as numbered by the native code.
_LEAF, _DISCRETE, _THRESHOLD, _SUBSET = range(4)


@dataclass(frozen=True, eq=False)
class C50Trees:
    """The trees of a C5.0 model, one a trial of boosting, to be asked for classes and probabilities."""

    schema: Schema
    n_classes: int
    arrays: tuple[Arrays, ...]
    costs: Floats

    def __len__(self) -> int:
        return len(self.arrays)

    @cached_property
    def _native(self) -> _core.C50Predictor:
        levels = [-1 if column.scale == "numeric" else len(column.levels) for column in self.schema.columns]
        return _core.C50Predictor(list(self.arrays), self.n_classes, self.costs, levels)

    def decide(self, table: Table, n_trials: int = 0, n_jobs: int | None = None) -> tuple[Floats, Any]:
        """Return the probabilities and the class code of each row, by the first trials only if said."""
        return self._native.predict(table.native(), table.n_rows, n_trials, n_threads(n_jobs))

    def thresholds(self, trial: int) -> list[dict[str, Any]]:
        """Return what each threshold of a tree was set to, in the order of its nodes."""
        arrays = self.arrays[trial]
        return [
            {
                "node": int(node),
                "column": self.schema[int(arrays["column"][node])].name,
                "cut": float(arrays["cut"][node]),
                "low": float(arrays["lower"][node]),
                "mid": float(arrays["mid"][node]),
                "high": float(arrays["upper"][node]),
            }
            for node in np.flatnonzero(arrays["test"] == _THRESHOLD)
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_native"}


class C50Model(NamedTuple):
    """What C5.0 learned: trees in both forms, rules if asked for, and which columns were winnowed."""

    trees: C50Trees
    views: list[Tree]
    rule_sets: list[RuleSet]
    winnowed: npt.NDArray[np.bool_]
    winnow_importance: Floats


def learn(
    table: Table,
    target: ClassTarget,
    weight: Floats | None,
    costs: Floats | None,
    settings: Mapping[str, Any],
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> C50Model:
    """Learn trees or rules as C5.0 does. Weights are relative: their average counts as one case.

    >>> from bough.data.target import read_classes
    >>> from bough.learners.c50 import C50Classifier
    >>> X, y = Table.read([["a"], ["a"], ["b"], ["b"]]), read_classes([0, 0, 1, 1])
    >>> learn(X, y, None, None, C50Classifier().settings()).views[0].condition(1)
    'x0 = a'
    """
    n_classes = len(target.classes)
    none = np.empty(0)
    given = none if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    charged = none if costs is None else np.ascontiguousarray(costs, dtype=np.float64).ravel()
    asked = {**settings, "n_threads": n_threads(n_jobs)}
    found = _core.c50_learn(table.native(), target.codes, n_classes, given, charged, asked, watcher())
    trees = C50Trees(table.schema, n_classes, tuple(found["trees"]), charged)
    recipe = {"program": "C5.0", **settings}
    values = Values(table)
    views = [
        to_tree(arrays, table.schema, values, target.classes, target_name, recipe | {"trial": trial})
        for trial, arrays in enumerate(trees.arrays)
    ]
    sums = np.bincount(target.codes, weight, minlength=n_classes).astype(np.float64)
    rule_sets = [
        to_rule_set(rules, values, table.schema, target.classes, sums, target_name)
        for rules in found["rule_sets"]
    ]
    importance = found["winnow_importance"].astype(np.float64)
    return C50Model(trees, views, rule_sets, found["skipped"].astype(np.bool_), importance)


def to_tree(
    arrays: Arrays,
    schema: Schema,
    values: Values,
    classes: tuple[Any, ...],
    target_name: str | None,
    recipe: Mapping[str, Any],
) -> Tree:
    """Return C5.0's tree as a `Tree`: its tests, class weights, and shares of rows that no test places."""
    test, column = arrays["test"], arrays["column"]
    ordinal = np.array([each.scale == "ordinal" for each in schema.columns])[np.maximum(column, 0)]
    kinds = np.array([KINDS.index(name) for name in ("leaf", "complete", "at_most", "subset")], np.uint8)
    by_rank = ordinal & (test == _SUBSET)
    kind = np.where(by_rank, KINDS.index("threshold"), kinds[test])
    statistics = arrays["dist"].astype(np.float64)
    listed = np.diff(arrays["level_start"]) * ~by_rank
    kept = np.repeat(~by_rank, np.diff(arrays["level_start"]))
    return Tree(
        schema=schema,
        task="classification",
        classes=classes,
        target_name=target_name,
        criterion="gain_ratio",
        recipe=dict(recipe),
        parent=arrays["parent"],
        first_child=arrays["first_child"],
        n_children=arrays["n_children"],
        column=column,
        kind=kind.astype(np.uint8),
        cut=_cuts(arrays, values, by_rank),
        level_start=np.append(0, np.cumsum(listed)).astype(np.int64),
        level_code=arrays["level_code"][kept],
        level_branch=arrays["level_branch"][kept],
        default_branch=_largest_branches(arrays),
        weight=statistics.sum(axis=1),
        rows=arrays["cases"].astype(np.float64),
        statistics=statistics,
        risk=statistics.sum(axis=1) - statistics.max(axis=1),
        gain=np.where(test == _LEAF, np.nan, arrays["gain"].astype(np.float64)),
        share=_shares(arrays),
    )


def _shares(arrays: Arrays) -> Floats:
    """Return the share of each node in the cases of its siblings and itself."""
    parent, cases = arrays["parent"][1:], arrays["cases"].astype(np.float64)
    sums = np.bincount(parent, cases[1:], minlength=len(cases))
    return np.append(1.0, cases[1:] / sums[parent])


def _cuts(arrays: Arrays, values: Values, by_rank: npt.NDArray[np.bool_]) -> Floats:
    test, column, cut = arrays["test"], arrays["column"], arrays["cut"]
    cuts = np.full(len(test), np.nan)
    for number in np.unique(column[test == _THRESHOLD]):
        here = (test == _THRESHOLD) & (column == number)
        cuts[here] = values.exact(int(number), cut[here])
    cuts[by_rank] = cut[by_rank] - 0.5
    return cuts


def _largest_branches(arrays: Arrays) -> npt.NDArray[np.int32]:
    first, count, cases = arrays["first_child"], arrays["n_children"], arrays["cases"]
    largest = np.full(len(first), -1, dtype=np.int32)
    for node in np.flatnonzero(count > 0):
        largest[node] = cases[first[node] : first[node] + count[node]].argmax()
    return largest


class Values:
    """The values of each numeric column of a table, to write C5.0's cuts as the numbers they were read from.

    A cut is held in single precision, and is a value that occurs: 0.1 is cut at 0.10000000149. Here it is the
    greatest value that rounds to it.

    >>> Values(Table.read([[0.1], [0.2]])).exact(0, np.array([0.1], dtype=np.float32))
    array([0.1])
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sorted: dict[int, tuple[Floats, npt.NDArray[np.float32]]] = {}

    def exact(self, column: int, cuts: npt.NDArray[np.float32]) -> Floats:
        """Return the cuts of a column as values of it."""
        if column not in self._sorted:
            values = self._table.columns[column]
            values = np.unique(values[~np.isnan(values)]).astype(np.float64)
            with np.errstate(over="ignore"):
                self._sorted[column] = values, values.astype(np.float32)
        values, rounded = self._sorted[column]
        return values[np.maximum(np.searchsorted(rounded, cuts, side="right") - 1, 0)]


def to_rule_set(
    found: tuple[Sequence[Any], int],
    values: Values,
    schema: Schema,
    classes: tuple[Any, ...],
    class_weights: Floats,
    target_name: str | None,
) -> RuleSet:
    """Return the rules that the native code found as a `RuleSet`."""
    rules, default = found
    return RuleSet(
        schema=schema,
        classes=classes,
        rules=tuple(
            ClassRule(schema, _conditions(conditions, values), classes[label], cover, correct, prior)
            for conditions, label, cover, correct, prior in rules
        ),
        default=classes[default],
        priors=tuple((class_weights / class_weights.sum()).tolist()),
        cases=float(class_weights.sum()),
        order="vote",
        target_name=target_name,
    )


def _conditions(
    found: Sequence[tuple[int, bool, float, bool, list[int]]], values: Values
) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    for column, is_threshold, cut, above, levels in found:
        if is_threshold:
            bound = float(values.exact(column, np.array([cut], dtype=np.float32))[0])
            low, high = (bound, None) if above else (None, bound)
            conditions.append(Interval(column, low, high, above=above, up_to=not above))
        else:
            conditions.append(LevelSet(column, tuple(levels), tuple(levels)))
    return merged(conditions)
