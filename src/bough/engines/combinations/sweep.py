"""Sweeps: vary one number, a threshold or a coefficient, over all its values and find the exact optimum.

They work on the rows of one node without missing values, in standardized columns, so that the units of the
columns do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.formula import Linear
from bough.growing.column_split import midpoint
from bough.growing.search import ChildLimits
from bough.types import Floats

Evaluate: TypeAlias = Callable[[Floats, Floats], Floats]
"""A function that returns the value of each split from the statistics and cases of its children; −inf if the
split is forbidden."""


_GAMMAS = (0.0, -0.25, 0.25)
_LEAST_RELATIVE_GAIN = 1e-4
# Weights that differ by less are treated as equal, and the first of them as the greatest.
_AS_GREAT = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of a node, prepared for the search.

    `x` holds the standardized columns, and `scale` the length of one standardized unit in the units of the
    table. `statistics` and `cases` are the terms that each row adds to its child; `node_weight` includes the
    rows with missing values. `criterion` is the name of a criterion, or a function for a user-written one.
    """

    x: Floats
    columns: tuple[int, ...]
    scale: Floats
    statistics: Floats
    cases: Floats
    node_weight: float
    criterion: str | Evaluate
    enough: ChildLimits = field(default_factory=ChildLimits)

    @classmethod
    def of_classes(
        cls, values: npt.ArrayLike, codes: Sequence[int], criterion: str | Evaluate = "gini"
    ) -> NodeRows:
        """Return the prepared rows for a table of values and class codes, with one case for each row.

        >>> NodeRows.of_classes([[1.0, 5.0], [2.0, 9.0], [3.0, 7.0]], [0, 1, 1]).x[:, 0]
        array([-0.5,  0. ,  0.5])
        """
        x, scale = standardized(np.asarray(values, dtype=np.float64), np.ones(len(codes)))
        counts = np.eye(max(codes) + 1)[[*codes]]
        columns = tuple(range(x.shape[1]))
        return cls(np.asfortranarray(x), columns, scale, counts, np.ones(len(x)), float(len(x)), criterion)

    def native_arguments(self, criterion: str) -> tuple[str, Floats, Floats, float, float, float]:
        """Return the first arguments of the native sweeps.

        >>> NodeRows.of_classes([[1.0], [2.0]], [0, 1]).native_arguments("gini")[3:]
        (2.0, 1.0, 0.0)
        """
        enough = self.enough
        return criterion, self.statistics, self.cases, self.node_weight, enough.cases, enough.weight

    def part(self, positions: Sequence[int]) -> NodeRows:
        """Return the same rows with a selection of the columns.

        >>> NodeRows.of_classes([[1.0, 5.0, 3.0], [2.0, 9.0, 4.0]], [0, 1]).part([2, 0]).columns
        (2, 0)
        """
        chosen = [*positions]
        columns = tuple([self.columns[position] for position in chosen])
        # Sweeps read whole columns, so columns are contiguous.
        x = np.asfortranarray(self.x[:, chosen])
        return replace(self, x=x, columns=columns, scale=self.scale[chosen])

    def formula(self, positions: Sequence[int], weights: Floats) -> Linear | None:
        """Return a combination in the units of the table; the column of greatest weight has coefficient 1.

        The result is None if a coefficient is out of range.

        >>> node_rows = NodeRows.of_classes([[1.0, 4.0], [2.0, 4.5], [3.0, 5.0]], [0, 1, 1])
        >>> node_rows.formula((0, 1), np.array([-1.0, -0.25]))
        Linear(columns=(0, 1), coefficients=(1.0, 0.5))
        """
        size, scale = np.abs(weights), self.scale[[*positions]]
        leading = int((size >= _AS_GREAT * size.max()).argmax())
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            coefficients = (weights / weights[leading]) * (scale[leading] / scale)
        if not (np.isfinite(coefficients).all() and coefficients.all()):
            return None
        return Linear(tuple([self.columns[position] for position in positions]), tuple(coefficients.tolist()))


