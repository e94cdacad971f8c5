"""Read CSV files of very many columns in parts of some columns each.

The time and memory that DuckDB takes for a table grow faster than its columns. Types are decided column by
column, so the parts together are read as the whole file would be.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from bough.data.delimited import check_names, fault_of, first_line, opened
from bough.data.duck import FUNCTIONS, DuckTable
from bough.data.readers.source import Raw, Source
from bough.errors import TableError

WIDE = 4000
"""A CSV file of more columns is read in parts."""

_PART = 1000
# Each part is a file that is open while the parts are written.
_MOST_PARTS = 200


def is_wide(paths: Sequence[Path], suffix: str, shown: str) -> bool:
    r"""Return whether the table is one CSV file of very many columns.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "table.csv"
    ...     _ = file.write_text(",".join(f"x{i}" for i in range(5000)) + "\n")
    ...     is_wide([file], ".csv", "table.csv")
    True
    """
    if FUNCTIONS[suffix] != "read_csv" or len(paths) > 1:
        return False
    return len(first_line(paths[0], shown)[0]) > WIDE


class WideTable:
    """A CSV file of many columns, split into files of fewer columns that DuckDB reads one after the other."""

    def __init__(self, path: Path, shown: str, missing_text: Sequence[str]) -> None:
        import duckdb

        names, separator = first_line(path, shown)
        check_names(names, shown)
        self._shown = shown
        size = max(_PART, -(-len(names) // _MOST_PARTS))
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            files = [folder / f"{start}.csv" for start in range(0, len(names), size)]
            self._write(path, files, names, separator, size)
            connection = stack.enter_context(duckdb.connect())
            self._parts = [DuckTable([file], ".csv", shown, missing_text, connection) for file in files]
            self._open = stack.pop_all()
        self.names = tuple([name for part in self._parts for name in part.names])
        self.dates = tuple([name for part in self._parts for name in part.dates])

    def close(self) -> None:
        """Close the connection to DuckDB and remove the files of the parts."""
        self._open.close()

    def source(self, names: Sequence[str], text: Collection[str] = (), truth: Collection[str] = ()) -> Source:
        """Load these columns; those in `text` are text, and those in `truth` may be any truth values."""
        wanted, found, n_rows = {*names}, dict[str, Raw](), 0
        for part in self._parts:
            own = [name for name in part.names if name in wanted]
            if own:
                source = part.source(own, {*own} & {*text}, {*own} & {*truth})
                found |= {name: source.read(position) for position, name in enumerate(own)}
                n_rows = source.n_rows
        return Source(tuple(names), True, n_rows, lambda position: found[names[position]])

    def _write(
        self, path: Path, files: Sequence[Path], names: Sequence[str], separator: str, size: int
    ) -> None:
        with ExitStack() as stack:
            # Bytes that are not UTF-8 become surrogates, which cannot be written.
            lines = stack.enter_context(opened(path, self._shown, errors="surrogateescape"))
            texts = [stack.enter_context(file.open("w", encoding="utf-8", newline="")) for file in files]
            rows, whole = csv.reader(lines, delimiter=separator, strict=True), True
            try:
                for n_before, row in enumerate(rows):
                    whole &= len(row) in (0, len(names))
                    # Another separator within a name must not count as one.
                    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL if n_before else csv.QUOTE_ALL
                    for number, text in enumerate(texts if row else ()):
                        part = row[number * size : (number + 1) * size]
                        csv.writer(text, lineterminator="\n", quoting=quoting).writerow(part)
            except (csv.Error, UnicodeEncodeError):
                whole = False
        if not whole:
            fault = fault_of(path, self._shown, names, separator)
            raise TableError(f"{self._shown} cannot be read: {fault}")
