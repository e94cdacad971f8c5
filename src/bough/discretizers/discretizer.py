"""What all discretizers share: cuts of each column, found by `fit`, and the interval of each value."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from bough.data.words import number_words
from bough.errors import ParameterError
from bough.types import Floats


class Discretizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cuts numeric columns into intervals; a value belongs to the interval from a cut up to below the next.

    A missing value stays missing. With `encode="ordinal"` an interval is its number from 0, with "interval"
    it is written as text.
    """

    encode: str
    cuts_: list[Floats]
    n_features_in_: int

    @abstractmethod
    def _cuts(self, values: Floats, y: npt.NDArray[Any] | None) -> Floats:
        """Return the cuts of one column, rising; its values are finite and known."""

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
        for place, cuts in enumerate(self.cuts_):
            known = ~np.isnan(numbers[:, place])
            coded[known, place] = np.searchsorted(cuts, numbers[known, place], side="right")
        if self.encode == "ordinal":
            return coded
        texts = np.full(coded.shape, None, dtype=object)
        for place, cuts in enumerate(self.cuts_):
            words = np.array(interval_words(cuts), dtype=object)
            known = ~np.isnan(coded[:, place])
            texts[known, place] = words[coded[known, place].astype(np.intp)]
        return texts

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the names of the columns, which are those that went in.

        >>> from bough import EqualWidthDiscretizer
        >>> EqualWidthDiscretizer(2).fit([[0.0], [4.0]]).get_feature_names_out()
        array(['x0'], dtype=object)
        """
        check_is_fitted(self)
        names: npt.NDArray[Any] = _check_feature_names_in(self, input_features)
        return names

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that missing values are taken as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _read(self, X: Any, *, reset: bool) -> Floats:
        numbers: Floats = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        return numbers

    def _check(self) -> None:
        if self.encode not in ("ordinal", "interval"):
            raise ParameterError.of("encode", self.encode, "'ordinal' or 'interval'")


def check_bins(n_bins: object) -> int:
    """Return the number of intervals, or refuse it.

    >>> check_bins(1)
    Traceback (most recent call last):
    bough.errors.ParameterError: n_bins is 1; it must be a whole number of at least 2.
    """
    if not (isinstance(n_bins, Integral) and not isinstance(n_bins, bool) and int(n_bins) >= 2):
        raise ParameterError.of("n_bins", n_bins, "a whole number of at least 2")
    return int(n_bins)


def interval_words(cuts: Floats) -> list[str]:
    """Say each interval between cuts.

    >>> interval_words(np.array([2.0, 3.5])), interval_words(np.array([]))
    (['< 2', '2 to < 3.5', '>= 3.5'], ['all'])
    """
    words = [number_words(cut) for cut in cuts.tolist()]
    if not words:
        return ["all"]
    middle = [f"{low} to < {high}" for low, high in itertools.pairwise(words)]
    return [f"< {words[0]}", *middle, f">= {words[-1]}"]
