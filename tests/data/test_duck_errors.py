"""Errors of DuckDB say why a table cannot be read, and what to do."""

from typing import NoReturn

import duckdb
import pytest

from bough.data.duck_errors import duck_errors
from bough.errors import TableError


def _fail(first: duckdb.Error) -> NoReturn:
    """Fail as DuckDB does if it cannot clean up after an error."""
    last = duckdb.TransactionException("Current transaction is aborted")
    last.__context__ = first
    raise last


def test_the_reason_is_that_of_the_first_error():
    reason = r"^It cannot be read: Binder Error: no such column$"
    with pytest.raises(TableError, match=reason), duck_errors("It", str):
        _fail(duckdb.BinderException("Binder Error: no such column"))


def test_a_lack_of_memory_says_what_to_do():
    reason = r"limit of memory: Out of Memory Error: no block\. Give DuckDB fewer threads"
    with pytest.raises(TableError, match=reason), duck_errors("It", str):
        _fail(duckdb.OutOfMemoryException("Out of Memory Error: no block\n\nPossible solutions: …"))
