"""A method of the user's own: how nodes answer, what that costs, and how good a cut is; after R's rpart.

bough calls it through `Checked`, which refuses what it must not return and says which part returned it.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.errors import ParameterError, TargetError
from bough.types import Floats

Answer: TypeAlias = float | Floats

# A risk that is less than 0 by no more than this share of the root's is 0 but for rounding.
_ROUNDING = 1e-9


class UserMethod:
    """What a tree is grown by, written by its user: only `evaluate` must be written.

    A method gets the target `y` and the weights of some rows as arrays; `y` is what `init` made of the target
    given to fit, one number a row or, in an array of two axes, several.

    | part          | says                                                | unless written                  |
    |---------------|-----------------------------------------------------|---------------------------------|
    | `init`        | what numbers the target is read as                  | as it is                        |
    | `evaluate`    | what a node answers, and its risk                   | must be written                 |
    | `split`       | how good each cut of the sorted rows is             | the fall in risk, cut by cut    |
    | `rank_levels` | in which order a nominal column's levels are cut    | by what each of them answers    |
    | `error`       | what an answer costs on rows it has not seen        | there is no cross-validation    |

    User-written methods of rpart have the same `init`, their `eval` is `evaluate`, and their `split` is
    `split` and, for nominal columns, `rank_levels`. Which child is the left one is not asked: it is
    that of the lower values.

    Leaves that answer with the 90th percentile:

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
        """Return the target as numbers, a row for each row of y; here is the place to refuse what is wrong.

        >>> UserMethod().init(np.array([1, 2]), np.ones(2))
        array([1, 2])
        """
        return y

    def evaluate(self, y: Floats, weight: Floats) -> tuple[float | npt.ArrayLike, float]:
        """Return what a node of these rows answers, a number or several, and its risk, at least 0.

        >>> UserMethod().evaluate(np.array([1.0, 2.0]), np.ones(2))
        Traceback (most recent call last):
        NotImplementedError: UserMethod must have evaluate(y, weight), which returns an answer and its risk.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must have evaluate(y, weight), which returns an answer and its risk."
        )

    def split(self, y: Floats, weight: Floats, x: Floats) -> npt.ArrayLike:
        """Return how good each cut is, after the first row, after the second, and so on to the last but one.

        The rows are sorted by `x`: the column's values, or for a nominal column the places of its levels in
        the order of `rank_levels`. Cuts between equal x are not looked at. A cut that is not better than 0 is
        not made; −inf forbids one.

        Unless written, a cut is as good as it brings down the risk: each side of each cut is evaluated.

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
        """Return a number for each level: a nominal column is cut along their order.

        `level` says the level of each row, from 0 on; each has a row. Unless written, it is what a node of
        the level's rows would answer, of several numbers the first.

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
        """Return what each row loses by its answer; cross-validation and `score` need it.

        `answer` has a row for each of y; of a method whose nodes answer with several numbers, these.

        >>> UserMethod().error(np.array([1.0]), np.array([2.0]))
        Traceback (most recent call last):
        bough.errors.ParameterError: UserMethod has no error(y, answer), which says what each row loses by its
        answer. Write it, or choose prune='none', which needs none.
        """
        raise ParameterError(
            f"{type(self).__name__} has no error(y, answer), which says what each row loses by its answer. "
            "Write it, or choose prune='none', which needs none."
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )


@dataclass(frozen=True)
class Checked:
    """A user's method, called with what it returns checked."""

    method: UserMethod

    def __post_init__(self) -> None:
        if not isinstance(self.method, UserMethod):
            hint = ": call the class" if isinstance(self.method, type) else ""
            raise ParameterError.of("method", self.method, f"an object of a class of bough.UserMethod{hint}")

    @property
    def name(self) -> str:
        """The name of its class."""
        return type(self.method).__name__

    @property
    def has_error(self) -> bool:
        """Whether its user wrote what an answer loses."""
        return type(self.method).error is not UserMethod.error

    def init(self, y: npt.NDArray[Any], weight: Floats) -> Floats:
        """Return the target as finite numbers, one or several a row."""
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

    def evaluate(self, y: Floats, weight: Floats, root_risk: float = 0.0) -> tuple[Answer, float]:
        """Return the answer, a number or an array of numbers, and the risk."""
        returned = self.method.evaluate(y, weight)
        if not (isinstance(returned, tuple | list) and len(returned) == 2):
            raise ParameterError(
                f"{self.name}.evaluate returned {returned!r}; it must return an answer and a risk."
            )
        answer, risk = np.asarray(returned[0]), _number(returned[1])
        said = f"{self.name}.evaluate returned the"
        if answer.dtype.kind not in "fiub" or answer.ndim > 1 or answer.size == 0:
            raise ParameterError(f"{said} answer {_plain(returned[0])!r}; it must be one number or several.")
        if not np.isfinite(answer).all():
            raise ParameterError(f"{said} answer {_plain(returned[0])!r}; it must be finite.")
        if risk is None or not -_ROUNDING * root_risk <= risk < np.inf:
            raise ParameterError(
                f"{said} risk {_plain(returned[1])!r}; it must be a finite number of at least 0."
            )
        numbers = answer.astype(np.float64)
        return (float(numbers) if numbers.ndim == 0 else numbers), max(risk, 0.0)

    def split(self, y: Floats, weight: Floats, x: Floats) -> Floats:
        """Return how good each cut is."""
        return self._checked("split", self.method.split(y, weight, x), len(y) - 1, "cut", "a number", -np.inf)

    def rank_levels(self, y: Floats, weight: Floats, level: npt.NDArray[np.intp]) -> Floats:
        """Return a number for each level."""
        ranks, n_levels = self.method.rank_levels(y, weight, level), int(level.max()) + 1
        return self._checked("rank_levels", ranks, n_levels, "level", "a number")

    def error(self, y: Floats, answer: Floats) -> Floats:
        """Return what each row loses."""
        lost = self._checked("error", self.method.error(y, answer), len(y), "row", "a number", np.inf)
        if (lost < 0).any():
            raise ParameterError(f"{self.name}.error returned {lost.min().item()!r}; it must be at least 0.")
        return lost

    def _checked(
        self, part: str, returned: Any, n: int, noun: str, wanted: str, infinity: float | None = None
    ) -> Floats:
        """Refuse all but n numbers, none of them NaN or an infinity other than that which has a meaning."""
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
            place = int(np.argmax(wrong))
            also = "" if infinity is None else f" or {infinity}"
            raise ParameterError(
                f"{self.name}.{part} returned {numbers[place]} for {noun} {place}; "
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
