"""Fitting a rule set by a recipe that names a program of rules."""

from __future__ import annotations

from importlib import import_module

from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.engines.rule_problem import RuleProblem
from bough.engines.weight_range import held_weights
from bough.growing.recipe import Recipe
from bough.learners.reading import resolved
from bough.rules.linear_rules import LinearRules
from bough.rules.rule_set import RuleSet

LINEAR_PROGRAMS = {"Cubist": "bough.engines.cubist", "M5Rules": "bough.engines.m5_rules"}
"""The module of each program of linear rules, by the name that a recipe records."""

PROGRAMS = {
    "OneR": "bough.engines.one_rule",
    "PART": "bough.engines.part",
    "RIPPER": "bough.engines.ripper",
}
"""The module of each program of rules, by the name that a recipe records."""


def fit_linear_rules(recipe: Recipe, training: Training) -> LinearRules:
    """Fit linear rules to training rows.

    >>> from bough.learners.m5 import M5RulesRegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = M5RulesRegressor().recipe()
    >>> len(fit_linear_rules(recipe, read_training(recipe, [[1.0], [2.0]], [1.0, 2.0])))
    1
    """
    module = import_module(LINEAR_PROGRAMS[recipe.settings["program"]])
    rules: LinearRules = module.learn(resolved(recipe, training), training)
    return rules


def fit_rules(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> RuleSet:
    """Fit a rule set to training rows.

    >>> from bough.learners.one_rule import OneRClassifier
    >>> from bough.learners.reading import read_training
    >>> recipe = OneRClassifier().recipe()
    >>> str(fit_rules(recipe, read_training(recipe, [["s"], ["r"]], ["no", "yes"]))[0])
    'x0 = r -> yes'
    """
    assert isinstance(training.target, ClassTarget)
    weights, factor = held_weights(training.weights, recipe)
    weight = weights.each(training.table.n_rows)
    problem = RuleProblem(resolved(recipe, training), training, weight, factor, n_jobs)
    rules: RuleSet = import_module(PROGRAMS[recipe.settings["program"]]).learn(problem)
    return rules
