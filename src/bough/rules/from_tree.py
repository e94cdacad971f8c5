"""Make a rule set from the tree of any learner and training cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Schema
from bough.data.table import Table
from bough.errors import ParameterError, TargetError
from bough.progress import watcher
from bough.rules.c45 import Cases, c45_rules
from bough.rules.class_rule import ClassRule
from bough.rules.condition import NO_DEFAULT_BRANCH, Condition, LevelSet, condition_of, merged
from bough.rules.neighbours import TableNeighbours
from bough.rules.rule_set import RuleSet
from bough.tree.labeled_rows import read_sample
from bough.tree.one_target import refuse_several
from bough.tree.split import Split

if TYPE_CHECKING:
    from bough.tree import Tree

ToCondition: TypeAlias = Callable[[int, bool, float, bool, list[int]], Condition]

_METHODS = ("c4.5", "c5.0")
_THRESHOLD, _SUBSET = 2, 3


def rules_from_tree(
    tree: Tree, X: Any, y: Any, method: str, confidence: float, sample_weight: Any = None
) -> RuleSet:
    """Make a rule set from a tree and the cases X and y; see `RuleSet.from_tree`.

    >>> from bough.example_models import tennis_cases, tennis_tree
    >>> for rule in rules_from_tree(tennis_tree(), *tennis_cases(), "c4.5", 0.25):
    ...     print(rule)
    Outlook = Sunny and Humidity = High -> No
    Outlook = Rain and Wind = Strong -> No
    Outlook = Overcast -> Yes
    Humidity = Normal -> Yes
    Outlook = Rain and Wind = Weak -> Yes
    """
    if method not in _METHODS:
        raise ParameterError.of("method", method, "'c4.5' or 'c5.0'")
    if not 0 < confidence <= 1:
        raise ParameterError.of("confidence", confidence, "a number above 0 and at most 1")
    refuse_several(tree, "RuleSet.from_tree")
    if tree.task != "classification":
        raise TargetError("Rule sets can be made from classification trees only; this is a regression tree.")
    if tree.formulas:
        raise ParameterError(
            "Rule sets can be made only from trees whose splits use one column each; this one combines some."
        )
    rows = read_sample(tree, X, y, sample_weight)
    cases = Cases(rows.table, rows.answers, rows.weight)
    draw = c45_rules if method == "c4.5" else _c50_rules
    return draw(tree, cases, confidence)


def _c50_rules(tree: Tree, cases: Cases, confidence: float) -> RuleSet:
    known = cases.weight > 0
    table = cases.table.take(np.flatnonzero(known))
    codes, weight = np.ascontiguousarray(cases.codes[known]), np.ascontiguousarray(cases.weight[known])
    arrays, to_condition = _native_tree(tree, table)
    settings = _settings(confidence)
    rules, default = _core.c50_rules(
        arrays,
        table.native(),
        codes,
        len(tree.classes),
        np.empty(0) if (weight == 1).all() else weight,
        settings,
        watcher(),
    )
    sums = np.bincount(codes, weight, minlength=len(tree.classes))
    return RuleSet(
        schema=tree.schema,
        classes=tree.classes,
        rules=tuple(
            ClassRule(
                tree.schema, merged([to_condition(*each) for each in found]), tree.classes[label], *figures
            )
            for found, label, *figures in rules
        ),
        default=tree.classes[default],
        priors=tuple((sums / sums.sum()).tolist()),
        cases=float(sums.sum()),
        order="vote",
        target_name=tree.target_name,
    )


def _settings(confidence: float) -> dict[str, Any]:
    return {
        "trials": 1,
        "rules": True,
        "subset": True,
        "bands": 0,
        "winnow": False,
        "global_pruning": True,
        "confidence": confidence,
        "min_cases": 2.0,
        "fuzzy": False,
        "early_stopping": True,
        "n_threads": 1,
    }


def _native_tree(tree: Tree, table: Table) -> tuple[dict[str, npt.NDArray[Any]], ToCondition]:
    """Return the tree in the form that native code expects, and a function that converts its conditions back.

    A cut is passed as the greatest value of its column that is routed below it.
    """
    n = tree.n_nodes
    test, cut = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.float32)
    starts, pairs = [0], np.empty((0, 2), dtype=np.int32)
    splits: dict[tuple[int, float], Split] = {}
    neighbours = TableNeighbours(table)
    listed = [pairs]
    for node in range(n):
        split = tree.split(node)
        if split is not None and tree.schema[split.column].scale == "numeric":
            test[node], cut[node] = _THRESHOLD, _greatest_below(split, table)
            splits[split.column, float(cut[node])] = neighbours.noted(split)
        elif split is not None:
            listed.append(_level_pairs(split, tree.schema))
            test[node], cut[node] = _SUBSET, (listed[-1][:, 1] == 0).sum()
        starts.append(starts[-1] + (len(listed[-1]) if test[node] == _SUBSET else 0))
    pairs = np.concatenate(listed)
    arrays = {
        **{name: getattr(tree, name) for name in ("parent", "first_child", "n_children", "column")},
        "label": np.zeros(n, dtype=np.int32),
        "test": test,
        **dict.fromkeys(("cut", "lower", "upper"), cut),
        "cases": np.ones(n, dtype=np.float32),
        "dist": np.ones((n, len(tree.classes)), dtype=np.float32),
        "level_start": np.array(starts, dtype=np.int64),
        "level_code": np.ascontiguousarray(pairs[:, 0]),
        "level_branch": np.ascontiguousarray(pairs[:, 1]),
    }

    def to_condition(
        column: int, is_threshold: bool, cut: float, above: bool, levels: list[int]
    ) -> Condition:
        if is_threshold:
            return condition_of(splits[column, cut], int(above), NO_DEFAULT_BRANCH, tree.schema)
        return LevelSet(column, tuple(levels), tuple(levels))

    return arrays, to_condition


def _greatest_below(split: Split, table: Table) -> np.float32:
    values = table.columns[split.column]
    below = values[split.branch(values) == 0]
    return np.float32(below.max() if len(below) else -np.inf)


def _level_pairs(split: Split, schema: Schema) -> npt.NDArray[np.int32]:
    """Return each level that the split can route, with its branch."""
    branch = split.branch(np.arange(len(schema[split.column].levels), dtype=np.int32))
    codes = np.flatnonzero(branch >= 0)
    return np.column_stack([codes, branch[codes]]).astype(np.int32)
