"""Imputers: missing values are replaced by the mean, or by the conditional mean given other columns."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bough.data.readers import fit_to
from bough.data.readers.source import refuse_sparse
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.times import objects_of_numbers
from bough.errors import ParameterError
from bough.learners.conventions import Estimator, note_columns, read_as
from bough.tree.answer import label_array
from bough.types import Floats


class MeanImputer(OneToOneFeatureMixin, TransformerMixin, Estimator):  # type: ignore[misc]
    """Impute the mean of numeric columns and the most frequent level of other columns.

    The means stay unbiased only if values are missing completely at random. A column without known values
    stays missing, and a known value stays as it is, even if it is a level that `fit` has not seen.

    Examples
    --------
    >>> MeanImputer().fit_transform([[1.0], [None], [4.0]]).ravel()
    array([1. , 2.5, 4. ])
    >>> MeanImputer().fit_transform([["a", 1.0], [None, 3.0], ["a", None]]).tolist()
    [['a', 1.0], ['a', 3.0], ['a', 2.0]]

    """

    schema_: Schema
    means_: list[Floats]
    n_features_in_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the mean, or the most frequent level, of each column.

        >>> MeanImputer().fit([[1.0], [4.0]]).means_
        [array([2.5])]
        """
        table = self._read(X)
        groups = self._groups(table, learn=True)
        self.means_ = [
            _group_means(column, values, groups)
            for column, values in zip(table.schema, table.columns, strict=True)
        ]
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return X with imputed values: an array of numbers if all columns are numeric, otherwise of objects.

        >>> MeanImputer().fit([[1.0], [4.0]]).transform([[None], [7.0]]).ravel()
        array([2.5, 7. ])
        """
        check_is_fitted(self)
        table = read_as(self, X, self.schema_, partial(fit_to, new_levels=True))
        groups = self._groups(table, learn=False)
        columns = [
            _filled(column, values, means, groups)
            for column, values, means in zip(table.schema, table.columns, self.means_, strict=True)
        ]
        if all(column.scale == "numeric" and column.unit is None for column in table.schema):
            return np.column_stack(columns)
        objects = np.empty((table.n_rows, len(columns)), dtype=object)
        for position, values in enumerate(columns):
            objects[:, position] = values
        return objects

    def _read(self, X: Any) -> Table:
        refuse_sparse("X", X)
        table = Table.read(X)
        note_columns(self, X)
        self.schema_ = table.schema
        return table

    def _groups(self, table: Table, *, learn: bool) -> npt.NDArray[np.intp]:
        """Return the group of each row; the values of a row are imputed from its group, 0 being all rows."""
        return np.zeros(table.n_rows, dtype=np.intp)


class ConditionalMeanImputer(MeanImputer):
    """Impute the mean of the rows that have the same values in the columns `given`.

    If no such row has a known value, the mean of all rows is imputed. The means stay unbiased if values are
    missing at random given these columns.

    Parameters
    ----------
    given
        The columns, by name or position. Discretize numeric columns with many distinct values first.

    Examples
    --------
    The speed of the wind is measured less often at greater heights:

    >>> height = [0] * 9 + [1] * 4 + [2] * 9
    >>> speed = [None, 2, None, 3, 1, 3, 1, None, 2] + [None, 4, None, 3]
    >>> speed += [None, 4, None, 5, None, None, 3, None, None]
    >>> filled = ConditionalMeanImputer(given=[0]).fit_transform(list(zip(height, speed)))
    >>> float(filled[:, 1].mean()) == 2 * 9 / 22 + 3.5 * 4 / 22 + 4 * 9 / 22
    True

    """

    kinds_: dict[tuple[float, ...], int]

    def __init__(self, given: Any = ()) -> None:
        self.given = given

    def _groups(self, table: Table, *, learn: bool) -> npt.NDArray[np.intp]:
        if isinstance(self.given, str) or not np.iterable(self.given):
            raise ParameterError.of("given", self.given, "a list of names or positions of columns")
        positions = [_position(table.schema, each) for each in self.given]
        keys = [table.columns[position].astype(np.float64) for position in positions]
        if not keys:
            return np.zeros(table.n_rows, dtype=np.intp)
        rows = np.column_stack(keys)
        unknown = np.isnan(rows).any(axis=1)
        for position, key in zip(positions, keys, strict=True):
            if table.schema[position].scale != "numeric":
                unknown |= key < 0
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        kinds = list(map(tuple, distinct.tolist()))
        if learn:
            self.kinds_ = {kind: number + 1 for number, kind in enumerate(kinds)}
        numbers = np.array([self.kinds_.get(kind, 0) for kind in kinds], dtype=np.intp)
        return np.where(unknown, 0, numbers[which.ravel()])


def _position(schema: Schema, column: object) -> int:
    if isinstance(column, str):
        return schema.position(column)
    if not isinstance(column, int | np.integer) or not -len(schema) <= column < len(schema):
        raise ParameterError.of("given", column, f"names or positions among {len(schema)} columns")
    return int(column) % len(schema)


def _group_means(column: Column, values: npt.NDArray[Any], groups: npt.NDArray[np.intp]) -> Floats:
    """Return the mean, or the code of the most frequent level, of each group; group 0 is all rows."""
    n_groups = int(groups.max()) + 1
    if column.scale != "numeric":
        known = values >= 0
        counts = np.zeros((n_groups, max(len(column.levels), 1)))
        np.add.at(counts, (groups[known], values[known]), 1.0)
        counts[0] = np.bincount(values[known], minlength=counts.shape[1])
        return np.where(
            counts.sum(axis=1) > 0, counts.argmax(axis=1), counts[0].argmax() if known.any() else -1.0
        )
    known = ~np.isnan(values)
    numbers = values[known].astype(np.float64)
    sizes = np.bincount(groups[known], minlength=n_groups)
    sums = np.bincount(groups[known], numbers, minlength=n_groups)
    overall = numbers.mean() if len(numbers) else np.nan
    means = np.full(n_groups, overall)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    means[0] = overall
    return means


def _filled(
    column: Column, values: npt.NDArray[Any], means: Floats, groups: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    own = means[np.where(groups < len(means), groups, 0)]
    if column.scale == "numeric":
        numbers = np.where(np.isnan(values), own, values)
        return numbers if column.unit is None else objects_of_numbers(numbers, column.unit)
    codes = np.where(values < 0, own.astype(np.int32), values)
    labels = np.empty(len(column.levels) + 1, dtype=object)
    labels[:-1] = label_array(column.levels)
    filled: npt.NDArray[Any] = labels[codes]
    return filled
