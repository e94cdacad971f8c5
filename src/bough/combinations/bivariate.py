"""Lines in the plane of two columns: the best of all of them in a small node, a good one in a large one."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bough.combinations.sweep import Cut, Floats, Ground, best_cut, combined, refined

# Up to so many rows every line is tried: their number grows with the square of the rows.
_MOST_EXACT = 256
_DIRECTIONS = 8
_REFINED_STARTS = 3
_REFINED_PAIRS = 8
# Rows on one line are seen under angles that differ by rounding alone.
_SAME_ANGLE = 1e-12


def best_pair(ground: Ground) -> tuple[tuple[int, int], Floats, Cut] | None:
    """Return the places of the two columns whose best line is best, its weights and its cut.

    In a large node the pairs are ranked by the best of a few directions, and only the first are refined.
    """
    pairs = [*combinations(range(len(ground.columns)), 2)]
    if len(ground.x) > _MOST_EXACT and len(pairs) > _REFINED_PAIRS:
        ranked = sorted(pairs, key=lambda pair: -_starts(ground.part(pair))[0][1].value)
        pairs = sorted(ranked[:_REFINED_PAIRS])
    found = [(pair, *line) for pair in pairs if (line := best_line(ground.part(pair))) is not None]
    return max(found, key=lambda each: each[2].value, default=None)


def best_line(ground: Ground) -> tuple[Floats, Cut] | None:
    """Return the weights of two columns and the cut whose split is best, None where there is none.

    Up to 256 rows it is the best line of all. Beyond, eight directions are tried, and the best three
    improved column by column.
    """
    lines = [_exact(ground)] if len(ground.x) <= _MOST_EXACT else _searched(ground)
    weights, best = max(lines, key=lambda line: line[1].value)
    return (weights, best) if best.value > -np.inf and weights.all() else None


def _searched(ground: Ground) -> list[tuple[Floats, Cut]]:
    return [refined(ground, weights, cut) for weights, cut in _starts(ground)[:_REFINED_STARTS]]


def _starts(ground: Ground) -> list[tuple[Floats, Cut]]:
    """Return a few directions, the best first, with the best cut of each."""
    angles = np.arange(_DIRECTIONS) * np.pi / _DIRECTIONS
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles.tolist()]
    lines = [(weights, best_cut(ground, combined(ground.x, weights))) for weights in directions]
    return sorted(lines, key=lambda line: -line[1].value)


def _exact(ground: Ground) -> tuple[Floats, Cut]:
    """Return the best of all lines: each can be moved until it passes through a row, and turned about it.

    A line through a row is turned by half a circle. Each other row crosses it once; the row itself may be
    counted to either side. Of lines of equal value the one is taken that can be turned furthest.
    """
    n = len(ground.x)
    across = ground.x[:, 0] - ground.x[:, 0, np.newaxis]
    up = ground.x[:, 1] - ground.x[:, 1, np.newaxis]
    same, above = (across == 0) & (up == 0), (up > 0) | ((up == 0) & (across < 0))
    # A row level with the pivot is not crossed while the line turns.
    angle = np.where(up != 0, np.mod(np.arctan2(up, across), np.pi), np.pi)
    order = np.argsort(angle, axis=1, kind="stable")
    turn = np.concatenate([np.zeros((n, 1)), np.take_along_axis(angle, order, axis=1)], axis=1)
    room = np.diff(turn, axis=1, append=np.pi)
    pivot, place = np.nonzero(room > _SAME_ANGLE)
    sign = np.take_along_axis(np.where(up > 0, -1.0, np.where(up < 0, 1.0, 0.0)), order, axis=1)
    amounts = np.column_stack([ground.statistics, ground.cases])
    crossed = np.cumsum(sign[:, :, np.newaxis] * amounts[order], axis=1)
    crossed = np.concatenate([np.zeros_like(crossed[:, :1]), crossed], axis=1)
    left = (above.astype(np.float64) @ amounts)[pivot] + crossed[pivot, place]
    left = np.concatenate([left, left + (same.astype(np.float64) @ amounts)[pivot]])
    children = np.stack([left, amounts.sum(axis=0) - left], axis=1)
    values = ground.judge(np.ascontiguousarray(children[..., :-1]), children[..., -1])
    width = np.tile(room[pivot, place], 2)
    best = int(np.where(values == values.max(), width, -1.0).argmax()) % len(pivot)
    middle = turn[pivot[best], place[best]] + room[pivot[best], place[best]] / 2
    weights = np.array([-np.sin(middle), np.cos(middle)])
    return weights, best_cut(ground, combined(ground.x, weights))
