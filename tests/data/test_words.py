import math
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bough.data.words import (
    cut_words,
    error_words,
    figure_column,
    figure_words,
    level_set_words,
    level_words,
    name_words,
    number_words,
    shortest_between,
)

floats32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2.45, "2.45"),
        (0.0, "0"),
        (-0.0, "0"),
        (-3.5, "-3.5"),
        (100000000.0, "100000000"),
        (1234567890123.5, "1234567890123.5"),
        ((0.1 + 0.2) / 2, "0.15"),
        ((5.9 + 6.0) / 2, "5.95"),
        (1e300, "1e+300"),
        (1.5e-7, "1.5e-07"),
        (math.inf, "inf"),
    ],
)
def test_numbers_read_as_people_write_them(value, words):
    assert number_words(value) == words


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_within_one_place_of_float64_or_of_float32(value):
    read = float(number_words(value))
    assert abs(read - value) <= max(math.ulp(value), abs(value) * 2**-23)


@given(st.integers(-(2**52), 2**52))
def test_cuts_between_whole_numbers_are_exact(whole):
    assert float(number_words(whole + 0.5)) == whole + 0.5
    assert number_words(float(whole)) == str(whole)


@given(floats32, floats32)
def test_a_midpoint_of_float32_values_parts_them_as_written(one, other):
    low, high = min(one, other), max(one, other)
    middle = low + (high - low) / 2
    assume(low < middle <= high)
    assert low < float(number_words(middle)) <= high


def test_figures_are_short_and_counts_whole():
    assert figure_words(3.0) == "3"
    assert figure_words(1234567.0) == "1,234,567"
    assert figure_words(0.123456789) == "0.123457"
    assert figure_words(math.nan) == "nan"


@pytest.mark.parametrize("text", ["a, b", "", " a", "{a}", "it's", "two\nlines"])
def test_a_name_that_could_be_misread_is_quoted(text):
    assert name_words(text) == repr(text)


def test_levels_read_as_their_type_does():
    assert [level_words(level) for level in ("red", True, 3, 2.5, 2.0)] == ["red", "True", "3", "2.5", "2"]
    assert level_set_words([1, 2, 3], most=3) == "{1, 2, 3}"


finite = st.floats(allow_nan=False, allow_infinity=False)


def midpoint(low, high):
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def digits_of(number):
    return len(Decimal(repr(number)).normalize().as_tuple().digits) if number else 0


@given(finite, finite, st.booleans(), st.floats(0, 1))
def test_a_printed_cut_sends_both_neighbours_as_the_stored_one_does(one, other, closed, part):
    below, above = min(one, other), max(one, other)
    assume(below < above)
    cut = below + part * (above - below)
    assume(below <= cut < above if closed else below < cut <= above)
    printed = float(cut_words(cut, (below, above), closed=closed))
    assert (below <= printed < above) if closed else (below < printed <= above)
    exact = float(cut_words(cut, closed=closed))
    assert exact == cut or abs(exact - cut) <= abs(cut) * 2**-23


@given(floats32, floats32, st.booleans())
def test_a_printed_cut_of_float32_values_separates_them_without_neighbours(one, other, closed):
    below, above = min(one, other), max(one, other)
    assume(below < above)
    cut = below if closed else midpoint(below, above)
    printed = float(cut_words(cut, closed=closed))
    assert (below <= printed < above) if closed else (below < printed <= above)


@given(st.integers(-(10**7), 10**7), st.integers(1, 10**7), st.integers(-9, 3), st.booleans())
def test_no_number_of_fewer_digits_separates_the_neighbours(start, width, scale, closed):
    below, above = float(f"{start}e{scale}"), float(f"{start + width}e{scale}")
    cut = below if closed else midpoint(below, above)
    shown = shortest_between(cut, below, above, closed=closed)
    fewer = digits_of(shown) - 1
    if fewer >= 0:
        assert not (below < 0 < above)
    for digits in range(1, fewer + 1):
        top = Decimal(cut).adjusted() - digits + 1
        at = int(Decimal(cut).scaleb(-top))
        for each in range(at - 2, at + 3):
            number = float(f"{each}e{top}")
            assert not (below <= number < above if closed else below < number <= above)


@pytest.mark.parametrize(
    ("cut", "neighbours", "words"),
    [
        (15.00365925177657, (14.2, 15.9), "15"),
        (15.00365925177657, (15.003, 15.0043), "15.004"),
        (2.45, (1.9, 3.0), "2.45"),
        (39.5, (39.0, 40.0), "39.5"),
        (-0.00123456789, (-0.0013, -0.0012), "-0.0012"),
        (1234567.891, (1234000.0, 1235000.0), "1235000"),
        (1e-9 / 3, (-1.0, 1.0), "0"),
        (math.inf, (1.0, math.inf), "inf"),
        (15.00365925177657, (math.nan, 16.0), "15.00365925177657"),
    ],
)
def test_long_cuts_are_printed_short_and_short_ones_as_they_are(cut, neighbours, words):
    assert cut_words(cut, neighbours) == words


@pytest.mark.parametrize(
    ("value", "digits", "words"),
    [
        (180577.4, 4, "180,577"),
        (1806.0, 6, "1806"),
        (-12345.678, 6, "-12,345.7"),
        (9999.9996, 4, "10,000"),
        (0.00012345, 3, "0.000123"),
        (0.000012345, 3, "1.23e-05"),
        (2.5e17, 3, "2.5e+17"),
        (-0.0, 3, "0"),
    ],
)
def test_figures_group_thousands_and_round_no_digit_before_the_point(value, digits, words):
    assert figure_words(value, digits) == words


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=8), st.integers(1, 8))
def test_the_figures_of_a_column_have_the_same_decimals_and_are_near_their_values(values, digits):
    column = figure_column(values, digits)
    decimals = {len(text.partition(".")[2]) for text in column}
    assert len(decimals) == 1
    for text, value in zip(column, values, strict=True):
        assert abs(float(text.replace(",", "")) - value) <= 0.5000001 * 10.0 ** -decimals.copy().pop()


def test_a_value_has_the_decimals_of_its_error():
    assert error_words(0.5, 0.0) == "0.5 ± 0"
    assert error_words(0.98765, 0.0123) == "0.988 ± 0.012"
    assert error_words(12345.6, 250.0) == "12,346 ± 250"
