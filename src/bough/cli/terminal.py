"""What a terminal shows besides the output: errors and warnings in one line each, and progress."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from bough.data.urls import is_url
from bough.errors import BoughError, IdentifierWarning
from bough.progress import working as working


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print an error of the data or the parameters in one line and exit with 1; exit with 130 on Ctrl-C.

    Warnings are printed in one line each, too, without the place in the source that they come from.

    >>> from bough.errors import TableError
    >>> try:
    ...     with plain_errors():
    ...         raise TableError("table.csv has no rows.")
    ... except typer.Exit as exit:
    ...     exit.exit_code
    1
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = print_warning
            yield
    except BrokenPipeError:
        # The reader, such as `head`, has closed its end. That is no error, and typer ends the process.
        raise
    except BoughError as error:
        _print_error(str(error))
        raise typer.Exit(1) from None
    except OSError as error:
        _print_error(_file_error(error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def say(text: str) -> None:
    """Print a remark on standard error if that is a terminal, so that scripts have nothing to filter out.

    >>> say("Learned from 344 rows in 0.2 s.")
    """
    if sys.stderr.isatty():
        typer.echo(text, err=True)


def _file_error(error: OSError) -> str:
    """Return an error of a file in words, without a URL, which may hold a password."""
    if not error.filename:
        return str(error)
    if is_url(str(error.filename)):
        return "A URL was given where a file is expected; name a file."
    return f"{error.filename}: {error.strerror}."


def _print_error(message: str) -> None:
    _print_line("Error", message, "red")


def print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning in one line on standard error; it can stand in for `warnings.showwarning`.

    >>> print_warning("Column 'when' is left out.")
    """
    text = str(message)
    if isinstance(message, IdentifierWarning):
        options = " ".join(f"--drop {shlex.quote(name)}" for name in message.columns)
        text = f"{message.problem} If so, add {options}."
    _print_line("Warning", text, "yellow")


def _print_line(kind: str, message: str, colour: str) -> None:
    from rich.console import Console
    from rich.text import Text

    line = " ".join(message.split())
    text = Text.assemble((f"{kind}: ", f"bold {colour}"), (line, colour))
    Console(stderr=True, soft_wrap=True).print(text)
