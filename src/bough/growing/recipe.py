"""A recipe says how a tree is grown: by which criterion, with which splits, and when to stop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from bough.data.schema import Schema
from bough.errors import ParameterError
from bough.growing.criterion import (
    CRITERIA,
    Criterion,
    Reads,
    Task,
    UserCriterion,
    criterion_named,
    statistics_of,
    task_of,
)
from bough.growing.limits import Limits
from bough.tree.split import LevelKind

Missing: TypeAlias = Literal["majority", "refuse", "stop", "surrogates_then_stop", "surrogates_then_majority"]
"""What is done with a row whose value a split needs and does not have.

| word                         | the row                                                                     |
|------------------------------|-----------------------------------------------------------------------------|
| `"majority"`                 | follows the branch of most weight                                           |
| `"refuse"`                   | is an error: the table is refused                                           |
| `"stop"`                     | goes no further, surrogates are kept but not followed (`usesurrogate = 0`)  |
| `"surrogates_then_stop"`     | follows the first surrogate that can say, else stops (`usesurrogate = 1`)   |
| `"surrogates_then_majority"` | follows the first that can say, else the majority (`usesurrogate = 2`)      |

The names in brackets are those of rpart, and so is the majority: while the tree grows the side
of more weight, at prediction the child with more cases; between equals the row stays.
"""

Agreement: TypeAlias = Literal["all", "known"]
"""A surrogate's agreement is a share of all rows that the split can place, or of those that it can place
too."""

SurrogateRule: TypeAlias = Literal["two_each_way", "rpart"]
"""What a surrogate must do to count: send two rows each way; or the same where it is a cut, but where it is a
set of levels send two rows astray, as R's rpart has it, which so passes over the perfect ones."""

Costs: TypeAlias = Mapping[str, float] | Sequence[float]
"""What the columns cost, by name (1 where not named) or in their order: gains are divided by it."""

_MOST_SPARES = 2**31 - 1


