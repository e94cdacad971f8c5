"""Sweeps move one number, a cut or a coefficient, over all its values and find the best of them exactly.

They work on the rows of one node that know every column: standardized, so that no unit counts for more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bough.formula import Linear
from bough.search import midpoint

Floats: TypeAlias = npt.NDArray[np.float64]
Judge: TypeAlias = Callable[[Floats, Floats], Floats]
"""The value of each split from the statistics and the cases of its two children; −inf where the limits
forbid it."""


_GAMMAS = (0.0, -0.25, 0.25)
_NEXT_TO_NOTHING = 1e-4
# Of weights that differ by rounding alone the first is the greatest.
_AS_GREAT = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class Ground:
    """The rows of a node, ready to be searched.

    `x` holds the standardized columns, a row a row; `statistics` and `cases` are what each row adds to its
    child. `scale` is what a step of 1 in each column of `x` is in the units of the table.
    """

    x: Floats
    columns: tuple[int, ...]
    scale: Floats
    statistics: Floats
    cases: Floats
    judge: Judge

    def part(self, places: Sequence[int]) -> Ground:
        """Return the same rows with some of the columns."""
        chosen = [*places]
        columns = tuple([self.columns[place] for place in chosen])
        return Ground(self.x[:, chosen], columns, self.scale[chosen], self.statistics, self.cases, self.judge)

    def formula(self, places: Sequence[int], weights: Floats) -> Linear | None:
        """Return a combination in the units of the table; the column that weighs most has coefficient 1.

        None where a coefficient is out of range.

        >>> none = np.zeros((0, 2))
        >>> ground = Ground(none, (2, 3), np.array([2.0, 1.0]), none, none[:, 0], max)
        >>> ground.formula((0, 1), np.array([-1.0, -0.25]))
        Linear(columns=(2, 3), coefficients=(1.0, 0.5))
        """
        size, scale = np.abs(weights), self.scale[[*places]]
        leading = int((size >= _AS_GREAT * size.max()).argmax())
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            coefficients = (weights / weights[leading]) * (scale[leading] / scale)
        if not (np.isfinite(coefficients).all() and coefficients.all()):
            return None
        return Linear(tuple([self.columns[place] for place in places]), tuple(coefficients.tolist()))


def standardized(values: Floats) -> tuple[Floats, Floats]:
    """Return the columns measured from their medians in interquartile ranges, and these ranges.

    A column half of whose values are one takes its whole range; a constant one, or one whose range
    overflows, has scale 0 and is not to be used.

    >>> x, scale = standardized(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]))
    >>> x[:, 0], scale
    (array([-1.,  0.,  1.]), array([1., 0.]))
    """
    with np.errstate(over="ignore", invalid="ignore"):
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        scale = high - low
        scale = np.where(scale > 0, scale, np.ptp(values, axis=0))
        scale = np.where(np.isfinite(scale), scale, 0.0)
        x = (values - middle) / np.where(scale > 0, scale, 1.0)
    scale = np.where(np.isfinite(x).all(axis=0), scale, 0.0)
    return x, scale


@dataclass(frozen=True)
class Cut:
    """The best cut of a combination, and its value; the value is −inf where there is none."""

    value: float
    cut: float = np.nan


def best_cut(ground: Ground, v: Floats) -> Cut:
    """Return the best cut of the numbers v of the rows, of equals the lowest.

    >>> from bough import _core
    >>> ground = Ground(np.zeros((3, 1)), (0,), np.ones(1), np.eye(2)[[0, 0, 1]], np.ones(3),
    ...                 lambda children, cases: _core.split_values("gini", children, np.full(2, 3.0)))
    >>> best_cut(ground, np.array([1.0, 2.0, 5.0])).cut
    3.5
    """
    order = np.argsort(v, kind="stable")
    ordered = v[order]
    last = np.flatnonzero(ordered[:-1] < ordered[1:])
    best, value = _best(
        ground, np.cumsum(ground.statistics[order], axis=0)[last], np.cumsum(ground.cases[order])[last]
    )
    if best is None:
        return Cut(-np.inf)
    return Cut(value, midpoint(float(ordered[last[best]]), float(ordered[last[best] + 1])))


@dataclass(frozen=True)
class Step:
    """A change of one coefficient by −`delta` and of the cut by `delta` · gamma; and the value it reaches."""

    value: float
    delta: float = 0.0


def best_step(ground: Ground, v: Floats, cut: float, x: Floats, gamma: float) -> Step:
    """Return the delta for which v − delta · (x + gamma) < cut is the best split.

    A row lies below the cut for all delta on one side of (v − cut) / (x + gamma): the rows are sorted by
    this, and cross over one after the other (Breiman et al. 1984, page 172).
    """
    slope = x + gamma
    moving = slope != 0
    with np.errstate(over="ignore", invalid="ignore"):
        turn = (v[moving] - cut) / slope[moving]
    order = np.argsort(turn, kind="stable")
    turn, rising = turn[order], slope[moving][order] > 0
    statistics, cases = ground.statistics[moving][order], ground.cases[moving][order]
    # Before the first turn all rows of falling slope lie below, with those that do not move and do.
    rest = ~moving & (v < cut)
    below = ground.statistics[rest].sum(axis=0) + statistics[~rising].sum(axis=0)
    below_cases = ground.cases[rest].sum() + cases[~rising].sum()
    sign = np.where(rising, 1.0, -1.0)
    last = np.flatnonzero(turn[:-1] < turn[1:])
    left = below + np.cumsum(sign[:, np.newaxis] * statistics, axis=0)[last]
    best, value = _best(ground, left, below_cases + np.cumsum(sign * cases)[last])
    if best is None:
        return Step(-np.inf)
    return Step(value, midpoint(float(turn[last[best]]), float(turn[last[best] + 1])))


def _best(ground: Ground, left: Floats, left_cases: Floats) -> tuple[int | None, float]:
    if len(left) == 0:
        return None, -np.inf
    children = np.stack([left, ground.statistics.sum(axis=0) - left], axis=1)
    values = ground.judge(children, np.stack([left_cases, ground.cases.sum() - left_cases], axis=1))
    best = int(values.argmax())
    return (best, float(values[best])) if values[best] > -np.inf else (None, -np.inf)


def combined(x: Floats, weights: Floats) -> Floats:
    """Return the sum of the columns times their weights, one after the other: the same on every machine.

    >>> combined(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]))
    array([-1., -1.])
    """
    total = np.zeros(len(x))
    for place, weight in enumerate(weights.tolist()):
        total += weight * x[:, place]
    return total


def refined(ground: Ground, weights: Floats, start: Cut, cycles: int = 50) -> tuple[Floats, Cut]:
    """Improve the weights of a combination one after the other until a cycle over all gains next to nothing.

    For each column the best step is sought with offsets of 0, −0.25 and 0.25; after each cycle the cut is
    put right (Breiman et al. 1984, page 132). It ends in a combination no single change makes much better.
    """
    best, found = weights, start
    for _ in range(cycles):
        weights, reached = _cycle(ground, best, found)
        if not reached.value > found.value:
            break
        gained, best, found = reached.value - found.value, weights, reached
        if gained <= _NEXT_TO_NOTHING * abs(found.value):
            break
    return best, found


def _cycle(ground: Ground, weights: Floats, start: Cut) -> tuple[Floats, Cut]:
    weights, best = weights.copy(), start
    v = combined(ground.x, weights)
    for place in range(len(weights)):
        x = ground.x[:, place]
        steps = [(best_step(ground, v, best.cut, x, gamma), gamma) for gamma in _GAMMAS]
        step, gamma = max(steps, key=lambda each: each[0].value)
        if step.value > best.value and np.isfinite(step.delta):
            weights[place] -= step.delta
            v = combined(ground.x, weights)
            best = Cut(step.value, best.cut + step.delta * gamma)
    largest = np.abs(weights).max()
    if largest > 0:
        # Only the direction counts; without this many cycles could drive the weights out of range.
        weights = weights / largest
    return weights, best_cut(ground, combined(ground.x, weights))
