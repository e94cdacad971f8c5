"""What fits in a database and on a cluster have in common: the recipes they can follow, and the fit itself.

The rows are not loaded. They are coded by bins where they are, and count themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.files import check_known
from bough.data.schema import Level, Schema
from bough.data.target import ClassTarget
from bough.engines import binned
from bough.errors import ParameterError
from bough.growing.binned import FoldedRows
from bough.growing.grouping import Merging
from bough.growing.pruning import CostComplexity, MinimumLength, Pessimistic
from bough.growing.recipe import Recipe
from bough.learners.fitting import Fitted, Grown, pruned_by_cost_complexity, with_smoothing
from bough.learners.hashed_folds import grow_with_hashed_folds
from bough.learners.reading import weights_of_classes
from bough.pruning.methods import prune_without_rows
from bough.types import Floats


def fit_to_rows(recipe: Recipe, rows: FoldedRows, target_name: str) -> Fitted:
    """Fit a tree to coded rows, wherever they are."""
    if isinstance(recipe.pruning, CostComplexity):
        trees, validated = grow_with_hashed_folds(recipe, recipe.pruning, rows, target_name)
        return with_smoothing(recipe, pruned_by_cost_complexity(recipe.pruning, Grown(trees), validated))
    grown = binned.grow(rows, recipe, target_name)
    tree = grown if recipe.pruning is None else prune_without_rows(recipe.pruning, grown)
    return with_smoothing(recipe, Fitted(tree, grown, largest=grown))


def hashed_folds(recipe: Recipe) -> tuple[int, int] | None:
    """Return the number of folds and the seed of the hash that divides the rows, None without folds."""
    pruning = recipe.pruning
    if isinstance(pruning, CostComplexity) and pruning.validates:
        return int(pruning.cv), int(pruning.random_state)
    return None


def check_names(
    recipe: Recipe,
    y: Any,
    sample_weight: Any,
    names: Sequence[str],
    shown: str,
    *,
    row_key: str | None = None,
) -> None:
    """Raise if the target, the weights or the key of a row are not named, or are not columns."""
    for name, column in (("y", y), ("sample_weight", sample_weight)):
        if not isinstance(column, str) and (name == "y" or column is not None):
            raise ParameterError.of(name, type(column).__name__, "the name of a column of the table")
    given = (y, sample_weight, row_key, getattr(recipe.pruning, "row_key", None))
    check_known([each for each in given if each is not None], names, shown)


def checked_recipe(recipe: Recipe, learner: str, where: str) -> Recipe:
    """Return the recipe with folds by a hash, as such rows have no order; raise if it cannot be followed."""
    if isinstance(recipe.pruning, CostComplexity) and recipe.pruning.validates:
        recipe = replace(recipe, pruning=replace(recipe.pruning, sampling="hash"))
    _check_recipe(recipe, learner, where)
    return recipe


def factors_of_classes(
    class_weight: Any, classes: tuple[Level, ...], sums: Floats, where: str, *, is_whole: bool
) -> tuple[float, ...]:
    """Return the factor of each class, given the weight of its rows and whether all weights are whole."""
    if class_weight == "balanced" and not is_whole:
        wanted = f"None or a dict with weights that are not whole, {where}"
        raise ParameterError.of("class_weight", class_weight, wanted)
    target = ClassTarget(classes, np.arange(len(classes), dtype=np.int32))
    factors = weights_of_classes(class_weight, target, sums)
    if not factors.all():
        raise ParameterError(
            f"class_weight gives a class the weight 0; {where} leave its rows out by a query instead."
        )
    return tuple(factors.tolist())


def warn_of_empty(n_rows: int) -> None:
    """Warn of rows that are left out because they have no value in any column."""
    warnings.warn(
        f"{n_rows} rows have no value in any column; they are left out because no split can route them.",
        UserWarning,
        stacklevel=8,
    )


def with_bins(recipe: Recipe, schema: Schema, where: str) -> Recipe:
    """Return the recipe with the bins that it grows from; raise if it names none and a column needs them."""
    if recipe.max_bins is not None:
        return recipe
    if isinstance(recipe.grouping, Merging):
        return replace(recipe, max_bins=recipe.grouping.max_bins)
    numeric = [column.name for column in schema if column.scale == "numeric"]
    if numeric or recipe.task == "regression":
        why = f"column {numeric[0]!r} is numeric" if numeric else "y is numeric"
        raise ParameterError.of(
            "max_bins",
            None,
            f"given: {why}, and {where} trees are grown from bins, such as max_bins=64",
        )
    return recipe


def _check_recipe(recipe: Recipe, learner: str, where: str) -> None:
    """Raise if a recipe has a part that only our own code can compute beside the rows."""
    if recipe.arithmetic != "bough" or recipe.method is not None or "program" in recipe.settings:
        raise ParameterError(
            f"{learner} does not grow trees {where}. Choose a CART, Tree, ID3 or CHAID learner, or "
            "read the table into memory."
        )
    if recipe.response not in ("classes", "numbers") or recipe.criterion in ("poisson", "absolute_error"):
        raise ParameterError.of(
            "criterion", recipe.criterion_name, f"one for classes, or 'squared_error', {where}"
        )
    others = {
        "a criterion that is a function": callable(recipe.criterion),
        "combinations": recipe.combinations is not None,
        "max_features or splitter='random'": recipe.columns is not None,
        "monotonic_cst": recipe.monotonic_cst is not None,
        "column_costs": recipe.column_costs is not None,
        "n_competitors": recipe.n_competitors > 0,
        "prior": recipe.prior is not None,
        "loss_matrix": recipe.loss_matrix is not None,
    }
    for name, is_given in others.items():
        if is_given:
            raise ParameterError(
                f"{name} is not supported {where}; leave it out, or read the table into memory."
            )
    pruning = recipe.pruning
    if pruning is not None and not isinstance(pruning, CostComplexity | MinimumLength | Pessimistic):
        raise ParameterError.of(
            "prune", pruning.name, f"'none', 'pessimistic', 'mdl' or by cost complexity {where}"
        )
