"""Equality of models: all that they hold except where they come from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.tree.arrays import same_array


def fields_of(model: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, without what it has computed and kept.

    >>> from bough.example_models import iris_tree
    >>> fields_of(iris_tree())["task"]
    'classification'
    """
    return {field.name: getattr(model, field.name) for field in dataclasses.fields(model)}


def same_models(ours: Any, theirs: Any) -> bool:
    """Return whether two models of one kind are equal.

    `provenance` does not count, nor does the entry "scales" of the recipe, which the schema determines.

    >>> from bough.example_models import iris_tree
    >>> tree = iris_tree()
    >>> same_models(tree, dataclasses.replace(tree, recipe={"scales": {}}, provenance={"source": "iris.csv"}))
    True
    """
    fields = fields_of(ours)
    for name in ("provenance", "recipe"):
        fields.pop(name, None)
    return _compared_recipe(ours) == _compared_recipe(theirs) and all(
        _same(own, getattr(theirs, name)) for name, own in fields.items()
    )


def _compared_recipe(model: Any) -> dict[str, Any]:
    return {name: part for name, part in model.recipe.items() if name != "scales"}


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, np.ndarray) or isinstance(theirs, np.ndarray):
        return same_array(ours, theirs)
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, Mapping):
        return ours.keys() == theirs.keys() and all(_same(part, theirs[name]) for name, part in ours.items())
    if isinstance(ours, tuple):
        # 1, 1.0 and True are equal to Python, but not the same class label.
        return [*map(type, ours)] == [*map(type, theirs)] and all(map(_same, ours, theirs))
    if dataclasses.is_dataclass(ours) and type(ours).__eq__ is object.__eq__:  # it may hold arrays
        parts = fields_of(ours).items()
        return type(ours) is type(theirs) and all(_same(part, getattr(theirs, name)) for name, part in parts)
    return bool(ours == theirs)
