"""Settings of the pruning methods, which `bough.pruning` implements.

They are part of the recipe, so that a model records how it was pruned.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from bough.errors import ParameterError
from bough.growing.limits import check_number
from bough.types import is_whole

PathChoice: TypeAlias = Literal["one_se", "minimum"]
"""Which tree of a cross-validated path is chosen: the smallest whose risk is within one standard error of the
minimum, or the tree of minimum risk."""

PathMethod: TypeAlias = Literal["weakest_link", "rpart"]
"""How the cost-complexity path is computed: exactly, or by the shortcut of R's rpart."""

Estimate: TypeAlias = Literal["c4.5", "j48"]
"""The program whose error estimate error-based pruning follows."""

Sampling: TypeAlias = Literal["drawn", "hash"]
"""How rows are divided into folds: drawn, stratified by y, or by a hash of a key of each row."""

CrossValidatedError: TypeAlias = Literal["deviance", "sqrt"]
"""The error that cross-validation of rates sums: the deviance, or squared differences of square roots."""


@dataclass(frozen=True, eq=False)
class ReducedError:
    """Reduced-error pruning on rows that the tree is not grown on: a tuning set (X, y) or a held-out fold.

    One of `cv` stratified folds is held out. `random_state` shuffles the rows first; None keeps their order.
    The held-out rows are the same as in Weka: in REPTree with a seed, in J48 without one.

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
        _check_draw(self.cv, 0 if self.random_state is None else self.random_state, ", or None")
        if self.tuning is not None and not (isinstance(self.tuning, tuple) and len(self.tuning) == 2):
            raise ParameterError.of("tuning", type(self.tuning).__name__, "a pair (X, y), or None")
        check_flag("greedy", self.greedy)
        check_flag("backfit", self.backfit)


@dataclass(frozen=True)
class Pessimistic:
    """Pessimistic pruning (Quinlan 1987), from the statistics of the tree itself.

    >>> Pessimistic(standard_errors=2.0).standard_errors
    2.0
    """

    name: ClassVar[str] = "pessimistic"
    standard_errors: float = 1.0

    def __post_init__(self) -> None:
        check_number("standard_errors", self.standard_errors, 0.0)


@dataclass(frozen=True)
class ErrorBased:
    """Error-based pruning of C4.5, from the rows that the tree was grown on.

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
        check_flag("subtree_raising", self.subtree_raising)
        if not (isinstance(self.estimate, str) and self.estimate in get_args(Estimate)):
            raise ParameterError.of("estimate", self.estimate, " or ".join(map(repr, get_args(Estimate))))


@dataclass(frozen=True)
class MinimumLength:
    """Pruning by minimum description length: of the tree and of its errors.

    >>> MinimumLength().name
    'mdl'
    """

    name: ClassVar[str] = "mdl"


@dataclass(frozen=True, eq=False)
class CostComplexity:
    """Cost-complexity pruning, with a given complexity parameter or one chosen by cross-validation.

    The tree is first pruned with `cp`, a fraction of the root's risk. If `choose` is "cp", cross-validation
    over `cv` only reports the risks of the other trees of the path. Otherwise the tree is pruned with
    `ccp_alpha`, per unit of weight, or with the value that cross-validation chooses; `cv` None skips
    cross-validation. `folds` records the folds if no seed can draw them again. With `sampling="hash"` the
    fold of a row follows from the hash of its value in the column `row_key`, or of the codes of its bins if
    that is None, so that it is the same in every database and in every order of the rows.

    >>> CostComplexity("one_se", cv=5).cv
    5
    """

    name: ClassVar[str] = "cost_complexity"
    choose: PathChoice | Literal["cp", "ccp_alpha"] = "one_se"
    cv: Any = 10
    cp: float = 0.0
    ccp_alpha: float | None = None
    path: PathMethod = "weakest_link"
    error: CrossValidatedError = "deviance"
    random_state: Any = 0
    folds: tuple[int, ...] | None = None
    sampling: Sampling = "drawn"
    row_key: str | None = None

    def __post_init__(self) -> None:
        check_choice("path", self.path, get_args(PathMethod))
        check_choice("cv_error", self.error, get_args(CrossValidatedError))
        check_number("cp", self.cp, 0.0)
        if self.ccp_alpha is not None:
            check_number("ccp_alpha", self.ccp_alpha, 0.0)
        check_choice("sampling", self.sampling, get_args(Sampling))
        if self.row_key is not None and not isinstance(self.row_key, str):
            raise ParameterError.of("row_key", self.row_key, "the name of a column, or None")
        if self.row_key is not None and self.sampling != "hash":
            raise ParameterError.of("row_key", self.row_key, "None unless sampling is 'hash'")
        if self.sampling == "hash" and self.cv is not None:
            self._check_hashed()

    @property
    def validates(self) -> bool:
        """Whether the path is cross-validated.

        >>> CostComplexity("cp", cv=None).validates
        False
        """
        return self.ccp_alpha is None and self.cv is not None

    def _check_hashed(self) -> None:
        if not is_whole(self.cv) or self.cv < 2:
            raise ParameterError.of("cv", self.cv, "a number of folds of at least 2 with sampling='hash'")
        if not is_whole(self.random_state):
            wanted = "a whole number with sampling='hash'"
            raise ParameterError.of("random_state", self.random_state, wanted)


