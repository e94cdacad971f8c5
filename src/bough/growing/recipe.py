"""A recipe: all settings of a learning algorithm, such as criterion, splits, stopping rules and pruning.

Every learner translates its parameters into a recipe, and every model records its recipe. `bough.regrow`
fits a recipe to the same rows again and gives the same model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from bough.data.bins import read_max_bins
from bough.data.scales import Scales
from bough.data.schema import Level, Schema
from bough.data.views import changed_fields
from bough.errors import ParameterError
from bough.growing.combinations import Combinations
from bough.growing.criterion import (
    CRITERIA,
    Criterion,
    Reads,
    UserCriterion,
    criterion_named,
    statistics_of,
    task_of,
)
from bough.growing.draws import ColumnSampling, Ensemble
from bough.growing.grouping import Grouping, check_grouping
from bough.growing.limits import Limits, check_number, check_whole
from bough.growing.missing import BY_SURROGATES, COMPLETE, NATIVE_ON_BINS, Missing
from bough.growing.monotonic import MonotonicConstraints
from bough.growing.nominal import Nominal
from bough.growing.pruning import Pruning, check_choice
from bough.growing.recipe_json import recipe_parts, recipe_to_json
from bough.tree.answer import check_smoothing
from bough.types import Smoothing, Task

Agreement: TypeAlias = Literal["all", "known"]
"""Denominator of a surrogate's agreement: all rows that the primary split can route, or only those that the
surrogate can route too."""

SurrogateRule: TypeAlias = Literal["two_each_way", "rpart"]
"""Which surrogates are kept: those that route at least two rows to each branch; or, as in R's rpart for sets
of levels, those that disagree with the primary split on at least two rows."""

ColumnCosts: TypeAlias = Mapping[str, float] | Sequence[float]
"""Cost of each column, by name (1 if not named) or in the order of the columns; gains are divided by it."""

Count: TypeAlias = Literal["cases", "rows"]
"""What the stopping rules count if weights are whole numbers: cases (a weight of 2 counts twice) or rows."""

Response: TypeAlias = Literal["classes", "numbers", "times", "grades", "own"]
"""What y holds for each row: a class, a number, a time and a status, a grade by which it is ranked in a group
of rows, or anything a user's method reads."""

Arithmetic: TypeAlias = Literal["bough", "release 8", "weka", "c5.0", "gbm"]
"""The arithmetic that results reproduce: bough's exact sums, or the floating-point arithmetic of release 8 of
C4.5, of Weka, of C5.0 or of R's gbm."""

_MOST_ALTERNATIVES = 2**31 - 1

_CHOICES: dict[str, tuple[str, ...]] = {
    "nominal": get_args(Nominal),
    "missing": get_args(Missing),
    "agreement": get_args(Agreement),
    "surrogate_rule": get_args(SurrogateRule),
    "count": get_args(Count),
}


