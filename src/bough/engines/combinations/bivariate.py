"""Splits along lines in two columns: the optimum in a small node, a local optimum in a large one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

import bough._core as _core
from bough.engines.combinations.sweep import Cut, NodeRows, best_cut, combined, refined
from bough.jobs import mapped, n_threads
from bough.types import Floats

Pair: TypeAlias = tuple[int, int]
Line: TypeAlias = tuple[Floats, Cut]

# Up to this many cases every line is tried; the number of lines grows with the square of the cases.
_MOST_EXACT = 256
_DIRECTIONS = 8
_REFINED_STARTS = 3
_REFINED_PAIRS = 8


def best_pair(node_rows: NodeRows, n_jobs: int | None = None) -> tuple[Pair, Floats, Cut] | None:
    """Return the positions of the two columns with the best line, its weights and its threshold.

    In a large node the pairs are ranked by the best of a few directions, and only the first ones are refined.

    >>> values = [[1.0, 5.0, 2.0], [2.0, 6.0, 1.0], [3.0, 6.0, 4.0], [4.0, 5.0, 3.0]]
    >>> best_pair(NodeRows.of_classes(values, [0, 1, 0, 1]))[0]
    (0, 2)
    """
    pairs = [*combinations(range(len(node_rows.columns)), 2)]
    if not _is_small(node_rows) and len(pairs) > _REFINED_PAIRS:
        ranked = sorted(pairs, key=lambda pair: -_starts(node_rows.part(pair))[0][1].value)
        pairs = sorted(ranked[:_REFINED_PAIRS])
    lines = best_lines(node_rows, pairs, n_jobs)
    found = [(pair, *line) for pair, line in zip(pairs, lines, strict=True) if line is not None]
    return max(found, key=lambda each: each[2].value, default=None)


def best_lines(node_rows: NodeRows, pairs: Sequence[Pair], n_jobs: int | None = None) -> list[Line | None]:
    """Return the best line of each pair of columns; native sweeps run on several threads.

    >>> node_rows = NodeRows.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> [cut.value for _, cut in best_lines(node_rows, [(0, 1), (1, 0)])]
    [0.5, 0.5]
    """
    n_workers = n_threads(n_jobs) if isinstance(node_rows.criterion, str) else 1
    return mapped(lambda pair: best_line(node_rows.part(pair)), pairs, n_workers)


def best_line(node_rows: NodeRows) -> Line | None:
    """Return the weights of two columns and the threshold of the best split, or None.

    Up to 256 cases the result is the optimum. Above, and for user-written criteria, eight directions are
    tried and the best three are improved one column at a time.

    >>> node_rows = NodeRows.of_classes([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]], [0, 1, 0, 1])
    >>> best_line(node_rows)[1].value
    0.5
    """
    if isinstance(node_rows.criterion, str) and _is_small(node_rows):
        lines = [_exact(node_rows, node_rows.criterion)]
    else:
        lines = _searched(node_rows)
    weights, best = max(lines, key=lambda line: line[1].value)
    return (weights, best) if best.value > -np.inf and weights.all() else None


def _is_small(node_rows: NodeRows) -> bool:
    return bool(node_rows.cases.sum() <= _MOST_EXACT)


def _searched(node_rows: NodeRows) -> list[Line]:
    return [refined(node_rows, weights, cut) for weights, cut in _starts(node_rows)[:_REFINED_STARTS]]


def _starts(node_rows: NodeRows) -> list[Line]:
    """Return a few directions with the best threshold of each, best first."""
    angles = np.arange(_DIRECTIONS) * np.pi / _DIRECTIONS
    directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles.tolist()]
    lines = [(weights, best_cut(node_rows, combined(node_rows.x, weights))) for weights in directions]
    return sorted(lines, key=lambda line: -line[1].value)


def _exact(node_rows: NodeRows, criterion: str) -> Line:
    """Return the best of all lines; it is enough to try lines through a row, rotated about that row."""
    x, y = (np.ascontiguousarray(node_rows.x[:, position]) for position in range(2))
    _, below, above = _core.best_angle(*node_rows.native_arguments(criterion), x, y)
    angle = below / 2 + above / 2
    weights = np.array([-np.sin(angle), np.cos(angle)])
    return weights, best_cut(node_rows, combined(node_rows.x, weights))
