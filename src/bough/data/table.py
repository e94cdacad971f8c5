"""The `Table` class: the data that a tree is grown on or predicts from, one array per column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.formula import WideSchema
from bough.data.schema import Column, Level, Schema
from bough.data.sparse import SparseColumns
from bough.data.times import objects_of_numbers
from bough.data.views import html_view
from bough.errors import ColumnTypeError, ParameterError, SchemaError, TableError

Features: TypeAlias = Sequence[str] | Sequence[int] | Sequence[bool] | npt.NDArray[Any]
"""Some columns of a table: their names, their positions (also negative), or a mask over all columns."""

OrderedFeatures: TypeAlias = Features | Mapping[str, Sequence[Level]] | Mapping[int, Sequence[Level]]
"""Some columns of a table, or a dict of the levels of each in increasing order."""


def is_missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where the values of a column are missing: NaN among numbers, negative among codes of levels.

    >>> is_missing(np.array([5.1, np.nan])), is_missing(np.array([-1, 0]))
    (array([False,  True]), array([ True, False]))
    """
    return np.isnan(values) if values.dtype.kind == "f" else values < 0


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table stored by column: numbers in a numeric column, level codes in a nominal or ordinal one.

    Numbers are float32 or float64, NaN where missing, and may be a view of the caller's array. Codes are
    int32 positions in `Column.levels`, −1 where missing. Infinities are ordinary values. The columns of a
    sparse table are numeric, and store only some of their numbers; the others are 0.

    >>> table = Table.read([[5.1, "red"], [4.9, None]])
    >>> table.schema.columns
    (Column(name='x0', scale='numeric', levels=()), Column(name='x1', scale='nominal', levels=('red',)))
    >>> table.columns
    (array([5.1, 4.9]), array([ 0, -1], dtype=int32))
    """

    schema: Schema
    columns: tuple[npt.NDArray[Any], ...] | SparseColumns
    n_rows: int

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.schema):
            raise TableError(
                f"The schema has {len(self.schema)} columns and {len(self.columns)} arrays were given; "
                "give one array for each column."
            )
        if self.is_sparse:
            return
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

    @property
    def is_sparse(self) -> bool:
        """Whether the table stores only some of its numbers, and the others are 0.

        >>> import scipy.sparse
        >>> Table.read(scipy.sparse.eye_array(3)).is_sparse, Table.read([[1.5]]).is_sparse
        (True, False)
        """
        return isinstance(self.columns, SparseColumns)

    def values(self, name: str) -> npt.NDArray[Any]:
        """Return the values of a column: numbers, or levels, dates or durations as objects, None if missing.

        >>> Table.read([[5.1, "red"], [4.9, None]]).values("x1")
        array(['red', None], dtype=object)
        """
        column, values = self.schema[name], self.columns[self.schema.position(name)]
        if column.unit is not None:
            return objects_of_numbers(values, column.unit)
        if column.scale == "numeric":
            return np.asarray(values)
        known_or_none = np.array([*column.levels, None], dtype=object)
        return np.asarray(known_or_none[values])

    def take(self, rows: Any) -> Table:
        """Return some rows, given by position or as a slice, as a table.

        >>> Table.read([[1.5], [2.5]]).take(np.array([1])).columns
        (array([2.5]),)
        """
        n_rows = len(range(*rows.indices(self.n_rows))) if isinstance(rows, slice) else len(rows)
        if isinstance(self.columns, SparseColumns):
            return Table(self.schema, self.columns.take(rows), n_rows)
        return Table(self.schema, tuple([values[rows] for values in self.columns]), n_rows)

    def of_columns(self, names: Sequence[str]) -> Table:
        """Return the table with these columns alone.

        >>> Table.read([[1.5, 2.5]]).of_columns(["x1"]).columns
        (array([2.5]),)
        """
        positions = [self.schema.position(name) for name in names]
        schema = Schema(tuple([self.schema.columns[position] for position in positions]))
        return Table(schema, tuple([self.columns[position] for position in positions]), self.n_rows)

    def widened(self, schema: WideSchema) -> Table:
        """Return the table with the columns that the formulas of the schema compute.

        >>> from bough.data.formula import Ratio
        >>> table = Table.read([[1.0, 4.0], [3.0, 2.0]])
        >>> table.widened(WideSchema.of(table.schema, [Ratio(0, 1)])).columns[2]
        array([0.25, 1.5 ])
        """
        computed = [formula.values(self.columns) for formula in schema.formulas]
        return Table(schema, (*self.columns, *computed), self.n_rows)

    def dense(self) -> Table:
        """Return the table with all of its numbers stored.

        >>> import scipy.sparse
        >>> Table.read(scipy.sparse.eye_array(2)).dense().columns
        (array([1., 0.]), array([0., 1.]))
        """
        return Table(self.schema, tuple([np.asarray(values) for values in self.columns]), self.n_rows)

    def dense_blocks(self, most_cells: int = 2**23) -> Iterator[tuple[slice, Table]]:
        """Yield a dense table as it is, and a sparse one made dense in blocks of rows, with their positions.

        >>> import scipy.sparse
        >>> table = Table.read(scipy.sparse.eye_array(3))
        >>> [(rows, len(block.columns[0])) for rows, block in table.dense_blocks(most_cells=6)]
        [(slice(0, 2, None), 2), (slice(2, 4, None), 1)]
        """
        if not self.is_sparse:
            yield slice(0, self.n_rows), self
            return
        step = max(1, most_cells // len(self.schema))
        for start in range(0, self.n_rows, step):
            rows = slice(start, start + step)
            yield rows, self.take(rows).dense()

    def native_or_sparse(self) -> list[tuple[npt.NDArray[Any], str, int]] | SparseColumns:
        """Return the columns for native code that reads sparse tables too, which are returned as they are.

        >>> Table.read([[1.5]]).native_or_sparse()
        [(array([1.5]), 'numeric', 0)]
        """
        return self.columns if isinstance(self.columns, SparseColumns) else self.native()

    def with_nominal_levels(self) -> Table:
        """Return the table with ordinal columns as nominal, and columns without a known value too.

        >>> Table.read([["s"]], ordinal_features={0: ["s", "l"]}).with_nominal_levels().schema[0].scale
        'nominal'
        """
        pairs = [_nominal(*pair) for pair in zip(self.schema.columns, self.columns, strict=True)]
        schema = Schema(tuple([column for column, _ in pairs]))
        return Table(schema, tuple([values for _, values in pairs]), self.n_rows)

    def native(self) -> list[tuple[npt.NDArray[Any], str, int]]:
        """Return the columns in the form that native code expects: values, scale and number of levels.

        A sparse table is refused; see `native_or_sparse`, `dense` and `dense_blocks`.

        >>> Table.read([[1.5]]).native()
        [(array([1.5]), 'numeric', 0)]
        """
        if self.is_sparse:
            raise ColumnTypeError(
                "X is sparse, but dense data is required. Use X.toarray() to make it dense."
            )
        return [
            (values, column.scale, len(column.levels))
            for values, column in zip(self.columns, self.schema.columns, strict=True)
        ]

    def __repr__(self) -> str:
        return f"<Table: {self.n_rows} rows, {len(self.schema)} columns>"

    def _repr_html_(self) -> str:
        return html_view([f"{self.n_rows} rows", *self.schema.parts()])

    @classmethod
    def read(
        cls,
        X: Any,
        *,
        categorical_features: Features | str | None = "from_dtype",
        ordinal_features: OrderedFeatures | None = None,
    ) -> Table:
        """Read a table from numpy, nested lists, scipy.sparse, or a frame of any library that narwhals reads.

        By default the dtype of a column decides its scale: numbers are numeric; text, truth values and
        categoricals are nominal; ordered categoricals and enums are ordinal. Columns in
        `categorical_features` are nominal and those in `ordinal_features` are ordinal, whatever their dtype;
        the levels of text must be given in their order.
        With `categorical_features=None`, a categorical whose categories are numbers is numeric.

        >>> X = [[1, "s"], [2, "l"]]
        >>> Table.read(X, categorical_features=[0], ordinal_features={1: ["s", "l"]}).schema
        Schema(columns=(Column(name='x0', scale='nominal', levels=(1, 2)),
                        Column(name='x1', scale='ordinal', levels=('s', 'l'))))
        """
        from bough.data.readers import read

        if isinstance(X, Table):
            return _unchanged(X, categorical_features, ordinal_features)
        return read(X, categorical_features=categorical_features, ordinal_features=ordinal_features)

    @classmethod
    def fit_to(cls, X: Any, schema: Schema) -> Table:
        """Read a table by an existing schema, so that a tree grown on that schema can predict from it.

        The columns of a frame are found by name, in any order; those of an array by position. A level that
        the schema does not have gets the code −1, like a missing value.

        >>> schema = Table.read([["red"], ["blue"]]).schema
        >>> Table.fit_to([["blue"], ["red"], ["green"]], schema).columns
        (array([ 0,  1, -1], dtype=int32),)
        """
        from bough.data.readers import fit_to

        if isinstance(schema, WideSchema):
            if isinstance(X, Table) and X.schema == schema:
                return X
            return cls.fit_to(X, schema.narrow).widened(schema)
        if not isinstance(X, Table):
            return fit_to(X, schema)
        # A learner of levels alone has read a table of this kind in this way.
        table: Table = X if X.schema == schema else X.with_nominal_levels()
        if table.schema != schema:
            raise SchemaError("The table has another schema than the tree; read it with Table.fit_to.")
        return table


def _unchanged(table: Table, categorical: Features | str | None, ordinal: OrderedFeatures | None) -> Table:
    if not (isinstance(categorical, str) and categorical == "from_dtype") or ordinal is not None:
        raise ParameterError(
            "A Table has its scales already; leave categorical_features and ordinal_features as they are."
        )
    return table


def _nominal(column: Column, values: npt.NDArray[Any]) -> tuple[Column, npt.NDArray[Any]]:
    if column.scale != "numeric":
        return replace(column, scale="nominal"), values
    if np.isnan(values).all():
        return Column(column.name, "nominal"), np.full(len(values), -1, dtype=np.int32)
    return column, values


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
