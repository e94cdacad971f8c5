import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bough.data.words import figure_words, level_set_words, level_words, name_words, number_words

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
    assert figure_words(1234567.0) == "1234567"
    assert figure_words(0.123456789) == "0.123457"
    assert figure_words(math.nan) == "nan"


@pytest.mark.parametrize("text", ["a, b", "", " a", "{a}", "it's", "two\nlines"])
def test_a_name_that_could_be_misread_is_quoted(text):
    assert name_words(text) == repr(text)


def test_levels_read_as_their_type_does():
    assert [level_words(level) for level in ("red", True, 3, 2.5, 2.0)] == ["red", "True", "3", "2.5", "2"]
    assert level_set_words([1, 2, 3], most=3) == "{1, 2, 3}"
