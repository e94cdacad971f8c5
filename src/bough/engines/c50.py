"""The native engine of C5.0, which learns one tree or rule set for each trial of boosting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.growing.recipe import Recipe
from bough.jobs import n_threads
from bough.models.boosted import Boosted
from bough.progress import watcher
from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, LevelSet, interval_of, merged
from bough.rules.neighbours import TableNeighbours
from bough.rules.rule_set import RuleSet
from bough.tree import Tree
from bough.tree.arrays import KINDS
from bough.tree.c50 import LEAF, SUBSET, THRESHOLD
from bough.tree.split import AtMost, known_neighbours
from bough.types import Floats

NativeArrays = dict[str, npt.NDArray[Any]]


class Learned(NamedTuple):
    """The result of C5.0: the trees, the rule sets if requested, and which columns were winnowed."""

    trees: list[Tree]
    rule_sets: list[RuleSet]
    winnowed: npt.NDArray[np.bool_]
    winnow_importance: Floats

    @property
    def model(self) -> Tree | RuleSet | Boosted:
        """The model that predicts: a tree or a rule set, or all of them if there are several trials."""
        members = self.rule_sets or self.trees
        return members[0] if len(members) == 1 else Boosted(tuple(members))


def learn(
    table: Table,
    target: ClassTarget,
    weight: Floats | None,
    costs: Floats | None,
    recipe: Recipe,
    *,
    target_name: str | None = None,
    n_jobs: int | None = None,
) -> Learned:
    """Learn trees or rules as C5.0 does. Weights are relative: they are divided by their mean.

    >>> from bough.data.target import read_classes
    >>> from bough.learners.c50 import C50Classifier
    >>> X, y = Table.read([["a"], ["a"], ["b"], ["b"]]), read_classes([0, 0, 1, 1])
    >>> learn(X, y, None, None, C50Classifier().recipe()).trees[0].condition(1)
    'x0 = a'
    """
    n_classes = len(target.classes)
    none = np.empty(0)
    weights = none if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    cost_list = none if costs is None else np.ascontiguousarray(costs, dtype=np.float64).ravel()
    options = {**native_settings(recipe), "n_threads": n_threads(n_jobs)}
    found = _core.c50_learn(table.native(), target.codes, n_classes, weights, cost_list, options, watcher())
    recorded = recipe.to_json()
    values = StoredValues(table)
    loss_matrix = None if costs is None else np.ascontiguousarray(costs.T)
    trees = [
        to_tree(arrays, table.schema, values, target.classes, target_name, recorded, loss_matrix)
        for arrays in found["trees"]
    ]
    sums = np.bincount(target.codes, weight, minlength=n_classes).astype(np.float64)
    rule_sets = [
        replace(to_rule_set(rules, values, table.schema, target.classes, sums, target_name), recipe=recorded)
        for rules in found["rule_sets"]
    ]
    importance = found["winnow_importance"].astype(np.float64)
    return Learned(trees, rule_sets, found["skipped"].astype(np.bool_), importance)


def native_settings(recipe: Recipe) -> dict[str, Any]:
    """Return the options of C5.0 as arguments of the native code.

    >>> from bough.learners.c50 import C50Classifier
    >>> native_settings(C50Classifier(n_estimators=3).recipe())["trials"]
    3
    """
    own = ("rules", "bands", "winnow", "global_pruning", "confidence", "fuzzy", "early_stopping")
    return {name: recipe.settings[name] for name in own} | {
        "trials": 1 if recipe.ensemble is None else recipe.ensemble.n_estimators,
        "subset": recipe.nominal == "subset",
        "min_cases": recipe.settings["min_samples_branch"],
    }


def to_tree(
    arrays: NativeArrays,
    schema: Schema,
    values: StoredValues,
    classes: tuple[Any, ...],
    target_name: str | None,
    recipe: Mapping[str, Any],
    loss_matrix: Floats | None = None,
) -> Tree:
    """Return a tree of C5.0 as a `Tree`, which predicts in the arithmetic of C5.0."""
    test, column = arrays["test"], arrays["column"]
    ordinal = np.array([each.scale == "ordinal" for each in schema.columns])[np.maximum(column, 0)]
    kinds = np.array([KINDS.index(name) for name in ("leaf", "complete", "at_most", "subset")], np.uint8)
    by_rank = ordinal & (test == SUBSET) & ~_lists_too_few(arrays, schema, ordinal & (test == SUBSET))
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
        **_cuts(arrays, values, by_rank),
        level_start=np.append(0, np.cumsum(listed)).astype(np.int64),
        level_code=arrays["level_code"][kept],
        level_branch=arrays["level_branch"][kept],
        default_branch=_largest_branches(arrays),
        weight=statistics.sum(axis=1),
        cases=arrays["cases"].astype(np.float64),
        statistics=statistics,
        risk=statistics.sum(axis=1) - statistics.max(axis=1),
        gain=np.where(test == LEAF, np.nan, arrays["gain"].astype(np.float64)),
        share=_shares(arrays),
        loss_matrix=loss_matrix,
        # Class probabilities are smoothed by one case with the class frequencies of the root.
        smoothing=1.0,
        arithmetic="c5.0",
        **_soft_cuts(arrays),
    )


def thresholds(tree: Tree) -> list[dict[str, Any]]:
    """Return the thresholds of a tree of C5.0 with the bounds of soft thresholds, in the order of its nodes.

    >>> from bough import C50Classifier
    >>> thresholds(C50Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]).tree_)
    [{'node': 0, 'column': 'x0', 'cut': 2.0, 'low': 2.0, 'mid': 2.0, 'high': 2.0}]
    """
    cut = tree.cut.astype(np.float32)
    low, mid, high = (cut if each is None else each for each in (tree.cut_low, tree.cut_mid, tree.cut_high))
    return [
        {
            "node": int(node),
            "column": tree.schema[int(tree.column[node])].name,
            "cut": float(cut[node]),
            "low": float(low[node]),
            "mid": float(mid[node]),
            "high": float(high[node]),
        }
        for node in np.flatnonzero(tree.kind == KINDS.index("at_most"))
    ]


def _soft_cuts(arrays: NativeArrays) -> dict[str, Any]:
    """Return the bounds between which each threshold is soft; an empty dict if none is."""
    cuts = arrays["test"] == THRESHOLD
    if not (arrays["lower"] < arrays["upper"])[cuts].any():
        return {}
    names = {"cut_low": "lower", "cut_mid": "mid", "cut_high": "upper"}
    return {name: np.where(cuts, arrays[own], np.nan).astype(np.float64) for name, own in names.items()}


def _lists_too_few(
    arrays: NativeArrays, schema: Schema, by_rank: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return which splits of ordinal columns do not list a level that can reach the node.

    Below another split on the same column, a split lists the remaining levels only. If pruning has replaced a
    node by one of its branches, other levels can reach that branch too; C5.0 stops such rows at the node.
    """
    too_few = np.zeros(len(by_rank), dtype=np.bool_)
    starts, codes, ways = arrays["level_start"], arrays["level_code"], arrays["level_branch"]
    n_levels = np.array([len(column.levels) for column in schema.columns])[np.maximum(arrays["column"], 0)]
    for node in np.flatnonzero(by_rank & (np.diff(starts) < n_levels)).tolist():
        listed = set(codes[starts[node] : starts[node + 1]].tolist())
        left = set(range(int(n_levels[node]))) - listed
        below = node
        while left and below:
            above = int(arrays["parent"][below])
            if arrays["column"][above] == arrays["column"][node]:
                own = slice(starts[above], starts[above + 1])
                taken = ways[own] == below - arrays["first_child"][above]
                left &= set(codes[own][taken].tolist())
            below = above
        too_few[node] = bool(left)
    return too_few


