"""C4.5rules (Quinlan 1993, chapter 5; release 8): an ordered rule set made from a tree.

Each path to a leaf is generalized: conditions are dropped as long as that does not raise the pessimistic or
the observed error. For each class the subset of rules of least description length is kept, which is half the
bits of the rules plus the bits of their exceptions. Classes are ordered by the false positives of their
rules, fewest first, and the default is the most frequent class of the cases that no rule covers. At the end,
a rule is dropped if the rules after it make fewer errors on its cases.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.rules.class_rule import ClassRule
from bough.rules.condition import NO_DEFAULT_BRANCH, Condition, Interval, condition_of, merged
from bough.rules.neighbours import TableNeighbours
from bough.rules.rule_set import RuleSet
from bough.types import Floats, Mask

if TYPE_CHECKING:
    from bough.tree import Tree


_CODE_WEIGHT = 0.5
# Up to this many rules of a class all subsets are tried; beyond, greedy searches start from several subsets.
_MOST_COMBINED = 10
_STARTS = 11
# A rule whose pessimistic error is greater than this never fires.
_MOST_ERROR = 0.7


class Cases(NamedTuple):
    """The cases from which the errors of rules are estimated: a table, class codes, and weights."""

    table: Table
    codes: npt.NDArray[np.int32]
    weight: Floats


@dataclass(eq=False)
class _Draft:
    """A candidate rule: its conditions, class, pessimistic error, mask of covered cases, and bits."""

    conditions: list[Condition]
    label: int
    error: float
    match: Mask
    bits: float = 0.0


def c45_rules(tree: Tree, cases: Cases, confidence: float) -> RuleSet:
    """Make a rule set from a tree as C4.5rules does.

    >>> from bough.rules.from_tree import rules_from_tree
    >>> from bough.example_models import tennis_cases, tennis_tree
    >>> print(rules_from_tree(tennis_tree(), *tennis_cases(), "c4.5", 0.25)[1].support())
    2 cases, 0 wrong, confidence 50.0%, lift 1.40
    """
    drafts = _generalized(tree, cases, confidence)
    selector = _RuleSelector(tree, cases, drafts)
    chosen = [draft for label in range(len(tree.classes)) for draft in selector.best_of_class(label)]
    ordered, default = selector.in_order(chosen)
    ordered = selector.without_harmful(ordered, default)
    sums = np.bincount(cases.codes, cases.weight, minlength=len(tree.classes))
    priors = (sums / sums.sum()).tolist()
    rules = [
        ClassRule(
            tree.schema,
            merged(draft.conditions),
            tree.classes[draft.label],
            float(cases.weight[draft.match].sum()),
            float(cases.weight[draft.match & (cases.codes == draft.label)].sum()),
            priors[draft.label],
            1.0 - draft.error,
        )
        for draft in ordered
    ]
    return RuleSet(
        schema=tree.schema,
        classes=tree.classes,
        rules=tuple(rules),
        default=tree.classes[default],
        priors=tuple(priors),
        cases=float(sums.sum()),
        order="first",
        target_name=tree.target_name,
    )


def extra_errors(cases: float, errors: float, confidence: float) -> float:
    """Return the errors to add to the observed ones to get the upper confidence limit (C4.5's AddErrs).

    The normal quantile is interpolated in C4.5's table.

    >>> round(extra_errors(6.0, 0.0, 0.25), 3), round(extra_errors(16.0, 1.0, 0.25), 3)
    (1.238, 1.507)
    """
    levels = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
    deviations = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
    square = float(np.interp(confidence, levels, deviations)) ** 2
    none = cases * (1 - math.exp(math.log(confidence) / cases))
    if errors < 1e-6:
        return none
    if errors < 0.9999:
        return none + errors * (extra_errors(cases, 1.0, confidence) - none)
    if errors + 0.5 >= cases:
        return 0.67 * (cases - errors)
    about = errors + 0.5
    root = math.sqrt(square * (about * (1 - about / cases) + square / 4))
    return cases * (about + square / 2 + root) / (cases + square) - errors


def _generalized(tree: Tree, cases: Cases, confidence: float) -> list[_Draft]:
    drafts: list[_Draft] = []
    is_leaf, neighbours = tree.is_leaf, TableNeighbours(cases.table)
    for leaf in tree.walk():
        if not is_leaf[leaf] or leaf == 0 or tree.weight[leaf] < 1:
            continue
        path = tree.path(leaf)
        conditions = []
        for node, child in itertools.pairwise(path):
            split = tree.split(node)
            assert split is not None
            branch = child - tree.children(node)[0]
            noted = neighbours.noted(split)
            conditions.append(condition_of(noted, branch, NO_DEFAULT_BRANCH, tree.schema))
        label = int(tree.answer_codes()[leaf])
        draft = _generalize(conditions, label, cases, confidence)
        if draft is not None:
            _add(drafts, draft)
    return drafts


def _add(drafts: list[_Draft], draft: _Draft) -> None:
    for known in drafts:
        if known.label == draft.label and known.conditions == draft.conditions:
            known.error = max(known.error, draft.error)
            return
    drafts.append(draft)


def _generalize(conditions: list[Condition], label: int, cases: Cases, confidence: float) -> _Draft | None:
    """Drop conditions one by one; return None if none is left or the rule is no better than no rule."""
    met = np.array([each.covers(cases.table.columns[each.column]) for each in conditions])
    wrong = cases.weight * (cases.codes != label)
    of_class = float(cases.weight.sum() - wrong.sum())
    worst = 1.0 - (of_class + 1.0) / (float(cases.weight.sum()) + 2.0)

    def error_rates(kept: list[int]) -> tuple[float, float]:
        covered = _all_met(met, kept)
        total, errors = float(cases.weight[covered].sum()), float(wrong[covered].sum())
        if total == 0:
            return worst, 0.0
        return (errors + extra_errors(total, errors, confidence)) / total, errors / total

    kept = list(range(len(conditions)))
    while True:
        pessimistic, actual = error_rates(kept)
        without = [error_rates(kept[:i] + kept[i + 1 :]) for i in range(len(kept))]
        if not any(p <= pessimistic or a <= actual for p, a in without):
            break
        best = min(range(len(kept)), key=lambda i: (without[i][0], -i))
        del kept[best]
        if not kept:
            return None
    covered = _all_met(met, kept)
    if not covered.any() or pessimistic >= worst:
        return None
    remaining = sorted((conditions[i] for i in kept), key=_reading_order)
    return _Draft(remaining, label, pessimistic, covered & (pessimistic <= _MOST_ERROR))


def _all_met(met: Mask, kept: list[int]) -> Mask:
    covered: Mask = np.logical_and.reduce(met[kept], axis=0)
    return covered


def _reading_order(condition: Condition) -> tuple[int, float]:
    if not isinstance(condition, Interval):
        return condition.column, 0.0
    bound = condition.high if condition.low is None else condition.low
    return condition.column, 0.0 if bound is None else bound


class _RuleSelector:
    """Selects and orders rules by their description length and the cases that they cover."""

    def __init__(self, tree: Tree, cases: Cases, drafts: list[_Draft]) -> None:
        self._tree, self._cases, self._drafts = tree, cases, drafts
        self._total = float(cases.weight.sum())
        for draft in drafts:
            size = len(draft.conditions)
            bits = sum(self._column_bits + self._branch_bits(each.column) for each in draft.conditions)
            draft.bits = bits + math.log2(size) - _log2_factorial(size)

    @cached_property
    def _column_bits(self) -> float:
        return math.log2(len(self._tree.schema))

    def _branch_bits(self, column: int) -> float:
        values = self._cases.table.columns[column]
        if self._tree.schema[column].scale == "numeric":
            cuts = len(np.unique(values[~np.isnan(values)])) - 1
            return 1 + 0.5 * math.log2(cuts) if cuts > 1 else 0.0
        counts = np.bincount(values[values >= 0])
        shares = counts[counts > 0] / len(values)
        return float(-(shares * np.log2(shares)).sum())

    def best_of_class(self, label: int) -> list[_Draft]:
        """Return the subset of the rules of a class that has the least description length."""
        rules = [draft for draft in self._drafts if draft.label == label]
        if not rules:
            return []
        subsets = (
            (np.array([number >> bit & 1 for bit in range(len(rules))], dtype=np.bool_))
            for number in range(1 << len(rules))
        )
        if len(rules) > _MOST_COMBINED:
            subsets = (self._climbed(rules, start, label) for start in _starts(len(rules)))
        best, fewest = np.zeros(len(rules), dtype=np.bool_), math.inf
        for subset in subsets:
            bits = self._bits(rules, subset, label)
            if bits < fewest:
                best, fewest = subset, bits
        return [rule for rule, is_in in zip(rules, best, strict=True) if is_in]

    def _climbed(self, rules: list[_Draft], subset: Mask, label: int) -> Mask:
        """Improve a subset greedily: add or drop the rule that saves the most bits, until none does."""
        bits = self._bits(rules, subset, label)
        while True:
            neighbours = [subset ^ (np.arange(len(rules)) == number) for number in range(len(rules))]
            lengths = [self._bits(rules, each, label) for each in neighbours]
            least = int(np.argmin(lengths))
            if not lengths[least] < bits:
                return subset
            subset, bits = neighbours[least], lengths[least]

    def _bits(self, rules: list[_Draft], subset: Mask, label: int) -> float:
        covered = np.zeros(len(self._cases.codes), dtype=np.bool_)
        length = -_log2_factorial(int(subset.sum()))
        for rule, is_in in zip(rules, subset, strict=True):
            if is_in:
                covered |= rule.match
                length += rule.bits
        of_class, weight = self._cases.codes == label, self._cases.weight
        fires = float(weight[covered].sum())
        wrong, missed = float(weight[covered & ~of_class].sum()), float(weight[~covered & of_class].sum())
        return _CODE_WEIGHT * length + self._exception_bits(fires, wrong, missed)

    def _exception_bits(self, fires: float, wrong: float, missed: float) -> float:
        """Return the bits that encode the false positives and the false negatives of a subset of rules."""
        half, not_covered = 0.5 * (wrong + missed), self._total - fires
        if fires > 0.5 * self._total:
            exceptions = _biased_bits(fires, wrong, half) + _biased_bits(not_covered, missed, missed)
        else:
            exceptions = _biased_bits(fires, wrong, wrong) + _biased_bits(not_covered, missed, half)
        return math.log2(self._total) + exceptions

    def in_order(self, chosen: list[_Draft]) -> tuple[list[_Draft], int]:
        """Return the rules, classes ordered by false positives and rules by error, and the default class."""
        codes, weight = self._cases.codes, self._cases.weight
        covered = np.zeros(len(codes), dtype=np.bool_)
        ordered: list[_Draft] = []
        left = list(range(len(self._tree.classes)))
        while left:
            false = []
            for label in left:
                matched = np.zeros(len(codes), dtype=np.bool_)
                for draft in chosen:
                    if draft.label == label:
                        matched |= draft.match
                false.append(float(weight[matched & ~covered & (codes != label)].sum()))
            label = left.pop(int(np.argmin(false)))
            ordered += sorted((each for each in chosen if each.label == label), key=lambda each: each.error)
            for draft in ordered:
                covered |= draft.match
        sums = np.bincount(codes, weight, minlength=len(self._tree.classes))
        uncovered = np.bincount(codes[~covered], weight[~covered], minlength=len(sums))
        default = max(range(len(sums)), key=lambda label: (uncovered[label], sums[label], -label))
        return ordered, default

    def without_harmful(self, ordered: list[_Draft], default: int) -> list[_Draft]:
        """Drop, one at a time, the first rule without which fewer cases would be misclassified."""
        codes, weight = self._cases.codes, self._cases.weight
        while ordered:
            match = np.array([draft.match for draft in ordered])
            answers = np.array([draft.label for draft in ordered])
            first = match.argmax(axis=0)
            later = match & (np.arange(len(ordered))[:, None] > first)
            next_label = np.where(later.any(axis=0), answers[later.argmax(axis=0)], default)
            gain = weight * ((codes == answers[first]).astype(float) - (codes == next_label))
            gains = np.bincount(first, gain * match.any(axis=0), minlength=len(ordered))
            if not (gains < 0).any():
                return ordered
            ordered = [draft for number, draft in enumerate(ordered) if number != int(np.argmax(gains < 0))]
        return ordered


def _starts(n_rules: int) -> list[Mask]:
    """Return the subsets from which greedy searches start, from empty to full, with a fixed random seed."""
    draws = np.random.default_rng(0)
    return [draws.random(n_rules) < trial / (_STARTS - 1) for trial in range(_STARTS)]


def _biased_bits(cases: float, errors: float, expected: float) -> float:
    """Return the bits that encode which cases are errors, if `expected` errors are assumed beforehand."""
    if expected <= 1e-6:
        return 0.0 if errors == 0 else 1e6
    if expected >= cases - 1e-6:
        return 0.0 if errors == cases else 1e6
    rate = expected / cases
    return -errors * math.log2(rate) - (cases - errors) * math.log2(1 - rate)


def _log2_factorial(n: int) -> float:
    return math.lgamma(n + 1) / math.log(2)
