"""Models in files, such as the trees that `bough learn --out` saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.errors import FormatError

if TYPE_CHECKING:
    from bough.models.model import Model
    from bough.tree import Tree


def load_tree(path: str) -> Tree:
    """Load a tree; a file that holds another kind of model is refused by its name.

    >>> import tempfile
    >>> from bough.example_models import tennis_rules, tennis_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tennis_tree().save(f"{folder}/tree.json")
    ...     load_tree(f"{folder}/tree.json").n_leaves
    5
    """
    return as_tree(load_model(path), path)


def as_tree(model: Model, path: str) -> Tree:
    """Return a model that is a tree; another kind of model is refused by its name.

    >>> from bough.example_models import tennis_tree
    >>> as_tree(tennis_tree(), "tree.json").n_leaves
    5
    """
    from bough.tree import Tree

    if not isinstance(model, Tree):
        where = "standard input" if path == "-" else path
        raise FormatError(
            f"{where}, kind",
            f"{model.model_kind!r}; this command takes a single tree. `bough show`, `predict`, `evaluate`, "
            "`importance` and `report` take any model",
        )
    return model


def load_model(path: str) -> Model:
    """Load a model of any kind; a file that holds none is refused by its name.

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
        return load(path)
    except FormatError as error:
        raise FormatError(
            f"{path}, {error.place}", f"{error.wrong}; MODEL is a file from bough learn"
        ) from None


def _from_stdin() -> Model:
    """Load the model that stands on standard input."""
    import sys

    from bough.loading import loads

    try:
        return loads(sys.stdin.buffer.read())
    except FormatError as error:
        wrong = f"{error.wrong}; MODEL is a tree from bough learn"
        raise FormatError(f"standard input, {error.place}", wrong) from None
