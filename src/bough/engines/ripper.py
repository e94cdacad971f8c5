"""RIPPER (Cohen 1995), as in Weka's JRip: rules for one class after the other, the rarest first.

A rule is grown by conditions of greatest information gain and pruned on held-out rows. Rules are added until
the description length grows too long; then each is compared with a replacement and a revision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.engines.rule_problem import RuleProblem
from bough.engines.weka_text import row_seed
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule_set import RuleSet
from bough.types import Floats

Rows: TypeAlias = npt.NDArray[np.intp]

_MOST_SURPLUS = 64.0
_REDUNDANCY = 0.5
# Weka takes numbers this close for equal.
_SMALL = 1e-6


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


Rule: TypeAlias = list[Antecedent]


@dataclass
class Counts:
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
    bits = -k * log2(p) if p > _SMALL else 0.0
    return bits - (n - k) * log2(1 - p) if n != k else bits


def data_length(expected: float, cover: float, rest: float, fp: float, fn: float) -> float:
    """Return the bits that name the errors of rules which cover rows of this weight.

    `expected` is the expected share of false positives among the errors.

    >>> round(data_length(0.5, 4.0, 4.0, 1.0, 1.0), 3)
    9.66
    """
    bits = log2(cover + rest + 1.0)
    if cover - rest > _SMALL:
        error = expected * (fp + fn)
        bits += subset_length(cover, fp, error / cover)
        return bits + (subset_length(rest, fn, fn / rest) if rest > _SMALL else 0.0)
    error = (1.0 - expected) * (fp + fn)
    bits += subset_length(cover, fp, fp / cover) if cover > _SMALL else 0.0
    return bits + subset_length(rest, fn, error / rest)


class _Data:
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
        return self.problem.table.columns[column]

    def covered(self, rule: Rule, rows: Rows) -> npt.NDArray[np.bool_]:
        inside = np.ones(len(rows), dtype=np.bool_)
        for antecedent in rule:
            inside &= self.meets(antecedent, rows)
        return inside

    def meets(self, antecedent: Antecedent, rows: Rows) -> npt.NDArray[np.bool_]:
        values = self.values(antecedent.column)[rows]
        if antecedent.level >= 0:
            return np.asarray(values == antecedent.level)
        known = values >= 0 if values.dtype.kind == "i" else ~np.isnan(values)
        side = values <= antecedent.bound if antecedent.at_most else values >= antecedent.bound
        return np.asarray(known & side)


@dataclass
class _Stats:
    """The rules of a class, with the rows that each covers and leaves, and the counts of both."""

    data: _Data
    rows: Rows
    answer: int
    rules: list[Rule] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)
    left: list[Rows] = field(default_factory=list)
    taken: list[Rows] = field(default_factory=list)

    def count(self, rule: Rule, rows: Rows) -> tuple[Counts, Rows, Rows]:
        inside = self.data.covered(rule, rows)
        positive, weight = self.data.y[rows] == self.answer, self.data.weight[rows]
        counts = Counts(
            *(
                float(weight[mask].sum())
                for mask in (inside, ~inside, inside & positive, inside & ~positive, ~inside & positive)
            )
        )
        return counts, rows[inside], rows[~inside]

    def remaining(self) -> Rows:
        return self.left[-1] if self.left else self.rows

    def add(self, rule: Rule) -> Counts:
        counts, taken, left = self.count(rule, self.remaining())
        self.rules.append(rule)
        self.counts.append(counts)
        self.taken.append(taken)
        self.left.append(left)
        return counts

    def remove_last(self) -> None:
        for part in (self.rules, self.counts, self.taken, self.left):
            part.pop()

    def theory_length(self, index: int) -> float:
        k, n = float(len(self.rules[index])), self.data.n_conditions
        if k == 0:
            return 0.0
        bits = log2(k)
        if k > 1:
            bits += 2.0 * log2(bits)
        return _REDUNDANCY * (bits + subset_length(n, k, k / n))

    def potential(self, index: int, expected: float, total: Counts, own: Counts, check: bool) -> float:
        """Return the bits saved by deleting a rule, 0 if it is better kept; update the total if deleted."""
        without = Counts(
            cover=total.cover - own.cover,
            rest=total.rest + own.cover,
            false_positive=total.false_positive - own.false_positive,
            false_negative=total.false_negative + own.true_positive,
        )
        saved = _length(expected, total) + self.theory_length(index) - _length(expected, without)
        fails = check and own.cover > 0 and not own.false_positive / own.cover < 0.5 - _SMALL
        if not (saved > -_SMALL or fails):
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
            total = Counts(rest=own.cover + own.rest, false_negative=own.true_positive + own.false_negative)
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


def _length(expected: float, counts: Counts) -> float:
    return data_length(expected, counts.cover, counts.rest, counts.false_positive, counts.false_negative)


def _sum(counts: list[Counts]) -> Counts:
    total = Counts()
    for each in counts:
        total.cover += each.cover
        total.true_positive += each.true_positive
        total.false_positive += each.false_positive
    if counts:
        total.rest, total.false_negative = counts[-1].rest, counts[-1].false_negative
    return total


def _length_after(
    stats: _Stats, index: int, expected: float, total: Counts, counts: list[Counts], check: bool
) -> float:
    """Return the length of the data after deleting the later rules that are not worth their length."""
    saved = 0.0
    for later in range(index + 1, len(counts)):
        potential = stats.potential(later, expected, total, counts[later], check)
        saved += 0.0 if math.isnan(potential) else potential
    return _length(expected, total) - saved


class _Ripper:
    def __init__(self, problem: RuleProblem) -> None:
        self.data = _Data(problem)
        self.least = float(problem.settings("min_positives"))
        self.prunes = problem.settings("prune") == "reduced_error"
        self.n_optimizations = int(problem.settings("n_optimizations"))
        self.n_folds = int(problem.settings("cv"))
        self.check = bool(problem.settings("check_error"))

    def learn(self) -> tuple[list[_Stats], Rows]:
        """Return the rules of each class but the most frequent one, and the rows that none covers."""
        data, found = self.data, []
        rows = np.arange(len(data.y))
        for answer in range(len(data.counts) - 1):
            if data.counts[answer] < _SMALL:
                continue
            positive = float(data.weight[rows][data.y[rows] == answer].sum())
            if positive <= 0:
                continue
            expected = float(data.counts[answer] / data.counts[answer:].sum())
            default = data_length(expected, 0.0, float(data.weight[rows].sum()), 0.0, positive)
            stats = self.rules_of(answer, rows, expected, default)
            found.append(stats)
            rows = stats.remaining()
        return found, rows

    def rules_of(self, answer: int, rows: Rows, expected: float, default: float) -> _Stats:
        """Learn the rules of one class: the building stage, then the optimizations."""
        stats, length, least = _Stats(self.data, rows, answer), default, default
        has_positive = True
        while has_positive:
            remaining = stats.remaining()
            if self.prunes:
                grow, prune = self.split(remaining)
                rule = self.pruned(self.grown([], grow, answer), prune, answer, whole=False)
                if not stats.rules:
                    # As in Weka, the counts of the first rule are those of the rows in their new order.
                    stats.rows = np.concatenate([grow, prune])
            else:
                rule = self.grown([], remaining, answer)
            counts = stats.add(rule)
            length += stats.relative_length(len(stats.rules) - 1, expected, self.check)
            least = min(least, length)
            if self.stops(counts, least, length):
                stats.remove_last()
                break
            has_positive = counts.false_negative > _SMALL
        if not stats.rules:
            stats.rows = rows
        for _ in range(self.n_optimizations if self.prunes else 0):
            stats = self.optimized(stats.rules, answer, rows, expected, default)
        return stats

    def stops(self, counts: Counts, least: float, length: float) -> bool:
        """Whether the last rule is not worth keeping, and no more are sought."""
        if length > least + _MOST_SURPLUS or not counts.true_positive > _SMALL:
            return True
        return self.check and counts.false_positive / counts.cover >= 0.5

    def split(self, rows: Rows) -> tuple[Rows, Rows]:
        """Shuffle the rows of each class, deal them out to folds, and hold the last part out."""
        bags = [rows[self.data.y[rows] == answer] for answer in range(len(self.data.counts))]
        shuffled = np.concatenate([bag[self.data.random.permutation(len(bag))] for bag in bags])
        dealt = np.concatenate([shuffled[fold :: self.n_folds] for fold in range(self.n_folds)])
        n_grown = len(dealt) * (self.n_folds - 1) // self.n_folds
        return dealt[:n_grown], dealt[n_grown:]

    def grown(self, rule: Rule, rows: Rows, answer: int) -> Rule:
        """Add conditions to a rule, each of the greatest information gain, until it is accurate."""
        data, rule = self.data, list(rule)
        total = float(data.weight[rows].sum())
        if not total > _SMALL:
            return rule
        rate = (float(data.weight[rows][data.y[rows] == answer].sum()) + 1.0) / (total + 1.0)
        used = {antecedent.column for antecedent in rule if antecedent.level >= 0}
        while len(rows) and len(used) <= len(data.numeric) and rate < 1.0 - _SMALL:
            best: tuple[float, Antecedent | None, float, float] = (0.0, None, 0.0, 0.0)
            for column in range(len(data.numeric)):
                if column not in used:
                    found = self.best_condition(column, rows, rate, answer)
                    best = found if found[0] > best[0] else best
            _, antecedent, accurate, new_rate = best
            if antecedent is None or accurate < self.least - _SMALL:
                break
            if antecedent.level >= 0:
                used.add(antecedent.column)
            rule.append(antecedent)
            rows, rate = rows[data.meets(antecedent, rows)], new_rate
        return rule

    def best_condition(
        self, column: int, rows: Rows, rate: float, answer: int
    ) -> tuple[float, Antecedent | None, float, float]:
        """Return the gain of the best condition on a column, the condition, its positives and its rate."""
        data = self.data
        values, weight = data.values(column)[rows], data.weight[rows]
        known = values >= 0 if values.dtype.kind == "i" else ~np.isnan(values)
        if not known.any():
            return 0.0, None, 0.0, 0.0
        distinct, place = np.unique(values[known], return_inverse=True)
        positive = (data.y[rows] == answer)[known]
        cover: Floats = np.bincount(place, weight[known]).astype(np.float64)
        accurate: Floats = np.bincount(place, weight[known] * positive).astype(np.float64)
        if not data.numeric[column]:
            gains = _gains(accurate, cover, rate)
            at = int(gains.argmax())
            own = Antecedent(column, level=int(distinct[at]))
            return float(gains[at]), own, float(accurate[at]), _rate(accurate[at], cover[at])
        below, below_cover = np.cumsum(accurate), np.cumsum(cover)
        above = accurate.sum() - below + accurate
        above_cover = cover.sum() - below_cover + cover
        first, second = _gains(below, below_cover, rate), _gains(above, above_cover, rate)
        gains = np.where(first > second, first, second)
        at = int(gains.argmax())
        at_most = bool(first[at] > second[at])
        right, covered = (below, below_cover) if at_most else (above, above_cover)
        own = Antecedent(column, bound=float(distinct[at]), at_most=at_most)
        return float(gains[at]), own, float(right[at]), _rate(right[at], covered[at])

    def pruned(self, rule: Rule, rows: Rows, answer: int, *, whole: bool) -> Rule:
        """Drop the last conditions of a rule if it is more accurate without, on held-out rows.

        With `whole`, the accuracy is that on all of them, otherwise on those that the rule covers.
        """
        data = self.data
        total = float(data.weight[rows].sum())
        if not total > _SMALL or not rule:
            return rule
        best = (float(data.weight[rows][data.y[rows] == answer].sum()) + 1.0) / (total + 2.0)
        length, true_negative = 0, 0.0
        for size, antecedent in enumerate(rule, start=1):
            inside = data.meets(antecedent, rows)
            weight, positive = data.weight[rows], data.y[rows] == answer
            true_negative += float(weight[~inside & ~positive].sum())
            accurate, cover = float(weight[inside & positive].sum()), float(weight[inside].sum())
            worth = (accurate + true_negative) / total if whole else (accurate + 1.0) / (cover + 2.0)
            if worth > best:
                best, length = worth, size
            rows = rows[inside]
        return rule[:length]

    def optimized(
        self, rules: list[Rule], answer: int, rows: Rows, expected: float, default: float
    ) -> _Stats:
        """Go through the rules once more: keep each, replace it or revise it; then cover what is left."""
        rules, final = list(rules), _Stats(self.data, rows, answer)
        length = least = default
        position, has_positive, remaining = 0, True, rows
        while has_positive:
            is_residual = position >= len(rules)
            grow, prune = self.split(remaining)
            if is_residual:
                rule = self.pruned(self.grown([], grow, answer), prune, answer, whole=False)
            elif not self.data.covered(rules[position], remaining).any():
                final.add(rules[position])
                # As in Weka, the rows stay in their new order if a rule covers none of them.
                position, remaining = position + 1, np.concatenate([grow, prune])
                continue
            else:
                rule = self.best_variant(rules, position, final, (grow, prune), expected)
            counts = final.add(rule)
            if is_residual:
                length += final.relative_length(position, expected, self.check)
                least = min(least, length)
                if self.stops(counts, least, length):
                    final.remove_last()
                    break
                rules.append(rule)
            else:
                rules[position] = rule
            has_positive, remaining = counts.false_negative > _SMALL, final.remaining()
            position += 1
        for rule in rules[len(final.rules) + 1 :]:
            final.add(rule)
        final.reduce(expected, self.check)
        return final

    def best_variant(
        self, rules: list[Rule], position: int, final: _Stats, parts: tuple[Rows, Rows], expected: float
    ) -> Rule:
        """Return the rule, its replacement or its revision, whichever has the shortest description."""
        grow, prune = parts
        answer, old = final.answer, rules[position]
        for later in rules[position + 1 :]:
            prune = prune[~self.data.covered(later, prune)]
        replacement = self.pruned(self.grown([], grow, answer), prune, answer, whole=True)
        inside = grow[self.data.covered(old, grow)]
        revision = self.pruned(self.grown(old, inside, answer), prune, answer, whole=True)

        def described(rule: Rule) -> float:
            trial = _Stats(self.data, final.rows, answer)
            for part in ("rules", "counts", "taken", "left"):
                setattr(trial, part, list(getattr(final, part)))
            for each in (rule, *rules[position + 1 :]):
                trial.add(each)
            return trial.relative_length(position, expected, self.check)

        of_old, of_revision, of_replacement = described(old), described(revision), described(replacement)
        if of_old <= of_revision and of_old <= of_replacement:
            return old
        return revision if of_revision <= of_replacement else replacement


def _rate(accurate: float, cover: float) -> float:
    return (float(accurate) + 1.0) / (float(cover) + 1.0)


def _gains(accurate: Floats, cover: Floats, rate: float) -> Floats:
    rates = (accurate + 1.0) / (cover + 1.0)
    return np.asarray(accurate * (np.log(rates) / math.log(2.0) - log2(rate)), dtype=np.float64)


def learn(problem: RuleProblem) -> RuleSet:
    """Learn an ordered list of rules; the default is the most frequent class.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_classes
    >>> from bough.learners.ripper import RIPPERClassifier
    >>> X, y = [[float(i)] for i in range(20)], read_classes(["a"] * 8 + ["b"] * 12)
    >>> recipe = RIPPERClassifier(prune="none").recipe()
    >>> print(learn(RuleProblem(Table.read(X), y, np.ones(20), recipe))[0])
    x0 <= 7 -> a
    """
    ripper = _Ripper(problem)
    found, left = ripper.learn()
    rules = [
        problem.rule(
            [
                antecedent.condition(len(problem.table.schema[antecedent.column].levels))
                for antecedent in rule
            ],
            problem.class_weights(taken),
            answer=int(ripper.data.order[stats.answer]),
        )
        for stats in found
        for rule, taken in zip(stats.rules, stats.taken, strict=True)
    ]
    return problem.rule_set(rules, int(ripper.data.order[-1]), problem.unscaled(problem.class_weights(left)))
