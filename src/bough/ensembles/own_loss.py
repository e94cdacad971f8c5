"""A loss of one's own: a function of y and the scores that returns gradients and hessians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.errors import ParameterError
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class OwnLoss:
    """The function of a user with the target of all rows; what it returns is checked.

    >>> loss = OwnLoss(lambda y, score: (score - y, np.ones(len(y))), np.array([1.0, 2.0]))
    >>> loss.gradients(np.array([0.5, 0.5]))
    (array([-0.5, -1.5]), array([1., 1.]))
    >>> OwnLoss(lambda y, score: (score - y, [1.0]), np.array([1.0, 2.0])).gradients(np.zeros(2))
    Traceback (most recent call last):
    bough.errors.ParameterError: loss <lambda> returned hessians of shape (1,); one number for each of 2 rows
    is wanted.
    """

    function: Callable[..., Any]
    y: npt.NDArray[Any]

    @property
    def name(self) -> str:
        """The name of the function.

        >>> OwnLoss(max, np.zeros(2)).name
        'max'
        """
        return name_of_loss(self.function)

    def gradients(self, score: Floats) -> tuple[Floats, Floats]:
        """Return the gradients and hessians of all rows; raise if they are not finite or hessians negative.

        >>> def absent(y, score):
        ...     return np.log(-np.ones(2)), np.ones(2)
        >>> with np.errstate(invalid="ignore"):
        ...     OwnLoss(absent, np.array([1.0, 2.0])).gradients(np.zeros(2))
        Traceback (most recent call last):
        bough.errors.ParameterError: loss absent returned nan as the gradient of row 0, whose y is 1.0 and
        score 0. All must be finite.
        """
        # A copy, since y belongs to the caller of `fit` and the function may write to its arguments.
        both = self.function(self.y.copy(), score)
        if not isinstance(both, tuple | list) or len(both) != 2:
            raise ParameterError(
                f"loss {self.name} returned {type(both).__name__}; a pair of arrays is wanted: the gradients "
                "and the hessians of all rows."
            )
        gradient, hessian = (
            self._numbers(each, score, which) for each, which in zip(both, _PAIR, strict=True)
        )
        if (hessian < 0).any():
            row = int(np.argmax(hessian < 0))
            raise ParameterError(
                f"loss {self.name} returned {hessian[row]:g} as the hessian of row {row}. None may be "
                "negative: return an upper bound of it where the loss is not convex."
            )
        if gradient.any() and not (score.any() or hessian.any()):
            raise ParameterError(
                f"loss {self.name} returned a hessian of 0 for every row at a score of 0, so that no step "
                "can be computed. Return 1 where the loss has no curvature."
            )
        return gradient, hessian

    def losses(self, score: Floats) -> Floats:
        """Return the loss of each row by the `values` of the function.

        >>> def squared(y, score):
        ...     return score - y, np.ones(len(y))
        >>> squared.values = lambda y, score: (score - y) ** 2 / 2
        >>> OwnLoss(squared, np.array([1.0, 2.0])).losses(np.zeros(2))
        array([0.5, 2. ])
        """
        return self._numbers(self.function.values(self.y.copy(), score), score, "loss")  # type: ignore[attr-defined]

    @property
    def has_values(self) -> bool:
        """Whether the function has a `values` that computes losses, which early stopping needs.

        >>> OwnLoss(max, np.zeros(2)).has_values
        False
        """
        return callable(getattr(self.function, "values", None))

    def _numbers(self, given: Any, score: Floats, what: str) -> Floats:
        no_numbers = f"loss {self.name} returned a {what} that is no array of real numbers."
        if np.iscomplexobj(given):
            raise ParameterError(no_numbers)
        try:
            numbers = np.asarray(given, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise ParameterError(no_numbers) from None
        if numbers.shape != score.shape:
            plural = {"gradient": "gradients", "hessian": "hessians", "loss": "losses"}[what]
            raise ParameterError(
                f"loss {self.name} returned {plural} of shape {numbers.shape}; one number for each of "
                f"{len(score)} rows is wanted."
            )
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ParameterError(
                f"loss {self.name} returned {numbers[row]} as the {what} of row {row}, whose y is "
                f"{self.y[row]} and score {score[row]:g}. All must be finite."
            )
        return numbers


_PAIR = ("gradient", "hessian")


def name_of_loss(function: Callable[..., Any]) -> str:
    """Return the name by which a recipe records a function.

    >>> name_of_loss(max)
    'max'
    """
    return str(getattr(function, "__name__", type(function).__name__))
