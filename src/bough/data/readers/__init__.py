"""Readers convert tables of any supported library into a `Table`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from bough.data.readers.array import array_source, is_plain_floats, plain_array, positional_names, read_values
from bough.data.readers.features import ScaleRequest, is_from_dtype, scale_requests
from bough.data.readers.frame import as_frame, collected, frame_source, read_series, with_ordered_levels
from bough.data.readers.scale import fitted, scaled, with_new_levels
from bough.data.readers.source import Coded, Numbers, Raw, Source, Times, Vector, refuse_sparse
from bough.data.readers.sparse import fit_sparse, read_sparse
from bough.data.schema import Column, Schema
from bough.data.sparse import is_sparse
from bough.data.table import Features, OrderedFeatures, Table
from bough.data.times import UNIT_WORDS
from bough.errors import ColumnTypeError, SchemaError, TableError, TargetError

__all__ = [
    "collected",
    "divided",
    "fit_to",
    "plain_column",
    "read",
    "source_of",
    "take",
    "vector_of",
    "with_ordered_levels",
]


def read(
    X: Any,
    *,
    categorical_features: Features | str | None = "from_dtype",
    ordinal_features: OrderedFeatures | None = None,
) -> Table:
    """Read a table; each column has the scale requested for it, or else the scale of its dtype.

    >>> [column.scale for column in read([[1.5, "a"], [2.5, "b"]]).schema]
    ['numeric', 'nominal']
    """
    if is_sparse(X):
        return read_sparse(X, categorical_features, ordinal_features)
    by_dtype = categorical_features is None or is_from_dtype(categorical_features)
    if by_dtype and ordinal_features is None and is_plain_floats(X):
        return Table(_schema_of_numbers(X.shape[1]), tuple(X.T), X.shape[0])
    source = source_of(X)
    requests = scale_requests(source.names, categorical_features, ordinal_features)
    default = ScaleRequest("numeric") if categorical_features is None else ScaleRequest()
    pairs = [
        scaled(name, source.read(position), requests.get(position, default))
        for position, name in enumerate(source.names)
    ]
    schema = Schema(tuple([column for column, _ in pairs]))
    return Table(schema, tuple([values for _, values in pairs]), source.n_rows)


@lru_cache(maxsize=64)
def _schema_of_numbers(n_columns: int) -> Schema:
    return Schema(tuple([Column(name, "numeric") for name in positional_names(n_columns)]))


def fit_to(X: Any, schema: Schema, *, new_levels: bool = False) -> Table:
    """Read a table by a schema; the columns of a frame are found by name, those of an array by position.

    With `new_levels`, levels that the schema does not have are appended to the levels of their columns in the
    schema of the table. Otherwise they get the code −1, like a missing value.

    >>> fit_to([[1, 2]], read([[1.5]]).schema)
    Traceback (most recent call last):
    bough.errors.SchemaError: X has 2 features, but Tree is expecting 1 features as input.
    """
    if is_sparse(X):
        if new_levels:
            refuse_sparse("X", X)
        return fit_sparse(X, schema)
    source = source_of(X)
    order = _places(source.names, schema) if source.named else range(len(schema))
    if len(source.names) != len(schema):
        raise SchemaError(
            f"X has {len(source.names)} features, but Tree is expecting {len(schema)} features as input."
        )
    raws = [source.read(position) for position in order]
    if new_levels:
        schema = Schema(tuple([with_new_levels(*each) for each in zip(schema.columns, raws, strict=True)]))
    columns = [fitted(column, raw) for column, raw in zip(schema.columns, raws, strict=True)]
    return Table(schema, tuple(columns), source.n_rows)


def take(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some rows of a table of any supported library.

    >>> take([[1], [2], [3]], np.array([0, 2]))
    [[1], [3]]
    """
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    if is_sparse(X):
        return X.tocsr()[rows]
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    if isinstance(frame, nw.DataFrame):
        return frame[rows.tolist()].to_native()
    return np.asarray(X)[rows]


def divided(X: Any, y: Any, what: str = "y") -> tuple[Any, Any]:
    """Return X without the column that y names, and that column; both as they are if y is not a name.

    `what` is the argument's name in error messages.

    >>> import pandas as pd
    >>> X, y = divided(pd.DataFrame({"age": [31, 42], "buys": ["no", "yes"]}), "buys")
    >>> list(X), y.tolist()
    (['age'], ['no', 'yes'])
    """
    if not isinstance(y, str):
        return X, y
    if isinstance(X, Table) and not X.is_sparse:
        _check_column(y, X.schema.names, what)
        return _divided_table(X, y)
    frame = None if isinstance(X, np.ndarray | list | tuple | Table) else as_frame(X)
    if not isinstance(frame, nw.DataFrame):
        wanted = "X as a frame" if what == "row_key" else f"{what} as one value for each row"
        raise TargetError(f"{what} is {y!r}, but X has no column names; give {wanted}.")
    _check_column(y, frame.columns, what)
    return frame.drop(y).to_native(), frame[y].to_native()


