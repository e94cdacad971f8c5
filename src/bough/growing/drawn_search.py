"""The search of a node whose columns are drawn, and the order in which a tree of a forest cuts levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column, Schema
from bough.growing.draws import ColumnSampling
from bough.growing.engine import ContingencyTable
from bough.growing.hashed_draws import column_order, mixed
from bough.growing.search import ColumnProblem, Found, best_of_column
from bough.tree.split import Levels, Threshold
from bough.types import Floats

Ranks = npt.NDArray[np.int32]

_FEW_LEVELS = 2
"""Up to so many levels need no order: there is only one way to divide them."""


def best_of_drawn(
    tables: Sequence[ContingencyTable],
    columns: ColumnSampling,
    key: int,
    search: Callable[[Sequence[ContingencyTable]], Found | None],
) -> Found | None:
    """Return the best split of the columns that a node draws.

    If none of them can be split, further columns are tried one by one, unless the settings forbid it.
    """
    order, many = column_order(key, len(tables)), int(columns.max_features)
    found = search([tables[column] for column in sorted(order[:many])])
    further = order[many:] if columns.keep_searching else []
    for column in further:
        if found is not None:
            break
        found = search([tables[column]])
    return found


@dataclass(frozen=True, eq=False)
class LevelOrders:
    """The rank of each level of the nominal columns of a tree, by which their splits are thresholds.

    The levels are ordered by their share of a class or their mean of y, drawn from what the rows of the tree
    tell of it in the normal model of random effects: the rank of a level of few rows is nearly random.
    """

    ranks: Mapping[int, Ranks]

    @classmethod
    def drawn(cls, tables: Sequence[ContingencyTable], schema: Schema, key: int) -> LevelOrders:
        """Draw the orders of a tree from the contingency tables of its root and the key of the root."""
        nominal = [
            table
            for table in tables
            if schema[table.column].scale == "nominal" and len(schema[table.column].levels) > _FEW_LEVELS
        ]
        return cls(
            {
                table.column: _drawn_ranks(
                    table, len(schema[table.column].levels), mixed(key + mixed(table.column + 2**32))
                )
                for table in nominal
            }
        )

    def best_of_column(self, problem: ColumnProblem) -> Found | None:
        """Return the best split of one column, or None; levels that the node lacks follow their rank."""
        table = problem.table
        ranks = self.ranks.get(table.column)
        if ranks is None:
            return best_of_column(problem)
        own = ranks[table.values.astype(np.intp)]
        order = np.argsort(own)
        ranked = replace(
            table,
            values=own[order].astype(np.float64),
            statistics=np.ascontiguousarray(table.statistics[order]),
            cases=table.cases[order],
            lowest=None,
        )
        found = best_of_column(replace(problem, table=ranked, column=Column(problem.column.name, "numeric")))
        if found is None:
            return None
        assert isinstance(found.split, Threshold)
        branches = tuple((ranks >= found.split.cut).astype(int).tolist())
        return replace(
            found, split=Levels(table.column, "subset", tuple(range(len(ranks))), branches, n_branches=2)
        )


def _drawn_ranks(table: ContingencyTable, n_levels: int, key: int) -> Ranks:
    """Return a rank for each level; the variances are moments of the one-way layout (Searle 1971)."""
    weight, sums, squares = _moments(table, key)
    scores = [_bell(mixed(key + level + 1)) for level in range(n_levels)]
    n, deviation = weight.tolist(), sums.tolist()
    all_rows, present = math.fsum(n), sum(each > 0 for each in n)
    if all_rows > 0:
        between = math.fsum(s * s / w for s, w in zip(deviation, n, strict=True) if w > 0)
        crowding = math.fsum(w * w for w in n)
        rest = max(0.0, squares - between)
        within = rest / (all_rows - present) if all_rows > present else squares / all_rows
        free = all_rows - crowding / all_rows
        spread = (between - (present - 1) * within) / free if free > 0 else 0.0
        if spread > 0:
            codes = table.values.astype(np.intp).tolist()
            for code, w, s in zip(codes, n, deviation, strict=True):
                known = w + within / spread
                scores[code] = s / known + scores[code] * math.sqrt(within / known)
    ranks = np.empty(n_levels, dtype=np.int32)
    ranks[sorted(range(n_levels), key=lambda level: (scores[level], level))] = np.arange(n_levels)
    return ranks


def _moments(table: ContingencyTable, key: int) -> tuple[Floats, Floats, float]:
    """Return for each level its rows and its sum of y less the mean, and the squares of y less the mean.

    Weights are taken in proportion to the number of cases. Of several classes, one is set against the others,
    drawn in proportion to its weight; of two it is the second.
    """
    rows, missing = table.statistics, table.missing
    if table.reads == "classes":
        totals = [math.fsum(column) for column in np.vstack([rows, missing]).T.tolist()]
        one = 1
        if len(totals) > _FEW_LEVELS:
            drawn = (mixed(key) >> 11) / 2**53 * math.fsum(totals)
            one = int(np.searchsorted(np.cumsum(totals), drawn, side="right"))
        one = min(one, len(totals) - 1)
        weight, sums, squares = rows.sum(axis=1), rows[:, one], rows[:, one]
        total, whole = math.fsum(totals), totals[one]
    else:
        weight, sums, squares = rows.T
        total = math.fsum([*weight.tolist(), float(missing[0])])
        whole = math.fsum([*sums.tolist(), float(missing[1])])
    mean = whole / total
    scale = (math.fsum(table.cases.tolist()) + table.missing_cases) / total
    about = squares - 2 * mean * sums + mean * mean * weight
    return weight * scale, (sums - mean * weight) * scale, math.fsum((about * scale).tolist())


def _bell(bits: int) -> float:
    """Return a number of mean 0 and deviation 1, the sum of four uniform ones."""
    total = sum(bits >> shift & 0xFFFF for shift in (0, 16, 32, 48))
    return (total / 65536 - 2 + 2 / 65536) * math.sqrt(3.0)
