"""What a person at a terminal sees besides the answer: errors in one red line, and that work goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from bough.errors import BoughError
from bough.progress import working as working


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


def _print_error(message: str) -> None:
    from rich.console import Console
    from rich.text import Text

    line = " ".join(message.split())
    text = Text.assemble(("Error: ", "bold red"), (line, "red"))
    Console(stderr=True, soft_wrap=True).print(text)
