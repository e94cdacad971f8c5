"""Columns of identifiers: a tree that splits on one learns single rows by heart, and nothing about new rows.

A nominal column counts as one if it has at least ten levels and fewer than 1.5 rows for each level, as names,
ticket numbers and keys do. A numeric column counts as one if it numbers the rows: its values are at least
twenty whole numbers without gaps, or in ascending or descending order of the rows, all of them different.
Such a column may also be a time, so that it is reported only if the tree splits on it at the root and these
splits alone remove at least nine tenths of the root's risk. Measurements are not reported: as a rule they
have fractions, repeated values or gaps, and the rows are not sorted by them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.errors import IdentifierWarning
from bough.tree.nodes import Nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bough.data.table import Table

_LEAST_LEVELS = 10
_MOST_ROWS_PER_LEVEL = 1.5
_LEAST_NUMBERS = 20
_LEFT_RISK = 0.1
# Frames between the call of a user and the warning.
_INNER = ("bough.", "sklearn.", "contextlib")
# The columns found so far, where the warnings of several fits are joined.
_JOINED: ContextVar[dict[str, None] | None] = ContextVar("joined", default=None)


def identifier_columns(tree: Nodes, table: Table | None) -> list[str]:
    """Return the names of the columns of identifiers that a tree splits on; `table` is what it was grown on.

    Without a table only nominal columns are found, by their levels and the cases of the tree. The only column
    of a table is never one of them, since it cannot be left out.

    >>> from bough import TreeClassifier
    >>> from bough.data.table import Table
    >>> table = Table.read([[f"N{i}", i % 3] for i in range(12)])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tree = TreeClassifier().fit(table, ["a", "b"] * 6).tree_
    >>> identifier_columns(tree, table)
    ['x0']
    """
    used, schema = np.flatnonzero(_uses(tree)).tolist(), tree.schema
    if table is None:
        nominal = [schema[each] for each in used if schema[each].scale == "nominal"]
        cases, width = float(tree.cases[0]), len(schema)
        return [column.name for column in nominal if _is_many(len(column.levels), cases, width)]
    found = set(identifier_levels(table, used))
    root = int(tree.column[0])
    is_numeric = 0 <= root < len(schema) > 1 and schema[root].scale == "numeric"
    if is_numeric:
        values = np.asarray(table.columns[root])
        # A few values tell most measurements.
        if _are_whole(values[:_LEAST_NUMBERS]) and _explains(tree, root) and _numbers_rows(values):
            found.add(schema[root].name)
    return [name for name in schema.names if name in found]


def identifier_levels(table: Table, columns: Iterable[Any]) -> list[str]:
    """Return the names of the nominal columns, of those at these positions, with a level for almost each row.

    >>> from bough.data.table import Table
    >>> table = Table.read([[f"N{i}", "u"] for i in range(12)])
    >>> identifier_levels(table, [0, 1])
    ['x0']
    """
    found: list[str] = []
    for position in map(int, columns):
        column, codes = table.schema[position], table.columns[position]
        if column.scale == "nominal" and len(column.levels) >= _LEAST_LEVELS:
            rows = np.bincount(codes[codes >= 0], minlength=len(column.levels))
            if _is_many(int(np.count_nonzero(rows)), float(rows.sum()), len(table.schema)):
                found.append(column.name)
    return found


def _is_many(n_levels: int, n_rows: float, n_columns: int) -> bool:
    return n_columns > 1 and n_levels >= _LEAST_LEVELS and n_rows < _MOST_ROWS_PER_LEVEL * n_levels


@contextmanager
def one_identifier_warning(*, silent: bool = False) -> Iterator[None]:
    """Join the warnings of several fits into one at the end, or into none if `silent`.

    >>> with one_identifier_warning(silent=True):
    ...     warn_of_identifiers(["ticket"])
    """
    found: dict[str, None] = {}
    token = _JOINED.set(found)
    try:
        yield
    finally:
        _JOINED.reset(token)
    if not silent:
        warn_of_identifiers([*found])


def warn_of_identifiers(names: list[str]) -> None:
    """Warn of the columns named, if there are any; the warning shows the user's line.

    >>> warn_of_identifiers([])
    """
    joined = _JOINED.get()
    if joined is not None:
        joined.update(dict.fromkeys(names))
        return
    if not names:
        return
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_INNER):
        frame, level = frame.f_back, level + 1
    warnings.warn(IdentifierWarning(tuple(names)), stacklevel=level)


def _uses(tree: Nodes) -> npt.NDArray[np.bool_]:
    """Return which columns of the schema the tree splits on, alone or in a formula."""
    # A leaf has column -1.
    splits = np.bincount(tree.column + 1, minlength=len(tree.wide_schema) + 1)[1:]
    return splits[: len(tree.schema)] > 0


def _numbers_rows(values: npt.NDArray[Any]) -> bool:
    n = len(values)
    if n < _LEAST_NUMBERS or not np.isfinite(values).all() or not _are_whole(values):
        return False
    steps = np.diff(values)
    if (steps > 0).all() or (steps < 0).all():
        return True
    return bool(np.ptp(values) == n - 1 and len(np.unique(values)) == n)


def _are_whole(values: npt.NDArray[Any]) -> bool:
    return not (values != np.floor(values)).any()


def _explains(tree: Nodes, column: int) -> bool:
    """Whether the splits on a column, from the root down, remove nearly all of the root's risk."""
    left, pending = 0.0, [0]
    while pending:
        node = pending.pop()
        if tree.column[node] == column:
            pending += tree.children(node)
        else:
            left += float(tree.risk[node])
    return left <= _LEFT_RISK * float(tree.risk[0])
