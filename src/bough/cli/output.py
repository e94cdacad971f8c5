"""The output of a verb: standard output, which is also "-", or a file."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import typer

STDOUT = "-"
"""The path that means standard output."""


def write(text: str, out: str | None = None) -> None:
    """Write a text, and end it with a newline.

    >>> write("3 leaves")
    3 leaves
    """
    with opened(out) as file:
        # echo without a file would print UTF-8 where the encoding of standard output is ASCII.
        typer.echo(text, file=file)


def write_json(value: Any, out: str | None = None) -> None:
    """Write a value as JSON.

    >>> write_json({"leaves": 3})
    {
      "leaves": 3
    }
    """
    write(json.dumps(value, indent=2), out)


@contextmanager
def opened(out: str | None) -> Iterator[TextIO]:
    """Open standard output or a file for text; the file is written whole or not at all.

    >>> with opened("-") as file:
    ...     _ = file.write("3 leaves")
    3 leaves
    """
    if out is None or out == STDOUT:
        yield sys.stdout
        return
    from bough.data.whole_file import whole_file

    with whole_file(out) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        # Flushes the text, and leaves closing the file to whole_file.
        text.detach()


def replace_unprintable() -> None:
    """Print a question mark for a character that standard output cannot encode, instead of failing.

    >>> replace_unprintable()
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
