"""The base class of discretizers: `fit` finds the cuts of each column, `transform` returns intervals."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bough.data.readers import collected, fit_to, with_ordered_levels
from bough.data.readers.source import refuse_sparse
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.words import number_words, threshold_words
from bough.errors import TableError
from bough.growing.limits import check_whole
from bough.growing.pruning import check_choice
from bough.learners.conventions import Estimator, note_columns, read_as
from bough.types import Floats

_MOST_BINS = 2**20


class Discretizer(OneToOneFeatureMixin, TransformerMixin, Estimator):  # type: ignore[misc]
    """Base class of transformers that replace numbers by intervals; other columns stay as they are.

    An interval includes its lower cut and excludes its upper one. Missing values stay missing. With
    `encode="ordinal"` intervals are numbered from 0; with "interval" they are returned as text.
    """

    encode: str
    cuts_: list[Floats]
    schema_: Schema
    n_features_in_: int

    @abstractmethod
    def _cuts(self, values: Floats) -> Floats:
        """Return the ascending cuts of one column, given its known values."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cuts of each numeric column; other columns have none.

        >>> from bough import EqualWidthDiscretizer
        >>> EqualWidthDiscretizer(2).fit([[0.0], [1.0], [4.0]]).cuts_
        [array([2.])]
        """
        self._check()
        found = []
        for values in numbers_of(self._learned(X)):
            known = values[~np.isnan(values)]
            found.append(self._cuts(known) if len(known) else np.empty(0))
        self.cuts_ = found
        return self

    def transform(self, X: Any) -> npt.NDArray[Any] | Any:
        """Return the interval of each number; columns that are not numeric stay as they are.

        If all columns are numeric the result is an array. Otherwise a frame gives a frame of its library, in
        which intervals are ordered levels, and an array gives an array of objects.

        >>> from bough import EqualWidthDiscretizer
        >>> EqualWidthDiscretizer(2).fit([[0.0], [1.0], [4.0]]).transform([[1.9], [2.0], [None]])
        array([[ 0.],
               [ 1.],
               [nan]])
        >>> EqualWidthDiscretizer(2, encode="interval").fit_transform([[0.0, "a"], [4.0, "b"]]).tolist()
        [['< 2', 'a'], ['>= 2', 'b']]
        """
        check_is_fitted(self)
        X = collected(X)
        table = _finite(read_as(self, X, self.schema_, partial(fit_to, new_levels=True)))
        codes = [
            np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="right")).astype(np.int32)
            for values, cuts in zip(numbers_of(table), self.cuts_, strict=True)
        ]
        numeric = [column.scale == "numeric" for column in self.schema_]
        if all(numeric) and self.encode == "ordinal":
            coded = np.column_stack(codes)
            return np.where(coded < 0, np.nan, coded)
        levels = [
            list(range(len(cuts) + 1)) if self.encode == "ordinal" else interval_words(cuts, column)
            for cuts, column in zip(self.cuts_, self.schema_, strict=True)
        ]
        if not all(numeric) and hasattr(X, "columns"):
            names = self.schema_.names
            cut = {names[place]: (levels[place], codes[place]) for place in np.flatnonzero(numeric)}
            return with_ordered_levels(X, cut)
        objects = np.empty(table.shape, dtype=object)
        for place, name in enumerate(self.schema_.names):
            known_or_none = np.array([*levels[place], None], dtype=object)
            objects[:, place] = known_or_none[codes[place]] if numeric[place] else table.values(name)
        return objects

    def _learned(self, X: Any) -> Table:
        """Read the table of fit."""
        refuse_sparse("X", X)
        table = _finite(Table.read(X))
        note_columns(self, X)
        self.schema_ = table.schema
        return table

    def _check(self) -> None:
        check_choice("encode", self.encode, ("ordinal", "interval"))


def numbers_of(table: Table) -> list[Floats]:
    """Return the numbers of each column; NaN throughout if the column is not numeric.

    >>> numbers_of(Table.read([[1.0, "a"], [None, "b"]]))
    [array([ 1., nan]), array([nan, nan])]
    """
    return [
        values.astype(np.float64) if column.scale == "numeric" else np.full(table.n_rows, np.nan)
        for column, values in zip(table.schema, table.columns, strict=True)
    ]


def _finite(table: Table) -> Table:
    for column, values in zip(table.schema, table.columns, strict=True):
        if column.scale == "numeric" and (infinite := np.isinf(values)).any():
            raise TableError(
                f"Column {column.name!r} holds infinity in row {int(np.argmax(infinite))}, which is in no "
                "interval of finite numbers; cap such values, or make them missing."
            )
    return table


def check_bins(n_bins: Any) -> int:
    """Return the number of intervals; raise an error if it is not a whole number from 2 to 2**20.

    >>> check_bins(1)
    Traceback (most recent call last):
    bough.errors.ParameterError: n_bins is 1; it must be a whole number from 2 to 1048576.
    """
    check_whole("n_bins", n_bins, 2, _MOST_BINS)
    return int(n_bins)


def interval_words(cuts: Floats, column: Column) -> list[str]:
    """Return the text of each interval of a column; cuts are short decimals, unless two would be the same.

    >>> age = Column("age", "numeric")
    >>> interval_words(np.array([2.0, 3.5]), age), interval_words(np.array([]), age)
    (['< 2', '2 to < 3.5', '>= 3.5'], ['all'])
    >>> interval_words(np.array([0.1 + 0.2]), age), interval_words(np.array([0.3, 0.1 + 0.2]), age)[0]
    (['< 0.3', '>= 0.3'], '< 0.3')
    """
    if not len(cuts):
        return ["all"]
    words = [number_words(cut) for cut in cuts.tolist()]
    if column.unit is not None or len(set(words)) < len(words):
        words = [threshold_words(column, cut) for cut in cuts.tolist()]
    middle = [f"{low} to < {high}" for low, high in itertools.pairwise(words)]
    return [f"< {words[0]}", *middle, f">= {words[-1]}"]
