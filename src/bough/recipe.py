"""A recipe says how a tree is grown: by which criterion, with which splits, and when to stop."""

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal, TypeAlias, get_args

from bough.criterion import (
    CRITERIA,
    Criterion,
    Reads,
    Task,
    UserCriterion,
    criterion_named,
    statistics_of,
    task_of,
)
from bough.errors import ParameterError
from bough.limits import Limits
from bough.split import LevelKind

Missing: TypeAlias = Literal["majority", "refuse"]
"""What is done with a row whose value a split needs and does not have: it follows the branch of most weight,
or the table is refused."""


@dataclass(frozen=True)
class Recipe:
    """The parts of a tree algorithm, checked against each other.

    `criterion` is a name or a function (see `bough.criterion.UserCriterion`). `nominal` says how nominal
    columns are split: into two sets of levels, one child a level, or one level against the rest. Up to
    `max_exhaustive_levels` levels all sets are tried where no theory saves it.

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
    task: Task = field(kw_only=True)

    def __post_init__(self) -> None:
        _check_choice("task", self.task, tuple(CRITERIA))
        _check_choice("nominal", self.nominal, get_args(LevelKind))
        _check_choice("missing", self.missing, get_args(Missing))
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
        }


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


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in choices):
        raise ParameterError.of(name, value, f"one of {', '.join(map(repr, choices))}")
