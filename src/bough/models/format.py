"""The file format of a tree: versioned JSON, specified in docs/format.md. Reading a file runs no code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from bough.data.formula import Formula, formula_from_json
from bough.data.schema import Schema, levels_from_json, levels_to_json
from bough.errors import FormatError
from bough.models.plain import array_from_json, array_to_json, numbers_from_json, plain
from bough.tree import Tree
from bough.tree.alternatives import SPARE_ARRAYS, SpareSplits
from bough.tree.arrays import ARRAYS, KINDS
from bough.tree.soundness import check_counts
from bough.tree.structure import family

FORMAT = "bough tree"
VERSION = 2
"""Version 2 adds the entries in `_LATER` and `_LATER_NODES` and the kind "at_most"; a tree without them is
written as version 1."""

_HEAD = ("format", "version", "task", "target", "classes", "criterion", "recipe", "schema", "nodes")
# The parent of each node follows from its children, so it is not written.
_NODES = tuple(name for name in ARRAYS if name != "parent")
_LATER = ("formulas", "class_scale", "loss", "competitors", "surrogates", "follows_surrogates")
_LATER_NODES = ("share",)
_AT_MOST = KINDS.index("at_most")
_CHECKSUM = "sha256"


def to_json(tree: Tree) -> dict[str, Any]:
    """Return the tree as plain dicts and lists that JSON can hold.

    >>> from bough.example_models import iris_tree
    >>> document = to_json(iris_tree())
    >>> document["version"], document["nodes"]["kind"]
    (1, ['threshold', 'leaf', 'threshold', 'leaf', 'leaf'])
    """
    parts = {name: getattr(tree, name) for name in _LATER}
    none: tuple[Any, ...] = (None, True, ())
    later = {name: _later_to_json(part) for name, part in parts.items() if not any(part is no for no in none)}
    arrays = [*_NODES, *(name for name in _LATER_NODES if getattr(tree, name) is not None)]
    is_later = bool(later) or len(arrays) > len(_NODES) or bool((tree.kind == _AT_MOST).any())
    return {
        "format": FORMAT,
        "version": 2 if is_later else 1,
        "task": tree.task,
        "target": tree.target_name,
        "classes": levels_to_json(tree.classes),
        "criterion": tree.criterion,
        "recipe": plain(tree.recipe, "recipe"),
        "schema": tree.schema.to_json(),
        **later,
        "nodes": {name: array_to_json(getattr(tree, name), name) for name in arrays},
    }


def _later_to_json(part: Any) -> Any:
    if isinstance(part, SpareSplits):
        return {name: array_to_json(getattr(part, name), name) for name in SPARE_ARRAYS}
    if isinstance(part, tuple):
        return [formula.to_json() for formula in part]
    return part if isinstance(part, bool) else part.tolist()


def _later_from_json(data: object, place: str) -> Any:
    if place == "formulas":
        return _formulas(data)
    if place in ("class_scale", "loss"):
        return numbers_from_json(data, place, rows=place == "loss")
    if place == "follows_surrogates":
        if type(data) is not bool:
            raise FormatError(place, f"{data!r}; true or false is wanted")
        return data
    arrays = _members(data, place, tuple(SPARE_ARRAYS))
    return SpareSplits(**{name: array_from_json(arrays[name], f"{place}.{name}") for name in SPARE_ARRAYS})


def from_json(document: object) -> Tree:
    """Return the tree that `to_json` wrote; what is not right is refused with the place that is wrong.

    >>> from bough.example_models import iris_tree
    >>> document = to_json(iris_tree())
    >>> document["nodes"]["first_child"][0] = 17
    >>> from_json(document)
    Traceback (most recent call last):
    bough.errors.FormatError: At nodes.first_child[0]: 17, but the tree has 5 nodes
    """
    fields = _head(document)
    is_later = fields["version"] > 1
    nodes = _members(fields["nodes"], "nodes", _NODES, _LATER_NODES if is_later else ())
    arrays: dict[str, Any] = {name: array_from_json(nodes[name], f"nodes.{name}") for name in nodes}
    if not is_later and (arrays["kind"] == _AT_MOST).any():
        raise FormatError("nodes.kind", "'at_most' is not known in version 1")
    # Counts that do not sum to the nodes there are would make parents without end.
    check_counts(arrays["n_children"])
    arrays["parent"], _ = family(arrays["n_children"])
    tree = Tree(
        schema=_schema(fields["schema"]),
        task=fields["task"],
        classes=levels_from_json(fields["classes"], "classes"),
        target_name=fields["target"],
        criterion=fields["criterion"],
        recipe=fields["recipe"],
        **{name: _later_from_json(fields[name], name) for name in _LATER if name in fields},
        **arrays,
    )
    tree.check()
    return tree


def _schema(data: object) -> Schema:
    try:
        return Schema.from_json(data)
    except OverflowError:
        raise FormatError("schema", "a level is a number too large") from None


def _formulas(data: object) -> tuple[Formula, ...]:
    if type(data) is not list:
        raise FormatError("formulas", f"a list is wanted, got {type(data).__name__}")
    return tuple([formula_from_json(each, f"formulas[{number}]") for number, each in enumerate(data)])


def _head(document: object) -> Mapping[str, Any]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FormatError("format", f"this is no tree that bough wrote; {FORMAT!r} is wanted")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise FormatError("version", f"{version!r}; a whole number of at least 1 is wanted")
    if version > VERSION:
        raise FormatError(
            "version",
            f"{version}, but this bough reads versions up to {VERSION}: pip install --upgrade bough",
        )
    fields = _members(document, "the top", _HEAD, _LATER if version > 1 else ())
    if fields["task"] not in ("classification", "regression"):
        raise FormatError("task", f"{fields['task']!r}; 'classification' or 'regression' is wanted")
    if fields["target"] is not None and type(fields["target"]) is not str:
        raise FormatError("target", f"{fields['target']!r}; a name or null is wanted")
    if type(fields["criterion"]) is not str:
        raise FormatError("criterion", f"{fields['criterion']!r}; a name is wanted")
    if type(fields["recipe"]) is not dict:
        raise FormatError("recipe", f"{type(fields['recipe']).__name__}; an object is wanted")
    return fields | {"recipe": plain(fields["recipe"], "recipe")}


def _members(
    data: object, place: str, names: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise FormatError(place, f"an object is wanted, got {type(data).__name__}")
    for name in names:
        if name not in data:
            raise FormatError(place, f"{name!r} is missing")
    for name in data:
        if name not in names + optional:
            raise FormatError(place, f"{name!r} is not known here")
    return data


def save(tree: Tree, path: str | PathLike[str]) -> None:
    """Write the tree to a file, with a checksum, one array a line.

    >>> import tempfile
    >>> from bough.example_models import tennis_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(tennis_tree(), f"{folder}/tennis.json")
    ...     load(f"{folder}/tennis.json").n_leaves
    5
    """
    Path(path).write_bytes(dumps(tree).encode("ascii"))


def load(path: str | PathLike[str]) -> Tree:
    """Read the tree that `save` wrote. A file that is not right is refused; nothing in it is ever run.

    >>> import tempfile
    >>> from bough.example_models import tennis_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(tennis_tree(), f"{folder}/tennis.json")
    ...     load(f"{folder}/tennis.json") == tennis_tree()
    True
    """
    data = Path(path).read_bytes()
    try:
        return loads(data)
    except FormatError as error:
        error.add_note(f"The file is {str(path)!r}.")
        raise


def dumps(tree: Tree) -> str:
    """Return the text that `save` writes. Its first line holds the SHA-256 of all that follows that line.

    >>> from bough.example_models import iris_tree
    >>> print(dumps(iris_tree()).splitlines()[1])
    "task": "classification",
    """
    document = to_json(tree)
    nodes, version = document.pop("nodes"), document.pop("version")
    del document["format"]
    lines = [f"{_text(name)}: {_text(value)},\n" for name, value in document.items()]
    arrays = ",\n".join(f"{_text(name)}: {_text(values)}" for name, values in nodes.items())
    body = "".join(lines) + '"nodes": {\n' + arrays + "\n}}\n"
    digest = hashlib.sha256(body.encode("ascii")).hexdigest()
    return f'{{"format": "{FORMAT}", "version": {version}, "{_CHECKSUM}": "{digest}",\n{body}'


def _text(value: object) -> str:
    return json.dumps(value, allow_nan=False)


def loads(data: bytes) -> Tree:
    """Return the tree that a file's bytes hold.

    >>> from bough.example_models import iris_tree
    >>> text = dumps(iris_tree())
    >>> loads(text.encode()) == iris_tree()
    True
    >>> loads(text.replace("2.45", "2.5").encode())
    Traceback (most recent call last):
    bough.errors.FormatError: At sha256: the file was changed since it was written; if on purpose, delete this
    """
    document = parsed(data)
    checksum = document.pop(_CHECKSUM, None) if isinstance(document, dict) else None
    try:
        tree = from_json(document)
    except RecursionError:
        raise FormatError("recipe", "it is nested too deep") from None
    if checksum is not None and checksum != hashlib.sha256(data.partition(b"\n")[2]).hexdigest():
        raise FormatError(_CHECKSUM, "the file was changed since it was written; if on purpose, delete this")
    return tree


def parsed(data: bytes) -> Any:
    """Return what a file's bytes say as JSON; what is no JSON is refused with the place that is wrong.

    >>> parsed(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    bough.errors.FormatError: At 'a': stands twice in one object
    """
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start}", "the file is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        cut_short = " (is the file whole?)" if error.pos >= len(error.doc.rstrip()) else ""
        raise FormatError(f"line {error.lineno}, column {error.colno}", f"{error.msg}{cut_short}") from None
    except RecursionError:
        raise FormatError("the top", "it is nested too deep") from None
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError("a number", str(error)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(repr(twice), "stands twice in one object")
    return members


def _refuse_constant(name: str) -> Any:
    raise FormatError(name, 'it is no JSON; infinities are written "inf" and "-inf", no number null')
