"""Checks of the shape of a table and of the values of a column, with the errors that they raise."""

from __future__ import annotations

from bough.data.readers.source import GREATEST_WHOLE
from bough.errors import ColumnTypeError, TableError


def check_shape(n_rows: int, n_columns: int) -> None:
    """Raise `TableError` if a table has no columns or no rows.

    >>> check_shape(0, 3)
    Traceback (most recent call last):
    bough.errors.TableError: Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required.
    """
    for count, what in ((n_columns, "feature(s)"), (n_rows, "sample(s)")):
        if count == 0:
            raise TableError(
                f"Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required."
            )


def check_whole(name: str, smallest: int, greatest: int) -> None:
    """Raise `TableError` if float64 cannot represent the integers of a column exactly.

    >>> check_whole("id", 0, 2**53)
    >>> check_whole("id", 0, 2**53 + 1)
    Traceback (most recent call last):
    bough.errors.TableError: Column 'id' holds 9007199254740993, beyond ±2**53, where integers
    are no longer exact as float64.
    Scale it down, cast it to float, or turn it into text if it is an identifier.
    """
    for value in (smallest, greatest):
        if abs(value) > GREATEST_WHOLE:
            raise TableError(
                f"Column {name!r} holds {value}, beyond ±2**53, where integers are no longer exact "
                "as float64. Scale it down, cast it to float, or turn it into text if it is an identifier."
            )


def refuse_type(name: str, got: str, example: str = "") -> ColumnTypeError:
    """Return the error for a column whose type has no scale, with advice on converting it.

    >>> raise refuse_type("name", "bytes")
    Traceback (most recent call last):
    bough.errors.ColumnTypeError: Column 'name' holds bytes: argument must be a string or a number
    (or a truth value, or a category of these). Decode it to text.
    """
    holds = f"{got}, such as {example}" if example else got
    if "complex" in got.lower():
        return ColumnTypeError(
            f"Complex data not supported: column {name!r} holds {holds}. Take its .real and .imag parts."
        )
    if "sparse" in got.lower():
        return ColumnTypeError(
            f"Column {name!r} is sparse: {holds}. Make it dense, with X.sparse.to_dense() in pandas."
        )
    return ColumnTypeError(
        f"Column {name!r} holds {holds}: argument must be a string or a number "
        f"(or a truth value, or a category of these). {_advice(got.lower())}"
    )


_ADVICE = (
    (
        ("date", "time", "duration", "period"),
        "Take numbers from it, such as .dt.year or .dt.total_seconds().",
    ),
    (("bytes", "binary"), "Decode it to text."),
    (("interval",), "Turn it into text, or give labels to the call that made the intervals."),
    (("list", "struct", "array", "dict", "tuple", "map"), "Spread it over columns of its own."),
    (("longdouble", "float96", "float128"), "Cast it to float64."),
)


def _advice(got: str) -> str:
    for words, advice in _ADVICE:
        if any(word in got for word in words):
            return advice
    return "Turn it into text or numbers, or leave the column out."
