"""Names and values in SQL; every statement that bough writes uses these functions.

DuckDB and PostgreSQL read the result in the same way, and so does SQLite except for infinities.
"""

from __future__ import annotations

import math

from bough.data.schema import Level


def quote(name: str) -> str:
    """Return the name of a table or a column, quoted.

    >>> print(quote('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: Level) -> str:
    """Return a text, a truth value or a number as an SQL literal; a float is an exact double.

    A float has an exponent, because without one DuckDB and PostgreSQL read a decimal, and DuckDB compares
    it with a column of 32-bit floats in 32 bits.

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


def floor_scaled(value: str, exponent: int) -> str:
    """Return the SQL of floor(value · 2**exponent).

    Where the product could underflow, which PostgreSQL refuses, the result is 0 or −1 by the sign.

    >>> floor_scaled("w", 2), floor_scaled("w", -1)
    ('floor(w * 4.0e0)', '(CASE WHEN abs(w) < 2.0e0 THEN CASE WHEN w < 0 THEN -1e0 ELSE 0e0 END
    ELSE floor(w * 0.5e0) END)')
    """
    product = f"floor({value} * {literal(2.0**exponent)})"
    if exponent >= 0:
        return product
    sign = f"CASE WHEN {value} < 0 THEN -1e0 ELSE 0e0 END"
    return f"(CASE WHEN abs({value}) < {literal(2.0**-exponent)} THEN {sign} ELSE {product} END)"
