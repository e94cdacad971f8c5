"""What a person at a terminal sees besides the answer: errors in one red line, and that work goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

import typer

from bough.errors import BoughError

_PATIENCE = 1.0
"""Seconds before a bar says that the work goes on."""


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what the data or the parameters did wrong into one line and exit code 1, and Ctrl-C into 130.

    >>> from bough.errors import TableError
    >>> try:
    ...     with plain_errors():
    ...         raise TableError("table.csv has no rows.")
    ... except typer.Exit as exit:
    ...     exit.exit_code
    1
    """
    try:
        yield
    except BrokenPipeError:
        # The reader, such as `head`, has had enough. That is no error, and typer knows how to end.
        raise
    except BoughError as error:
        _print_error(str(error))
        raise typer.Exit(1) from None
    except OSError as error:
        _print_error(f"{error.filename}: {error.strerror}." if error.filename else str(error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None] | None]:
    """Say on a terminal what is going on, once it has taken a second; elsewhere say nothing.

    Gives a function to call with the share done; None where nobody looks.

    >>> with working("Growing the tree") as progress:
    ...     tree = "grown"
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    timer = Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda share: bar.update(task, completed=share, total=1.0)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def _print_error(message: str) -> None:
    from rich.console import Console
    from rich.text import Text

    line = " ".join(message.split())
    text = Text.assemble(("Error: ", "bold red"), (line, "red"))
    Console(stderr=True, soft_wrap=True).print(text)
