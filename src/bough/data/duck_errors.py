"""DuckDB's errors as errors of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bough.errors import TableError


@contextmanager
def duck_errors(shown: str, reason: Callable[[Exception], str]) -> Iterator[None]:
    """Raise KeyboardInterrupt if a query is interrupted, and `TableError` with the reason of other errors.

    >>> import duckdb
    >>> with duck_errors("The table", lambda error: str(error).splitlines()[0]):
    ...     duckdb.connect().execute("SELECT * FROM nothing")
    Traceback (most recent call last):
    bough.errors.TableError: The table cannot be read: Catalog Error: Table with name nothing does not exist!
    """
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        # DuckDB raises this if Ctrl-C is pressed while a query runs.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        first = _first(error)
        if isinstance(first, duckdb.OutOfMemoryException):
            raise TableError(
                f"{shown} cannot be read within DuckDB's limit of memory: {str(first).splitlines()[0]}. Give "
                "DuckDB fewer threads (SET threads = 2) or more memory (SET memory_limit = '4GB')."
            ) from None
        raise TableError(f"{shown} cannot be read: {reason(first)}") from None


def _first(error: Exception) -> Exception:
    """Return the error that came first: after it, a relation's statement may fail to clean up."""
    import duckdb

    while isinstance(error.__context__, duckdb.Error):
        error = error.__context__
    return error
