"""Bins: the native code follows the rule of `last_of_bins`, for any number of threads."""

import numpy as np
import pytest

from bough.data.bins import Bins, last_of_bins
from bough.data.table import Table
from bough.errors import ParameterError


def by_the_rule(values, cases, max_bins):
    known = ~np.isnan(values)
    distinct, position = np.unique(values[known], return_inverse=True)
    counts = np.bincount(position, cases[known], minlength=len(distinct)).astype(np.int64)
    last = last_of_bins(counts, max_bins)
    first = np.append(0, last[:-1] + 1)[: len(last)]
    return distinct[first], distinct[last]


@pytest.mark.parametrize("seed", range(60))
def test_native_bins_follow_the_rule(seed):
    rng = np.random.default_rng(seed)
    n, max_bins = int(rng.integers(1, 300)), int(rng.integers(2, 40))
    values = np.round(rng.normal(size=n), int(rng.integers(0, 4)))
    values[rng.random(n) < 0.1] = np.nan
    cases = rng.integers(1, 5, n).astype(float) if seed % 2 else None
    bins = Bins.of(Table.read(values[:, np.newaxis]), max_bins, cases, n_jobs=1 + seed % 3)
    lowest, highest = by_the_rule(values, np.ones(n) if cases is None else cases, max_bins)
    np.testing.assert_array_equal(bins.lowest("x0"), lowest)
    np.testing.assert_array_equal(bins.highest("x0"), highest)
    codes = np.where(np.isnan(values), len(highest), np.searchsorted(highest, values))
    np.testing.assert_array_equal(bins.codes("x0"), codes)


def test_each_of_few_values_is_a_bin():
    values = np.array([3.0, -0.0, 0.0, np.inf, 1e-300])
    bins = Bins.of(Table.read(values[:, np.newaxis]), max_bins=4)
    np.testing.assert_array_equal(bins.highest("x0"), [0.0, 1e-300, 3.0, np.inf])


def test_doubles_that_round_to_one_float_are_told_apart():
    values = 1.6e9 + np.arange(10.0) / 8
    assert len(Bins.of(Table.read(values[:, np.newaxis]), 10).highest("x0")) == 10


def test_rows_outside_the_rule_get_codes_only():
    values = np.array([1.0, 2.0, 3.0, 100.0, 0.0, 2.5, np.nan])
    rows = np.array([True, True, True, False, False, False, False])
    bins = Bins.of(Table.read(values[:, np.newaxis]), 255, rows=rows)
    np.testing.assert_array_equal(bins.highest("x0"), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(bins.codes("x0"), [0, 1, 2, 2, 0, 2, 3])


def test_more_than_255_bins_have_codes_of_16_bits():
    values = np.arange(5000.0)[::-1]
    np.testing.assert_array_equal(Bins.of(Table.read(values[:, np.newaxis]), 5000).codes("x0"), values)


@pytest.mark.parametrize("max_bins", [1, 65535, True, 2.0, "many"])
def test_a_wrong_number_of_bins_is_refused_by_name(max_bins):
    with pytest.raises(ParameterError, match="max_bins"):
        Bins.of(Table.read([[1.0]]), max_bins)