def standardized(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the columns minus their medians, divided by their interquartile ranges, and these ranges.

    If the interquartile range is 0, the full range is used instead. A constant column, or one whose range
    overflows, has scale 0 and must not be used. A row of weight 2 counts as two rows.

    >>> x, scale = standardized(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]), np.ones(3))
    >>> x[:, 0], scale
    (array([-0.5,  0. ,  0.5]), array([2., 0.]))
    """
    order = np.argsort(values, axis=0, kind="stable")
    ordered, reached = np.take_along_axis(values, order, axis=0), np.cumsum(weight[order], axis=0)
    low, middle, high = ((reached >= share * reached[-1]).argmax(axis=0) for share in (0.25, 0.5, 0.75))
    position = np.arange(values.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        scale = ordered[high, position] - ordered[low, position]
        scale = np.where(scale > 0, scale, ordered[-1] - ordered[0])
        scale = np.where(np.isfinite(scale), scale, 0.0)
        x = (values - ordered[middle, position]) / np.where(scale > 0, scale, 1.0)
    scale = np.where(np.isfinite(x).all(axis=0), scale, 0.0)
    return x, scale


@dataclass(frozen=True)
class Cut:
    """The best threshold of a combination, and its value, which is −inf if there is no threshold."""

    value: float
    cut: float = np.nan


def best_cut(node_rows: NodeRows, v: Floats) -> Cut:
    """Return the best threshold on the values v of the rows; the lowest one wins a tie.

    >>> best_cut(NodeRows.of_classes([[1.0], [2.0], [5.0]], [0, 0, 1]), np.array([1.0, 2.0, 5.0])).cut
    3.5
    """
    if isinstance(node_rows.criterion, str):
        value, below, above = _core.best_cut(*node_rows.native_arguments(node_rows.criterion), v)
    else:
        none = np.zeros(len(v), dtype=np.bool_)
        value, below, above = _swept(node_rows, node_rows.criterion, v, np.ones(len(v)), none)
    return Cut(value, midpoint(below, above)) if value > -np.inf else Cut(-np.inf)


@dataclass(frozen=True)
class Step:
    """A change of one coefficient by −`delta` and of the threshold by `delta` · gamma, and the new value."""

    value: float
    delta: float = 0.0


def best_step(node_rows: NodeRows, v: Floats, cut: float, x: Floats, gamma: float) -> Step:
    """Return the delta for which v − delta · (x + gamma) < cut is the best split.

    A row is below the threshold for all delta on one side of (v − cut) / (x + gamma). Sorted by this number,
    the rows change sides one after the other (Breiman et al. 1984, section 5.2.2).

    >>> node_rows = NodeRows.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> best_step(node_rows, node_rows.x[:, 0], 0.0, node_rows.x[:, 1], 0.0)
    Step(value=0.5, delta=1.25)
    """
    if isinstance(node_rows.criterion, str):
        value, below, above = _core.best_step(
            *node_rows.native_arguments(node_rows.criterion), v, cut, x, gamma
        )
    else:
        slope = x + gamma
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            turn = np.where(slope != 0, (v - cut) / slope, np.nan)
        at_first = np.where(np.isnan(turn), v < cut, slope < 0)
        value, below, above = _swept(
            node_rows, node_rows.criterion, turn, np.where(slope > 0, 1.0, -1.0), at_first
        )
    return Step(value, midpoint(below, above)) if value > -np.inf else Step(-np.inf)


def _swept(
    node_rows: NodeRows, evaluate: Evaluate, turn: Floats, sign: Floats, at_first: npt.NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Move rows to the low side (or from it) in the order of `turn`; return the best value and its bounds."""
    order = np.argsort(turn, kind="stable")[: np.count_nonzero(~np.isnan(turn))]
    ordered, crossing = turn[order], sign[order]
    last = np.flatnonzero(ordered[:-1] < ordered[1:])
    if len(last) == 0:
        return -np.inf, 0.0, 0.0
    amounts = np.column_stack([node_rows.statistics, node_rows.cases])
    left = amounts[at_first].sum(axis=0) + np.cumsum(crossing[:, np.newaxis] * amounts[order], axis=0)[last]
    children = np.stack([left, amounts.sum(axis=0) - left], axis=1)
    values = evaluate(children[..., :-1], children[..., -1])
    best = int(values.argmax())
    return float(values[best]), float(ordered[last[best]]), float(ordered[last[best] + 1])


def combined(x: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of the columns, added one by one so that every machine rounds alike.

    >>> combined(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]))
    array([-1., -1.])
    """
    total = np.zeros(len(x))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for position, weight in enumerate(weights.tolist()):
            total += weight * x[:, position]
    return total


def refined(node_rows: NodeRows, weights: Floats, start: Cut, cycles: int = 50) -> tuple[Floats, Cut]:
    """Improve the weights of a combination one by one until a cycle over all columns gains almost nothing.

    For each column the best step is searched with offsets gamma of 0, −0.25 and 0.25; after each cycle the
    threshold is optimized again (Breiman et al. 1984, section 5.2.2). The result is close to a local optimum.

    >>> node_rows = NodeRows.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> refined(node_rows, np.array([1.0, 0.0]), best_cut(node_rows, node_rows.x[:, 0]))[1].value
    0.5
    """
    best, found = weights, start
    for _ in range(cycles):
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            weights, reached = _cycle(node_rows, best, found)
        if not reached.value > found.value:
            break
        gained, best, found = reached.value - found.value, weights, reached
        if gained <= _LEAST_RELATIVE_GAIN * abs(found.value):
            break
    return best, found


def _cycle(node_rows: NodeRows, weights: Floats, start: Cut) -> tuple[Floats, Cut]:
    weights, best = weights.copy(), start
    v = combined(node_rows.x, weights)
    if not np.isfinite(v).all():
        return weights, start
    for position in range(len(weights)):
        x = node_rows.x[:, position]
        steps = [(best_step(node_rows, v, best.cut, x, gamma), gamma) for gamma in _GAMMAS]
        step, gamma = max(steps, key=lambda each: each[0].value)
        if step.value > best.value and np.isfinite(step.delta):
            changed, cut = weights.copy(), best.cut + step.delta * gamma
            changed[position] -= step.delta
            moved = combined(node_rows.x, changed)
            if np.isfinite(cut) and np.isfinite(moved).all():  # no step to numbers that overflow
                weights, v, best = changed, moved, Cut(step.value, cut)
    largest = np.abs(weights).max()
    if largest > 0:
        # Only the direction of the weights matters; normalizing them prevents overflow.
        weights = weights / largest
    return weights, best_cut(node_rows, combined(node_rows.x, weights))
