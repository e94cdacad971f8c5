"""Settings of pruning: what a learner's `prune` stands for. `bough.pruning` carries them out.

They are part of the recipe, so that a model records how it was pruned.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from bough.errors import ParameterError

Choice: TypeAlias = Literal["one_se", "minimum"]
"""Which tree of a cross-validated path is taken: the smallest within one standard error of the least risk, or
the one of least risk."""

PathMethod: TypeAlias = Literal["weakest_link", "rpart"]
"""How the cost-complexity path is computed: exactly, or by the shortcut of R's rpart."""

Estimate: TypeAlias = Literal["c4.5", "j48"]
"""Whose way of estimating errors is followed in error-based pruning."""

CrossValidatedError: TypeAlias = Literal["deviance", "sqrt"]
"""What cross-validation of rates sums: the deviance, or squared differences of square roots."""


@dataclass(frozen=True, eq=False)
class ReducedError:
    """Prune on rows that the tree is not grown on: a tuning set (X, y), or a fold of the rows held out.

    One of `cv` parts is held out, with as even a share of each class as can be. The rows are shuffled first
    by `random_state`; if that is None, they stay in their order. The rows are those that Weka holds out:
    REPTree with a seed, J48 without one.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(30)], ["a", "b", "b"] * 10
    >>> CARTClassifier(prune=ReducedError(cv=5)).fit(X, y).get_n_leaves()
    1
    """

    name: ClassVar[str] = "reduced_error"
    cv: int = 3
    random_state: int | None = 1
    tuning: tuple[Any, Any] | None = None
    greedy: bool = False
    backfit: bool = False

    def __post_init__(self) -> None:
        if not _is_whole(self.cv) or self.cv < 2:
            raise ParameterError.of("cv", self.cv, "a whole number of at least 2")
        seed = self.random_state
        if seed is not None and not (_is_whole(seed) and -(2**31) <= seed < 2**31):
            raise ParameterError.of("random_state", seed, "a whole number of 32 bits, or None")
        if self.tuning is not None and not (isinstance(self.tuning, tuple) and len(self.tuning) == 2):
            raise ParameterError.of("tuning", type(self.tuning).__name__, "a pair (X, y), or None")


@dataclass(frozen=True)
class Pessimistic:
    """Prune by Quinlan's pessimistic errors of 1987, from the tree's own statistics.

    >>> Pessimistic(standard_errors=2.0).standard_errors
    2.0
    """

    name: ClassVar[str] = "pessimistic"
    standard_errors: float = 1.0


@dataclass(frozen=True)
class ErrorBased:
    """Prune by the errors that C4.5 expects, with the rows the tree was grown on.

    >>> from bough import CARTClassifier
    >>> X, y = [[i] for i in range(12)], list("aaaaaaabbbab")
    >>> CARTClassifier(prune=ErrorBased(confidence=0.1)).fit(X, y).get_n_leaves()
    2
    """

    name: ClassVar[str] = "error_based"
    confidence: float = 0.25
    subtree_raising: bool = True
    estimate: Estimate = "c4.5"

    def __post_init__(self) -> None:
        check_confidence(self.confidence)


@dataclass(frozen=True)
class MinimumLength:
    """Prune to the tree that, with its exceptions, takes the fewest bits.

    >>> MinimumLength().name
    'mdl'
    """

    name: ClassVar[str] = "mdl"


@dataclass(frozen=True, eq=False)
class CostComplexity:
    """Prune by cost complexity: at a price of a leaf, or at the one that cross-validation chooses.

    The tree is pruned at `cp`, a share of the root's risk, first; where `choose` is "cp", cross-validation
    over `cv` only reports on the other trees of the path. Otherwise the tree is pruned at `ccp_alpha`, a
    price per unit of weight, or at the price that cross-validation chooses, which `cv` None leaves out.
    `folds` are those that were drawn, where no seed can draw them again.

    >>> CostComplexity("one_se", cv=5).cv
    5
    """

    name: ClassVar[str] = "cost_complexity"
    choose: Choice | Literal["cp", "ccp_alpha"] = "one_se"
    cv: Any = 10
    cp: float = 0.0
    ccp_alpha: float | None = None
    path: PathMethod = "weakest_link"
    error: CrossValidatedError = "deviance"
    random_state: Any = 0
    folds: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        check_choice("path", self.path, get_args(PathMethod))
        check_choice("cv_error", self.error, get_args(CrossValidatedError))
        check_price("cp", self.cp)
        if self.ccp_alpha is not None:
            check_price("ccp_alpha", self.ccp_alpha)


Pruning: TypeAlias = ReducedError | Pessimistic | ErrorBased | MinimumLength | CostComplexity

