"""What scikit-learn asks of fit and predict: targets, lengths, names of columns and the order of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from bough.data.schema import Schema
from bough.data.table import Table
from bough.data.target import Weights
from bough.errors import SchemaError, TargetError


def read_as(estimator: Any, X: Any, schema: Schema) -> Table:
    """Read a table by the schema of fit; other names, another order or another width are refused.

    >>> import pandas as pd
    >>> from bough import TreeRegressor
    >>> model = TreeRegressor().fit(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), [1.0, 2.0])
    >>> read_as(model, pd.DataFrame({"a": [1], "b": [3]}), model.tree_.schema).n_rows
    1
    """
    try:
        table = Table.fit_to(X, schema) if is_plain(X) else None
    except SchemaError as error:
        named = f"but {type(estimator).__name__} is expecting"
        raise SchemaError(str(error).replace("but Tree is expecting", named)) from None
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        raise SchemaError(
            f"{str(error).rstrip()}\nSelect the columns by name in the order of feature_names_in_."
        ) from None
    return Table.fit_to(X, schema) if table is None else table


def required(estimator: object, y: Any) -> Any:
    """Return the target, or refuse to learn without one.

    >>> from bough import TreeRegressor
    >>> required(TreeRegressor(), None)
    Traceback (most recent call last):
    bough.errors.TargetError: This TreeRegressor estimator requires y to be passed, but the target y is None.
    """
    if y is None:
        raise TargetError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    return y


def check_lengths(table: Table, n_targets: int) -> None:
    """Refuse a target of another length than its table.

    >>> check_lengths(Table.read([[1.0]]), 2)
    Traceback (most recent call last):
    bough.errors.TargetError: Found input variables with inconsistent numbers of samples: X has 1 rows
    and y has 2. Give one y for each row.
    """
    if n_targets != table.n_rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {table.n_rows} rows "
            f"and y has {n_targets}. Give one y for each row."
        )


def present_rows(weights: Weights) -> npt.NDArray[np.intp] | None:
    """Return the rows that weigh anything; None if all do. Of the others no level was seen.

    >>> from bough.data.target import read_weights
    >>> present_rows(read_weights([2, 0, 1], n_rows=3))
    array([0, 2])
    """
    if weights.weight is None or weights.weight.all():
        return None
    return np.flatnonzero(weights.weight)


def sorted_order(classes: tuple[Any, ...]) -> npt.NDArray[np.intp]:
    """Return the positions of the classes in their sorted order.

    >>> sorted_order(("b", "a"))
    array([1, 0])
    """
    return np.array(sorted(range(len(classes)), key=lambda code: classes[code]), dtype=np.intp)


def is_plain(X: Any) -> bool:
    """Whether a table is an array or lists, whose columns go by position.

    >>> is_plain([[1.0]])
    True
    """
    return isinstance(X, np.ndarray | list | tuple)


def name_of(y: Any) -> str | None:
    """Return the name that a target carries, None if it has none.

    >>> import pandas as pd
    >>> name_of(pd.Series([1, 2], name="mpg")), name_of([1, 2])
    ('mpg', None)
    """
    name = getattr(y, "name", None)
    if name is None and hasattr(y, "columns") and len(y.columns) == 1:
        name = y.columns[0]
    return name if isinstance(name, str) else None
