"""A table is the data a tree is grown on or asked about: one array per column of its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.formula import WideSchema
from bough.data.schema import Column, Level, Schema
from bough.errors import ParameterError, SchemaError, TableError

Features: TypeAlias = Sequence[str] | Sequence[int] | Sequence[bool] | npt.NDArray[Any]
"""Some of a table's columns: their names, their positions (negative ones too), or a mask over all of them."""

OrderedFeatures: TypeAlias = Features | Mapping[str, Sequence[Level]] | Mapping[int, Sequence[Level]]
"""Some of a table's columns, or for each of them its levels in rising order."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows in columns: a numeric column holds numbers, NaN where missing; another holds codes of its levels.

    Numbers are float32 or float64 and may be a view of the caller's own array; codes are int32 positions in
    `Column.levels`, −1 where missing. Infinities are values.

    >>> table = Table.read([[5.1, "red"], [4.9, None]])
    >>> table.schema.columns
    (Column(name='x0', scale='numeric', levels=()), Column(name='x1', scale='nominal', levels=('red',)))
    >>> table.columns
    (array([5.1, 4.9]), array([ 0, -1], dtype=int32))
    """

    schema: Schema
    columns: tuple[npt.NDArray[Any], ...]
    n_rows: int

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.schema):
            raise TableError(
                f"The schema has {len(self.schema)} columns and {len(self.columns)} arrays were given; "
                "give one array for each column."
            )
        for column, values in zip(self.schema.columns, self.columns, strict=True):
            _check_values(column, values, self.n_rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.schema == other.schema
            and self.n_rows == other.n_rows
            and all(
                ours.dtype == theirs.dtype and np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
                for ours, theirs in zip(self.columns, other.columns, strict=True)
            )
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns.

        >>> Table.read([[1.5, 2.5]]).shape
        (1, 2)
        """
        return self.n_rows, len(self.columns)

    def take(self, rows: Any) -> Table:
        """Return the table of some of its rows: their positions, or a slice.

        >>> Table.read([[1.5], [2.5]]).take(np.array([1])).columns
        (array([2.5]),)
        """
        n_rows = len(range(*rows.indices(self.n_rows))) if isinstance(rows, slice) else len(rows)
        return Table(self.schema, tuple([values[rows] for values in self.columns]), n_rows)

    def widened(self, schema: WideSchema) -> Table:
        """Return the table with the columns that the formulas of the schema compute.

        >>> from bough.data.formula import Ratio
        >>> table = Table.read([[1.0, 4.0], [3.0, 2.0]])
        >>> table.widened(WideSchema.of(table.schema, [Ratio(0, 1)])).columns[2]
        array([0.25, 1.5 ])
        """
        computed = [formula.values(self.columns) for formula in schema.formulas]
        return Table(schema, (*self.columns, *computed), self.n_rows)

    def native(self) -> list[tuple[npt.NDArray[Any], str, int]]:
        """Return the columns as the native code takes them: values, scale and number of levels.

        >>> Table.read([[1.5]]).native()
        [(array([1.5]), 'numeric', 0)]
        """
        return [
            (values, column.scale, len(column.levels))
            for values, column in zip(self.columns, self.schema.columns, strict=True)
        ]

    @classmethod
    def read(
        cls,
        X: Any,
        *,
        categorical_features: Features | str | None = "from_dtype",
        ordinal_features: OrderedFeatures | None = None,
    ) -> Table:
        """Read rows from numpy, nested lists, pandas, polars, pyarrow or anything else narwhals knows.

        Each column's scale is what its dtype says: numbers are numeric; text, truth values and categoricals
        nominal; ordered categoricals and enums ordinal. Columns named in `categorical_features` are nominal
        and those in `ordinal_features` ordinal whatever their dtype. `categorical_features=None` reads
        categoricals whose categories are numbers as these numbers.

        >>> X = [[1, "s"], [2, "l"]]
        >>> Table.read(X, categorical_features=[0], ordinal_features={1: ["s", "l"]}).schema
        Schema(columns=(Column(name='x0', scale='nominal', levels=(1, 2)),
                        Column(name='x1', scale='ordinal', levels=('s', 'l'))))
        """
        from bough.data.readers import read

        if isinstance(X, Table):
            return _as_said(X, categorical_features, ordinal_features)
        return read(X, categorical_features=categorical_features, ordinal_features=ordinal_features)

    @classmethod
    def fit_to(cls, X: Any, schema: Schema) -> Table:
        """Read rows as a schema says, so that a tree grown on that schema can be asked about them.

        The columns of a frame are found by name and put in the schema's order; those of an array go by
        position. A level the schema does not have is coded −1, as a missing value is.

        >>> schema = Table.read([["red"], ["blue"]]).schema
        >>> Table.fit_to([["blue"], ["red"], ["green"]], schema).columns
        (array([ 0,  1, -1], dtype=int32),)
        """
        from bough.data.readers import fit_to

        if isinstance(schema, WideSchema):
            if isinstance(X, Table) and X.schema == schema:
                return X
            return cls.fit_to(X, schema.narrow).widened(schema)
        if isinstance(X, Table):
            if X.schema != schema:
                raise SchemaError("The table has another schema than the tree; read it with Table.fit_to.")
            return X
        return fit_to(X, schema)


def _as_said(table: Table, categorical: Features | str | None, ordinal: OrderedFeatures | None) -> Table:
    if not (isinstance(categorical, str) and categorical == "from_dtype") or ordinal is not None:
        raise ParameterError(
            "A Table has its scales already; leave categorical_features and ordinal_features as they are."
        )
    return table


def _check_values(column: Column, values: npt.NDArray[Any], n_rows: int) -> None:
    if values.shape != (n_rows,):
        raise TableError(f"Column {column.name!r} has shape {values.shape}; it must be ({n_rows},).")
    if column.scale == "numeric":
        if values.dtype not in (np.float64, np.float32):
            raise TableError(
                f"Column {column.name!r} is numeric and holds {values.dtype}, not float32 or float64."
            )
    elif values.dtype != np.int32:
        raise TableError(
            f"Column {column.name!r} is {column.scale}: its codes are int32, not {values.dtype}."
        )
    elif n_rows and not (values.min() >= -1 and values.max() < len(column.levels)):
        raise TableError(
            f"Column {column.name!r} has {len(column.levels)} levels, so its codes go from −1 to "
            f"{len(column.levels) - 1}; got {values.min()} to {values.max()}."
        )
