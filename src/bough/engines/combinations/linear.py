"""Linear combinations of columns (Breiman, Friedman, Olshen and Stone 1984, section 5.2.2)."""

from __future__ import annotations

import numpy as np

from bough.engines.combinations.sweep import Cut, NodeRows, best_cut, combined, refined
from bough.types import Floats


def best_combination(node_rows: NodeRows, deletion: float) -> tuple[tuple[int, ...], Floats, Cut] | None:
    """Return the positions of the columns of a good linear combination, their weights and its threshold.

    The search starts with the best split on one column and improves the weights. Then it drops the least
    important columns one by one and improves the weights of the others again. The result is None if only one
    column remains.

    >>> values = [[1.0, 5.0, 2.0], [2.0, 6.0, 1.0], [3.0, 6.0, 4.0], [4.0, 5.0, 3.0]]
    >>> best_combination(NodeRows.of_classes(values, [0, 1, 0, 1]), deletion=0.2)[0]
    (0, 2)
    """
    n_columns = len(node_rows.columns)
    alone = [best_cut(node_rows, node_rows.x[:, position]) for position in range(n_columns)]
    first = max(range(n_columns), key=lambda position: alone[position].value)
    if alone[first].value == -np.inf:
        return None
    weights, best = refined(node_rows, np.eye(n_columns)[first], alone[first])
    positions = tuple(np.flatnonzero(weights).tolist())
    positions, cut = _without_unimportant(node_rows, weights, positions, best, deletion)
    if len(positions) < 2:
        return None
    part = node_rows.part(positions)
    improved, cut = refined(part, weights[[*positions]], cut)
    used = np.flatnonzero(improved).tolist()
    if len(used) < 2:
        return None
    return tuple([positions[position] for position in used]), improved[used], cut


def _without_unimportant(
    node_rows: NodeRows, weights: Floats, positions: tuple[int, ...], best: Cut, deletion: float
) -> tuple[tuple[int, ...], Cut]:
    """Drop the least important column while that loses less than `deletion` times the greatest such loss."""
    while len(positions) > 1:
        cuts = [
            best_cut(node_rows, _sum(node_rows, weights, _without(positions, position)))
            for position in positions
        ]
        least = max(range(len(positions)), key=lambda position: cuts[position].value)
        most = min(cut.value for cut in cuts)
        if not best.value - cuts[least].value < deletion * (best.value - most):
            break
        positions, best = _without(positions, positions[least]), cuts[least]
    return positions, best


def _without(positions: tuple[int, ...], left_out: int) -> tuple[int, ...]:
    return tuple([position for position in positions if position != left_out])


def _sum(node_rows: NodeRows, weights: Floats, positions: tuple[int, ...]) -> Floats:
    return combined(node_rows.x[:, [*positions]], weights[[*positions]])
