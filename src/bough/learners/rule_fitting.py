"""Fitting a rule set by a recipe that names a program of rules."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.engines.rule_problem import RuleProblem
from bough.growing.recipe import Recipe
from bough.learners.reading import resolved
from bough.rules.rule_set import RuleSet

PROGRAMS = {
    "OneR": "bough.engines.one_rule",
    "PART": "bough.engines.part",
    "RIPPER": "bough.engines.ripper",
}
"""The module of each program of rules, by the name that a recipe records."""


def learns_rules(recipe: Recipe) -> bool:
    """Whether a recipe is one of rules rather than of a tree.

    >>> learns_rules(Recipe("gini", task="classification"))
    False
    """
    return recipe.settings.get("program") in PROGRAMS


def fit_rules(recipe: Recipe, training: Training, *, n_jobs: int | None = None) -> RuleSet:
    """Fit a rule set to training rows.

    >>> from bough.learners.one_rule import OneRClassifier
    >>> from bough.learners.reading import read_training
    >>> recipe = OneRClassifier().recipe()
    >>> str(fit_rules(recipe, read_training(recipe, [["s"], ["r"]], ["no", "yes"]))[0])
    'x0 = r -> yes'
    """
    assert isinstance(training.target, ClassTarget)
    weight = training.weights.weight
    problem = RuleProblem(
        training.table,
        training.target,
        np.ones(training.table.n_rows) if weight is None else weight,
        resolved(recipe, training),
        training.target_name,
        n_jobs,
    )
    rules: RuleSet = import_module(PROGRAMS[recipe.settings["program"]]).learn(problem)
    return rules