def _check_column(name: str, names: Sequence[str], what: str) -> None:
    if name not in names:
        known = ", ".join(map(repr, names))
        raise TargetError(f"{what} is {name!r}, which is not a column of X; the columns are {known}.")


def _divided_table(table: Table, name: str) -> tuple[Table, npt.NDArray[Any]]:
    """Return a table without a column, and the levels or numbers of that column; whole ones are integers."""
    taken = table.schema.position(name)
    kept = [position for position in range(len(table.schema)) if position != taken]
    rest = Table(
        Schema(tuple([table.schema.columns[position] for position in kept])),
        tuple([table.columns[position] for position in kept]),
        table.n_rows,
    )
    column, values = table.schema.columns[taken], table.columns[taken]
    if column.scale != "numeric":
        # The code of a missing value, -1, is the last place.
        return rest, np.array([*column.levels, None], dtype=object)[values]
    if (np.abs(values) < 2**53).all() and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    return rest, values


def source_of(X: Any) -> Source:
    """Return a table as a `Source`; raise `ColumnTypeError` if no reader supports its type.

    >>> source_of(np.zeros((3, 2))).names
    ('x0', 'x1')
    >>> source_of("iris.csv")
    Traceback (most recent call last):
    bough.errors.ColumnTypeError: X is a str: argument must be a table of strings and numbers.
    Give a 2-D numpy array, nested lists, or a frame of pandas, polars, pyarrow or another library that
    narwhals reads.
    """
    if isinstance(X, np.ndarray | list | tuple):
        return array_source(X)
    refuse_sparse("X", X)
    frame = as_frame(X)
    if isinstance(frame, nw.DataFrame):
        return frame_source(frame)
    if isinstance(frame, nw.Series):
        raise TableError(
            "Expected 2D table, got a series instead. Reshape your data: give a frame, such as "
            "X.to_frame() if it is one column, X.to_frame().T if it is one row."
        )
    if hasattr(X, "__array__"):
        return array_source(X)
    if isinstance(X, Mapping):
        raise ColumnTypeError(
            "X is a dict: argument must be a table of strings and numbers. Give a frame, such as "
            "pandas.DataFrame([X]) if it is one row, pandas.DataFrame(X) if it holds a list for each column."
        )
    raise ColumnTypeError(
        f"X is a {type(X).__name__}: argument must be a table of strings and numbers. Give a 2-D numpy "
        "array, nested lists, or a frame of pandas, polars, pyarrow or another library that narwhals reads."
    )


def vector_of(name: str, values: Any) -> Vector | None:
    """Return a list, an array or a series as a `Vector`, or None if no reader supports its type.

    A vector of dates, times or durations is refused when it is read.

    >>> labels = vector_of("y", ["yes", "no"])
    >>> labels.shape, labels.read().levels
    ((2,), ('no', 'yes'))
    """
    refuse_sparse(name, values)
    frame = None if isinstance(values, np.ndarray | list | tuple) else as_frame(values)
    if isinstance(frame, nw.Series):
        return Vector(frame.shape, lambda: plain_column(name, read_series(name, frame)))
    if isinstance(frame, nw.DataFrame):
        return Vector(
            frame.shape, lambda: plain_column(name, read_series(name, next(iter(frame.iter_columns()))))
        )
    if not isinstance(values, list | tuple) and not hasattr(values, "__array__"):
        return None
    array = plain_array(values, name)
    return Vector(array.shape, lambda: plain_column(name, read_values(name, array.reshape(-1))))


def plain_column(name: str, raw: Raw) -> Numbers | Coded:
    """Return a column as it is; raise if it holds dates, times or durations.

    >>> plain_column("y", Numbers(np.array([1.0])))
    Numbers(values=array([1.]), whole=False)
    """
    if isinstance(raw, Times):
        raise ColumnTypeError(
            f"Column {name!r} holds {UNIT_WORDS[raw.unit]}: argument must be a string or a number. Take "
            "numbers from it, such as a number of days, or turn it into text."
        )
    return raw


def _places(names: tuple[str, ...], schema: Schema) -> list[int]:
    place = {name: position for position, name in enumerate(names)}
    unseen = sorted(place.keys() - set(schema.names))
    missing = sorted(set(schema.names) - place.keys())
    if not unseen and not missing:
        return [place[name] for name in schema.names]
    # scikit-learn's message, which its estimator checks expect.
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += f"Feature names unseen at fit time:\n{_listed(unseen)}"
    if missing:
        message += f"Feature names seen at fit time, yet now missing:\n{_listed(missing)}"
    raise SchemaError(f"{message}Rename or select the columns; or give an array, which goes by position.")


def _listed(names: Iterable[str]) -> str:
    lines = [f"- {name}\n" for name in names]
    return "".join(lines[:5] + (["- ...\n"] if len(lines) > 5 else []))
