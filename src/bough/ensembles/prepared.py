"""What a forest is grown on: the training rows, and the recipe with the parts that depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from bough.data.schema import Level
from bough.data.training import Training
from bough.ensembles.binned_forest import seeded
from bough.ensembles.row_samples import RowSamples
from bough.errors import ParameterError
from bough.growing.draws import RowSampling
from bough.growing.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Prepared:
    """The training rows of positive weight, and the recipe of the forest."""

    training: Training
    recipe: Recipe

    @property
    def sampling(self) -> RowSampling:
        """How rows are sampled for each tree."""
        assert self.recipe.ensemble is not None
        return self.recipe.ensemble.rows

    def seeded(self, seed: int) -> Prepared:
        """Return the same with the seed of all samples in the recipe."""
        return replace(self, recipe=seeded(self.recipe, seed, self.training))

    def samples(self) -> RowSamples:
        """Return the samples of the trees, once there is a seed."""
        assert self.recipe.seed is not None
        return RowSamples.of(self.training, self.sampling, self.recipe.seed)


def check_several_in_forest(estimator: Any) -> None:
    """Raise if a parameter of a forest is defined for one target only and y has several.

    >>> from bough import RandomForestRegressor
    >>> check_several_in_forest(RandomForestRegressor(quantiles=True))
    Traceback (most recent call last):
    bough.errors.ParameterError: quantiles is True; it must be False if y has several columns.
    """
    defaults = {"voting": "soft", "cutoff": None, "bias_correction": False, "quantiles": False}
    for name, default in defaults.items():
        given = getattr(estimator, name, default)
        if given != default:
            raise ParameterError.of(name, given, f"{default!r} if y has several columns")
    if getattr(estimator, "criterion", None) == "absolute_error":
        wanted = "'squared_error' or 'poisson' if y has several columns"
        raise ParameterError.of("criterion", estimator.criterion, wanted)


def with_cutoff(recipe: Recipe, estimator: Any, classes: tuple[Level, ...]) -> Recipe:
    """Return the recipe with the numbers by which the votes of the classes are divided, if there are any.

    >>> from bough import RandomForestClassifier
    >>> estimator = RandomForestClassifier(cutoff={"b": 0.25, "a": 0.75})
    >>> with_cutoff(estimator.recipe(), estimator, ("a", "b")).settings["cutoff"]
    [0.75, 0.25]
    """
    cutoff = getattr(estimator, "cutoff", None)
    if cutoff is None:
        return recipe
    if isinstance(cutoff, Mapping):
        given = dict(cutoff)
    else:
        numbers = list(cutoff) if np.iterable(cutoff) else [cutoff]
        given = dict(zip(classes, numbers, strict=True)) if len(numbers) == len(classes) else {}
    known = set(given) == set(classes)
    if (
        not known
        or not all(isinstance(each, Real) and float(each) > 0 for each in given.values())
        or abs(sum(given.values()) - 1) > 1e-9
    ):
        named = ", ".join(map(repr, classes))
        wanted = f"numbers above 0 that sum to 1, one for each of the classes {named}"
        raise ParameterError.of("cutoff", cutoff, wanted)
    return replace(recipe, settings={**recipe.settings, "cutoff": [float(given[label]) for label in classes]})


def prediction_settings(recipe: Recipe) -> dict[str, Any]:
    """Return the fields of a forest that say how it combines the predictions of its trees.

    >>> prediction_settings(Recipe("gini", task="classification"))
    {'voting': 'soft', 'cutoff': None}
    """
    if recipe.task == "regression":
        return {"correction": None}
    cutoff = recipe.settings.get("cutoff")
    return {"voting": recipe.settings.get("voting", "soft"), "cutoff": tuple(cutoff) if cutoff else None}
