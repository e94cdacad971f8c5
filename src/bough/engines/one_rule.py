"""OneR (Holte 1993): a rule for each value or range of the one column that makes the fewest errors.

Ranges are formed as in Weka, and of equally good columns the first is taken.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from bough.engines.rule_problem import RuleProblem
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule_set import RuleSet
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class _Column:
    """The rules of one column: their conditions, the class of each, and the weight they get right."""

    conditions: list[Condition]
    answers: list[int]
    correct: float


def learn(problem: RuleProblem) -> RuleSet:
    """Learn the rules of the best column.

    >>> from bough.growing.recipe import Recipe
    >>> from bough.learners.reading import read_training
    >>> recipe = Recipe("misclassification", settings={"min_bucket": 6}, task="classification")
    >>> rows = read_training(recipe, [["s"], ["s"], ["r"]], ["no", "no", "yes"])
    >>> [str(rule) for rule in learn(RuleProblem(recipe, rows, np.ones(3)))]
    ['x0 = r -> yes', 'x0 = s -> no']
    """
    best: _Column | None = None
    for column in range(len(problem.table.schema)):
        found = _column_rules(problem, column)
        if found is not None and (best is None or found.correct > best.correct):
            best = found
    rules = []
    left = np.ones(problem.table.n_rows, dtype=np.bool_)
    for condition, answer in zip(best.conditions, best.answers, strict=True) if best else ():
        covered = condition.covers(problem.table.columns[condition.column]) & left
        left &= ~covered
        weights = problem.class_weights(np.flatnonzero(covered))
        certain = (np.arange(problem.n_classes) == answer).astype(np.float64)
        rules.append(problem.rule([condition], weights, answer=answer, distribution=certain))
    default = int(problem.priors.argmax())
    return problem.rule_set(rules, default, (np.arange(problem.n_classes) == default).astype(np.float64))


def _column_rules(problem: RuleProblem, column: int) -> _Column | None:
    missing = problem.is_missing(column)
    if missing.all():
        return None
    is_numeric = problem.table.schema[column].scale == "numeric"
    found = _buckets(problem, column) if is_numeric else _levels(problem, column)
    if not missing.any():
        return found
    counts = problem.class_weights(np.flatnonzero(missing))
    answer = int(counts.argmax())
    conditions = [*found.conditions, problem.missing_condition(column)]
    return _Column(conditions, [*found.answers, answer], found.correct + float(counts[answer]))


def _levels(problem: RuleProblem, column: int) -> _Column:
    codes = problem.table.columns[column]
    conditions: list[Condition] = []
    answers, correct = [], 0.0
    for level in range(len(problem.table.schema[column].levels)):
        counts = problem.class_weights(np.flatnonzero(codes == level))
        if not counts.any():
            continue
        answers.append(int(counts.argmax()))
        correct += float(counts.max())
        conditions.append(LevelSet(column, (level,), (level,)))
    return _Column(conditions, answers, correct)


def _buckets(problem: RuleProblem, column: int) -> _Column:
    """Divide a numeric column into ranges; all but the last have `min_bucket` cases of their class."""
    values = problem.table.columns[column].astype(np.float64)
    known = ~np.isnan(values)
    distinct, place = np.unique(values[known], return_inverse=True)
    entry = place * problem.n_classes + problem.target.codes[known]
    size = len(distinct) * problem.n_classes
    counts = np.bincount(entry, problem.weight[known], minlength=size).reshape(len(distinct), -1)
    cuts = [*((distinct[:-1] + distinct[1:]) / 2).tolist(), math.inf]
    counts_of, cuts = _merged(list(counts), cuts, float(problem.settings("min_bucket")))
    buckets, cuts = _merged(counts_of, cuts, 0.0)
    bounds = [None, *cuts[:-1], None]
    conditions: list[Condition] = [Interval(column, low, high) for low, high in itertools.pairwise(bounds)]
    correct = float(sum(each.max() for each in buckets))
    return _Column(conditions, [int(each.argmax()) for each in buckets], correct)


def _merged(counts: list[Floats], cuts: list[float], least: float) -> tuple[list[Floats], list[float]]:
    """Merge each bucket with the one before it if both have the same class or that one is too small."""
    buckets: list[Floats] = []
    ends: list[float] = []
    for own, cut in zip(counts, cuts, strict=True):
        if buckets and (own.argmax() == buckets[-1].argmax() or buckets[-1].max() < least):
            own = own + buckets.pop()
            ends.pop()
        buckets.append(own)
        ends.append(cut)
    return buckets, ends
