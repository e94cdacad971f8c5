"""The file kind "tree", and the separate format that trees had in versions 1 and 2."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from bough.data.formula import Formula, formula_from_json
from bough.data.schema import members
from bough.errors import FormatError
from bough.models import encoding
from bough.models import format as files
from bough.models.encoding import Document
from bough.models.format import HEAD, check_version, head_of, read_head
from bough.models.plain import array_from, rows_from
from bough.models.targets import read_targets, targets_document
from bough.tree import Tree
from bough.tree.alternatives import ALTERNATIVE_ARRAYS, AlternativeSplits
from bough.tree.arrays import ARRAYS, KINDS, OPTIONAL_ARRAYS, TABLE_ARRAYS, ArrayGroup
from bough.tree.leaf_models import LeafModels
from bough.tree.soundness import check_counts
from bough.tree.structure import family

OLD_FORMAT = "bough tree"
_OLD_VERSION = 2

# The parent of each node follows from its children, so it is not written.
_NODES = tuple(name for name in ARRAYS if name != "parent")
_DEFAULTS = {"formulas": (), "follows_surrogates": True, "smoothing": "none", "arithmetic": "bough"}
_GROUPS: Mapping[str, type[ArrayGroup]] = {
    "competitors": AlternativeSplits,
    "surrogates": AlternativeSplits,
    "leaf_models": LeafModels,
}
_OPTIONAL = ("provenance", "class_scale", "loss_matrix", "targets", *_DEFAULTS, *_GROUPS)

_OLD_NAMES = {"rows": "cases", "loss": "loss_matrix"}
_OLD_OPTIONAL = ("formulas", "class_scale", "loss", "competitors", "surrogates", "follows_surrogates")
_OLD_KINDS = {1: KINDS.index("at_most"), 2: KINDS.index("intervals")}
"""The first kind of split that a version does not know."""


def document_of(tree: Tree) -> Document:
    """Return the tree as a document, without format and version.

    >>> from bough.example_models import iris_tree
    >>> document_of(iris_tree())["nodes"]["n_children"]
    array([2, 0, 2, 0, 0], dtype=int32)
    """
    document = head_of(tree) | {"criterion": tree.criterion}
    if tree.formulas:
        document["formulas"] = [formula.to_json() for formula in tree.formulas]
    for name in ("follows_surrogates", "smoothing", "arithmetic"):
        if getattr(tree, name) != _DEFAULTS[name]:
            document[name] = getattr(tree, name)
    for name in ("class_scale", "loss_matrix"):
        if getattr(tree, name) is not None:
            document[name] = getattr(tree, name)
    if tree.targets:
        document["targets"] = targets_document(tree.targets)
    for name in _GROUPS:
        group = getattr(tree, name)
        if group is not None:
            document[name] = group.given()
    held = [*_NODES, *(name for name in OPTIONAL_ARRAYS if getattr(tree, name) is not None)]
    return document | {"nodes": {name: getattr(tree, name) for name in held}}


def to_json(tree: Tree) -> Document:
    """Return the tree as dicts and lists that JSON can represent.

    >>> from bough.example_models import iris_tree
    >>> document = to_json(iris_tree())
    >>> document["version"], document["nodes"]["kind"]
    (3, ['threshold', 'leaf', 'threshold', 'leaf', 'leaf'])
    """
    return encoding.to_json(document_of(tree))


def save(tree: Tree, path: str | PathLike[str]) -> None:
    """Write the tree to a file that `bough.load` reads.

    The file is text if the path ends in .json, and a zip if it ends in .bough or .zip; otherwise the size of
    the tree decides.

    >>> import tempfile, zipfile
    >>> from bough.example_models import iris_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(iris_tree(), path := f"{folder}/iris.bough")
    ...     zipfile.is_zipfile(path)
    True
    """
    files.save(document_of(tree), path)


def from_json(document: object) -> Tree:
    """Return the tree that `to_json` wrote; raise `FormatError` if the document is invalid.

    >>> from bough.example_models import iris_tree
    >>> document = to_json(iris_tree())
    >>> document["nodes"]["first_child"][0] = 17
    >>> from_json(document)
    Traceback (most recent call last):
    bough.errors.FormatError: At nodes.first_child[0]: 17, but the tree has 5 nodes
    """
    return files.of_any_version(document, Tree.model_kind, from_document, OLD_FORMAT, from_old)


def from_old(document: Mapping[str, Any]) -> Tree:
    """Return the tree of a document of version 1 or 2.

    >>> from_old({"format": "bough tree", "version": 3})
    Traceback (most recent call last):
    bough.errors.FormatError: At version: 3,
    but this bough reads versions up to 2: pip install --upgrade bough
    """
    version = check_version(document, _OLD_VERSION)
    names = ("format", "version", "criterion", "nodes", *HEAD)
    fields = dict(members(document, "the top", names, _OLD_OPTIONAL if version > 1 else ()))
    of_nodes = [{"cases": "rows"}.get(name, name) for name in _NODES]
    nodes = members(fields["nodes"], "nodes", of_nodes, ("share",) if version > 1 else ())
    kinds = array_from(nodes["kind"], "nodes.kind", np.uint8)
    if (kinds >= _OLD_KINDS[version]).any():
        later = KINDS[int(kinds[kinds >= _OLD_KINDS[version]][0])]
        raise FormatError("nodes.kind", f"{later!r} is not known in version {version}")
    fields["nodes"] = _renamed(nodes)
    for name in ("competitors", "surrogates"):
        if name in fields:
            old = [{"cases": "rows"}.get(each, each) for each in ALTERNATIVE_ARRAYS]
            fields[name] = _renamed(members(fields[name], name, old))
    if isinstance(fields["recipe"], dict) and fields["recipe"].get("missing") == "spread":
        fields["recipe"] = fields["recipe"] | {"missing": "fractional"}
    del fields["format"], fields["version"]
    return from_document({"kind": Tree.model_kind, **_renamed(fields)})


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_OLD_NAMES.get(name, name): value for name, value in fields.items()}


def from_document(document: object) -> Tree:
    """Return the tree of a document that has no format and version, after checking every entry.

    >>> from bough.example_models import iris_tree
    >>> from_document(document_of(iris_tree())) == iris_tree()
    True
    """
    fields = members(document, "the top", ("kind", "criterion", "nodes", *HEAD), _OPTIONAL)
    head = read_head(fields)
    if type(fields["criterion"]) is not str:
        raise FormatError("criterion", f"{fields['criterion']!r}; a name is wanted")
    targets = read_targets(fields["targets"]) if "targets" in fields else ()
    nodes = members(fields["nodes"], "nodes", _NODES, OPTIONAL_ARRAYS)
    types = {**ARRAYS, **OPTIONAL_ARRAYS}
    arrays: dict[str, Any] = {
        name: (rows_from if name in TABLE_ARRAYS else array_from)(values, f"nodes.{name}", types[name])
        for name, values in nodes.items()
    }
    # Check first, because `family` needs counts that describe one tree.
    check_counts(arrays["n_children"])
    arrays["parent"], _ = family(arrays["n_children"])
    tree = Tree(
        **head._asdict(), targets=targets, criterion=fields["criterion"], **_optional(fields), **arrays
    )
    tree.check()
    return tree


def _optional(fields: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "formulas" in fields:
        found["formulas"] = _formulas(fields["formulas"])
    if "class_scale" in fields:
        found["class_scale"] = array_from(fields["class_scale"], "class_scale")
    if "loss_matrix" in fields:
        found["loss_matrix"] = rows_from(fields["loss_matrix"], "loss_matrix")
    for name, kinds in (
        ("follows_surrogates", (bool,)),
        ("smoothing", (str, float, int)),
        ("arithmetic", (str,)),
    ):
        if name in fields:
            if type(fields[name]) not in kinds:
                wanted = {"follows_surrogates": "true or false", "smoothing": "'laplace' or a number"}
                raise FormatError(name, f"{fields[name]!r}; {wanted.get(name, 'a name')} is wanted")
            found[name] = fields[name]
    for name, group in _GROUPS.items():
        if name in fields:
            held = members(fields[name], name, group.ARRAYS, group.OPTIONAL)
            types = {**group.ARRAYS, **group.OPTIONAL}
            found[name] = group(
                **{each: array_from(values, f"{name}.{each}", types[each]) for each, values in held.items()}
            )
    return found


def _formulas(data: object) -> tuple[Formula, ...]:
    if type(data) is not list:
        raise FormatError("formulas", f"a list is wanted, got {type(data).__name__}")
    return tuple([formula_from_json(each, f"formulas[{number}]") for number, each in enumerate(data)])
