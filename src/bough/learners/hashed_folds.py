"""Cost-complexity pruning by cross-validation on bins, with folds by a hash of the rows.

The risks are computed from sums of whole numbers, which rows in memory and in a database give alike. Held-out
rows are routed by their bins: a row counts as the highest value of its bin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from bough.engines import binned
from bough.errors import ParameterError
from bough.growing.binned import BinnedEngine, FoldedRows
from bough.growing.fit_grid import FitGrid
from bough.growing.grid import scaled, target_exponent
from bough.growing.pruning import CostComplexity
from bough.growing.recipe import Recipe
from bough.pruning.cost_complexity import complexities
from bough.pruning.cross_validation import CrossValidatedPath, LossUnits, validated_path
from bough.tree import Tree
from bough.types import Floats


def grow_with_hashed_folds(
    recipe: Recipe, pruning: CostComplexity, rows: FoldedRows, name: str | None
) -> tuple[list[Tree], Callable[[Tree], CrossValidatedPath] | None]:
    """Grow a tree on all rows and one outside each fold; also return the function that cross-validates.

    There are no folds if the settings do without cross-validation, and no such function either.
    """
    growing = recipe.with_limits(min_risk=float(pruning.cp)) if pruning.cp > 0 else recipe
    validates = pruning.validates
    n_folds = int(pruning.cv) if validates else 0
    weights = [_weight(rows.within(fold), rows.grid) for fold in range(n_folds)]
    total = sum(weights)
    if validates and max(weights) == total:
        raise ParameterError.of("cv", pruning.cv, "None: the hash puts every row into the same fold")
    exponents = _loss_exponents(rows)
    parts = [rows, *(rows.outside(fold) for fold in range(n_folds))]
    trees = [binned.grow(part, growing, name) for part in parts]
    if not validates:
        return trees, None

    def of_fold(fold: int, alphas: Floats, units: LossUnits) -> tuple[Floats, Floats] | None:
        if weights[fold] == 0:
            return None
        own = alphas * ((total - weights[fold]) / total)
        return _losses(trees[fold + 1], rows.within(fold), own, pruning, exponents, units)

    def validated(tree: Tree) -> CrossValidatedPath:
        return validated_path(tree, total, n_folds, of_fold, cp=pruning.cp, method=pruning.path)

    return trees, validated


def _weight(rows: FoldedRows, grid: FitGrid) -> float:
    [totals] = rows.totals([0])
    whole = totals.statistics.sum() if rows.classes else totals.statistics[0]
    return float(scaled(float(whole), -grid.weight_exponent))


def _losses(
    tree: Tree,
    held_out: FoldedRows,
    alphas: Floats,
    pruning: CostComplexity,
    exponents: tuple[int, int],
    units: LossUnits,
) -> tuple[Floats, Floats]:
    """Return for each alpha the weighted sums of the losses of held-out rows, and of their squares.

    The exponents are those of the grids of both sums.
    """
    BinnedEngine(held_out).send_down(tree)
    found = [*_answering(tree, alphas, complexities(tree, pruning.path))]
    ends, nodes = [end for end, *_ in found], [node for _, node, *_ in found]
    if held_out.classes:
        totals = held_out.totals(sorted({*ends}))
        by_end = dict(zip(sorted({*ends}), (each.statistics for each in totals), strict=True))
        codes = tree.answer_codes()
        lost = np.array(
            [by_end[end].sum() - by_end[end][codes[node]] for end, node in zip(ends, nodes, strict=True)]
        )
        of_pair = lost, lost
    else:
        of_pair = held_out.squared_losses(ends, tree.answers()[nodes].tolist(), exponents)
    sums: list[Floats] = []
    for number, each in enumerate(of_pair):
        power = 2 * (number + 1) * units.power - exponents[number] - held_out.grid.weight_exponent
        total = np.zeros(len(alphas))
        for (_, _, low, high), whole in zip(found, each.tolist(), strict=True):
            total[low:high] += whole
        sums.append(np.asarray(scaled(total, power)) * units.weight**2)
    return sums[0], sums[1]


def _answering(tree: Tree, alphas: Floats, complexity: Floats) -> Iterator[tuple[int, int, int, int]]:
    """Yield for each node the nodes that answer for rows that end there, each with its range of alphas.

    A row may end at any node. A node answers from its own complexity to just below its parent's.
    """
    first = np.searchsorted(alphas, complexity)
    for end in range(tree.n_nodes):
        low, node = 0, end
        while node >= 0 and low < len(alphas):
            parent = int(tree.parent[node])
            high = len(alphas) if parent < 0 else int(first[parent])
            if low < high:
                yield end, node, low, high
                low = high
            node = parent


def _loss_exponents(rows: FoldedRows) -> tuple[int, int]:
    """Return the exponents of the grids of squared errors and of their squares; none exceeds the range of y.

    The error of a class is 1 already. The rows are not routed yet.
    """
    if rows.classes:
        return 0, 0
    [totals] = rows.totals([0])
    square = (totals.highest - totals.lowest) ** 2
    weight = float(totals.statistics[0])
    return target_exponent(weight, square), target_exponent(weight, square * square)
