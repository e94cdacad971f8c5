"""What a recipe may ask of a tree or forest of several targets."""

from __future__ import annotations

from typing import Any

from bough.data.schema import Schema
from bough.errors import BoughError, ParameterError
from bough.growing.criterion import CRITERIA, reads_losses
from bough.growing.pruning import CostComplexity
from bough.growing.recipe import Recipe
from bough.types import Floats, Task


def criteria_of_targets(task: Task) -> tuple[str, ...]:
    """Return the criteria that are defined for several targets.

    >>> criteria_of_targets("regression")
    ('squared_error', 'absolute_error', 'poisson')
    """
    return tuple(name for name in CRITERIA[task] if not reads_losses(name))


def check_several(
    recipe: Recipe, learner: str, exposure: Floats | None = None, schema: Schema | None = None
) -> None:
    """Raise `ParameterError` if a recipe has a part that is defined for one target only.

    >>> check_several(Recipe("generalized_gini", task="classification"), "TreeClassifier")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'generalized_gini'; it must be one of those of several targets,
    'misclassification', 'gini', 'entropy', 'deviance', 'gain_ratio', 'chi_square', 'twoing', or y must have
    one column.
    """
    limits = recipe.limits
    wanted = criteria_of_targets(recipe.task)
    if not isinstance(recipe.criterion, str) or recipe.criterion_name not in wanted:
        listed = ", ".join(map(repr, wanted))
        raise ParameterError.of(
            "criterion",
            recipe.criterion,
            f"one of those of several targets, {listed}, or y must have one column",
        )
    nominal = [column.name for column in schema.columns if column.scale == "nominal"] if schema else []
    if nominal and recipe.criterion == "absolute_error":
        raise ParameterError(
            f"{learner}: criterion is 'absolute_error', y has several columns, and column {nominal[0]!r} is "
            "nominal, whose levels are split for one target. Choose 'squared_error', or name the column in "
            "ordinal_features."
        )
    pruning = recipe.pruning
    for name, given in (
        ("prior", recipe.prior),
        ("loss_matrix", recipe.loss_matrix),
        ("monotonic_cst", recipe.monotonic_cst),
        ("significance", limits.significance),
        ("min_events", limits.min_events or None),
        ("exposure", exposure),
        ("shrink", recipe.shrink or None if recipe.criterion == "poisson" else None),
        ("combinations", recipe.combinations),
        ("max_branches", recipe.grouping),
        ("max_bins", None if recipe.ensemble is not None else recipe.max_bins),
        ("prune", None if pruning is None or isinstance(pruning, CostComplexity) else pruning.name),
    ):
        if given is not None:
            raise ParameterError(
                f"{learner}: {name} is {given!r}, which is defined for one target; y has several columns. "
                f"Leave {name} out, or grow one tree for each column."
            )
    if recipe.arithmetic != "bough" or recipe.settings.get("program") is not None:
        raise ParameterError(
            f"{learner} predicts one target, but y has several columns. Grow a tree for each."
        )


def allows_several(learner: Any) -> bool:
    """Return whether a learner with these parameters accepts several targets.

    >>> from bough import TreeClassifier
    >>> allows_several(TreeClassifier()), allows_several(TreeClassifier(significance=0.05))
    (True, False)
    """
    try:
        check_several(learner.recipe(), type(learner).__name__)
    except BoughError:
        return False
    return True
