import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.lines import aligned, line_width
from bough.errors import ParameterError

words = st.text("abc ,{}", min_size=1, max_size=40).map(str.strip).filter(bool)


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=6), st.integers(60, 120))
def test_wrapped_lines_fit_and_lose_no_word(rows, width):
    lines = aligned(rows, wrap=[0, 1, 2], width=width)
    assert max(map(len, lines)) <= max(width, 3 * 24 + 4)
    kept = "".join("".join(line.split()) for line in lines)
    given_words = "".join("".join(cell.split()) for row in rows for cell in row)
    assert sorted(kept) == sorted(given_words)


def test_columns_keep_their_place_beside_a_wrapped_one():
    rows = [("R1", "a very long condition that does not fit", "->"), ("R2", "short", "->")]
    lines = aligned(rows, wrap=[1], most=24, width=200)
    assert {line.index("->") for line in lines if "->" in line} == {30}
    assert len(lines) == 3


@pytest.mark.parametrize("width", [0, 19, 80.0, True, "wide"])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(ParameterError, match="width"):
        line_width(width)


def test_the_terminal_has_a_width_only_where_there_is_one(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert line_width("terminal") is None
    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setenv("COLUMNS", "61")
    assert line_width("terminal") == 61
