"""The columns of a table in a database: their scales and levels, and the SQL of their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from bough.data.bins import MOST_BINS, too_many_levels
from bough.data.databases.database import ColumnKind
from bough.data.databases.table import DatabaseTable
from bough.data.readers.checks import check_whole, refuse_type
from bough.data.readers.features import ScaleRequest, scale_requests
from bough.data.readers.scale import scaled
from bough.data.readers.source import Coded, Numbers, Raw, Times
from bough.data.scales import Scales
from bough.data.schema import Schema
from bough.data.sql import quote
from bough.data.times import Unit
from bough.errors import BoughError

_DAY = 86_400_000_000


@dataclass(frozen=True)
class DatabaseColumn:
    """A column of a table in a database: what it holds, and the SQL of its values, NULL where missing."""

    name: str
    kind: ColumnKind
    type_: str
    value: str
    """The SQL of its values: of text and enumerated types text, otherwise numbers."""
    levels: tuple[Any, ...] = ()
    """Its values, if they are levels."""
    codes: tuple[int, ...] = ()
    """The code of each of these values."""


def column_of(table: DatabaseTable, name: str) -> DatabaseColumn:
    """Return a column of a table; raise if its type cannot be read."""
    database, type_ = table.database, table.types[name]
    kind, quoted = database.kind(type_), quote(name)
    if kind is None:
        raise refuse_type(name, type_)
    if kind in ("text", "enum"):
        return DatabaseColumn(name, kind, type_, f"CAST({quoted} AS VARCHAR)")
    return DatabaseColumn(name, kind, type_, database.number(quoted, kind))


def read_schema(
    table: DatabaseTable, names: Sequence[str], scales: Scales, where: str
) -> tuple[Schema, list[DatabaseColumn]]:
    """Return the schema of some columns, as it would be read into memory, and the SQL of their values.

    Only the rows that meet the condition `where` are read.
    """
    requests = scale_requests(tuple(names), scales.categorical_features, scales.ordinal_features)
    default = ScaleRequest("numeric") if scales.categorical_features is None else ScaleRequest()
    columns, own = [], []
    for position, name in enumerate(names):
        column, request = column_of(table, name), requests.get(position, default)
        if column.kind == "datetime":
            column = _date_if_midnight(table, column, where)
        plain = request.scale in (None, "numeric") and request.levels is None
        raw = distinct_values(table, column, where, at_most_one=plain and column.kind not in _LEVELS)
        try:
            of_schema, codes = scaled(name, raw, request)
        except BoughError as error:
            # Rows of a database have no numbers.
            raise type(error)(re.sub(r" in row \d+", "", str(error))) from None
        columns.append(of_schema)
        own.append(column if of_schema.scale == "numeric" else with_codes(column, raw, codes))
    return scales.schema_of(columns), own


_LEVELS = ("text", "enum", "truth")


def with_codes(column: DatabaseColumn, raw: Raw, codes: npt.NDArray[Any]) -> DatabaseColumn:
    """Return a column with the code of each of its distinct values."""
    levels = raw.levels if isinstance(raw, Coded) else raw.values.tolist()
    if column.kind == "truth":
        levels = [0.0, 1.0]
    return replace(column, levels=tuple(levels), codes=tuple(codes.tolist()))


def distinct_values(
    table: DatabaseTable, column: DatabaseColumn, where: str, *, at_most_one: bool = False
) -> Raw:
    """Return the distinct values of a column, or one of them, as if they were its rows."""
    database, rows = table.database, f"FROM {table.relation} WHERE {where} AND {column.value} IS NOT NULL"
    if column.kind == "whole":
        [(low, high)] = database.rows(f"SELECT min({quote(column.name)}), max({quote(column.name)}) {rows}")
        if low is not None:
            check_whole(column.name, int(low), int(high))
    if column.kind == "truth":
        return Coded((False, True), np.arange(2, dtype=np.int32))
    if column.kind == "enum":
        levels = database.enum_levels(column.type_)
        return Coded(levels, np.arange(len(levels), dtype=np.int32), "categories")
    most = 1 if at_most_one else MOST_BINS + 1
    values = [value for (value,) in database.rows(f"SELECT DISTINCT {column.value} {rows} LIMIT {most}")]
    if len(values) > MOST_BINS:
        raise too_many_levels(column.name)
    if column.kind == "text":
        return Coded(tuple(sorted(values)), np.arange(len(values), dtype=np.int32))
    numbers = np.array(sorted(values) or [np.nan], dtype=np.float64)
    if column.kind in ("number", "whole"):
        return Numbers(numbers, whole=column.kind == "whole")
    return Times(numbers, cast("Unit", column.kind))


def _date_if_midnight(table: DatabaseTable, column: DatabaseColumn, where: str) -> DatabaseColumn:
    """Return a column of dates with times as dates if all of them are at midnight, as in memory."""
    whole = f"CAST({column.value} AS BIGINT)"
    [(known, others)] = table.database.rows(
        f"SELECT count({column.value}), count(CASE WHEN {whole} % {_DAY} <> 0 THEN 1 END) "
        f"FROM {table.relation} WHERE {where}"
    )
    if known == 0 or others > 0:
        return column
    day = f"CAST({table.database.quotient(whole, str(_DAY))} AS DOUBLE PRECISION)"
    # The quotient of a negative number is rounded towards 0, but these have no remainder.
    return DatabaseColumn(column.name, "date", column.type_, day)