@dataclass(frozen=True)
class Recipe:
    """The parts of a tree algorithm, checked against each other.

    `criterion` is a name or a function (see `bough.growing.criterion.UserCriterion`). `nominal` says how
    nominal columns are split: into two sets of levels, one child a level, or one level against the rest. Up
    to `max_exhaustive_levels` levels all sets are tried where no theory saves it. `n_surrogates` are kept
    of each split where `missing` asks for them, and of each node the best splits of `n_competitors` columns
    besides its own. With `zero_rates` a child may have no events under Poisson, whose rate is then 0.

    >>> Recipe("log_loss", task="classification").criterion
    'deviance'
    >>> Recipe("squared_error", task="classification")
    Traceback (most recent call last):
    bough.errors.ParameterError: criterion is 'squared_error'; it must be one for classification:
    'misclassification', 'gini', 'entropy', 'deviance', 'gain_ratio', 'chi_square', 'twoing'.
    """

    criterion: Criterion
    nominal: LevelKind = "subset"
    limits: Limits = field(default_factory=Limits)
    missing: Missing = "majority"
    max_exhaustive_levels: int = 12
    n_surrogates: int = 5
    agreement: Agreement = "all"
    surrogate_rule: SurrogateRule = "two_each_way"
    n_competitors: int = 0
    costs: Costs | None = None
    zero_rates: bool = False
    task: Task = field(kw_only=True)

    def __post_init__(self) -> None:
        _check_choice("task", self.task, tuple(CRITERIA))
        _check_choice("nominal", self.nominal, get_args(LevelKind))
        _check_choice("missing", self.missing, get_args(Missing))
        _check_choice("agreement", self.agreement, get_args(Agreement))
        _check_choice("surrogate_rule", self.surrogate_rule, get_args(SurrogateRule))
        for name in ("n_surrogates", "n_competitors"):
            object.__setattr__(self, name, _count(name, getattr(self, name)))
        if self.nominal == "complete" and self.missing not in ("majority", "refuse"):
            raise ParameterError.of("missing", self.missing, "'majority' or 'refuse' for complete splits")
        if not isinstance(self.limits, Limits):
            raise ParameterError.of("limits", self.limits, "a Limits")
        object.__setattr__(self, "max_exhaustive_levels", exhaustive_levels(self.max_exhaustive_levels))
        if not callable(self.criterion):
            object.__setattr__(self, "criterion", criterion_named(self.criterion))
            self._check_criterion(criterion_named(self.criterion))
        self._check_limits()

    def _check_criterion(self, name: str) -> None:
        if task_of(name) != self.task:
            known = ", ".join(map(repr, CRITERIA[self.task]))
            raise ParameterError.of("criterion", name, f"one for {self.task}: {known}")
        if name == "twoing" and self.nominal == "complete":
            raise ParameterError.of("nominal", "complete", "'subset' or 'one_vs_rest' under 'twoing'")

    def _check_limits(self) -> None:
        limits = self.limits
        if self.task == "classification":
            if limits.min_variance != 0:
                raise ParameterError.of("min_variance", limits.min_variance, "0 where classes are predicted")
            return
        if limits.significance is not None:
            raise ParameterError.of("significance", limits.significance, "None where numbers are predicted")
        if limits.purity != 1:
            raise ParameterError.of("purity", limits.purity, "1 where numbers are predicted")
        if limits.min_events != 0 and self.criterion != "poisson":
            raise ParameterError.of(
                "min_events", limits.min_events, "0 unless events are counted ('poisson')"
            )

    @property
    def criterion_name(self) -> str:
        """The name of the criterion, or of the function.

        >>> Recipe(max, task="classification").criterion_name
        'max'
        """
        return self.criterion if isinstance(self.criterion, str) else UserCriterion(self.criterion).name

    @property
    def reads(self) -> Reads:
        """Which statistics an engine must sum.

        >>> Recipe("gini", task="classification").reads
        'classes'
        """
        return statistics_of(self.criterion, self.task)

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as a dict that JSON can hold; a function is told by its name.

        >>> Recipe("gini", limits=Limits(max_depth=2), task="classification").to_json()
        {'criterion': 'gini', 'task': 'classification', 'nominal': 'subset', 'missing': 'majority',
         'max_exhaustive_levels': 12, 'limits': {'max_depth': 2}}
        """
        return {
            "criterion": self.criterion_name,
            "task": self.task,
            "nominal": self.nominal,
            "missing": self.missing,
            "max_exhaustive_levels": self.max_exhaustive_levels,
            "limits": self.limits.to_json(),
        } | self._spares_to_json()

    def _spares_to_json(self) -> dict[str, Any]:
        noted: dict[str, Any] = {}
        if self.keeps_surrogates:
            names = ("n_surrogates", "agreement", "surrogate_rule")
            noted |= {name: getattr(self, name) for name in names}
        if self.zero_rates:
            noted["zero_rates"] = True
        if self.n_competitors:
            noted["n_competitors"] = self.n_competitors
        if self.costs is not None:
            noted["costs"] = dict(self.costs) if isinstance(self.costs, Mapping) else list(self.costs)
        return noted

    @property
    def keeps_surrogates(self) -> bool:
        """Whether surrogates are searched for, be it only to be read.

        >>> Recipe("gini", missing="surrogates_then_stop", task="classification").keeps_surrogates
        True
        """
        return self.missing not in ("majority", "refuse") and self.n_surrogates > 0


def exhaustive_levels(most: object) -> int:
    """Return up to how many levels all sets of them are tried, or refuse the number.

    >>> exhaustive_levels(25)
    Traceback (most recent call last):
    bough.errors.ParameterError: max_exhaustive_levels is 25; it must be a whole number from 2 to 24.
    """
    is_whole = isinstance(most, Integral) and not isinstance(most, bool)
    if not (is_whole and 2 <= int(most) <= 24):  # type: ignore[call-overload]
        raise ParameterError.of("max_exhaustive_levels", most, "a whole number from 2 to 24")
    return int(most)  # type: ignore[call-overload,no-any-return]


def column_costs(costs: Costs | None, schema: Schema) -> list[float]:
    """Return what each column costs, none if all cost the same.

    >>> from bough.example_models import iris_tree
    >>> column_costs({"Petal.Width": 2.0}, iris_tree().schema)
    [1.0, 2.0]
    >>> column_costs({"Sepal": 2.0}, iris_tree().schema)
    Traceback (most recent call last):
    bough.errors.ParameterError: costs names 'Sepal', but the columns are 'Petal.Length', 'Petal.Width'.
    """
    if costs is None:
        return []
    if isinstance(costs, Mapping):
        unknown = [name for name in costs if name not in schema.names]
        if unknown:
            known = ", ".join(map(repr, schema.names))
            raise ParameterError(f"costs names {unknown[0]!r}, but the columns are {known}.")
        given = [costs.get(name, 1.0) for name in schema.names]
    elif isinstance(costs, str) or not isinstance(costs, Sequence | np.ndarray):
        raise ParameterError.of("costs", costs, "a dict from column to cost, or a cost for each column")
    else:
        given = list(costs)
    if len(given) != len(schema):
        raise ParameterError(f"costs has {len(given)} entries; give one for each of {len(schema)} columns.")
    for column, cost in zip(schema.names, given, strict=True):
        is_number = isinstance(cost, Real) and not isinstance(cost, bool)
        if not (is_number and 0 < cost < math.inf):
            raise ParameterError.of(f"costs[{column!r}]", cost, "a finite number above 0")
    return [float(cost) for cost in given]


def _count(name: str, value: object) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (is_whole and 0 <= int(value) <= _MOST_SPARES):  # type: ignore[call-overload]
        raise ParameterError.of(name, value, f"a whole number from 0 to {_MOST_SPARES}")
    return int(value)  # type: ignore[call-overload,no-any-return]


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in choices):
        raise ParameterError.of(name, value, f"one of {', '.join(map(repr, choices))}")
