"""The `Scales` of a learner: which columns are read as nominal or ordinal, whatever their dtype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bough.data.readers.features import positions
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import TableError


@dataclass(frozen=True, eq=False)
class Scales:
    """The parameters with which a table is read.

    `categorical_features` and `ordinal_features` are the parameters of the learners. With `levels_only`,
    ordinal columns are read as nominal, and numeric columns raise `TableError`.

    >>> Scales(categorical_features=[0]).read([[1.0], [2.0]]).schema[0].scale
    'nominal'
    """

    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    levels_only: bool = False

    def read(self, X: Any) -> Table:
        """Read a table with these scales.

        >>> Scales().read([[1.0]]).schema[0].scale
        'numeric'
        """
        table = Table.read(
            X, categorical_features=self.categorical_features, ordinal_features=self.ordinal_features
        )
        return self.checked(table)

    def checked(self, table: Table) -> Table:
        """Return a table as it is; with `levels_only`, with nominal columns, or raise if one is numeric.

        >>> Scales().checked(Table.read([[1.0]])).schema[0].scale
        'numeric'
        """
        if not self.levels_only:
            return table
        table = table.with_nominal_levels()
        for column in table.schema.columns:
            if column.scale == "numeric":
                raise TableError(
                    f"Column {column.name!r} is numeric, and ID3 splits nominal columns only. Discretize it "
                    "(encode='interval'), name it in categorical_features, or grow it with CARTClassifier."
                )
        return table

    def schema_of(self, columns: Sequence[Column]) -> Schema:
        """Return the schema of columns whose rows are elsewhere, checked like that of a table.

        >>> Scales(levels_only=True).schema_of([Column("size", "ordinal", ("s", "l"))])[0].scale
        'nominal'
        """
        values: list[Any] = [
            np.zeros(1) if column.scale == "numeric" else np.full(1, -1, dtype=np.int32) for column in columns
        ]
        return self.checked(Table(Schema(tuple(columns)), tuple(values), 1)).schema

    def by_name(self, schema: Schema) -> Scales:
        """Return the same scales with columns given by name instead of by position or as a mask.

        >>> table = Scales([-1]).read([[1.0, 2.0]])
        >>> Scales([-1]).by_name(table.schema).categorical_features
        ['x1']
        """
        nominal, ordinal = self.categorical_features, self.ordinal_features
        if nominal is not None and not isinstance(nominal, str):
            nominal = _names("categorical_features", nominal, schema)
        if ordinal is not None and not isinstance(ordinal, str | dict):
            ordinal = _names("ordinal_features", ordinal, schema)
        if nominal is self.categorical_features and ordinal is self.ordinal_features:
            return self
        return replace(self, categorical_features=nominal, ordinal_features=ordinal)

    def settings(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults.

        >>> Scales(levels_only=True).settings()
        {'levels_only': True}
        """
        given = {part.name: (getattr(self, part.name), part.default) for part in fields(self)}
        return {name: value for name, (value, default) in given.items() if value is not default}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scales):
            return NotImplemented
        if all(getattr(self, part) is getattr(other, part) for part in self.__dataclass_fields__):
            return True
        return repr(_listed(self.settings())) == repr(_listed(other.settings()))

    def __hash__(self) -> int:
        return hash(tuple(self.settings()))


def _names(parameter: str, features: Any, schema: Schema) -> list[str]:
    return [schema.names[place] for place in sorted({*positions(parameter, features, schema.names)})]


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(each) for name, each in value.items()}
    return np.asarray(value).tolist() if isinstance(value, list | tuple | np.ndarray) else value
