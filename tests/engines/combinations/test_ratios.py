"""Which ratios are asked for, by the signs and zeros of the columns."""

import numpy as np
import pytest

from bough.data.formula import Ratio
from bough.data.table import Table
from bough.engines.combinations.ratios import ratios


def found(*columns):
    return ratios(Table.read(np.column_stack(columns)), range(len(columns)))


SMALL, LARGE = [1.0, 2.0, 3.0], [10.0, 20.0, 15.0]
SOME_ZERO, MIXED = [0.0, 1.0, 4.0], [-1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (SMALL, LARGE, [Ratio(0, 1)]),
        (LARGE, SMALL, [Ratio(1, 0)]),
        (SMALL, SMALL, [Ratio(0, 1)]),
        ([-10.0, -20.0, -15.0], SMALL, [Ratio(1, 0)]),
        (SOME_ZERO, LARGE, [Ratio(0, 1)]),
        (SMALL, SOME_ZERO, [Ratio(1, 0)]),
        (SOME_ZERO, SOME_ZERO, [Ratio(0, 1), Ratio(1, 0)]),
        (MIXED, SMALL, [Ratio(0, 1)]),
        (LARGE, MIXED, [Ratio(1, 0)]),
        (MIXED, MIXED, []),
        ([np.nan] * 3, [np.nan] * 3, []),
        ([np.inf, 1.0, 2.0], LARGE, [Ratio(0, 1)]),
        ([0.0] * 3, SMALL, [Ratio(0, 1)]),
    ],
)
def test_the_ratios_of_a_pair(one, other, wanted):
    assert found(one, other) == wanted


@pytest.mark.parametrize("seed", range(5))
def test_of_columns_never_zero_either_ratio_parts_the_rows_alike(seed):
    x, y = np.random.default_rng(seed).uniform(0.5, 9.0, size=(2, 30))
    one, other = np.argsort(Ratio(0, 1).values([x, y])), np.argsort(Ratio(1, 0).values([x, y]))
    assert np.array_equal(one, other[::-1])
