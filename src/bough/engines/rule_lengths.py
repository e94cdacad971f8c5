"""Rules of one class and the length of their description, by which RIPPER keeps or deletes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.table import is_missing
from bough.engines.rule_problem import RuleProblem
from bough.engines.weka_text import row_seed
from bough.rules.condition import Condition, Interval, LevelSet
from bough.types import Rows

_REDUNDANCY = 0.5
SMALL = 1e-6
"""Weka takes numbers this close for equal."""


@dataclass(frozen=True)
class Antecedent:
    """One condition of a rule: a level, or a bound of a number that it may be at most or at least."""

    column: int
    level: int = -1
    bound: float = math.nan
    at_most: bool = True

    def condition(self, n_levels: int = 0) -> Condition:
        """Return the condition for a rule set; `n_levels` is the number of levels of an ordinal column."""
        if self.level >= 0:
            return LevelSet(self.column, (self.level,), (self.level,))
        if n_levels:
            bound = int(self.bound)
            codes = tuple(range(bound + 1) if self.at_most else range(bound, n_levels))
            return LevelSet(self.column, codes, codes)
        if self.at_most:
            return Interval(self.column, None, self.bound, up_to=True)
        return Interval(self.column, self.bound, None)


Antecedents: TypeAlias = list[Antecedent]


@dataclass
class RuleCounts:
    """Weight of the rows that a rule covers or not, and of its true and false positives and negatives."""

    cover: float = 0.0
    rest: float = 0.0
    true_positive: float = 0.0
    false_positive: float = 0.0
    false_negative: float = 0.0


def log2(x: float) -> float:
    """Return the logarithm to base 2 as Weka computes it.

    >>> log2(8.0)
    3.0
    """
    return math.log(x) / math.log(2.0) if x > 0 else -math.inf


def subset_length(n: float, k: float, p: float) -> float:
    """Return the bits that name k of n elements if a share p is expected.

    >>> subset_length(4.0, 2.0, 0.5)
    4.0
    """
    bits = -k * log2(p) if p > SMALL else 0.0
    return bits - (n - k) * log2(1 - p) if n != k else bits


def data_length(expected: float, cover: float, rest: float, fp: float, fn: float) -> float:
    """Return the bits that name the errors of rules which cover rows of this weight.

    `expected` is the expected share of false positives among the errors.

    >>> round(data_length(0.5, 4.0, 4.0, 1.0, 1.0), 3)
    9.66
    """
    bits = log2(cover + rest + 1.0)
    if cover - rest > SMALL:
        error = expected * (fp + fn)
        bits += subset_length(cover, fp, error / cover)
        return bits + (subset_length(rest, fn, fn / rest) if rest > SMALL else 0.0)
    error = (1.0 - expected) * (fp + fn)
    bits += subset_length(cover, fp, fp / cover) if cover > SMALL else 0.0
    return bits + subset_length(rest, fn, error / rest)


class RuleTable:
    """The table with the classes in the order in which they are learned, the rarest first."""

    def __init__(self, problem: RuleProblem) -> None:
        self.problem = problem
        self.weight = problem.weight
        counts = problem.class_weights(np.arange(problem.table.n_rows))
        # Weka's order of equally frequent classes: they are shuffled, then its quicksort moves them.
        self.random = _core.JavaShuffle(row_seed(problem, int(problem.recipe.seed or 0)))
        shuffled = np.asarray(_core.JavaShuffle(self.random.whole()).permutation(len(counts)))
        _, rank = np.unique(counts[shuffled], return_inverse=True)
        self.order = shuffled[_core.weka_order(rank.astype(np.uint32))]
        self.counts = counts[self.order]
        place = np.empty(len(self.order), dtype=np.intp)
        place[self.order] = np.arange(len(self.order))
        self.y = place[problem.target.codes]
        schema = problem.table.schema
        self.numeric = [column.scale != "nominal" for column in schema]
        self.n_conditions = float(
            sum(
                2 * len(np.unique(self.values(column)[~problem.is_missing(column)]))
                if self.numeric[column]
                else len(schema[column].levels)
                for column in range(len(schema))
            )
        )

    def values(self, column: int) -> npt.NDArray[Any]:
        """Return the values of a column."""
        return self.problem.table.columns[column]

    def covered(self, rule: Antecedents, rows: Rows) -> npt.NDArray[np.bool_]:
        """Return which of the rows meet all conditions of a rule."""
        inside = np.ones(len(rows), dtype=np.bool_)
        for antecedent in rule:
            inside &= self.meets(antecedent, rows)
        return inside

    def meets(self, antecedent: Antecedent, rows: Rows) -> npt.NDArray[np.bool_]:
        """Return which of the rows meet a condition."""
        values = self.values(antecedent.column)[rows]
        if antecedent.level >= 0:
            return np.asarray(values == antecedent.level)
        side = values <= antecedent.bound if antecedent.at_most else values >= antecedent.bound
        return np.asarray(side & ~is_missing(values))


@dataclass
class CoveredRules:
    """The rules of a class, with the rows that each covers and leaves, and the counts of both."""

    data: RuleTable
    rows: Rows
    answer: int
    rules: list[Antecedents] = field(default_factory=list)
    counts: list[RuleCounts] = field(default_factory=list)
    left: list[Rows] = field(default_factory=list)
    taken: list[Rows] = field(default_factory=list)

    def count(self, rule: Antecedents, rows: Rows) -> tuple[RuleCounts, Rows, Rows]:
        """Return the counts of a rule among some rows, and the rows that it covers and leaves."""
        inside = self.data.covered(rule, rows)
        positive, weight = self.data.y[rows] == self.answer, self.data.weight[rows]
        counts = RuleCounts(
            *(
                float(weight[mask].sum())
                for mask in (inside, ~inside, inside & positive, inside & ~positive, ~inside & positive)
            )
        )
        return counts, rows[inside], rows[~inside]

    def remaining(self) -> Rows:
        """Return the rows that no rule covers."""
        return self.left[-1] if self.left else self.rows

    def add(self, rule: Antecedents) -> RuleCounts:
        """Append a rule, and return its counts among the rows that are left."""
        counts, taken, left = self.count(rule, self.remaining())
        self.rules.append(rule)
        self.counts.append(counts)
        self.taken.append(taken)
        self.left.append(left)
        return counts

    def remove_last(self) -> None:
        """Remove the last rule."""
        for part in (self.rules, self.counts, self.taken, self.left):
            part.pop()

    def theory_length(self, index: int) -> float:
        """Return the bits that describe a rule."""
        k, n = float(len(self.rules[index])), self.data.n_conditions
        if k == 0:
            return 0.0
        bits = log2(k)
        if k > 1:
            bits += 2.0 * log2(bits)
        return _REDUNDANCY * (bits + subset_length(n, k, k / n))

    def potential(
        self, index: int, expected: float, total: RuleCounts, own: RuleCounts, check: bool
    ) -> float:
        """Return the bits saved by deleting a rule, 0 if it is better kept; update the total if deleted."""
        without = RuleCounts(
            cover=total.cover - own.cover,
            rest=total.rest + own.cover,
            false_positive=total.false_positive - own.false_positive,
            false_negative=total.false_negative + own.true_positive,
        )
        saved = _length(expected, total) + self.theory_length(index) - _length(expected, without)
        fails = check and own.cover > 0 and not own.false_positive / own.cover < 0.5 - SMALL
        if not (saved > -SMALL or fails):
            return math.nan
        total.cover, total.rest = without.cover, without.rest
        total.false_positive, total.false_negative = without.false_positive, without.false_negative
        return saved

    def relative_length(self, index: int, expected: float, check: bool) -> float:
        """Return the description length with a rule less that without it, at best for the rules after it."""
        with_rule = _sum(self.counts)
        kept = _length_after(self, index, expected, with_rule, self.counts, check)
        return kept + self.theory_length(index) - self._length_if_deleted(index, expected, check)

    def _length_if_deleted(self, index: int, expected: float, check: bool) -> float:
        rows = self.rows if index == 0 else self.left[index - 1]
        before, later = list(self.counts[:index]), []
        for rule in self.rules[index + 1 :]:
            counts, _, rows = self.count(rule, rows)
            later.append(counts)
        total = _sum([*before, *later])
        if not before and not later:
            own = self.counts[0]
            total = RuleCounts(
                rest=own.cover + own.rest, false_negative=own.true_positive + own.false_negative
            )
        padded = [*self.counts[: index + 1], *later]
        return _length_after(self, index, expected, total, padded, check)

    def reduce(self, expected: float, check: bool) -> None:
        """Delete, from the last rule on, those without which the description is shorter."""
        total, kept = _sum(self.counts), list(self.rules)
        for index in reversed(range(len(self.rules))):
            if not math.isnan(self.potential(index, expected, total, self.counts[index], check)):
                del kept[index]
        rules, self.rules, self.counts, self.taken, self.left = kept, [], [], [], []
        for rule in rules:
            self.add(rule)


def _length(expected: float, counts: RuleCounts) -> float:
    return data_length(expected, counts.cover, counts.rest, counts.false_positive, counts.false_negative)


def _sum(counts: list[RuleCounts]) -> RuleCounts:
    total = RuleCounts()
    for each in counts:
        total.cover += each.cover
        total.true_positive += each.true_positive
        total.false_positive += each.false_positive
    if counts:
        total.rest, total.false_negative = counts[-1].rest, counts[-1].false_negative
    return total


def _length_after(
    stats: CoveredRules, index: int, expected: float, total: RuleCounts, counts: list[RuleCounts], check: bool
) -> float:
    """Return the length of the data after deleting the later rules that are not worth their length."""
    saved = 0.0
    for later in range(index + 1, len(counts)):
        potential = stats.potential(later, expected, total, counts[later], check)
        saved += 0.0 if math.isnan(potential) else potential
    return _length(expected, total) - saved