def _shares(arrays: NativeArrays) -> Floats:
    """Return the cases of each node as a fraction of the cases of its parent's children."""
    parent, cases = arrays["parent"][1:], arrays["cases"].astype(np.float64)
    sums = np.bincount(parent, cases[1:], minlength=len(cases))
    return np.append(1.0, cases[1:] / sums[parent])


def _cuts(arrays: NativeArrays, values: StoredValues, by_rank: npt.NDArray[np.bool_]) -> dict[str, Any]:
    test, column, cut = arrays["test"], arrays["column"], arrays["cut"]
    cuts, above = np.full(len(test), np.nan), np.full(len(test), np.nan)
    for number in np.unique(column[test == THRESHOLD]):
        here = (test == THRESHOLD) & (column == number)
        cuts[here], above[here] = values.exact(int(number), cut[here])
    below = cuts.copy()
    below[by_rank], cuts[by_rank], above[by_rank] = (cut[by_rank] - part for part in (1.0, 0.5, 0.0))
    return {"cut": cuts, "cut_below": below, "cut_above": above}


def _largest_branches(arrays: NativeArrays) -> npt.NDArray[np.int32]:
    first, count, cases = arrays["first_child"], arrays["n_children"], arrays["cases"]
    largest = np.full(len(first), -1, dtype=np.int32)
    for node in np.flatnonzero(count > 0):
        largest[node] = cases[first[node] : first[node] + count[node]].argmax()
    return largest


class StoredValues:
    """The values of each numeric column, to convert thresholds of C5.0 from single precision.

    A threshold of C5.0 is a value of the column in single precision, such as 0.10000000149 for 0.1. `exact`
    returns the greatest value of the column that rounds to it, and the next value of the column.

    >>> StoredValues(Table.read([[0.1], [0.2]])).exact(0, np.array([0.1], dtype=np.float32))
    (array([0.1]), array([0.2]))
    """

    def __init__(self, table: Table) -> None:
        self._neighbours = TableNeighbours(table)
        self._rounded: dict[int, npt.NDArray[np.float32]] = {}

    def exact(self, column: int, cuts: npt.NDArray[np.float32]) -> tuple[Floats, Floats]:
        """Return the thresholds of a column as values of the column, and the next greater values or NaN."""
        values = self._neighbours.values(column)
        if column not in self._rounded:
            with np.errstate(over="ignore"):
                self._rounded[column] = values.astype(np.float32)
        at = np.maximum(np.searchsorted(self._rounded[column], cuts, side="right") - 1, 0)
        return values[at], np.append(values, np.nan)[at + 1]


def to_rule_set(
    found: tuple[Sequence[Any], int],
    values: StoredValues,
    schema: Schema,
    classes: tuple[Any, ...],
    class_weights: Floats,
    target_name: str | None,
) -> RuleSet:
    """Return the rules found by the native code as a `RuleSet`."""
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
    found: Sequence[tuple[int, bool, float, bool, list[int]]], values: StoredValues
) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    for column, is_threshold, cut, above, levels in found:
        if is_threshold:
            bound, over = (float(each[0]) for each in values.exact(column, np.array([cut], dtype=np.float32)))
            conditions.append(interval_of(AtMost(column, bound, known_neighbours(bound, over)), int(above)))
        else:
            conditions.append(LevelSet(column, tuple(levels), tuple(levels)))
    return merged(conditions)
