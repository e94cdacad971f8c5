"""Splits in SQL: the condition of each branch, and the number of the branch that a row takes.

A missing value is NULL or NaN. In DuckDB and PostgreSQL NaN is greater than every number, so `x >= 5` is true
of it. Its negative is NaN as well, so `0 - x <= -5` is true of the same numbers but not of NaN, and no
function is needed that only one database has. `0 + x` makes SQLite compare numbers also where they are stored
as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from bough.data.schema import Level, Schema
from bough.data.sql import literal, quote
from bough.data.times import time_sql
from bough.tree.split import AtMost, Intervals, Split, Threshold, takes_only_missing

_TRUTH_WORDS = {True: ("true", "t", "1", "1.0"), False: ("false", "f", "0", "0.0")}


def condition(split: Split, schema: Schema, branch: int) -> str | None:
    """Return the SQL condition of a branch, or None if no value leads to it.

    The condition is not true for a row that the split cannot route: its value is NULL or NaN, or a level that
    the split does not list.

    >>> from bough.data.schema import Column
    >>> schema = Schema((Column("age", "numeric"), Column("size", "ordinal", ("S", "M", "L"))))
    >>> print(condition(Threshold(0, 39.5), schema, 1), condition(Threshold(1, 1.5), schema, 0), sep=", ")
    0e0 - "age" <= -39.5e0, "size" IN ('S', 'M')
    """
    column = schema[split.column]
    if takes_only_missing(split, branch):
        return None
    if isinstance(split, Intervals):
        return _between(split, schema, branch)
    if isinstance(split, Threshold):
        if column.scale == "numeric":
            below, above = ("<=", "<") if isinstance(split, AtMost) else ("<", "<=")
            name, cut = quote(column.name), float(split.cut)
            if column.unit is not None:
                # A database's dates and durations are never NaN.
                operator = (below, {"<=": ">", "<": ">="}[below])[branch]
                return f"{name} {operator} {time_sql(column.unit, cut, closed=isinstance(split, AtMost))}"
            return (
                f"0e0 - {name} {above} {literal(-cut)}" if branch else f"0e0 + {name} {below} {literal(cut)}"
            )
        first_above = math.ceil(max(split.cut, 0.0))
        chosen = (column.levels[:first_above], column.levels[first_above:])[branch]
    else:
        pairs = zip(split.codes, split.branches, strict=True)
        chosen = tuple(column.levels[code] for code, taken in pairs if taken == branch)
    return is_one_of(column.name, chosen) if chosen else None


def _between(split: Intervals, schema: Schema, branch: int) -> str | None:
    """Return the SQL condition of an interval: the conditions of the thresholds beside it."""
    column = schema[split.column]
    if column.scale != "numeric":
        codes = np.flatnonzero(split.branch(np.arange(len(column.levels))) == branch).tolist()
        chosen = tuple(column.levels[code] for code in codes)
        return is_one_of(column.name, chosen) if chosen else None
    sides = [(branch - 1, 1)] if branch > 0 else []
    sides += [(branch, 0)] if branch < len(split.cuts) else []
    tests = [condition(Threshold(split.column, split.cuts[cut]), schema, side) for cut, side in sides]
    return " AND ".join(test for test in tests if test)


def is_one_of(name: str, levels: tuple[Level, ...]) -> str:
    """Return the SQL condition that a column has one of some levels.

    Truth values are compared as text, because SQLite has no type for them: it stores 0 and 1, or the words
    of a file.

    >>> print(is_one_of("size", ("S", "M")))
    "size" IN ('S', 'M')
    >>> print(is_one_of("paid", (True,)))
    LOWER(CAST("paid" AS VARCHAR)) IN ('true', 't', '1', '1.0')
    """
    if all(isinstance(level, bool) for level in levels):
        words = ", ".join(literal(word) for level in levels for word in _TRUTH_WORDS[bool(level)])
        return f"LOWER(CAST({quote(name)} AS VARCHAR)) IN ({words})"
    return f"{quote(name)} IN ({', '.join(map(literal, levels))})"


def branch_number(splits: Iterable[tuple[Split, bool]], schema: Schema, otherwise: int) -> str:
    """Return an SQL expression for the branch number of a row, by the first split that can route it.

    Each split comes with a flag, true if its two branches are swapped. `otherwise` is the number for rows
    that none of the splits can route.

    >>> from bough.data.schema import Column
    >>> schema = Schema((Column("age", "numeric"), Column("pay", "numeric")))
    >>> print(branch_number([(Threshold(0, 39.5), False), (Threshold(1, 8.0), True)], schema, -1))
    CASE WHEN 0e0 + "age" < 39.5e0 THEN 0 WHEN 0e0 - "age" <= -39.5e0 THEN 1
    WHEN 0e0 + "pay" < 8.0e0 THEN 1 WHEN 0e0 - "pay" <= -8.0e0 THEN 0 ELSE -1 END
    """
    cases = [
        f"WHEN {test} THEN {1 - branch if turned else branch}"
        for split, turned in splits
        for branch in range(split.n_branches)
        if (test := condition(split, schema, branch)) is not None
    ]
    return f"CASE {' '.join(cases)} ELSE {otherwise} END"
