"""BrownBoost (Freund 2001): boosting by a clock that runs down, which gives up on rows that stay wrong.

A row has a margin r, and s is the time that remains of the total time c. The row's potential is
1 - erf((r + s) / √c), and its weight is exp(-(r + s)² / c). A member h with a weight α adds α h(x) y to the
margin of each row while a time t passes, such that the sum of the potentials stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bough.types import Floats

_STEPS = 16
"""Steps of α for each √c in which the end of a round is looked for."""
_TOLERANCE = 1e-12
_MOST_STEPS = 100_000


class BrownRound(NamedTuple):
    """A member's weight divided by √c, the time that remains after it, and the mean potential of the rows."""

    weight: float
    remaining_time: float
    potential: float


def total_time(target_error: float) -> float:
    """Return the total time c at which the mean potential at the start is the target error.

    >>> round(total_time(0.1), 4)
    1.3528
    """
    from scipy.special import erfinv

    return float(erfinv(1 - target_error)) ** 2


def brown_rounds(
    fit: Callable[[int, Floats], Floats],
    signs: Floats,
    row_weight: Floats,
    n_rounds: int,
    *,
    target_error: float,
    min_correlation: float,
) -> list[BrownRound]:
    """Return the rounds of BrownBoost; `fit` takes the weights of rows and returns votes of ±1.

    The rounds end when no time remains, or with a member whose correlation is at most `min_correlation`.
    """
    c = total_time(target_error)
    margin, remaining = np.zeros(len(signs)), c
    rounds: list[BrownRound] = []
    while len(rounds) < n_rounds and remaining > 0:
        weight = row_weight * np.exp(-np.square(margin + remaining) / c)
        right = fit(len(rounds), weight) * signs
        if weight @ right <= min_correlation * weight.sum():
            break
        alpha, time = solve(margin + remaining, right, row_weight, c, remaining, min_correlation)
        margin += alpha * right
        remaining = 0.0 if time >= remaining else remaining - time
        rounds.append(BrownRound(alpha / c**0.5, remaining, potential(margin + remaining, row_weight, c)))
    return rounds


def potential(place: Floats, row_weight: Floats, c: float) -> float:
    """Return the mean potential of rows, given margin plus remaining time of each.

    >>> potential(np.array([0.0, 0.0]), np.ones(2), 1.0)
    1.0
    """
    from scipy.special import erf

    return float(row_weight @ (1 - erf(place / c**0.5)) / row_weight.sum())


def solve(
    place: Floats, right: Floats, row_weight: Floats, c: float, most_time: float, min_correlation: float
) -> tuple[float, float]:
    """Return the weight α of a member and the time t that passes: the end of dt/dα = correlation.

    The correlation at (α, t) is the mean of `right` by the weights exp(-(place + α right - t)² / c). The
    solution that starts at t = 0 keeps the mean potential, which gives t for every α. It is followed to the
    first α at which the correlation is `min_correlation` or t is `most_time`.

    >>> alpha, time = solve(np.array([1.0, 1.0]), np.array([1.0, 1.0]), np.ones(2), 1.0, 1.0, 0.001)
    >>> round(alpha, 9), round(time, 9)
    (1.0, 1.0)
    """
    start = potential(place, row_weight, c)

    def weights(alpha: float, time: float) -> Floats:
        return np.asarray(row_weight * np.exp(-np.square(place + alpha * right - time) / c))

    def time_at(alpha: float, low: float) -> float:
        """Return the time at which the potential is that of the start; it is between low and alpha."""
        high = max(alpha, low)
        time = low
        for _ in range(200):
            excess = potential(place + alpha * right - time, row_weight, c) - start
            low, high = (time, high) if excess < 0 else (low, time)
            slope = 2 / np.sqrt(np.pi * c) * weights(alpha, time).sum() / row_weight.sum()
            better = time - excess / slope if slope > 0 else high
            better = better if low <= better <= high else (low + high) / 2
            if abs(better - time) <= _TOLERANCE * c:
                return float(better)
            time = better
        return float(time)

    def is_over(alpha: float, time: float) -> bool:
        own = weights(alpha, time)
        return time >= most_time or bool(own @ right <= min_correlation * own.sum())

    low, low_time, step = 0.0, 0.0, c**0.5 / _STEPS
    for _ in range(_MOST_STEPS):
        high, high_time = low + step, time_at(low + step, low_time)
        if is_over(high, high_time):
            break
        low, low_time = high, high_time
    while high - low > _TOLERANCE * max(1.0, high):
        middle = (low + high) / 2
        time = time_at(middle, low_time)
        if is_over(middle, time):
            high, high_time = middle, time
        else:
            low, low_time = middle, time
    return high, min(high_time, most_time)