_BY_NAME: dict[str, type[Any]] = {
    each.name: each for each in (ReducedError, Pessimistic, ErrorBased, MinimumLength, CostComplexity)
}
_WORDS = tuple(name for name in _BY_NAME if name != CostComplexity.name)


def pruning_of(prune: object, own: tuple[str, ...] = ("none",)) -> Pruning | None:
    """Return the settings that a learner's parameter names; None for the words that the learner has itself.

    >>> pruning_of("pessimistic"), pruning_of("none")
    (Pessimistic(standard_errors=1.0), None)
    >>> pruning_of("hard")
    Traceback (most recent call last):
    bough.errors.ParameterError: prune is 'hard'; it must be 'none', 'reduced_error', 'pessimistic',
    'error_based', 'mdl' or one of the classes of bough.pruning, such as ReducedError(cv=5).
    """
    if isinstance(prune, ReducedError | Pessimistic | ErrorBased | MinimumLength):
        return prune
    if isinstance(prune, str) and prune in own:
        return None
    if isinstance(prune, str) and prune in _WORDS:
        settings: Pruning = _BY_NAME[prune]()
        return settings
    names = ", ".join(map(repr, (*own, *_WORDS)))
    wanted = f"{names} or one of the classes of bough.pruning, such as ReducedError(cv=5)"
    raise ParameterError.of("prune", prune, wanted)


def pruning_to_json(pruning: Pruning) -> dict[str, Any]:
    """Return the settings as a dict that JSON can hold; what is no plain value is recorded by its name.

    >>> pruning_to_json(Pessimistic())
    {'method': 'pessimistic', 'standard_errors': 1.0}
    """
    given: dict[str, Any] = {part.name: getattr(pruning, part.name) for part in fields(pruning)}
    if isinstance(pruning, ReducedError) and pruning.tuning is not None:
        given["tuning"] = {"object": "tuning"}
    if isinstance(pruning, CostComplexity):
        given["cv"] = _cv_to_json(pruning.cv)
    return {"method": pruning.name} | given


def _cv_to_json(cv: Any) -> Any:
    if cv is None or _is_whole(cv):
        return None if cv is None else int(cv)
    if isinstance(cv, np.ndarray):
        return cv.tolist()
    if isinstance(cv, list | tuple) and not any(isinstance(each, list | tuple) for each in cv[:1]):
        return list(cv)
    return {"object": type(cv).__name__}


def pruning_from_json(data: dict[str, Any], objects: dict[str, Any]) -> Pruning:
    """Return the settings that `pruning_to_json` wrote; named objects are looked up in `objects`.

    >>> pruning_from_json({"method": "pessimistic", "standard_errors": 2.0}, {})
    Pessimistic(standard_errors=2.0)
    """
    settings = {name: value for name, value in data.items() if name not in ("method", "steps")}
    for name, value in settings.items():
        if isinstance(value, dict) and "object" in value:
            settings[name] = named_object(value["object"], objects)
    made: Pruning = _BY_NAME[data["method"]](**settings)
    return made


def named_object(name: str, objects: dict[str, Any]) -> Any:
    """Return an object that a recipe records by its name, or refuse to go on without it.

    >>> named_object("KFold", {})
    Traceback (most recent call last):
    bough.errors.ParameterError: The recipe names 'KFold', which a file cannot hold. Supply it:
    objects={'KFold': ...}.
    """
    if name not in objects:
        raise ParameterError(
            f"The recipe names {name!r}, which a file cannot hold. Supply it: objects={{{name!r}: ...}}."
        )
    return objects[name]


def check_confidence(confidence: object) -> None:
    """Refuse a confidence that is none.

    >>> check_confidence(0)
    Traceback (most recent call last):
    bough.errors.ParameterError: confidence is 0; it must be a number above 0 and at most 1.
    """
    is_number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not (is_number and 0 < confidence <= 1):  # type: ignore[operator]
        raise ParameterError.of("confidence", confidence, "a number above 0 and at most 1")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of the choices.

    >>> check_choice("path", "short", ("weakest_link", "rpart"))
    Traceback (most recent call last):
    bough.errors.ParameterError: path is 'short'; it must be one of 'weakest_link', 'rpart'.
    """
    if not (isinstance(value, str) and value in choices):
        raise ParameterError.of(name, value, f"one of {', '.join(map(repr, choices))}")


def check_price(name: str, value: object) -> None:
    """Refuse a price of a leaf that is not a finite number of at least 0.

    >>> check_price("cp", -1)
    Traceback (most recent call last):
    bough.errors.ParameterError: cp is -1; it must be a finite number of at least 0.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and 0 <= value < np.inf):  # type: ignore[operator]
        raise ParameterError.of(name, value, "a finite number of at least 0")


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
