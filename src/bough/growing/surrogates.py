"""The search for surrogates: splits on other columns that route rows as similarly as possible.

It reads only the contingency tables of a node by the branches of its split. A surrogate routes the rows whose
value for the split is missing (Breiman, Friedman, Olshen and Stone 1984, section 5.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bough.data.schema import Column, Schema
from bough.growing.column_split import split_of
from bough.growing.engine import ContingencyTable
from bough.growing.recipe import Recipe
from bough.growing.search import branch_statistics
from bough.tree.alternatives import AlternativeSplit
from bough.tree.split import Levels, Split
from bough.types import Floats

# A smaller adjusted agreement is treated as rounding error.
_LEAST_ADJUSTED = 1e-10
# A surrogate must route at least this many cases to each branch.
_LEAST_CASES = 2


def best_surrogates(
    tables: Sequence[ContingencyTable], schema: Schema, recipe: Recipe, split: Split, higher: int = 0
) -> list[AlternativeSplit]:
    """Return the best surrogates of a binary split, at most as many as the recipe keeps, best first.

    `tables` are the contingency tables of the node by the branches of the split. `higher` is the branch of
    the higher target (see `higher_branch`), to which levels go that are tied otherwise. The agreement of a
    surrogate is the fraction of weight that it routes as the split does: of all rows that the split can route
    or, with agreement "known", of those that the surrogate can route too. A surrogate is kept only if it
    agrees more than routing every row to the majority branch; the first column wins a tie.

    >>> from bough.data.table import Table
    >>> from bough.engines.memory import MemoryEngine
    >>> from bough.tree.split import Threshold
    >>> X = [[1.0, 5.0], [2.0, 6.0], [3.0, 8.0], [4.0, 9.0], [5.0, 7.0]]
    >>> engine = MemoryEngine(Table.read(X), np.array([0.0, 0.0, 1.0, 1.0, 1.0]))
    >>> split, recipe = Threshold(0, 2.5), Recipe("squared_error", task="regression")
    >>> [tables] = engine.tabulate([0], against={0: split})
    >>> [best] = best_surrogates(tables, engine.schema, recipe, split)
    >>> best.split, best.value, best.adjusted
    (Threshold(column=1, cut=6.5), 1.0, 1.0)
    """
    found = []
    for table in tables:
        column = schema[table.column]
        if table.column == split.column or len(table) < 2:
            continue
        is_nominal = column.scale == "nominal"
        best = _best_levels(table, recipe, higher) if is_nominal else _best_cut(table, column)
        if best is not None:
            found.append(best.alternative(table, recipe))
    useful = [surrogate for surrogate in found if surrogate is not None]
    return sorted(useful, key=lambda surrogate: -surrogate.value)[: recipe.n_surrogates]


def higher_branch(table: ContingencyTable, split: Split) -> int:
    """Return the branch of a binary split with the higher mean of y or, in classification, of the class code.

    `table` is the contingency table of the split's own column by y; the second branch wins a tie.

    >>> table = ContingencyTable(0, np.array([0.0, 1.0]), np.array([[2.0, 1.0], [3.0, 0.0]]),
    ...                          np.array([3.0, 3.0]), np.zeros(2), 0.0, "classes")
    >>> from bough.tree.split import Threshold
    >>> higher_branch(table, Threshold(0, 0.5))
    0
    """
    statistics = branch_statistics(table, split)
    weight = table.weights(statistics)
    if table.reads in ("moments", "rates"):
        total = statistics[:, 1]
    else:
        targets = np.arange(statistics.shape[1]) if table.targets is None else table.targets
        total = statistics @ targets
    return int(total[0] * weight[1] <= total[1] * weight[0])


@dataclass(frozen=True, eq=False)
class _Agreement:
    """The best surrogate of a column, and the weight that it routes as the primary split does."""

    split: Split
    turned: bool
    weight: float

    def alternative(self, table: ContingencyTable, recipe: Recipe) -> AlternativeSplit | None:
        """Return the surrogate with its adjusted agreement; None if it is no better than the majority."""
        sides = table.statistics.sum(axis=0)
        if recipe.agreement == "all":
            sides = sides + table.missing
        whole, majority = float(sides.sum()), float(sides.max())
        gained, most = self.weight - majority, whole - majority
        if not gained > _LEAST_ADJUSTED * most:
            return None
        return AlternativeSplit(self.split, self.turned, self.weight / whole, gained / most, cases=0.0)


def _best_cut(table: ContingencyTable, column: Column) -> _Agreement | None:
    """Return the threshold, reversed or not, with the greatest agreement; the lowest one wins a tie."""
    passed = np.cumsum(table.cases)[:-1]
    enough = (passed >= _LEAST_CASES) & (table.cases.sum() - passed >= _LEAST_CASES)
    if not enough.any():
        return None
    left, right = table.statistics.sum(axis=0)
    balance = np.cumsum(table.statistics[:, 1] - table.statistics[:, 0])[:-1]
    turned, straight = left + balance, right - balance
    agreed = np.where(enough, np.maximum(turned, straight), -np.inf)
    best = int(agreed.argmax())
    branches = (np.arange(len(table)) > best).astype(np.int32)
    cut = split_of(table, column, "threshold", branches)
    return _Agreement(cut, bool(turned[best] > straight[best]), float(agreed[best]))


def _best_levels(table: ContingencyTable, recipe: Recipe, higher: int) -> _Agreement | None:
    """Route each level to the branch of most of its weight; in a tie, to the heavier branch of the node."""
    assert table.branch_cases is not None
    seen = table.cases > 0
    weights, cases = table.statistics[seen], table.branch_cases[seen]
    branches = np.where(weights[:, 0] == weights[:, 1], _undecided(weights, higher), weights.argmax(axis=1))
    own = cases[np.arange(len(branches)), branches]
    if recipe.surrogate_rule == "rpart":
        least = float((cases.sum(axis=1) - own).sum())
    else:
        least = min(float(cases[branches == branch].sum()) for branch in (0, 1))
    if least < _LEAST_CASES:
        return None
    codes = tuple(table.values[seen].astype(int).tolist())
    levels = Levels(table.column, "subset", codes, tuple(branches.tolist()), 2)
    return _Agreement(levels, False, float(weights.max(axis=1).sum()))


def _undecided(weights: Floats, higher: int) -> int:
    left, right = weights.sum(axis=0)
    return higher if left == right else int(left < right)
