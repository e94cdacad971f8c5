"""Models in files: trees that `bough learn --out` saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.errors import FormatError

if TYPE_CHECKING:
    from bough.tree import Tree


def load_model(path: str) -> Tree:
    """Load a tree; a file that is no tree is refused by its name.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:  # doctest: +ELLIPSIS
    ...     load_model(file.name)
    Traceback (most recent call last):
    bough.errors.FormatError: At ...json, line 1, column 1: ...
    """
    from bough.models.format import load

    if path == "-":
        return _from_stdin()
    try:
        return load(path)
    except FormatError as error:
        raise FormatError(
            f"{path}, {error.place}", f"{error.wrong}; MODEL is a file from bough learn"
        ) from None


def _from_stdin() -> Tree:
    """Load the tree that stands on standard input."""
    import sys
    import tempfile

    from bough.models.format import load

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(sys.stdin.buffer.read())
        file.flush()
        try:
            return load(file.name)
        except FormatError as error:
            wrong = f"{error.wrong}; MODEL is a tree from bough learn"
            raise FormatError(f"standard input, {error.place}", wrong) from None
