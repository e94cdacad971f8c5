"""How names and values are written in SQL: every statement bough writes goes through these functions.

What they write is read alike by DuckDB, PostgreSQL and, infinities aside, SQLite.
"""

from __future__ import annotations

import math

from bough.data.schema import Level


def quote(name: str) -> str:
    """Write a name of a table or a column, whatever characters it has.

    >>> print(quote('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: Level) -> str:
    """Write a text, a truth value or a number; a float is a double to its last bit.

    Without an exponent DuckDB and PostgreSQL would read a decimal, and DuckDB would compare it with a column
    of 32-bit floats in 32 bits.

    >>> literal("it's"), literal(True), literal(2), literal(2.5), literal(float("inf"))
    ("'it''s'", 'TRUE', '2', '2.5e0', "CAST('Infinity' AS DOUBLE PRECISION)")
    """
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if not isinstance(value, float):
        return repr(value)
    if math.isinf(value):
        return f"CAST('{'' if value > 0 else '-'}Infinity' AS DOUBLE PRECISION)"
    digits = repr(value)
    return digits if "e" in digits else f"{digits}e0"