@dataclass(frozen=True)
class SimpleCart:
    """Cost-complexity pruning of Weka's SimpleCart, with a complexity chosen by cross-validation.

    >>> SimpleCart("one_se").cv
    5
    """

    name: ClassVar[str] = "simple_cart"
    choose: PathChoice = "minimum"
    cv: int = 5
    random_state: int = 1

    def __post_init__(self) -> None:
        check_choice("choose", self.choose, get_args(PathChoice))
        _check_draw(self.cv, self.random_state)


def _check_draw(cv: int, seed: int, also: str = "") -> None:
    """Raise unless Weka's generator can draw so many folds by this seed."""
    if not is_whole(cv) or not 2 <= cv < 2**31:
        raise ParameterError.of("cv", cv, "a whole number of at least 2 and below 2**31")
    if not is_whole(seed) or not -(2**31) <= seed < 2**31:
        raise ParameterError.of("random_state", seed, f"a whole number of 32 bits{also}")


Pruning: TypeAlias = ReducedError | Pessimistic | ErrorBased | MinimumLength | CostComplexity | SimpleCart

_BY_NAME: dict[str, type[Any]] = {
    each.name: each
    for each in (ReducedError, Pessimistic, ErrorBased, MinimumLength, CostComplexity, SimpleCart)
}
_WORDS = tuple(name for name in _BY_NAME if name not in (CostComplexity.name, SimpleCart.name))


def pruning_of(prune: object, own: tuple[str, ...] = ("none",)) -> Pruning | None:
    """Return the settings for the parameter `prune`; None for the names in `own`, which the learner handles.

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
    """Return the settings as a dict for JSON; objects are recorded by name.

    >>> pruning_to_json(Pessimistic())
    {'method': 'pessimistic', 'standard_errors': 1.0}
    """
    given: dict[str, Any] = {part.name: getattr(pruning, part.name) for part in fields(pruning)}
    if isinstance(pruning, ReducedError) and pruning.tuning is not None:
        given["tuning"] = {"object": "tuning"}
    if isinstance(pruning, CostComplexity):
        given["cv"] = _cv_to_json(pruning.cv)
        given["folds"] = None if pruning.folds is None else [*pruning.folds]
        if pruning.sampling == "drawn":
            del given["sampling"], given["row_key"]
    return {"method": pruning.name} | given


def _cv_to_json(cv: Any) -> Any:
    if cv is None or is_whole(cv):
        return None if cv is None else int(cv)
    if isinstance(cv, np.ndarray):
        return cv.tolist()
    if isinstance(cv, list | tuple) and not any(isinstance(each, list | tuple) for each in cv[:1]):
        return list(cv)
    return {"object": type(cv).__name__}


def pruning_from_json(data: dict[str, Any], objects: dict[str, Any]) -> Pruning:
    """Return the settings written by `pruning_to_json`; named objects are looked up in `objects`.

    >>> pruning_from_json({"method": "pessimistic", "standard_errors": 2.0}, {})
    Pessimistic(standard_errors=2.0)
    """
    settings = {name: value for name, value in data.items() if name not in ("method", "steps", "left_root")}
    for name, value in settings.items():
        if isinstance(value, dict) and "object" in value:
            settings[name] = named_object(value["object"], objects)
    made: Pruning = _BY_NAME[data["method"]](**settings)
    return made


def named_object(name: str, objects: dict[str, Any]) -> Any:
    """Return the object that a recipe records by name; raise if it is not in `objects`.

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
    """Raise unless the confidence is a number from 1e-10 to 1.

    >>> check_confidence(0)
    Traceback (most recent call last):
    bough.errors.ParameterError: confidence is 0; it must be a finite number of at least 1e-10 and at most 1.
    """
    check_number("confidence", confidence, 1e-10, 1.0)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise unless the value is one of the choices.

    >>> check_choice("path", "short", ("weakest_link", "rpart"))
    Traceback (most recent call last):
    bough.errors.ParameterError: path is 'short'; it must be one of 'weakest_link', 'rpart'.
    """
    if not (isinstance(value, str) and value in choices):
        raise ParameterError.of(name, value, f"one of {', '.join(map(repr, choices))}")


def check_flag(name: str, value: object) -> None:
    """Raise unless the value is True or False.

    >>> check_flag("subtree_raising", 0)
    Traceback (most recent call last):
    bough.errors.ParameterError: subtree_raising is 0; it must be True or False.
    """
    if not isinstance(value, bool | np.bool_):
        raise ParameterError.of(name, value, "True or False")
