"""A connection to a database, and what its dialect of SQL has of its own.

Everything else is SQL that DuckDB and PostgreSQL read in the same way. To support another database, write a
subclass of `Database`.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.sql import quote
from bough.data.times import Unit

ColumnKind: TypeAlias = Literal["number", "whole", "text", "truth", "enum"] | Unit
"""What a column of a database holds: how its values are read."""

ROWS_AT_A_TIME = 10_000
"""Rows of a result that is read in batches."""

NAN = "CAST('NaN' AS DOUBLE PRECISION)"


class Parameters:
    """The values of a statement, which the connection binds; `add` returns what stands for one in the text.

    >>> parameters = Parameters()
    >>> parameters.add("it's", "VARCHAR"), parameters.add([1.5], "DOUBLE PRECISION[]")
    ('CAST($1 AS VARCHAR)', 'CAST($2 AS DOUBLE PRECISION[])')
    >>> parameters.values
    ["it's", [1.5]]
    """

    def __init__(self) -> None:
        self.values: list[Any] = []

    def add(self, value: Any, type_: str) -> str:
        """Add a value of an SQL type and return the text that stands for it."""
        self.values.append(value)
        return f"CAST(${len(self.values)} AS {type_})"

    def copied(self) -> Parameters:
        """Return a list with the same values, to which a longer statement adds."""
        copied = type(self)()
        copied.values = [*self.values]
        return copied


class Database(ABC):
    """A connection to a database, and the parts of SQL in which it differs from others."""

    name: ClassVar[str]
    most_fetched: ClassVar[int]
    """The greatest number of values of a column that are fetched to find its bins."""
    list_types: ClassVar[tuple[str, str, str]]
    """The types of lists of texts, of floating-point numbers and of whole numbers."""
    is_in_process: ClassVar[bool] = False
    """Whether the database runs in this process, so that its values are fetched quickly."""

    @abstractmethod
    def rows(self, query: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """Run a statement and return the rows of its result, if it has any."""

    @abstractmethod
    def arrays(self, query: str, parameters: Parameters | None = None) -> list[npt.NDArray[np.float64]]:
        """Run a query whose result holds numbers only, and return its columns."""

    @abstractmethod
    def batches(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query without parameters, and yield the rows of its result some at a time."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[bool]:
        """Begin a transaction that sees one state of the database, and undo it at the end.

        Yields whether it was begun here; where the caller has begun one, that one is used.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def types(self, relation: str) -> dict[str, str]:
        """Return the type of each column of a relation, as the database writes it."""

    @abstractmethod
    def kind(self, type_: str) -> ColumnKind | None:
        """Return what columns of a type hold, or None if they cannot be split on."""

    @abstractmethod
    def enum_levels(self, type_: str) -> tuple[str, ...]:
        """Return the values of an enumerated type in their order."""

    @abstractmethod
    def time_number(self, column: str, kind: ColumnKind) -> str:
        """Return the expression of a date, a time or a duration as a whole number; see `bough.data.times`."""

    @abstractmethod
    def bin_code(self, value: str, lowest: Sequence[float], missing: int, parameters: Parameters) -> str:
        """Return the expression of the last bin whose lowest value is not above a value; bin 0 is the first.

        `lowest` holds the lowest values of the bins after the first; `missing` is the code of NULL.
        """

    def coded(self, values: Sequence[Any], codes: Sequence[int], parameters: Parameters) -> str:
        """Return a relation with the columns level and code: texts or numbers, and the code of each."""
        of_texts, of_numbers, of_codes = self.list_types
        of_values = of_texts if isinstance(values[0], str) else of_numbers
        return self.unnested(parameters.add([*values], of_values), parameters.add([*codes], of_codes))

    @abstractmethod
    def unnested(self, levels: str, codes: str) -> str:
        """Return a relation with the columns level and code of two lists."""

    @abstractmethod
    def quotient(self, dividend: str, divisor: str) -> str:
        """Return the expression of the whole quotient of two whole numbers, computed without overflow."""

    @abstractmethod
    def code_type(self, n_codes: int) -> str:
        """Return the smallest type that holds codes from 0 to `n_codes` − 1."""

    @abstractmethod
    def hash(self, text: str) -> str:
        """Return the expression of the first 32 bits of the MD5 hash of a text, as a whole number."""

    def allows_temporary_tables(self) -> bool:
        """Return whether this session may create temporary tables; asked within the transaction of a fit."""
        return True

    def parameters(self) -> Parameters:
        """Return an empty list of parameters for a statement."""
        return Parameters()

    def number(self, column: str, kind: ColumnKind) -> str:
        """Return the expression of a column's values as numbers, NULL where they are missing or NaN."""
        if kind in ("number", "whole"):
            return f"NULLIF(CAST({column} AS DOUBLE PRECISION), {NAN})"
        if kind == "truth":
            return f"CASE WHEN {column} THEN 1e0 WHEN NOT {column} THEN 0e0 END"
        return f"CAST({self.time_number(column, kind)} AS DOUBLE PRECISION)"

    @contextmanager
    def scratch(self) -> Iterator[Scratch]:
        """Yield an object that creates temporary tables, which are gone at the end.

        All statements within see one state of the database.
        """
        with self.transaction() as own:
            scratch = Scratch(self)
            try:
                yield scratch
            finally:
                # The end of a transaction of our own drops them.
                if not own:
                    scratch.drop_all()


class Scratch:
    """The temporary tables of a fit; they belong to the session, so that nobody else sees them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._names: set[str] = set()

    def create(self, columns: dict[str, str], query: str, parameters: Parameters | None = None) -> str:
        """Create a table with columns of these types, filled by a query, and return its quoted name."""
        name = quote(f"bough_{uuid.uuid4().hex[:12]}")
        listed = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
        self._database.rows(f"CREATE TEMPORARY TABLE {name} ({listed})")
        self._names.add(name)
        self._database.rows(f"INSERT INTO {name} {query}", parameters)
        return name

    def drop(self, name: str) -> None:
        """Drop one of the tables."""
        self._names.discard(name)
        self._database.rows(f"DROP TABLE {name}")

    def drop_all(self) -> None:
        """Drop all tables."""
        for name in [*self._names]:
            self.drop(name)
