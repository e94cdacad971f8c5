"""Monotonic constraints: as a column rises, the prediction must not fall, or must not rise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from bough.data.schema import Schema
from bough.data.sparse import stored_values
from bough.data.table import Table, is_missing
from bough.errors import ParameterError, TableError
from bough.types import is_whole

MonotonicConstraints: TypeAlias = Mapping[str, int] | Sequence[int]
"""Direction of each column, by name (0 if not named) or in the order of the columns: 1 if the prediction must
not fall as the column rises, −1 if it must not rise, 0 if it is free."""


def directions_by_name(monotonic_cst: Any, schema: Schema) -> dict[str, int]:
    """Return the direction of each constrained column.

    >>> from bough.example_models import iris_tree
    >>> directions_by_name([0, 1], iris_tree().schema)
    {'Petal.Width': 1}
    >>> directions_by_name({"Petal": 1}, iris_tree().schema)
    Traceback (most recent call last):
    bough.errors.ParameterError: monotonic_cst names 'Petal', but the columns are 'Petal.Length',
    'Petal.Width'.
    """
    if monotonic_cst is None:
        return {}
    names = schema.names
    if isinstance(monotonic_cst, Mapping):
        unknown = [name for name in monotonic_cst if name not in names]
        if unknown:
            known = ", ".join(map(repr, names))
            raise ParameterError(f"monotonic_cst names {unknown[0]!r}, but the columns are {known}.")
        given = dict(monotonic_cst)
    elif isinstance(monotonic_cst, str) or not isinstance(monotonic_cst, Sequence | np.ndarray):
        wanted = "a dict from column to direction, or a direction for each column"
        raise ParameterError.of("monotonic_cst", monotonic_cst, wanted)
    elif len(monotonic_cst) != len(names):
        raise ParameterError(
            f"monotonic_cst has shape {len(monotonic_cst)} but the input data X has {len(names)} features; "
            "give one direction for each."
        )
    else:
        given = dict(zip(names, monotonic_cst, strict=True))
    for column in schema.columns:
        direction = given.get(column.name, 0)
        if not is_whole(direction) or direction not in (-1, 0, 1):
            wanted = "1, 0 or −1: monotonic_cst must be None or an array-like of -1, 0 or 1"
            raise ParameterError.of(f"monotonic_cst[{column.name!r}]", direction, wanted)
        if direction and column.scale == "nominal":
            raise ParameterError(
                f"monotonic_cst constrains {column.name!r}, whose levels have no order. Pass the order in "
                "ordinal_features, or leave the column free."
            )
    return {name: int(given[name]) for name in names if given.get(name, 0)}


def native_directions(directions: Any, table: Table, n_classes: int) -> list[int]:
    """Return the direction of each column of a table, or an empty list if no column is constrained.

    >>> native_directions({"x1": -1}, Table.read([[1.0, 2.0]]), n_classes=2)
    [0, -1]
    >>> native_directions({"x1": -1}, Table.read([[1.0, None]]), n_classes=2)
    Traceback (most recent call last):
    bough.errors.TableError: Column 'x1' has missing values, but monotonic_cst allows none.
    Impute them, or leave those rows out.
    """
    if not directions:
        return []
    if n_classes > 2:
        raise ParameterError(
            f"monotonic_cst is given, but y has {n_classes} classes. Monotonicity constraints are not "
            "supported with multiclass classification: pass two classes or numbers."
        )
    for column, values in zip(table.schema.columns, map(stored_values, table.columns), strict=True):
        if is_missing(values).any():
            raise TableError(
                f"Column {column.name!r} has missing values, but monotonic_cst allows none. Impute them, or "
                "leave those rows out."
            )
    return [directions.get(name, 0) for name in table.schema.names]
