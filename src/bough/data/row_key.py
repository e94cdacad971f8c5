"""The column that tells rows apart: models do not read it, and the rows to predict may have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bough.data.schema import Schema
from bough.data.table import Table


def without_row_key(X: Any, row_key: Any, schema: Schema) -> Any:
    """Return a frame or a table without the column `row_key`, unless the schema has it; others as they are.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x0": [3.0], "id": ["a"]})
    >>> list(without_row_key(frame, "id", Table.read([[1.0]]).schema))
    ['x0']
    """
    return without_column(X, row_key) if isinstance(row_key, str) and row_key not in schema.names else X


def without_column(X: Any, name: str) -> Any:
    """Return a frame or a table without a column, if it has it; anything else as it is.

    >>> without_column([[1.0]], "id")
    [[1.0]]
    """
    if isinstance(X, Table):
        names = X.schema.names
        return X.of_columns([each for each in names if each != name]) if name in names else X
    if X is None or isinstance(X, np.ndarray | list | tuple):
        return X
    from bough.data.readers.frame import as_frame

    frame: Any = as_frame(X)
    return frame.drop(name).to_native() if name in getattr(frame, "columns", ()) else X


def recorded_row_key(recipe: Any) -> str | None:
    """Return the column whose hash drew the rows or the folds of a model, by its recorded recipe.

    >>> recorded_row_key({"prune": {"method": "cost_complexity", "row_key": "id"}})
    'id'
    >>> recorded_row_key({"ensemble": "of a changed file"}) is None
    True
    """
    if not isinstance(recipe, Mapping):
        return None
    ensemble = recipe.get("ensemble")
    rows = ensemble.get("rows") if isinstance(ensemble, Mapping) else None
    for part in (rows, recipe.get("prune"), recipe.get("settings")):
        key = part.get("row_key") if isinstance(part, Mapping) else None
        if isinstance(key, str):
            return key
    return None


def rows_of_model(X: Any, model: Any) -> Table:
    """Return X as a table of the schema of a model, without the column of its `row_key`.

    >>> from bough.example_models import iris_tree
    >>> rows_of_model([[1.4, 0.2]], iris_tree()).n_rows
    1
    """
    return Table.fit_to(without_row_key(X, recorded_row_key(model.recipe), model.schema), model.schema)
