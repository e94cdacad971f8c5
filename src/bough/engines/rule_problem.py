"""What an engine of rules learns from, and how it makes rules and rule sets of what it has found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table, is_missing
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.growing.recipe import Recipe
from bough.rules.class_rule import ClassRule
from bough.rules.condition import Condition, Interval, LevelSet
from bough.rules.neighbours import TableNeighbours
from bough.rules.rule_set import RuleSet
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class RuleProblem:
    """Training rows, the weights that they have in rules, and the recipe of the rules to learn.

    `factor` is what the weights were multiplied by, which rules and rule sets undo.

    >>> from bough.learners.reading import read_training
    >>> recipe = Recipe("entropy", task="classification")
    >>> problem = RuleProblem(recipe, read_training(recipe, [[1.0], [2.0]], ["a", "b"]), np.ones(2))
    >>> problem.priors
    array([0.5, 0.5])
    """

    recipe: Recipe
    training: Training
    weight: Floats
    factor: float = 1.0
    n_jobs: int | None = None

    @property
    def table(self) -> Table:
        """The table of the rows."""
        return self.training.table

    @property
    def target(self) -> ClassTarget:
        """The classes of the rows."""
        assert isinstance(self.training.target, ClassTarget)
        return self.training.target

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.target.classes)

    @cached_property
    def priors(self) -> Floats:
        """The share of each class in the weight of all rows."""
        sums = self.class_weights(np.arange(self.table.n_rows))
        return np.asarray(sums / sums.sum(), dtype=np.float64)

    @cached_property
    def neighbours(self) -> TableNeighbours:
        """The values beside each bound, which let the text of a condition be short."""
        return TableNeighbours(self.table)

    def class_weights(self, rows: npt.NDArray[np.intp]) -> Floats:
        """Return the weight of each class among some rows."""
        codes, weight = self.target.codes[rows], self.weight[rows]
        return np.bincount(codes, weight, minlength=self.n_classes).astype(np.float64)

    def unscaled(self, weights: Floats) -> Floats:
        """Return sums of weights without the factor of the weights."""
        return weights / self.factor

    def is_missing(self, column: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows whose value of a column is missing."""
        return is_missing(self.table.columns[column])

    def missing_condition(self, column: int) -> Condition:
        """Return the condition that a value is missing."""
        if self.table.schema[column].scale == "numeric":
            return Interval(column, None, -math.inf, missing=True)
        return LevelSet(column, (), (), missing=True)

    def rule(
        self,
        conditions: Sequence[Condition],
        weights: Floats,
        *,
        answer: int | None = None,
        distribution: Floats | None = None,
        fractions: Sequence[float] = (),
    ) -> ClassRule:
        """Return a rule that decides cases of these class weights.

        It predicts the class of greatest weight unless `answer` is given, with the class weights as
        probabilities unless `distribution` is given.
        """
        code = int(np.argmax(weights)) if answer is None else answer
        weights = self.unscaled(weights)
        cover, correct = float(weights.sum()), float(weights[code])
        shown = weights if distribution is None else distribution
        return ClassRule(
            self.table.schema,
            tuple(self.neighbours.noted_condition(condition) for condition in conditions),
            self.target.classes[code],
            cover,
            correct,
            float(self.priors[code]),
            correct / cover if cover > 0 else None,
            tuple(shown.tolist()),
            tuple(fractions),
        )

    def rule_set(self, rules: Sequence[ClassRule], default: int, distribution: Floats) -> RuleSet:
        """Return the ordered list of the rules; `default` is the class of what no rule covers."""
        return RuleSet(
            schema=self.table.schema,
            classes=self.target.classes,
            rules=tuple(rules),
            default=self.target.classes[default],
            priors=tuple(self.priors.tolist()),
            cases=float(self.weight.sum()) / self.factor,
            order="first",
            default_distribution=tuple(distribution.tolist()),
            target_name=self.training.target_name,
            recipe=self.recipe.to_json(),
        )

    def settings(self, name: str) -> Any:
        """Return a setting of the recipe."""
        return self.recipe.settings[name]
