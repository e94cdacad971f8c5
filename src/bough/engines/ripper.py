"""RIPPER (Cohen 1995), as in Weka's JRip: rules for one class after the other, the rarest first.

A rule is grown by conditions of greatest information gain and pruned on held-out rows. Rules are added until
the description length grows too long; then each is compared with a replacement and a revision.
"""

from __future__ import annotations

import math

import numpy as np

from bough.data.table import is_missing
from bough.engines.rule_lengths import (
    SMALL,
    Antecedent,
    Antecedents,
    CoveredRules,
    RuleCounts,
    RuleTable,
    data_length,
    log2,
)
from bough.engines.rule_problem import RuleProblem
from bough.rules.rule_set import RuleSet
from bough.types import Floats, Rows

_MOST_SURPLUS = 64.0


class _Ripper:
    def __init__(self, problem: RuleProblem) -> None:
        self.data = RuleTable(problem)
        self.least = float(problem.settings("min_positives"))
        self.prunes = problem.settings("prune") == "reduced_error"
        self.n_optimizations = int(problem.settings("n_optimizations"))
        self.n_folds = int(problem.settings("cv"))
        self.check = bool(problem.settings("check_error"))

    def learn(self) -> tuple[list[CoveredRules], Rows]:
        """Return the rules of each class but the most frequent one, and the rows that none covers."""
        data, found = self.data, []
        rows = np.arange(len(data.y))
        for answer in range(len(data.counts) - 1):
            if data.counts[answer] < SMALL:
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

    def rules_of(self, answer: int, rows: Rows, expected: float, default: float) -> CoveredRules:
        """Learn the rules of one class: the building stage, then the optimizations."""
        stats, length, least = CoveredRules(self.data, rows, answer), default, default
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
            has_positive = counts.false_negative > SMALL
        if not stats.rules:
            stats.rows = rows
        for _ in range(self.n_optimizations if self.prunes else 0):
            stats = self.optimized(stats.rules, answer, rows, expected, default)
        return stats

    def stops(self, counts: RuleCounts, least: float, length: float) -> bool:
        """Whether the last rule is not worth keeping, and no more are sought."""
        if length > least + _MOST_SURPLUS or not counts.true_positive > SMALL:
            return True
        return self.check and counts.false_positive / counts.cover >= 0.5

    def split(self, rows: Rows) -> tuple[Rows, Rows]:
        """Shuffle the rows of each class, deal them out to folds, and hold the last part out."""
        bags = [rows[self.data.y[rows] == answer] for answer in range(len(self.data.counts))]
        shuffled = np.concatenate([bag[self.data.random.permutation(len(bag))] for bag in bags])
        dealt = np.concatenate([shuffled[fold :: self.n_folds] for fold in range(self.n_folds)])
        n_grown = len(dealt) * (self.n_folds - 1) // self.n_folds
        return dealt[:n_grown], dealt[n_grown:]

    def grown(self, rule: Antecedents, rows: Rows, answer: int) -> Antecedents:
        """Add conditions to a rule, each of the greatest information gain, until it is accurate."""
        data, rule = self.data, list(rule)
        total = float(data.weight[rows].sum())
        if not total > SMALL:
            return rule
        rate = (float(data.weight[rows][data.y[rows] == answer].sum()) + 1.0) / (total + 1.0)
        used = {antecedent.column for antecedent in rule if antecedent.level >= 0}
        while len(rows) and len(used) <= len(data.numeric) and rate < 1.0 - SMALL:
            best: tuple[float, Antecedent | None, float, float] = (0.0, None, 0.0, 0.0)
            for column in range(len(data.numeric)):
                if column not in used:
                    found = self.best_condition(column, rows, rate, answer)
                    best = found if found[0] > best[0] else best
            _, antecedent, accurate, new_rate = best
            if antecedent is None or accurate < self.least - SMALL:
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
        known = ~is_missing(values)
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

    def pruned(self, rule: Antecedents, rows: Rows, answer: int, *, whole: bool) -> Antecedents:
        """Drop the last conditions of a rule if it is more accurate without, on held-out rows.

        With `whole`, the accuracy is that on all of them, otherwise on those that the rule covers.
        """
        data = self.data
        total = float(data.weight[rows].sum())
        if not total > SMALL or not rule:
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
        self, rules: list[Antecedents], answer: int, rows: Rows, expected: float, default: float
    ) -> CoveredRules:
        """Go through the rules once more: keep each, replace it or revise it; then cover what is left."""
        rules, final = list(rules), CoveredRules(self.data, rows, answer)
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
            has_positive, remaining = counts.false_negative > SMALL, final.remaining()
            position += 1
        for rule in rules[len(final.rules) + 1 :]:
            final.add(rule)
        final.reduce(expected, self.check)
        return final

    def best_variant(
        self,
        rules: list[Antecedents],
        position: int,
        final: CoveredRules,
        parts: tuple[Rows, Rows],
        expected: float,
    ) -> Antecedents:
        """Return the rule, its replacement or its revision, whichever has the shortest description."""
        grow, prune = parts
        answer, old = final.answer, rules[position]
        for later in rules[position + 1 :]:
            prune = prune[~self.data.covered(later, prune)]
        replacement = self.pruned(self.grown([], grow, answer), prune, answer, whole=True)
        inside = grow[self.data.covered(old, grow)]
        revision = self.pruned(self.grown(old, inside, answer), prune, answer, whole=True)

        def described(rule: Antecedents) -> float:
            trial = CoveredRules(self.data, final.rows, answer)
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
    >>> from bough.learners.reading import read_training
    >>> from bough.learners.ripper import RIPPERClassifier
    >>> recipe, X = RIPPERClassifier(prune="none").recipe(), [[float(i)] for i in range(20)]
    >>> print(learn(RuleProblem(recipe, read_training(recipe, X, ["a"] * 8 + ["b"] * 12), np.ones(20)))[0])
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
