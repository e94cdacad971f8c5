"""Load a model of any kind from a file."""

from __future__ import annotations

import io
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, cast

from bough.data.urls import refuse_url
from bough.errors import FormatError
from bough.models.format import read, without_version
from bough.models.model import Model

KINDS = {
    "tree": "bough.models.tree_format",
    "rules": "bough.rules.format",
    "linear_rules": "bough.rules.linear_format",
    "forest": "bough.ensembles.forest_format",
    "boosted": "bough.models.boosted",
    "gradient_boosted": "bough.models.gradient_boosted_format",
    "bagging": "bough.models.committee",
}
"""The module of each kind of model, imported when a file is of that kind; its `from_document` reads the file.

For a kind that has members, `from_document` also takes the function that reads them.
"""
_HAVE_MEMBERS = ("boosted", "bagging")

# Versions 1 and 2 had a separate format for each kind.
_OLD = {"bough tree": "tree", "bough rules": "rules"}


def load(path: str | PathLike[str]) -> Model:
    """Load a model from a file that `save` wrote.

    An invalid file raises `FormatError`. Loading never runs code from the file.

    >>> import tempfile
    >>> from bough.example_models import tennis_rules, tennis_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tennis_tree().save(f"{folder}/tree.json")
    ...     tennis_rules().save(f"{folder}/rules.json")
    ...     load(f"{folder}/tree.json"), load(f"{folder}/rules.json")
    (<Classification tree for PlayTennis: 5 leaves, depth 2, 14 cases>,
     <5 rules for PlayTennis from 14 cases, by vote>)
    """
    refuse_url(path, "the file of a model")
    with Path(path).open("rb") as file:
        try:
            return read(file, from_json)
        except FormatError as error:
            error.add_note(f"The file is {str(path)!r}.")
            raise


def loads(data: bytes) -> Model:
    """Load a model from the bytes of a file.

    >>> from bough.example_models import iris_tree
    >>> from bough.models.encoding import to_text
    >>> from bough.models.tree_format import document_of
    >>> text = to_text(document_of(iris_tree()))
    >>> loads(text.encode()) == iris_tree()
    True
    >>> loads(text.replace("2.45", "2.5").encode())
    Traceback (most recent call last):
    bough.errors.FormatError: At sha256: the file was changed since it was written; if on purpose, delete this
    """
    return read(io.BytesIO(data), from_json)


def from_json(document: object) -> Model:
    """Return the model of a document of any kind and version.

    >>> from_json({"format": "bough model", "version": 3, "kind": "shrub"})
    Traceback (most recent call last):
    bough.errors.FormatError: At kind: 'shrub';
    one of 'tree', 'rules', 'linear_rules', 'forest', 'boosted', 'gradient_boosted', 'bagging' is wanted
    """
    old = document.get("format") if isinstance(document, dict) else None
    if isinstance(old, str) and old in _OLD:
        return cast("Model", _module(_OLD[old]).from_old(document))
    return from_document(without_version(document))


def from_document(document: object) -> Model:
    """Return the model of a document that has no format and version, such as a member of another model.

    >>> from_document({"kind": []})
    Traceback (most recent call last):
    bough.errors.FormatError: At kind: [];
    one of 'tree', 'rules', 'linear_rules', 'forest', 'boosted', 'gradient_boosted', 'bagging' is wanted
    """
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise FormatError("kind", f"{kind!r}; one of {', '.join(map(repr, KINDS))} is wanted")
    read_members = (from_document,) if kind in _HAVE_MEMBERS else ()
    return cast("Model", _module(kind).from_document(document, *read_members))


def _module(kind: str) -> Any:
    return import_module(KINDS[kind])
