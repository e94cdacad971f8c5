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
    from bough.format import load

    try:
        return load(path)
    except FormatError as error:
        raise FormatError(
            f"{path}, {error.place}", f"{error.wrong}; MODEL is a file from bough learn"
        ) from None
