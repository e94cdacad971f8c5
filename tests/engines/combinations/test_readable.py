"""Numbers are shortened as far as every row still goes its way, and no further."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bough.data.formula import Linear, Ratio
from bough.engines.combinations.readable import shortened

NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=20), NUMBERS.filter(bool), st.data())
def test_rows_stay_on_their_sides(rows, coefficient, data):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    formula = Linear((0, 1), (1.0, coefficient))
    values = formula.values(columns)
    assume(values.min() < values.max())
    cut = data.draw(st.sampled_from(sorted({*values.tolist()})[1:]))
    shorter, its = shortened(formula, cut, columns)
    assert np.array_equal(shorter.values(columns) < its, values < cut)


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (0.4, 0.5, 0.45),
        (2.0, 9.0, 6.0),
        (-0.13, 0.11, -0.01),
        (1.23456, 1.23459, 1.23457),
        (100.0, 101.0, 100.5),
    ],
)
def test_a_cut_is_the_number_of_fewest_digits_about_the_middle(low, high, cut):
    columns = [np.array([low, high]), np.ones(2)]
    assert shortened(Ratio(0, 1), high, columns) == (Ratio(0, 1), cut)


def test_neighbouring_numbers_are_still_parted():
    low = 0.1
    high = np.nextafter(low, 1.0)
    columns = [np.array([low, high]), np.ones(2)]
    _, cut = shortened(Ratio(0, 1), float(high), columns)
    assert low < cut <= high


def test_an_infinite_side_is_still_parted():
    columns = [np.array([1.0, np.inf]), np.ones(2)]
    _, cut = shortened(Ratio(0, 1), np.inf, columns)
    assert cut > 1.0


def test_coefficients_keep_as_many_digits_as_the_rows_need():
    x = np.linspace(0.0, 1000.0, 7)
    columns = [x, np.concatenate([x[:3] + 1e-3, x[3:] - 1e-3])]
    formula, _ = shortened(Linear((0, 1), (-1.0, 1.00000012)), 0.0, columns)
    assert formula.coefficients == (-1.0, 1.0)
    columns = [np.array([1000.0, 1000.0]), np.array([801.1, 801.2])]
    formula, cut = shortened(Linear((0, 1), (1.0, -1.2345)), 10.985, columns)
    assert formula.coefficients == (1.0, -1.2)
    assert (formula.values(columns) < cut).tolist() == [False, True]
