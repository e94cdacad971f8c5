"""PART (Frank and Witten 1998): rules from partial trees, as in Weka. The core grows the trees."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

import bough._core as _core
from bough.data.schema import Column
from bough.engines.rule_problem import RuleProblem
from bough.jobs import n_threads
from bough.progress import watcher
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.rule_set import RuleSet


def learn(problem: RuleProblem) -> RuleSet:
    """Learn an ordered list of rules; the last one has no condition and is the default.

    >>> from bough.learners.part import PARTClassifier
    >>> from bough.learners.reading import read_training
    >>> recipe = PARTClassifier().recipe()
    >>> rows = read_training(recipe, [[float(i)] for i in range(20)], ["a"] * 8 + ["b"] * 12)
    >>> print(learn(RuleProblem(recipe, rows, np.ones(20)))[0])
    x0 > 7 -> b
    """
    confidence = float(problem.settings("confidence"))
    options = {
        "min_cases": float(problem.settings("min_samples_branch")),
        "binary": problem.recipe.nominal == "one_vs_rest",
        "prunes": problem.settings("prune") != "none",
        "confidence": confidence,
        "deviate": NormalDist().inv_cdf(1.0 - confidence) if confidence < 1.0 else -np.inf,
    }
    table, weight = problem.table, problem.weight
    held_out = None
    if problem.settings("prune") == "reduced_error":
        cv = problem.settings("cv")
        held_out = _core.fold_of_rows(problem.target.codes, table.n_rows, cv, cv - 1, problem.recipe.seed)
    found = _core.part_rules(
        table.native(),
        table.n_rows,
        problem.n_classes,
        problem.target.codes,
        None if (weight == 1).all() else weight,
        None,
        held_out,
        options,
        n_threads(problem.n_jobs),
        watcher(),
    )
    default = np.zeros(problem.n_classes)
    if found and not found[-1][0]:
        default = np.array(found.pop()[1])
    rules = []
    for tests, weights in found:
        conditions = [_condition(test, table.schema[test[0]]) for test in tests]
        fractions = [test[4] for test in tests]
        rules.append(problem.rule(conditions, np.array(weights), fractions=fractions))
    code = int((default if default.any() else problem.priors).argmax())
    return problem.rule_set(rules, code, problem.unscaled(default))


def _condition(test: tuple[Any, ...], column: Column) -> Condition:
    place, up_to, cut, levels, _ = test
    if column.scale == "nominal":
        codes = tuple(levels)
        others = tuple(code for code in range(len(column.levels)) if code not in codes)
        excluded = others if len(codes) > 1 and len(others) == 1 else ()
        return LevelSet(place, codes, codes, excluded)
    if column.scale == "ordinal":
        last = int(cut)
        codes = tuple(range(last + 1)) if up_to else tuple(range(last + 1, len(column.levels)))
        return LevelSet(place, codes, codes)
    return Interval(place, None, cut, up_to=True) if up_to else Interval(place, cut, None, above=True)