@dataclass(frozen=True, repr=False)
class Recipe:
    """The settings of a learning algorithm, checked for consistency.

    `criterion` is a name or a function (see `bough.growing.criterion.UserCriterion`); `nominal` is the kind
    of nominal splits. With three classes or more, all subsets are tried for at most `max_exhaustive_levels`
    levels. Each split keeps up to `n_surrogates` surrogates if `missing` uses them, and each node records the
    best splits on `n_competitors` other columns. `zero_rates` allows children without events for Poisson,
    whose rates are shrunk by `shrink`. `class_weight`, `prior`, `loss_matrix` and `smoothing` are the
    parameters of the learners, as is `monotonic_cst`; `columns` defines which columns each node searches.
    `grouping` defines splits with any number of branches.
    With `max_bins`, trees are grown from histograms of bins (see `bough.data.bins`).
    `scales` defines how columns are read and `response` how y is read.
    `settings` holds parameters that only one family of learners has.

    >>> Recipe("log_loss", task="classification").criterion
    'deviance'
    >>> Recipe("squared_error", task="classification")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'squared_error'; it must be one for classification:
    'misclassification', 'gini', 'entropy', 'deviance', 'gain_ratio', 'chi_square', 'twoing',
    'generalized_gini'.
    """

    criterion: Criterion
    nominal: Nominal = "subset"
    limits: Limits = field(default_factory=Limits)
    missing: Missing = "majority"
    max_exhaustive_levels: int = 12
    n_surrogates: int = 5
    agreement: Agreement = "all"
    surrogate_rule: SurrogateRule = "two_each_way"
    n_competitors: int = 0
    column_costs: ColumnCosts | None = None
    zero_rates: bool = False
    shrink: float = 0.0
    count: Count = "cases"
    class_weight: Any = None
    prior: Any = None
    loss_matrix: Any = None
    smoothing: Smoothing = "none"
    combinations: Combinations | None = None
    grouping: Grouping | None = None
    pruning: Pruning | None = None
    columns: ColumnSampling | None = None
    monotonic_cst: MonotonicConstraints | None = None
    max_bins: int | None = None
    ensemble: Ensemble | None = None
    seed: int | None = None
    scales: Scales = field(default_factory=Scales)
    response: Response | None = None
    method: Any = None
    arithmetic: Arithmetic = "bough"
    settings: Mapping[str, Any] = field(default_factory=dict)
    task: Task = field(kw_only=True)

    def __repr__(self) -> str:
        return changed_fields(self)

    def __post_init__(self) -> None:
        check_choice("task", self.task, tuple(CRITERIA))
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        check_smoothing(self.smoothing)
        for name in ("n_surrogates", "n_competitors"):
            check_whole(name, getattr(self, name), 0, _MOST_ALTERNATIVES)
            object.__setattr__(self, name, int(getattr(self, name)))
        if self.nominal == "complete" and self.missing in BY_SURROGATES:
            raise ParameterError.of(
                "missing", self.missing, f"one of {', '.join(map(repr, COMPLETE))} for complete splits"
            )
        if not isinstance(self.limits, Limits):
            raise ParameterError.of("limits", self.limits, "a Limits")
        object.__setattr__(self, "max_exhaustive_levels", exhaustive_levels(self.max_exhaustive_levels))
        if not callable(self.criterion):
            object.__setattr__(self, "criterion", criterion_named(self.criterion))
            self._check_criterion(criterion_named(self.criterion))
        if self.response is None:
            response = "classes" if self.task == "classification" else "numbers"
            object.__setattr__(self, "response", response)
        self._check_limits()
        self._check_combinations()
        self._check_constraints()
        self._check_grouping()
        self._check_bins()

    def _check_criterion(self, name: str) -> None:
        if task_of(name) != self.task:
            known = ", ".join(map(repr, CRITERIA[self.task]))
            raise ParameterError.of("criterion", name, f"one for {self.task}: {known}")
        if name == "twoing" and self.nominal == "complete":
            raise ParameterError.of("nominal", "complete", "'subset' or 'one_vs_rest' under 'twoing'")
        if name == "twoing" and self.missing == "own_level":
            raise ParameterError.of(
                "missing", "own_level", "another policy under 'twoing', such as 'learned'"
            )

    def _check_limits(self) -> None:
        limits = self.limits
        if self.task == "classification":
            if limits.min_variance != 0:
                raise ParameterError.of("min_variance", limits.min_variance, "0 in classification")
            return
        if limits.significance is not None:
            raise ParameterError.of("significance", limits.significance, "None in regression")
        if limits.purity != 1:
            raise ParameterError.of("purity", limits.purity, "1 in regression")
        if limits.min_events != 0 and self.criterion != "poisson":
            raise ParameterError.of("min_events", limits.min_events, "0 unless the criterion is 'poisson'")

    def _check_combinations(self) -> None:
        if self.combinations is None:
            return
        self.combinations.check_criterion(self.criterion)
        if self.missing not in ("majority", "refuse"):
            raise ParameterError.of("missing", self.missing, "'majority' or 'refuse' with combinations")
        if self.column_costs is not None or self.n_competitors:
            raise ParameterError(
                "combinations support neither column_costs nor n_competitors; leave these out, or "
                "combinations."
            )

    def _check_constraints(self) -> None:
        """Raise if monotonic constraints or the sampling of columns do not fit the rest of the recipe."""
        if self.columns is not None and self.ensemble is None:
            self._refuse_with("max_features or splitter='random'")
        if self.monotonic_cst is None:
            return
        self._refuse_with("monotonic_cst")
        if self.criterion == "absolute_error" or self.shrink > 0:
            wanted = "None under 'absolute_error' and with shrink"
            raise ParameterError.of("monotonic_cst", self.monotonic_cst, wanted)
        if self.prior is not None or self.loss_matrix is not None:
            raise ParameterError.of("monotonic_cst", self.monotonic_cst, "None with prior or loss_matrix")

    def _check_grouping(self) -> None:
        if self.grouping is None:
            if self.missing == "floating_level":
                raise ParameterError.of("missing", self.missing, "another policy, unless levels are merged")
            return
        check_grouping(self.grouping, self.criterion, self.missing)
        for name in ("combinations", "columns", "monotonic_cst", "column_costs", "prior", "loss_matrix"):
            if getattr(self, name) is not None:
                wanted = "None with splits into groups (max_branches, CHAID)"
                raise ParameterError.of(name, getattr(self, name), wanted)
        if self.n_competitors:
            wanted = "0 with splits into groups (max_branches, CHAID)"
            raise ParameterError.of("n_competitors", self.n_competitors, wanted)

    def _check_bins(self) -> None:
        """Raise if `max_bins` is given and growth from histograms does not support the rest of the recipe."""
        if self.max_bins is None:
            return
        object.__setattr__(self, "max_bins", read_max_bins(self.max_bins))
        self._refuse_with("max_bins")
        if self.criterion in ("absolute_error", "poisson"):
            raise ParameterError.of("max_bins", self.max_bins, f"None under {self.criterion!r}")
        has_engine = "program" in self.settings
        if self.ensemble is not None and not has_engine and self.missing not in NATIVE_ON_BINS:
            policies = ", ".join(map(repr, NATIVE_ON_BINS))
            raise ParameterError.of("missing", self.missing, f"one of {policies} with max_bins")
        others = {
            "column_costs": self.column_costs is not None and not self.is_natively_binned,
            "monotonic_cst": self.monotonic_cst is not None
            and (self.ensemble is None or self.ensemble.kind == "forest"),
            "max_features or splitter='random'": self.columns is not None
            and (self.ensemble is None or self.columns.random_splits),
            "n_competitors": self.n_competitors > 0,
            "prior": self.prior is not None,
            "loss_matrix": self.loss_matrix is not None,
            "min_improvement": self.limits.min_improvement > 0,
            "min_events": self.limits.min_events > 0,
        }
        for name, is_given in others.items():
            if is_given:
                raise ParameterError(f"{name} is not supported with max_bins; leave out one of the two.")

    def _refuse_with(self, name: str) -> None:
        if callable(self.criterion):
            raise ParameterError(f"{name} needs one of bough's own criteria, not a function.")
        if self.combinations is not None:
            raise ParameterError(f"{name} is not supported with combinations; leave out one of the two.")

    @property
    def criterion_name(self) -> str:
        """The name of the criterion or of the user-written function.

        >>> Recipe(max, task="classification").criterion_name
        'max'
        """
        return self.criterion if isinstance(self.criterion, str) else UserCriterion(self.criterion).name

    @property
    def reads(self) -> Reads:
        """The statistics that an engine must sum.

        >>> Recipe("gini", task="classification").reads
        'classes'
        """
        return statistics_of(self.criterion, self.task)

    @property
    def follows_surrogates(self) -> bool:
        """Whether rows that a split cannot route follow a surrogate or stop at the node, as in R's rpart.

        >>> Recipe("gini", missing="stop", task="classification").follows_surrogates
        True
        """
        return self.missing in BY_SURROGATES

    @property
    def needs_a_value(self) -> bool:
        """Whether rows without any value are left out, as in R's rpart; conditional trees keep them.

        >>> Recipe("gini", missing="stop", task="classification").needs_a_value
        True
        """
        return self.follows_surrogates and self.settings.get("program") != "conditional"

    @property
    def keeps_surrogates(self) -> bool:
        """Whether surrogates are searched for and recorded.

        >>> Recipe("gini", missing="surrogates_then_stop", task="classification").keeps_surrogates
        True
        """
        return self.follows_surrogates and self.n_surrogates > 0

    @property
    def is_natively_binned(self) -> bool:
        """Whether native code grows trees on bins by this recipe; the growth loop grows the others.

        >>> Recipe("gini", missing="stop", max_bins=9, task="classification").is_natively_binned
        False
        """
        binary = self.nominal != "complete" and self.grouping is None
        return self.max_bins is not None and binary and self.missing in NATIVE_ON_BINS

    def head(self, schema: Schema, classes: tuple[Level, ...], target_name: str | None) -> dict[str, Any]:
        """Return the fields of a model that do not depend on the rows: its columns, task and recipe.

        >>> recipe = Recipe("gini", task="classification")
        >>> recipe.head(Schema(()), ("no", "yes"), "buys")["criterion"]
        'gini'
        """
        return {
            "schema": schema,
            "task": self.task,
            "classes": classes,
            "target_name": target_name,
            "criterion": self.criterion_name,
            "recipe": self.to_json(),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as a dict for JSON; functions and foreign objects are recorded by name.

        >>> Recipe("gini", limits=Limits(max_depth=2), task="classification").to_json()
        {'criterion': 'gini', 'task': 'classification', 'nominal': 'subset', 'missing': 'majority',
         'max_exhaustive_levels': 12, 'limits': {'max_depth': 2}, 'arithmetic': 'bough'}
        """
        return recipe_to_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], objects: Mapping[str, Any] | None = None) -> Self:
        """Return the recipe written by `to_json`; objects recorded by name are taken from `objects`.

        >>> recipe = Recipe("gini", limits=Limits(max_depth=2), task="classification")
        >>> Recipe.from_json(recipe.to_json()) == recipe
        True
        """
        return cls(**recipe_parts(data, {} if objects is None else objects))

    def with_limits(self, **limits: Any) -> Self:
        """Return a copy of the recipe with some limits changed.

        >>> Recipe("gini", task="classification").with_limits(max_depth=2).limits.max_depth
        2
        """
        return replace(self, limits=replace(self.limits, **limits))


def exhaustive_levels(most: Any) -> int:
    """Return the checked value of `max_exhaustive_levels`.

    >>> exhaustive_levels(25)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_exhaustive_levels is 25; it must be a whole number from 2 to 24.
    """
    check_whole("max_exhaustive_levels", most, 2, 24)
    return int(most)


def costs_by_column(column_costs: ColumnCosts | None, schema: Schema) -> list[float]:
    """Return the cost of each column; an empty list if no costs are given.

    >>> from bough.example_models import iris_tree
    >>> costs_by_column({"Petal.Width": 2.0}, iris_tree().schema)
    [1.0, 2.0]
    >>> costs_by_column({"Sepal": 2.0}, iris_tree().schema)
    Traceback (most recent call last):
    bough.errors.ParameterError: column_costs names 'Sepal', but the columns are 'Petal.Length',
    'Petal.Width'.
    """
    if column_costs is None:
        return []
    if isinstance(column_costs, Mapping):
        unknown = [name for name in column_costs if name not in schema.names]
        if unknown:
            known = ", ".join(map(repr, schema.names))
            raise ParameterError(f"column_costs names {unknown[0]!r}, but the columns are {known}.")
        given = [column_costs.get(name, 1.0) for name in schema.names]
    elif isinstance(column_costs, str) or not isinstance(column_costs, Sequence | np.ndarray):
        raise ParameterError.of(
            "column_costs", column_costs, "a dict from column to cost, or a cost for each column"
        )
    else:
        given = list(column_costs)
    if len(given) != len(schema):
        raise ParameterError(
            f"column_costs has {len(given)} entries; give one for each of {len(schema)} columns."
        )
    for column, cost in zip(schema.names, given, strict=True):
        check_number(f"column_costs[{column!r}]", cost, 0.0, above=True)
    return [float(cost) for cost in given]
