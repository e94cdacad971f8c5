"""OneR (Holte 1993): a rule for each value or range of the one column that makes the fewest errors.

Weka's program decides ties: rows are taken in the order of its quicksort, and the first column wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import bough._core as _core
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

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_classes
    >>> from bough.growing.recipe import Recipe
    >>> table, y = Table.read([["s"], ["s"], ["r"]]), read_classes(["no", "no", "yes"])
    >>> recipe = Recipe("misclassification", settings={"min_bucket": 6}, task="classification")
    >>> [str(rule) for rule in learn(RuleProblem(table, y, np.ones(3), recipe))]
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
    """Divide a numeric column into ranges, each with at least `min_bucket` cases of its class."""
    values = problem.table.columns[column].astype(np.float64)
    order = _core.instance_order(np.ascontiguousarray(values))[: int((~np.isnan(values)).sum())]
    x, codes, weight = values[order], problem.target.codes[order], problem.weight[order]
    answers, cuts, correct = _filled(x, codes, weight, problem.n_classes, float(problem.settings("min_bucket")))
    bounds = [None, *cuts, None]
    conditions: list[Condition] = [
        Interval(column, low, high) for low, high in zip(bounds[:-1], bounds[1:], strict=True)
    ]
    return _Column(conditions, answers, correct)


def _filled(
    x: Floats, codes: npt.NDArray[np.int32], weight: Floats, n_classes: int, least: float
) -> tuple[list[int], list[float], float]:
    """Fill buckets row by row; neighbouring buckets of the same class become one."""
    answers: list[int] = []
    cuts: list[float] = []
    correct, at, n = 0.0, 0, len(x)
    values, labels, weights = x.tolist(), codes.tolist(), weight.tolist()
    while at < n:
        counts = [0.0] * n_classes
        while True:
            label = labels[at]
            counts[label] += weights[at]
            at += 1
            if counts[label] >= least or at == n:
                break
        while at < n and labels[at] == label:
            counts[label] += weights[at]
            at += 1
        while at < n and values[at] == values[at - 1]:
            counts[labels[at]] += weights[at]
            at += 1
        for other in range(n_classes):
            if counts[other] > counts[label]:
                label = other
        if answers and counts[answers[-1]] == counts[label]:
            label = answers[-1]
        if answers and label == answers[-1]:
            answers.pop()
            cuts.pop()
        correct += counts[label]
        answers.append(label)
        cuts.append((values[at - 1] + values[at]) / 2 if at < n else float("inf"))
    return answers, cuts[:-1], correct
