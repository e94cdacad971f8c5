"""A split made of groups: every group of a column's values is a branch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.schema import Column
from bough.errors import TableError
from bough.growing.column_split import grouped_split
from bough.growing.engine import ContingencyTable
from bough.growing.recipe import Recipe
from bough.growing.search import Found, branch_statistics, real_value
from bough.tree.split import Branches, IsMissing
from bough.types import Floats


def summed_rows(table: ContingencyTable, row: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the statistics and the cases of the rows of a table that become the same row.

    >>> table = ContingencyTable(0, np.arange(3.0), np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0]]),
    ...                          np.full(3, 10.0), np.zeros(2), 0.0, "classes")
    >>> summed_rows(table, np.array([0, 0, 1]))
    (array([[17.,  3.], [ 1.,  9.]]), array([20., 10.]))
    """
    first = np.searchsorted(row, np.arange(row[-1] + 1))
    return np.add.reduceat(table.statistics, first, axis=0), np.add.reduceat(table.cases, first)


_MOST_LEVELS = {"nominal": 1000, "ordinal": 4000}
"""The time to group levels grows with the square of their number, or faster."""


def check_levels(column: Column, n_levels: int) -> None:
    """Raise if a nominal or ordinal column has more levels in a node than can be grouped.

    >>> check_levels(Column("id", "nominal", ("a", "b")), 2000)
    Traceback (most recent call last):
    bough.errors.TableError: Column 'id' has 2000 levels in a node; at most 1000 can be grouped. Leave the
    column out, or combine its levels first.
    """
    most = _MOST_LEVELS.get(column.scale)
    if most is not None and n_levels > most:
        raise TableError(
            f"Column {column.name!r} has {n_levels} levels in a node; at most {most} can be grouped. Leave "
            "the column out, or combine its levels first."
        )


def found_groups(
    table: ContingencyTable, column: Column, recipe: Recipe, group: Branches, missing: int | None
) -> Found:
    """Return the split into groups with its value; `missing` is the group of missing values, or None.

    >>> table = ContingencyTable(0, np.arange(3.0), np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0]]),
    ...                          np.full(3, 10.0), np.zeros(2), 0.0, "classes")
    >>> recipe = Recipe("chi_square", task="classification")
    >>> found = found_groups(table, Column("age", "numeric"), recipe, np.array([0, 0, 1], np.int32), None)
    >>> found.split, round(found.value, 3), found.default_branch
    (Threshold(column=0, cut=1.5), 15.625, 0)
    """
    alone = missing is not None and missing > int(group.max())
    split = grouped_split(table, column, group, missing_alone=alone)
    if isinstance(split, IsMissing):
        missing = 0
    sums = branch_statistics(table, split)
    if missing is not None:
        sums[missing] += table.missing
    weights = table.weights(sums)
    values = _core.split_values(recipe.criterion_name, sums[np.newaxis], np.array([table.weight]))
    rank = float(values[0])
    return Found(
        float(real_value(recipe.criterion_name, rank, table.grid)),
        rank,
        split,
        int(weights.argmax()) if missing is None else missing,
        tied=missing is None and int((weights == weights.max()).sum()) > 1,
        routes_missing=missing is not None,
    )
