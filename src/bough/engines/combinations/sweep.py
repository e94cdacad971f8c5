"""Sweeps move one number, a cut or a coefficient, over all its values and find the best of them exactly.

They work on the rows of one node that know every column: standardized, so that no unit counts for more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bough import _core
from bough.data.formula import Linear
from bough.growing.search import ChildLimits, midpoint
from bough.types import Floats

Judge: TypeAlias = Callable[[Floats, Floats], Floats]
"""The value of each split from the statistics and the cases of its children; −inf where it is forbidden."""


_GAMMAS = (0.0, -0.25, 0.25)
_NEXT_TO_NOTHING = 1e-4
# Of weights that differ by rounding alone the first is the greatest.
_AS_GREAT = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class Ground:
    """The rows of a node, ready to be searched.

    `x` holds the standardized columns, and `scale` is what a step of 1 in each of them is in the units of the
    table. `statistics` and `cases` are what each row adds to its child; `node_weight` counts the rows whose
    values are missing too. `criterion` is one of bough's own or, where the user wrote it, what judges by it.
    """

    x: Floats
    columns: tuple[int, ...]
    scale: Floats
    statistics: Floats
    cases: Floats
    node_weight: float
    criterion: str | Judge
    enough: ChildLimits = field(default_factory=ChildLimits)

    @classmethod
    def of_classes(
        cls, values: npt.ArrayLike, codes: Sequence[int], criterion: str | Judge = "gini"
    ) -> Ground:
        """Return the ground of rows that are one case each, with classes numbered from 0.

        >>> Ground.of_classes([[1.0, 5.0], [2.0, 9.0], [3.0, 7.0]], [0, 1, 1]).x[:, 0]
        array([-0.5,  0. ,  0.5])
        """
        x, scale = standardized(np.asarray(values, dtype=np.float64), np.ones(len(codes)))
        counts = np.eye(max(codes) + 1)[[*codes]]
        columns = tuple(range(x.shape[1]))
        return cls(np.asfortranarray(x), columns, scale, counts, np.ones(len(x)), float(len(x)), criterion)

    def told(self, criterion: str) -> tuple[str, Floats, Floats, float, float, float]:
        """Return what the native sweeps are told of the rows.

        >>> Ground.of_classes([[1.0], [2.0]], [0, 1]).told("gini")[3:]
        (2.0, 1.0, 0.0)
        """
        enough = self.enough
        return criterion, self.statistics, self.cases, self.node_weight, enough.cases, enough.weight

    def part(self, places: Sequence[int]) -> Ground:
        """Return the same rows with some of the columns.

        >>> Ground.of_classes([[1.0, 5.0, 3.0], [2.0, 9.0, 4.0]], [0, 1]).part([2, 0]).columns
        (2, 0)
        """
        chosen = [*places]
        columns = tuple([self.columns[place] for place in chosen])
        # A column is read from end to end: it is kept together.
        x = np.asfortranarray(self.x[:, chosen])
        return replace(self, x=x, columns=columns, scale=self.scale[chosen])

    def formula(self, places: Sequence[int], weights: Floats) -> Linear | None:
        """Return a combination in the units of the table; the column that weighs most has coefficient 1.

        None where a coefficient is out of range.

        >>> ground = Ground.of_classes([[1.0, 4.0], [2.0, 4.5], [3.0, 5.0]], [0, 1, 1])
        >>> ground.formula((0, 1), np.array([-1.0, -0.25]))
        Linear(columns=(0, 1), coefficients=(1.0, 0.5))
        """
        size, scale = np.abs(weights), self.scale[[*places]]
        leading = int((size >= _AS_GREAT * size.max()).argmax())
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            coefficients = (weights / weights[leading]) * (scale[leading] / scale)
        if not (np.isfinite(coefficients).all() and coefficients.all()):
            return None
        return Linear(tuple([self.columns[place] for place in places]), tuple(coefficients.tolist()))


def standardized(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the columns measured from their medians in interquartile ranges, and these ranges.

    A column half of whose values are one takes its whole range; a constant one, or one whose range
    overflows, has scale 0 and is not to be used. A row of weight 2 counts as two rows.

    >>> x, scale = standardized(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]), np.ones(3))
    >>> x[:, 0], scale
    (array([-0.5,  0. ,  0.5]), array([2., 0.]))
    """
    order = np.argsort(values, axis=0, kind="stable")
    ordered, reached = np.take_along_axis(values, order, axis=0), np.cumsum(weight[order], axis=0)
    low, middle, high = ((reached >= share * reached[-1]).argmax(axis=0) for share in (0.25, 0.5, 0.75))
    place = np.arange(values.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        scale = ordered[high, place] - ordered[low, place]
        scale = np.where(scale > 0, scale, ordered[-1] - ordered[0])
        scale = np.where(np.isfinite(scale), scale, 0.0)
        x = (values - ordered[middle, place]) / np.where(scale > 0, scale, 1.0)
    scale = np.where(np.isfinite(x).all(axis=0), scale, 0.0)
    return x, scale


@dataclass(frozen=True)
class Cut:
    """The best cut of a combination, and its value; the value is −inf where there is none."""

    value: float
    cut: float = np.nan


def best_cut(ground: Ground, v: Floats) -> Cut:
    """Return the best cut of the numbers v of the rows, of equals the lowest.

    >>> best_cut(Ground.of_classes([[1.0], [2.0], [5.0]], [0, 0, 1]), np.array([1.0, 2.0, 5.0])).cut
    3.5
    """
    if isinstance(ground.criterion, str):
        value, below, above = _core.best_cut(*ground.told(ground.criterion), v)
    else:
        none = np.zeros(len(v), dtype=np.bool_)
        value, below, above = _swept(ground, ground.criterion, v, np.ones(len(v)), none)
    return Cut(value, midpoint(below, above)) if value > -np.inf else Cut(-np.inf)


@dataclass(frozen=True)
class Step:
    """A change of one coefficient by −`delta` and of the cut by `delta` · gamma; and the value it reaches."""

    value: float
    delta: float = 0.0


def best_step(ground: Ground, v: Floats, cut: float, x: Floats, gamma: float) -> Step:
    """Return the delta for which v − delta · (x + gamma) < cut is the best split.

    A row lies below the cut for all delta on one side of (v − cut) / (x + gamma): the rows are sorted by
    this, and cross over one after the other (Breiman et al. 1984, section 5.2.2).

    >>> ground = Ground.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> best_step(ground, ground.x[:, 0], 0.0, ground.x[:, 1], 0.0)
    Step(value=0.5, delta=1.25)
    """
    if isinstance(ground.criterion, str):
        value, below, above = _core.best_step(*ground.told(ground.criterion), v, cut, x, gamma)
    else:
        slope = x + gamma
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            turn = np.where(slope != 0, (v - cut) / slope, np.nan)
        at_first = np.where(np.isnan(turn), v < cut, slope < 0)
        value, below, above = _swept(ground, ground.criterion, turn, np.where(slope > 0, 1.0, -1.0), at_first)
    return Step(value, midpoint(below, above)) if value > -np.inf else Step(-np.inf)


def _swept(
    ground: Ground, judge: Judge, turn: Floats, sign: Floats, at_first: npt.NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Let the rows cross to the low side (or from it) in the order of their turns; return the best moment."""
    order = np.argsort(turn, kind="stable")[: np.count_nonzero(~np.isnan(turn))]
    ordered, crossing = turn[order], sign[order]
    last = np.flatnonzero(ordered[:-1] < ordered[1:])
    if len(last) == 0:
        return -np.inf, 0.0, 0.0
    amounts = np.column_stack([ground.statistics, ground.cases])
    left = amounts[at_first].sum(axis=0) + np.cumsum(crossing[:, np.newaxis] * amounts[order], axis=0)[last]
    children = np.stack([left, amounts.sum(axis=0) - left], axis=1)
    values = judge(children[..., :-1], children[..., -1])
    best = int(values.argmax())
    return float(values[best]), float(ordered[last[best]]), float(ordered[last[best] + 1])


def combined(x: Floats, weights: Floats) -> Floats:
    """Return the sum of the columns times their weights, one after the other: the same on every machine.

    >>> combined(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]))
    array([-1., -1.])
    """
    total = np.zeros(len(x))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for place, weight in enumerate(weights.tolist()):
            total += weight * x[:, place]
    return total


def refined(ground: Ground, weights: Floats, start: Cut, cycles: int = 50) -> tuple[Floats, Cut]:
    """Improve the weights of a combination one after the other until a cycle over all gains next to nothing.

    For each column the best step is sought with offsets of 0, −0.25 and 0.25; after each cycle the cut is
    put right (Breiman et al. 1984, section 5.2.2). No single change makes the end much better.

    >>> ground = Ground.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> refined(ground, np.array([1.0, 0.0]), best_cut(ground, ground.x[:, 0]))[1].value
    0.5
    """
    best, found = weights, start
    for _ in range(cycles):
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
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
