"""What a forest is grown by: its recipe, the samples of its trees, and the native call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.table import Table
from bough.data.target import ClassTarget, Weights
from bough.engines.native import refuse_missing
from bough.ensembles.forest import Forest
from bough.errors import ParameterError
from bough.growing.criterion import criterion_named, task_of
from bough.growing.limits import Limits
from bough.growing.recipe import exhaustive_levels
from bough.jobs import n_threads
from bough.tree import Task

ForestMissing: TypeAlias = Literal["learned", "majority", "refuse"]
"""Where rows without a value go: to the side that serves the criterion best, to the side of most weight, or
nowhere: the table is refused."""

ForestNominal: TypeAlias = Literal["ordered", "subset"]
"""How levels are divided: by cuts in an order drawn for each tree, or by the best set in each node."""

Draw: TypeAlias = Literal["all", "with_replacement", "without_replacement"]
Progress: TypeAlias = Callable[[float], None]

_CRITERIA: dict[Task, tuple[str, ...]] = {
    "classification": (
        "gini",
        "entropy",
        "deviance",
        "gain_ratio",
        "chi_square",
        "twoing",
        "misclassification",
    ),
    "regression": ("squared_error", "poisson"),
}
_NO_LIMIT = 2**31 - 1
_DRAWN_AT_ONCE = 10_000_000


@dataclass(frozen=True)
class Sample:
    """How each tree draws its rows: all of them, or a number of each stratum with or without replacement.

    >>> Sample("with_replacement", (3,)).native()
    {'draw': 'with_replacement', 'size': [3], 'stratum': None}
    """

    draw: Draw = "all"
    size: tuple[int, ...] = ()
    stratum: npt.NDArray[np.int32] | None = None

    def native(self) -> dict[str, Any]:
        """Return it as the native code takes it.

        >>> Sample().native()["draw"]
        'all'
        """
        return {"draw": self.draw, "size": list(self.size), "stratum": self.stratum}

    def is_like(self, other: Sample) -> bool:
        """Whether the other draws the same rows from the same seed.

        >>> Sample("with_replacement", (3,)).is_like(Sample("with_replacement", (2,)))
        False
        """
        if (self.draw, self.size) != (other.draw, other.size):
            return False
        if self.stratum is None or other.stratum is None:
            return self.stratum is other.stratum
        return np.array_equal(self.stratum, other.stratum)

    def draws(self, n_rows: int, seed: int, n_trees: int) -> npt.NDArray[np.uint32]:
        """Return how often each row is in the bag of each tree (rows × trees); R's `inbag`.

        >>> Sample("with_replacement", (3,)).draws(3, seed=1, n_trees=2).sum(axis=0)
        array([3, 3], dtype=uint64)
        """
        drawn = np.empty((n_rows, n_trees), dtype=np.uint32)
        # In parts, so that it can be interrupted.
        step = max(1, _DRAWN_AT_ONCE // max(1, n_rows))
        for first in range(0, n_trees, step):
            some = _core.draws(self.native(), n_rows, seed, first, min(step, n_trees - first))
            drawn[:, first : first + step] = some
        return drawn

    def rows(self, n_rows: int, seed: int, n_trees: int) -> list[npt.NDArray[np.intp]]:
        """Return the rows in the bag of each tree, each as often as it was drawn.

        >>> Sample("all", (2,)).rows(2, seed=1, n_trees=1)
        [array([0, 1])]
        """
        return [np.repeat(np.arange(n_rows), counts) for counts in self.draws(n_rows, seed, n_trees).T]


@dataclass(frozen=True)
class ForestRecipe:
    """How each tree of a forest is grown, checked on construction.

    >>> ForestRecipe("gini", task="classification", max_features=2).criterion
    'gini'
    >>> ForestRecipe("absolute_error", task="regression")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'absolute_error'; it must be one of a forest for
    regression: 'squared_error', 'poisson'.
    """

    criterion: str
    limits: Limits = field(default_factory=Limits)
    max_features: int = 1
    tree_features: int = 0
    random_splits: bool = False
    missing: ForestMissing = "learned"
    nominal: ForestNominal = "ordered"
    balance: bool = False
    seek: bool = True
    max_exhaustive_levels: int = 12
    task: Task = field(kw_only=True)

    def __post_init__(self) -> None:
        known = ", ".join(map(repr, _CRITERIA[self.task]))
        wanted = f"one of a forest for {self.task}: {known}"
        try:
            name = criterion_named(self.criterion)
        except ParameterError:
            raise ParameterError.of("criterion", self.criterion, wanted) from None
        if task_of(name) != self.task or name not in _CRITERIA[self.task]:
            raise ParameterError.of("criterion", self.criterion, wanted)
        object.__setattr__(self, "criterion", name)
        if self.missing not in get_args(ForestMissing):
            choices = ", ".join(map(repr, get_args(ForestMissing)))
            raise ParameterError.of("missing", self.missing, f"one of {choices}")
        if self.nominal not in get_args(ForestNominal):
            choices = ", ".join(map(repr, get_args(ForestNominal)))
            raise ParameterError.of("nominal", self.nominal, f"one of {choices}")
        object.__setattr__(self, "max_exhaustive_levels", exhaustive_levels(self.max_exhaustive_levels))

    def native(self, root_cases: float) -> dict[str, Any]:
        """Return it as the native code takes it; fractions are of the cases a tree draws.

        >>> recipe = ForestRecipe("gini", Limits(min_samples_leaf=0.1), task="classification")
        >>> recipe.native(50)["min_cases_leaf"]
        5.0
        """
        limits = self.limits
        return {
            "random_splits": self.random_splits,
            "learn_missing": self.missing == "learned",
            "best_sets": self.nominal == "subset",
            "balance": self.balance,
            "seek": self.seek,
            "max_features": self.max_features,
            "tree_features": self.tree_features,
            "max_exhaustive": self.max_exhaustive_levels,
            "max_depth": _NO_LIMIT if limits.max_depth is None else min(int(limits.max_depth), _NO_LIMIT),
            "max_leaves": min(int(limits.max_leaf_nodes or 0), _NO_LIMIT),
            "min_cases_split": limits.cases_to_split(root_cases),
            "min_cases_leaf": limits.cases_in_leaf(root_cases),
            "min_weight_fraction_leaf": limits.min_weight_fraction_leaf,
            "min_decrease": limits.min_impurity_decrease,
        }

    def to_json(self) -> dict[str, Any]:
        """Return it as a dict that JSON can hold.

        >>> ForestRecipe("gini", task="classification", max_features=2).to_json()["max_features"]
        2
        """
        return {
            "criterion": self.criterion,
            "task": self.task,
            "nominal": "subset",
            "missing": self.missing,
            "max_features": self.max_features,
            "random_splits": self.random_splits,
            "limits": self.limits.to_json(),
        }


def grow_forest(
    table: Table,
    target: ClassTarget | npt.NDArray[np.float64],
    weights: Weights,
    recipe: ForestRecipe,
    sample: Sample,
    *,
    seed: int,
    n_trees: int,
    first_tree: int = 0,
    target_name: str | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Forest:
    """Grow trees `first_tree`, `first_tree` + 1, … of the forest that the seed stands for.

    The forest is the same for any number of threads, and a tree for any number of trees.

    >>> from bough.data.target import read_classes, read_weights
    >>> table, y = Table.read([[15.0], [10.0], [5.0]]), read_classes(["yes", "no", "no"])
    >>> recipe = ForestRecipe("gini", task="classification")
    >>> grow_forest(table, y, read_weights(None, 3), recipe, Sample(), seed=1, n_trees=2)
    Forest(2 trees, 6 nodes)
    """
    if recipe.missing == "refuse":
        refuse_missing(table)
    is_classes = isinstance(target, ClassTarget)
    n_cases = float(table.n_rows if weights.cases is None else weights.cases.sum())
    arrays = _core.grow_forest(
        table.native(),
        table.n_rows,
        len(target.classes) if isinstance(target, ClassTarget) else 0,
        target.codes if isinstance(target, ClassTarget) else None,
        None if isinstance(target, ClassTarget) else target,
        weights.weight,
        weights.cases,
        recipe.criterion,
        recipe.native(float(sum(sample.size)) if sample.size else n_cases),
        sample.native(),
        seed,
        first_tree,
        n_trees,
        n_threads(n_jobs),
        progress,
    )
    return Forest(
        schema=table.schema,
        task="classification" if is_classes else "regression",
        classes=target.classes if isinstance(target, ClassTarget) else (),
        target_name=target_name,
        criterion=recipe.criterion,
        recipe=recipe.to_json(),
        **arrays,
    )
