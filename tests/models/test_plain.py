import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.errors import FormatError
from bough.models.plain import array_from_json, array_to_json, plain
from bough.tree.arrays import KINDS


@given(st.lists(st.floats()))
def test_numbers_come_back_bit_for_bit(values):
    array = np.array(values, dtype=np.float64)
    listed = array_to_json(array, "cut")
    assert not any(isinstance(value, float) and not math.isfinite(value) for value in listed)
    assert np.array_equal(array_from_json(listed, "nodes.cut"), array, equal_nan=True)


def test_kinds_are_written_as_words():
    codes = np.arange(len(KINDS), dtype=np.uint8)
    assert array_to_json(codes, "kind") == list(KINDS)
    assert array_from_json(list(KINDS), "nodes.kind").tolist() == codes.tolist()


@pytest.mark.parametrize(
    ("place", "values", "message"),
    [
        ("nodes.column", {}, "nodes.column: a list is wanted, got dict"),
        ("nodes.column", [0, True], r"nodes.column\[1\]: True, but a whole number"),
        ("nodes.column", [0, 1.0], r"nodes.column\[1\]: 1.0, but a whole number"),
        ("nodes.column", [0, 2**31], r"nodes.column\[1\]: 2147483648 is too large"),
        ("nodes.level_start", [0, 2**63], r"nodes.level_start\[1\]: 9223372036854775808 is too large"),
        ("nodes.cut", [0.5, "1.5"], r"nodes.cut\[1\]: '1.5', but a number, null"),
        ("nodes.cut", [0.5, "nan"], r"nodes.cut\[1\]: 'nan', but a number, null"),
        ("nodes.cut", [0.5, [1.5]], r"nodes.cut\[1\]: \[1.5\], but a number, null"),
        ("nodes.cut", [0.5, False], r"nodes.cut\[1\]: False, but a number, null"),
        ("nodes.cut", ["inf", math.inf], r"nodes.cut\[1\]: the number is too large"),
        ("nodes.cut", [0.5, 10**400], r"nodes.cut\[1\]: the number is too large"),
        ("nodes.cut", [-(10**400)], r"nodes.cut\[0\]: the number is too large"),
        ("nodes.statistics", [1.0], r"nodes.statistics\[0\]: 1.0, but a list is wanted"),
        (
            "nodes.statistics",
            [[1.0], [1.0, 2.0]],
            r"nodes.statistics\[1\]: has 2 entries, where 1 are wanted",
        ),
        ("nodes.statistics", [[1.0, 2.0], [1.0, "x"]], r"nodes.statistics\[1\]\[1\]: 'x', but a number"),
        ("nodes.kind", ["leaf", "twig"], r"nodes.kind\[1\]: 'twig' is none of 'leaf', "),
        ("nodes.kind", ["leaf", 0], r"nodes.kind\[1\]: 0, but one of 'leaf', "),
    ],
)
def test_what_is_no_array_is_refused_with_its_place(place, values, message):
    with pytest.raises(FormatError, match=message):
        array_from_json(values, place)


@pytest.mark.parametrize("value", [math.nan, {1: 2}, {1, 2}, object(), b"bytes", 1j])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(FormatError, match=r"recipe.limits\[1\]"):
        plain({"limits": [0, value]}, "recipe")
