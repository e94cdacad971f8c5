"""The base class of discretizers: `fit` finds the cuts of each column, `transform` returns intervals."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bough.data.words import number_words
from bough.errors import ParameterError
from bough.growing.pruning import check_choice
from bough.types import Floats

_MOST_BINS = 2**20


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of transformers that replace numbers by intervals.

    An interval includes its lower cut and excludes its upper one. Missing values stay missing. With
    `encode="ordinal"` intervals are numbered from 0; with "interval" they are returned as text.
    """

    encode: str
    cuts_: list[Floats]
    n_features_in_: int

    @abstractmethod
    def _cuts(self, values: Floats, y: npt.NDArray[Any] | None) -> Floats:
        """Return the ascending cuts of one column, given its finite values."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cuts of each column.

        >>> from bough import EqualWidthDiscretizer
        >>> EqualWidthDiscretizer(2).fit([[0.0], [1.0], [4.0]]).cuts_
        [array([2.])]
        """
        self._check()
        numbers = self._read(X, reset=True)
        self.cuts_ = []
        for values in numbers.T:
            known = np.isfinite(values)
            labels = None if y is None else np.asarray(y)[known]
            found = self._cuts(values[known], labels) if known.any() else np.empty(0)
            self.cuts_.append(found)
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the interval of each value.

        >>> from bough import EqualWidthDiscretizer
        >>> EqualWidthDiscretizer(2).fit([[0.0], [1.0], [4.0]]).transform([[1.9], [2.0], [None]])
        array([[ 0.],
               [ 1.],
               [nan]])
        >>> EqualWidthDiscretizer(2, encode="interval").fit_transform([[0.0], [4.0]]).ravel().tolist()
        ['< 2', '>= 2']
        """
        check_is_fitted(self)
        numbers = self._read(X, reset=False)
        coded = np.full(numbers.shape, np.nan)
        for column, cuts in enumerate(self.cuts_):
            known = ~np.isnan(numbers[:, column])
            coded[known, column] = np.searchsorted(cuts, numbers[known, column], side="right")
        if self.encode == "ordinal":
            return coded
        texts = np.full(coded.shape, None, dtype=object)
        for column, cuts in enumerate(self.cuts_):
            words = np.array(interval_words(cuts), dtype=object)
            known = ~np.isnan(coded[:, column])
            texts[known, column] = words[coded[known, column].astype(np.intp)]
        return texts

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that missing values are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _read(self, X: Any, *, reset: bool) -> Floats:
        numbers: Floats = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        return numbers

    def _check(self) -> None:
        check_choice("encode", self.encode, ("ordinal", "interval"))


def check_bins(n_bins: Any) -> int:
    """Return the number of intervals; raise an error if it is not a whole number from 2 to 2**20.

    >>> check_bins(1)
    Traceback (most recent call last):
    bough.errors.ParameterError: n_bins is 1; it must be a whole number from 2 to 1048576.
    """
    is_whole = isinstance(n_bins, Integral) and not isinstance(n_bins, bool)
    if not (is_whole and 2 <= int(n_bins) <= _MOST_BINS):
        raise ParameterError.of("n_bins", n_bins, f"a whole number from 2 to {_MOST_BINS}")
    return int(n_bins)


def interval_words(cuts: Floats) -> list[str]:
    """Return the text of each interval.

    >>> interval_words(np.array([2.0, 3.5])), interval_words(np.array([]))
    (['< 2', '2 to < 3.5', '>= 3.5'], ['all'])
    """
    words = [number_words(cut) for cut in cuts.tolist()]
    if not words:
        return ["all"]
    middle = [f"{low} to < {high}" for low, high in itertools.pairwise(words)]
    return [f"< {words[0]}", *middle, f">= {words[-1]}"]
