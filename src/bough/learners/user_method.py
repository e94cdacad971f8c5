"""User-written methods, as in R's rpart: the prediction and the risk of a node, and the score of a split.

bough calls a method through `CheckedMethod`, which raises if a part of it returns something invalid.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.errors import ParameterError, TargetError
from bough.types import Floats

NodeAnswer: TypeAlias = float | Floats

# A risk below 0 by at most this fraction of the root's risk is taken for a rounding error of 0.
_ROUNDING = 1e-9


class UserMethod:
    """Base class of user-written methods for `bough.UserTree`; a subclass must define `evaluate`.

    The parts of a method receive the target `y` and the weights of some rows as arrays. `y` is the target
    passed to fit, as converted by `init`: one number for each row or, in a two-dimensional array, several.

    | part          | returns                                             | default                         |
    |---------------|-----------------------------------------------------|---------------------------------|
    | `init`        | the target as numbers                               | the target as it is             |
    | `evaluate`    | the prediction and the risk of a node               | none: a subclass must define it |
    | `split`       | the score of each split of the sorted rows          | the decrease in risk            |
    | `rank_levels` | numbers that order the levels of a nominal column   | the prediction for each level   |
    | `error`       | the error of a prediction on new rows               | none: no cross-validation       |

    In the terms of rpart's user-written methods, `init` is the same, `eval` is `evaluate`, and `split` is
    `split` and, for nominal columns, `rank_levels`. A method does not choose the left child: it is always the
    child of the lower values.

    A tree whose leaves predict the 90th percentile:

    >>> class Percentile(UserMethod):
    ...     def evaluate(self, y, weight):
    ...         answer = np.quantile(y, 0.9, weights=weight, method="inverted_cdf")
    ...         return answer, (weight * self.error(y, answer)).sum()
    ...     def error(self, y, answer):
    ...         return np.where(y > answer, 0.9, 0.1) * abs(y - answer)
    >>> from bough import UserTree
    >>> model = UserTree(Percentile(), max_depth=1, prune="none")
    >>> model.fit([[1], [2], [3], [4]], [0, 5, 50, 55]).predict([[1], [4]])
    array([ 5., 55.])
    """

    def init(self, y: npt.NDArray[Any], weight: Floats) -> npt.ArrayLike:
        """Return the target as numbers, one row for each row of y; raise here if the target is invalid.

        >>> UserMethod().init(np.array([1, 2]), np.ones(2))
        array([1, 2])
        """
        return y

    def evaluate(self, y: Floats, weight: Floats) -> tuple[float | npt.ArrayLike, float]:
        """Return the prediction of a node of these rows, one or several numbers, and its risk, at least 0.

        >>> UserMethod().evaluate(np.array([1.0, 2.0]), np.ones(2))
        Traceback (most recent call last):
        NotImplementedError: UserMethod must have evaluate(y, weight), which returns an answer and its risk.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must have evaluate(y, weight), which returns an answer and its risk."
        )

    def split(self, y: Floats, weight: Floats, x: Floats) -> npt.ArrayLike:
        """Return the score of each split: after the first row, after the second, up to the last but one.

        The rows are sorted by `x`, which holds the column's values, or for a nominal column the positions of
        the levels in the order of `rank_levels`. Scores between rows of equal x are ignored. A split whose
        score is not positive is not made; −inf forbids a split.

        By default the score is the decrease in risk, which takes two calls of `evaluate` for each split.

        >>> class Spread(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return y.mean(), y.max() - y.min()
        >>> Spread().split(np.array([1.0, 2.0, 8.0]), np.ones(3), np.array([1.0, 2.0, 3.0]))
        array([1., 6.])
        """
        goodness = np.full(len(y) - 1, -np.inf)
        whole = self.evaluate(y, weight)[1]
        for cut in np.flatnonzero(x[1:] != x[:-1]) + 1:
            below = self.evaluate(y[:cut], weight[:cut])[1]
            goodness[cut - 1] = whole - below - self.evaluate(y[cut:], weight[cut:])[1]
        return goodness

    def rank_levels(self, y: Floats, weight: Floats, level: npt.NDArray[np.intp]) -> npt.ArrayLike:
        """Return a number for each level; a nominal column is split along the order of these numbers.

        `level` is the level of each row, numbered from 0; every level has at least one row. By default the
        number is the prediction of a node of the level's rows, the first one of several.

        >>> class Mean(UserMethod):
        ...     def evaluate(self, y, weight):
        ...         return y.mean(), y.var()
        >>> Mean().rank_levels(np.array([5.0, 1.0, 3.0]), np.ones(3), np.array([0, 1, 1]))
        array([5., 2.])
        """
        ranks = np.empty(int(level.max()) + 1)
        for each in range(len(ranks)):
            inside = level == each
            ranks[each] = np.ravel(self.evaluate(y[inside], weight[inside])[0])[0]
        return ranks

    def error(self, y: Floats, answer: Floats) -> npt.ArrayLike:
        """Return the error of the prediction for each row; cross-validation and `score` need it.

        `answer` has one row for each row of y, with several numbers if nodes predict several.

        >>> UserMethod().error(np.array([1.0]), np.array([2.0]))
        Traceback (most recent call last):
        bough.errors.ParameterError: UserMethod has no error(y, answer), which returns the error of each row.
        Write it, or choose prune='none', which does not need it.
        """
        raise ParameterError(
            f"{type(self).__name__} has no error(y, answer), which returns the error of each row. "
            "Write it, or choose prune='none', which does not need it."
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )


