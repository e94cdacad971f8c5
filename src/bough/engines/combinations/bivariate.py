"""Lines in the plane of two columns: the best of all of them in a small node, a good one in a large one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import TypeAlias

import numpy as np

from bough import _core
from bough.engines.combinations.sweep import Cut, Ground, best_cut, combined, refined
from bough.jobs import n_threads
from bough.types import Floats

Pair: TypeAlias = tuple[int, int]
Line: TypeAlias = tuple[Floats, Cut]

# Up to so many cases every line is tried: their number grows with the square of the cases.
_MOST_EXACT = 256
_DIRECTIONS = 8
_REFINED_STARTS = 3
_REFINED_PAIRS = 8


def best_pair(ground: Ground, n_jobs: int | None = None) -> tuple[Pair, Floats, Cut] | None:
    """Return the places of the two columns whose best line is best, its weights and its cut.

    In a large node the pairs are ranked by the best of a few directions, and only the first are refined.

    >>> values = [[1.0, 5.0, 2.0], [2.0, 6.0, 1.0], [3.0, 6.0, 4.0], [4.0, 5.0, 3.0]]
    >>> best_pair(Ground.of_classes(values, [0, 1, 0, 1]))[0]
    (0, 2)
    """
    pairs = [*combinations(range(len(ground.columns)), 2)]
    if not _is_small(ground) and len(pairs) > _REFINED_PAIRS:
        ranked = sorted(pairs, key=lambda pair: -_starts(ground.part(pair))[0][1].value)
        pairs = sorted(ranked[:_REFINED_PAIRS])
    lines = best_lines(ground, pairs, n_jobs)
    found = [(pair, *line) for pair, line in zip(pairs, lines, strict=True) if line is not None]
    return max(found, key=lambda each: each[2].value, default=None)


def best_lines(ground: Ground, pairs: Sequence[Pair], n_jobs: int | None = None) -> list[Line | None]:
    """Return the best line of each pair of columns; the native sweeps run on several threads at once.

    >>> ground = Ground.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> [cut.value for _, cut in best_lines(ground, [(0, 1), (1, 0)])]
    [0.5, 0.5]
    """
    workers = min(n_threads(n_jobs), len(pairs))
    if workers < 2 or not isinstance(ground.criterion, str):
        return [best_line(ground.part(pair)) for pair in pairs]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda pair: best_line(ground.part(pair)), pairs))


def best_line(ground: Ground) -> Line | None:
    """Return the weights of two columns and the cut whose split is best, None where there is none.

    Up to 256 cases it is the best line of all. Beyond, and where the criterion is a function the user wrote,
    eight directions are tried and the best three improved column by column.

    >>> ground = Ground.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> best_line(ground)[1].value
    0.5
    """
    if isinstance(ground.criterion, str) and _is_small(ground):
        lines = [_exact(ground, ground.criterion)]
    else:
        lines = _searched(ground)
    weights, best = max(lines, key=lambda line: line[1].value)
    return (weights, best) if best.value > -np.inf and weights.all() else None


def _is_small(ground: Ground) -> bool:
    return bool(ground.cases.sum() <= _MOST_EXACT)


def _searched(ground: Ground) -> list[Line]:
    return [refined(ground, weights, cut) for weights, cut in _starts(ground)[:_REFINED_STARTS]]


def _starts(ground: Ground) -> list[Line]:
    """Return a few directions, the best first, with the best cut of each."""
    angles = np.arange(_DIRECTIONS) * np.pi / _DIRECTIONS
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles.tolist()]
    lines = [(weights, best_cut(ground, combined(ground.x, weights))) for weights in directions]
    return sorted(lines, key=lambda line: -line[1].value)


def _exact(ground: Ground, criterion: str) -> Line:
    """Return the best of all lines: each can be moved until it passes through a row, and turned about it."""
    x, y = (np.ascontiguousarray(ground.x[:, place]) for place in range(2))
    _, below, above = _core.best_angle(*ground.told(criterion), x, y)
    angle = below / 2 + above / 2
    weights = np.array([-np.sin(angle), np.cos(angle)])
    return weights, best_cut(ground, combined(ground.x, weights))
