"""What a learner needs to split by several columns at once: four parameters, and another way to grow."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.table import Table
from bough.data.target import check_total
from bough.engines import combinations
from bough.engines.combinations import Combinations
from bough.engines.native import Sample
from bough.errors import ParameterError
from bough.growing.recipe import Recipe
from bough.learners.estimator import TreeEstimator
from bough.learners.folds import Folds
from bough.tree import Tree


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
        if recipe.missing not in ("majority", "refuse"):
            raise ParameterError.of("missing", recipe.missing, "'majority' or 'refuse' with combinations")
        if recipe.costs is not None or recipe.n_competitors:
            raise ParameterError("combinations know neither costs nor competitors; leave one of both out.")
        return plan

    def _grown(
        self, table: Table, sample: Sample, recipe: Recipe, folds: Folds | None, name: str | None
    ) -> list[Tree]:
        plan = self._plan(recipe)
        if plan is None:
            return super()._grown(table, sample, recipe, folds, name)
        check_total(sample.weights)
        if sample.split_weight is not None:
            raise ParameterError("combinations know no priors, losses or exposures; leave one of both out.")
        if sample.prior_events > 0:
            raise ParameterError("combinations do not shrink the rates of events; give shrink=0.")
        n_folds = 0 if folds is None else int(folds.max(initial=-1)) + 1
        kept = [np.flatnonzero(folds != fold) for fold in range(n_folds)]
        parts = [(table, sample), *((table.take(rows), sample.take(rows)) for rows in kept)]
        return [
            combinations.grow(
                part, own.target, own.weights, recipe, plan, target_name=name, n_jobs=self.n_jobs
            )
            for part, own in parts
        ]
