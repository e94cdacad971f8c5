"""The growth of the trees of rule ensembles and ISLE, each on a small sample of the rows."""

from __future__ import annotations

import math
from dataclasses import replace

from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.ensembles.boosting import fit_boosting
from bough.errors import TargetError
from bough.growing.recipe import Recipe
from bough.models.gradient_boosted import GradientBoosted


def grow_sampled_trees(recipe: Recipe, training: Training, n_jobs: int | None = None) -> GradientBoosted:
    """Return the trees of a recipe as a sum; its own recipe has the share of the rows that each tree had.

    >>> from bough import ISLERegressor
    >>> from bough.learners.reading import read_training
    >>> recipe = ISLERegressor(n_estimators=3).recipe()
    >>> grow_sampled_trees(recipe, read_training(recipe, [[1.0], [2.0]] * 9, [1.0, 2.0] * 9))
    GradientBoosted(3 trees)
    """
    if isinstance(training.target, ClassTarget) and len(training.target.classes) < 2:
        raise TargetError("y has one class; at least two classes are needed.")
    settings = dict(recipe.settings)
    if settings.get("max_samples") == "auto":
        settings["max_samples"] = sampled_share(training.table.n_rows)
    return fit_boosting(replace(recipe, settings=settings), training, n_jobs=n_jobs).model


def sampled_share(n_rows: int) -> float:
    """Return the share of the rows that a tree is grown on (Friedman and Popescu 2008, section 3.3).

    >>> sampled_share(10_000), sampled_share(100)
    (0.07, 0.5)
    """
    return min(0.5, (100 + 6 * math.sqrt(n_rows)) / n_rows)
