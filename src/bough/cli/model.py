"""Load the trees that `bough learn --out` saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.errors import FormatError

if TYPE_CHECKING:
    from bough.models.model import Model
    from bough.tree import Tree


def load_model(path: str) -> Tree:
    """Load a tree from a file; the error of any other file names it.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:  # doctest: +ELLIPSIS
    ...     load_model(file.name)
    Traceback (most recent call last):
    bough.errors.FormatError: At ...json, line 1, column 1: ...
    """
    from bough.loading import load

    if path == "-":
        return _from_stdin()
    try:
        return _tree(load(path))
    except FormatError as error:
        raise FormatError(
            f"{path}, {error.place}", f"{error.wrong}; MODEL is a file from bough learn"
        ) from None


def _from_stdin() -> Tree:
    """Load a tree from standard input."""
    import sys

    from bough.loading import loads

    try:
        return _tree(loads(sys.stdin.buffer.read()))
    except FormatError as error:
        wrong = f"{error.wrong}; MODEL is a tree from bough learn"
        raise FormatError(f"standard input, {error.place}", wrong) from None


def _tree(model: Model) -> Tree:
    from bough.tree import Tree

    if not isinstance(model, Tree):
        raise FormatError("kind", f"{model.model_kind!r}; 'tree' is wanted")
    return model
