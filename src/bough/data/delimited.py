"""CSV files as text: the names and the separator in the first line, and what is wrong with a file."""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from bough.errors import TableError

_SEPARATORS = ",;\t|"
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def first_line(path: Path, shown: str) -> tuple[list[str], str]:
    r"""Return the names in a file's first line, and its separator: the most frequent of , ; tab and |.

    Separators within quotes do not count.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "table.csv"
    ...     _ = file.write_text('"a;b;c",d\n1,2\n')
    ...     first_line(file, "table.csv")
    (['a;b;c', 'd'], ',')
    """
    with opened(path, shown, errors="replace") as file:
        line = file.readline()
        if not line.strip():
            raise TableError(
                f"{shown} begins with an empty line; it must begin with the names of the columns."
            )
        if "\0" in line:
            raise TableError(f"{shown} holds zero bytes, as UTF-16 does; convert it to UTF-8.")
        # Every second part of the line is within quotes.
        separator = max(_SEPARATORS, key="".join(line.split('"')[::2]).count)
        file.seek(0)
        try:
            return next(csv.reader(file, delimiter=separator)), separator
        except csv.Error as error:
            raise TableError(f"{shown}: the names of the columns cannot be read: {error}.") from None


def check_names(names: Sequence[str], shown: str) -> None:
    """Refuse a column without a name, and two columns of the same name.

    >>> check_names(["age", "Age"], "table.csv")
    Traceback (most recent call last):
    bough.errors.TableError: table.csv: columns 'age', 'Age' have the same name; rename all but one.
    """
    for place, name in enumerate(names):
        if not name.strip():
            raise TableError(f"{shown}: column {place + 1} has no name; give it one in the first line.")
    # DuckDB compares names without regard to case, and would rename one of them.
    name, count = Counter(name.casefold() for name in names).most_common(1)[0]
    if count > 1:
        same = [given for given in names if given.casefold() == name]
        raise TableError(
            f"{shown}: columns {', '.join(map(repr, same))} have the same name; rename all but one."
        )


def fault_of(path: Path, shown: str, names: Sequence[str], separator: str) -> str | None:
    r"""Return what is wrong with a file that could not be read, with the line; None if nothing is found.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "table.csv"
    ...     _ = file.write_text("a,b\n1,2\n3,4,5\n")
    ...     fault_of(file, "table.csv", ["a", "b"], ",")
    'line 3 has 3 fields, and the first line names 2 columns.'
    """
    # Bytes that are not UTF-8 become surrogates, so that the line that holds them is known.
    with opened(path, shown, errors="surrogateescape") as file:
        rows = csv.reader(file, delimiter=separator, strict=True)
        try:
            for row in rows:
                "".join(row).encode("utf-8")
                if row and len(row) != len(names):
                    fields = f"{len(row)} {'field' if len(row) == 1 else 'fields'}"
                    return (
                        f"line {rows.line_num} has {fields}, and the first line names {len(names)} columns."
                    )
        except UnicodeEncodeError:
            return f"line {rows.line_num} is not UTF-8; convert the file to UTF-8."
        except csv.Error as error:
            return f"line {rows.line_num}: {error}."
    return None


@contextmanager
def opened(path: Path, shown: str, errors: str) -> Iterator[TextIO]:
    r"""Open a file as text; UTF-16 and a damaged gzip file are refused by name.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "table.csv"
    ...     _ = file.write_text("a,b\n")
    ...     with opened(file, "table.csv", errors="strict") as text:
    ...         print(text.readline().strip())
    a,b
    """
    unpacked = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with unpacked(path, "rb") as raw:
            if raw.read(4).startswith(_WIDE_MARKS):
                raise TableError(f"{shown} is encoded in UTF-16 or UTF-32; convert it to UTF-8.")
        with unpacked(path, "rt", encoding="utf-8-sig", errors=errors, newline="") as file:
            yield cast("TextIO", file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{shown} is not a whole gzip file: {error}.") from None