@dataclass(frozen=True)
class CheckedMethod:
    """A wrapper of a user's method that checks what its parts return."""

    method: UserMethod

    def __post_init__(self) -> None:
        if not isinstance(self.method, UserMethod):
            hint = ": call the class" if isinstance(self.method, type) else ""
            raise ParameterError.of("method", self.method, f"an instance of bough.UserMethod{hint}")

    @property
    def name(self) -> str:
        """The name of the method's class."""
        return type(self.method).__name__

    @property
    def has_error(self) -> bool:
        """Whether the method defines `error`."""
        return type(self.method).error is not UserMethod.error

    def init(self, y: npt.NDArray[Any], weight: Floats) -> Floats:
        """Return the target as finite numbers, one or several for each row."""
        made = np.asarray(self.method.init(y.copy(), weight.copy()))
        if made.dtype.kind == "O" and all(isinstance(value, Real) for value in made.flat):
            made = made.astype(np.float64)
        if made.dtype.kind not in "fiub":
            raise TargetError(
                f"{self.name}.init returned {_kind(made)}; it must return numbers. Turn y into numbers there."
            )
        if made.ndim not in (1, 2) or len(made) != len(y):
            raise TargetError(
                f"{self.name}.init returned an array of shape {made.shape} for {len(y)} rows; "
                "it must return a number, or a row of numbers, for each row."
            )
        finite = np.isfinite(made).reshape(len(made), -1).all(axis=1)
        if not finite.all():
            raise TargetError(f"y is not a finite number in row {int(np.argmin(finite))}; leave the row out.")
        return np.ascontiguousarray(made, dtype=np.float64)

    def evaluate(self, y: Floats, weight: Floats, root_risk: float = 0.0) -> tuple[NodeAnswer, float]:
        """Return the prediction, a number or an array of numbers, and the risk."""
        returned = self.method.evaluate(y, weight)
        if not (isinstance(returned, tuple | list) and len(returned) == 2):
            raise ParameterError(
                f"{self.name}.evaluate returned {returned!r}; it must return an answer and a risk."
            )
        answer, risk = np.asarray(returned[0]), _number(returned[1])
        start = f"{self.name}.evaluate returned the"
        if answer.dtype.kind not in "fiub" or answer.ndim > 1 or answer.size == 0:
            raise ParameterError(f"{start} answer {_plain(returned[0])!r}; it must be one number or several.")
        if not np.isfinite(answer).all():
            raise ParameterError(f"{start} answer {_plain(returned[0])!r}; it must be finite.")
        if risk is None or not -_ROUNDING * root_risk <= risk < np.inf:
            raise ParameterError(
                f"{start} risk {_plain(returned[1])!r}; it must be a finite number of at least 0."
            )
        numbers = answer.astype(np.float64)
        return (float(numbers) if numbers.ndim == 0 else numbers), max(risk, 0.0)

    def split(self, y: Floats, weight: Floats, x: Floats) -> Floats:
        """Return the score of each split."""
        return self._checked("split", self.method.split(y, weight, x), len(y) - 1, "cut", "a number", -np.inf)

    def rank_levels(self, y: Floats, weight: Floats, level: npt.NDArray[np.intp]) -> Floats:
        """Return a number for each level."""
        ranks, n_levels = self.method.rank_levels(y, weight, level), int(level.max()) + 1
        return self._checked("rank_levels", ranks, n_levels, "level", "a number")

    def error(self, y: Floats, answer: Floats) -> Floats:
        """Return the error of each row."""
        errors = self._checked("error", self.method.error(y, answer), len(y), "row", "a number", np.inf)
        if (errors < 0).any():
            raise ParameterError(
                f"{self.name}.error returned {errors.min().item()!r}; it must be at least 0."
            )
        return errors

    def _checked(
        self, part: str, returned: Any, n: int, noun: str, wanted: str, infinity: float | None = None
    ) -> Floats:
        """Return n numbers; raise for NaN and for any infinity other than `infinity`, which is allowed."""
        numbers = np.asarray(returned)
        if numbers.shape != (n,) or numbers.dtype.kind not in "fiub":
            raise ParameterError(
                f"{self.name}.{part} returned {_kind(numbers)} of shape {numbers.shape}; it must return "
                f"{wanted} for each {noun}, an array of shape ({n},)."
            )
        wrong = ~np.isfinite(numbers)
        if infinity is not None:
            wrong &= numbers != infinity
        if wrong.any():
            position = int(np.argmax(wrong))
            also = "" if infinity is None else f" or {infinity}"
            raise ParameterError(
                f"{self.name}.{part} returned {numbers[position]} for {noun} {position}; "
                f"it must be a finite number{also}."
            )
        return numbers.astype(np.float64)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _number(value: Any) -> float | None:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return float(value) if is_number else None


def _kind(array: npt.NDArray[Any]) -> str:
    return "numbers" if array.dtype.kind in "fiub" else f"values of type {array.dtype}"
