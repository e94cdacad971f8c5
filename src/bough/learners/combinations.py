"""What a learner needs to split by several columns at once: four parameters, and another way to grow."""

from __future__ import annotations

from typing import Any

from bough import combinations
from bough.combinations import Combinations
from bough.learners.estimator import Floats, TreeEstimator, name_of
from bough.recipe import Recipe
from bough.table import Table
from bough.target import ClassTarget, Weights, check_total


class CombiningEstimator(TreeEstimator):
    """A learner whose splits may combine numeric columns. A subclass has the parameters."""

    combinations: Any
    combination_features: Any
    combination_penalty: float
    combination_deletion: float

    def _plan(self, recipe: Recipe) -> Combinations | None:
        """Return what the parameters say about combinations, or refuse it; None if there are none."""
        if self.combinations is None:
            return None
        plan = Combinations(
            self.combinations, self.combination_features, self.combination_penalty, self.combination_deletion
        )
        plan.check_criterion(recipe)
        return plan

    def _grow(
        self, table: Table, target: ClassTarget | Floats, weights: Weights, recipe: Recipe, y: Any
    ) -> None:
        plan = self._plan(recipe)
        if plan is None:
            super()._grow(table, target, weights, recipe, y)
            return
        check_total(weights)
        self.tree_ = combinations.grow(
            table, target, weights, recipe, plan, target_name=name_of(y), n_jobs=self.n_jobs
        )
