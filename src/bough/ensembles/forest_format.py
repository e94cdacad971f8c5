"""The file kind "forest": the packed arrays of all trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.data.schema import members
from bough.ensembles.forest import Forest
from bough.errors import FormatError
from bough.models.encoding import Document
from bough.models.format import HEAD, head_of, read_head
from bough.models.plain import array_from, is_finite, rows_from
from bough.models.targets import read_targets, targets_document

_ARRAYS: Mapping[str, type[np.generic]] = {
    "nodes": np.uint64,
    "gain": np.float32,
    "cases": np.float32,
    "special": np.uint32,
    "node_start": np.int64,
    "leaf_start": np.int64,
    "special_start": np.int64,
}
_ROWS = ("leaf", "leaf_totals", "tree_importance")
_OWN = ("criterion", "voting", "cutoff", "correction", "wide", "column_bits", "trees")


def document_of(forest: Forest) -> Document:
    """Return the forest as a document, without format and version.

    >>> from bough import RandomForestRegressor
    >>> forest = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
    >>> document_of(forest)["trees"]["node_start"].tolist()
    [0, 3, 6]
    """
    targets = {"targets": targets_document(forest.targets)} if forest.targets else {}
    return head_of(forest) | {
        **targets,
        "criterion": forest.criterion,
        "voting": forest.voting,
        "cutoff": None if forest.cutoff is None else list(forest.cutoff),
        "correction": None if forest.correction is None else list(forest.correction),
        "wide": forest.wide,
        "column_bits": forest.column_bits,
        "trees": {name: getattr(forest, name) for name in (*_ARRAYS, *_ROWS)},
    }


def from_document(document: object) -> Forest:
    """Return the forest of a document without format and version; raise if the document is invalid.

    >>> from bough import RandomForestRegressor
    >>> forest = RandomForestRegressor(2, bootstrap=False).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
    >>> from_document(document_of(forest)) == forest
    True
    """
    fields = members(document, "the top", ("kind", *HEAD, *_OWN), ("provenance", "targets"))
    head = read_head(fields)
    held = members(fields["trees"], "trees", (*_ARRAYS, *_ROWS))
    arrays: dict[str, Any] = {
        name: array_from(held[name], f"trees.{name}", dtype) for name, dtype in _ARRAYS.items()
    }
    targets = read_targets(fields["targets"]) if "targets" in fields else ()
    widths = (max(len(head.classes), 1), 2, len(head.schema))
    for name, width in zip(_ROWS, widths, strict=True):
        rows = rows_from(held[name], f"trees.{name}")
        # An empty list does not determine the number of columns.
        arrays[name] = rows if len(rows) else rows.reshape(0, width)
    for name, wanted in (("criterion", str), ("voting", str), ("wide", bool), ("column_bits", int)):
        if type(fields[name]) is not wanted:
            raise FormatError(name, f"{fields[name]!r}; a {wanted.__name__} is wanted")
        arrays[name] = fields[name]
    for name in ("cutoff", "correction"):
        arrays[name] = _numbers(fields[name], name)
    forest = Forest(**head._asdict(), targets=targets, **arrays)
    forest.check()
    return forest


def _numbers(values: object, place: str) -> tuple[float, ...] | None:
    if values is None:
        return None
    if type(values) is not list or not all(map(is_finite, values)):
        raise FormatError(place, f"{values!r}; finite numbers are wanted, or null")
    return tuple(map(float, values))
