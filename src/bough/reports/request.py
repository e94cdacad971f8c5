"""The arguments of a report, with their checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bough.errors import ParameterError
from bough.growing.limits import check_number
from bough.types import is_whole

_MANY_ROWS = 50_000


@dataclass(frozen=True)
class Request:
    """The arguments of `report`."""

    model: Any
    X: Any = None
    y: Any = None
    sample_weight: Any = None
    test: tuple[Any, Any] | None = None
    title: str | None = None
    n_draws: int | None = None
    cv: int | None = None
    optimality: float | None = None

    def rounds(self, n_rows: int) -> tuple[int, int]:
        """Return the number of bootstrap samples and of folds; by default fewer if there are many rows.

        >>> Request(None).rounds(1000), Request(None, n_draws=0).rounds(100_000)
        ((20, 10), (0, 5))
        """
        many = n_rows > _MANY_ROWS
        draws = (5 if many else 20) if self.n_draws is None else self.n_draws
        return draws, (5 if many else 10) if self.cv is None else self.cv

    def check(self) -> None:
        """Raise an error if `cv` is not a number of folds or `optimality` no time.

        >>> Request(None, cv="ten").check()
        Traceback (most recent call last):
        bough.errors.ParameterError: cv is 'ten'; it must be a whole number, 0 for no folds, or None.
        """
        if self.cv is not None and not (is_whole(self.cv) and self.cv >= 0):
            raise ParameterError.of("cv", self.cv, "a whole number, 0 for no folds, or None")
        if self.optimality is not None:
            check_number("optimality", self.optimality, 0.0, above=True, end=" of seconds, or None")
            if self.X is None:
                raise ParameterError("optimality: the search for the best tree needs the rows: pass X and y.")
