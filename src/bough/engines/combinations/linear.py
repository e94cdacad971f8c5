"""Linear combinations of columns, after Breiman, Friedman, Olshen and Stone 1984, section 5.2.2."""

from __future__ import annotations

import numpy as np

from bough.engines.combinations.sweep import Cut, Ground, best_cut, combined, refined
from bough.types import Floats


def best_combination(ground: Ground, deletion: float) -> tuple[tuple[int, ...], Floats, Cut] | None:
    """Return the places of the columns of a good linear combination, their weights and its cut.

    The search begins with the best cut of one column and improves the weights. Then the columns that matter
    least are left out one by one, and the weights of those that remain are improved again. None if only one
    column remains.

    >>> values = [[1.0, 5.0, 2.0], [2.0, 6.0, 1.0], [3.0, 6.0, 4.0], [4.0, 5.0, 3.0]]
    >>> best_combination(Ground.of_classes(values, [0, 1, 0, 1]), deletion=0.2)[0]
    (0, 2)
    """
    n_columns = len(ground.columns)
    alone = [best_cut(ground, ground.x[:, place]) for place in range(n_columns)]
    first = max(range(n_columns), key=lambda place: alone[place].value)
    if alone[first].value == -np.inf:
        return None
    weights, best = refined(ground, np.eye(n_columns)[first], alone[first])
    places = tuple(np.flatnonzero(weights).tolist())
    places, cut = _without_the_least(ground, weights, places, best, deletion)
    if len(places) < 2:
        return None
    part = ground.part(places)
    improved, cut = refined(part, weights[[*places]], cut)
    used = np.flatnonzero(improved).tolist()
    if len(used) < 2:
        return None
    return tuple([places[place] for place in used]), improved[used], cut


def _without_the_least(
    ground: Ground, weights: Floats, places: tuple[int, ...], best: Cut, deletion: float
) -> tuple[tuple[int, ...], Cut]:
    """Leave out columns while the least important costs less than a share of what the most important does."""
    while len(places) > 1:
        cuts = [best_cut(ground, _sum(ground, weights, _but(places, place))) for place in places]
        least = max(range(len(places)), key=lambda place: cuts[place].value)
        most = min(cut.value for cut in cuts)
        if not best.value - cuts[least].value < deletion * (best.value - most):
            break
        places, best = _but(places, places[least]), cuts[least]
    return places, best


def _but(places: tuple[int, ...], left_out: int) -> tuple[int, ...]:
    return tuple([place for place in places if place != left_out])


def _sum(ground: Ground, weights: Floats, places: tuple[int, ...]) -> Floats:
    return combined(ground.x[:, [*places]], weights[[*places]])
