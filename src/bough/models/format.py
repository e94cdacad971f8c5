"""The parts of the model file format that all kinds of model share; docs/format.md specifies it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

from bough.data.schema import Level, Schema, levels_from_json, levels_to_json
from bough.data.whole_file import write_file
from bough.errors import FormatError
from bough.models.encoding import (
    CHECKSUM,
    FORMAT,
    FREE,
    VERSION,
    Document,
    from_zip,
    n_bytes,
    parsed,
    to_text,
    to_zip,
)
from bough.models.model import Model, completed
from bough.models.plain import plain
from bough.tree.soundness import check_task
from bough.types import Task

HEAD = ("task", "target", "classes", "schema", "recipe")
"""The entries that models of every kind have; `provenance` is optional."""

_T = TypeVar("_T")

_ZIP = b"PK\x03\x04"
_MOST_TEXT = 2**20


class Head(NamedTuple):
    """The entries that models of every kind have, as read from a document."""

    schema: Schema
    task: Task
    classes: tuple[Level, ...]
    target_name: str | None
    recipe: dict[str, Any]
    provenance: dict[str, Any]


def head_of(model: Model) -> Document:
    """Return the entries of a document that models of every kind have.

    >>> from bough.example_models import tennis_rules
    >>> head_of(tennis_rules())["kind"], head_of(tennis_rules())["target"]
    ('rules', 'PlayTennis')
    """
    provenance = {"provenance": plain(model.provenance, "provenance")} if model.provenance else {}
    return {
        "kind": model.model_kind,
        "task": model.task,
        "target": model.target_name,
        "classes": levels_to_json(model.classes),
        "schema": model.schema.to_json(),
        "recipe": plain(model.recipe, "recipe"),
        **provenance,
    }


def read_head(fields: Mapping[str, Any]) -> Head:
    """Read and check the entries that models of every kind have.

    >>> from bough.example_models import tennis_rules
    >>> head = head_of(tennis_rules())
    >>> read_head(head).classes
    ('No', 'Yes')
    >>> read_head(head | {"task": "regression"})
    Traceback (most recent call last):
    bough.errors.FormatError: At classes: a regression model has no classes
    """
    task, target, classes = fields["task"], fields["target"], levels_from_json(fields["classes"], "classes")
    if target is not None and type(target) is not str:
        raise FormatError("target", f"{target!r}; a name or null is wanted")
    free = []
    for name in FREE:
        if type(fields.get(name, {})) is not dict:
            raise FormatError(name, f"{type(fields[name]).__name__}; an object is wanted")
        free.append(plain(fields.get(name, {}), name))
    check_task(task, classes)
    return Head(_schema(fields["schema"]), cast("Task", task), classes, target, *free)


def _schema(data: object) -> Schema:
    try:
        return Schema.from_json(data)
    except OverflowError:
        raise FormatError("schema", "a level is a number too large") from None


def check_version(document: Mapping[str, Any], newest: int, oldest: int = 1) -> int:
    """Return the version of a document; raise `FormatError` if this version of bough cannot read it.

    >>> check_version({"version": 7}, 3)
    Traceback (most recent call last):
    bough.errors.FormatError: At version: 7,
    but this bough reads versions up to 3: pip install --upgrade bough
    """
    version = document.get("version")
    if type(version) is not int or version < oldest:
        raise FormatError("version", f"{version!r}; a whole number of at least {oldest} is wanted")
    if version > newest:
        raise FormatError(
            "version", f"{version}, but this bough reads versions up to {newest}: pip install --upgrade bough"
        )
    return version


def save(document: Document, path: str | PathLike[str]) -> None:
    """Write a model's document to a file.

    The file is text if the path ends in .json, and a zip if it ends in .bough or .zip. With any other ending
    it is text if the arrays take at most a mebibyte, else a zip.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"kind": "tree", "nodes": {"cut": np.zeros(2**18)}}, f"{folder}/model")
    ...     Path(f"{folder}/model").read_bytes()[:2]
    b'PK'
    """
    document = document | {"provenance": completed(document.get("provenance", {}))}
    suffix = Path(path).suffix.lower()
    is_text = suffix == ".json" or (suffix not in (".bough", ".zip") and n_bytes(document) <= _MOST_TEXT)
    write_file(path, to_text(document).encode("ascii") if is_text else to_zip(document))


def without_version(document: object, kind: str | None = None) -> Document:
    """Return a document of the current version without format and version.

    Raise `FormatError` if it is of another version or, with `kind`, of another kind.

    >>> without_version({"format": "bough model", "version": 3, "kind": "tree"}, "rules")
    Traceback (most recent call last):
    bough.errors.FormatError: At kind: 'tree'; 'rules' is wanted
    """
    named = document.get("format") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(named, str) or named != FORMAT:
        raise FormatError("format", f"this is no model that bough wrote; {FORMAT!r} is wanted")
    check_version(document, VERSION, VERSION)
    if kind is not None and document.get("kind") != kind:
        raise FormatError("kind", f"{document.get('kind')!r}; {kind!r} is wanted")
    return {name: value for name, value in document.items() if name not in ("format", "version")}


def of_any_version(
    document: object, kind: str, build: Callable[[object], _T], old: str, build_old: Callable[[Any], _T]
) -> _T:
    """Return the model of a document, whose format had a name of its own before version 3.

    >>> of_any_version({"format": "bough tree"}, "tree", len, "bough tree", lambda document: "old")
    'old'
    """
    if isinstance(document, dict) and document.get("format") == old:
        return build_old(document)
    return build(without_version(document, kind))


def read(file: BinaryIO, build: Callable[[object], _T]) -> _T:
    """Return the result of `build` on the document in a file. Reading never runs code from the file.

    >>> import io
    >>> read(io.BytesIO(to_text({"kind": "tree"}).encode()), lambda document: document["kind"])
    'tree'
    """
    start = file.read(len(_ZIP))
    try:
        if start == _ZIP:
            return build(from_zip(file))
        data = start + file.read()
        document = parsed(data)
        checksum = document.pop(CHECKSUM, None) if isinstance(document, dict) else None
        model = build(document)
    except RecursionError:
        raise FormatError("the top", "it is nested too deep") from None
    if checksum is not None and checksum != hashlib.sha256(data.partition(b"\n")[2]).hexdigest():
        raise FormatError(CHECKSUM, "the file was changed since it was written; if on purpose, delete this")
    return model
