"""A split written in SQL sends every value where the split itself sends it; DuckDB is asked."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bough.data.schema import Column, Schema
from bough.data.sql import literal, quote
from bough.tree.split import AtMost, Levels, Threshold
from bough.tree.sql import branch_number, condition

CONNECTION = duckdb.connect()
doubles = st.floats(allow_nan=False)
# DuckDB's text ends at a zero character, and surrogates are no characters.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
singles = st.floats(allow_nan=False, width=32)


def asked(expression, name, values):
    """Return what an expression says of each value of a column."""
    CONNECTION.register("rows", pa.table({"place": range(len(values)), name: values}))
    rows = CONNECTION.execute(f"SELECT {expression} FROM rows ORDER BY place").fetchall()
    return [answer for (answer,) in rows]


@settings(max_examples=60, deadline=None)
@given(value=st.one_of(doubles, texts, st.booleans(), st.integers(-(2**63), 2**63 - 1)))
def test_a_value_is_read_back_as_it_was_to_the_last_bit(value):
    [(read,)] = CONNECTION.execute(f"SELECT {literal(value)}").fetchall()
    assert (type(read), read) == (type(value), value)
    assert repr(read) == repr(value)


@settings(max_examples=30, deadline=None)
@given(name=texts.filter(bool))
def test_a_name_is_read_back_as_it_was(name):
    assert CONNECTION.cursor().execute(f"SELECT 1 AS {quote(name)}").description[0][0] == name


def test_a_name_cannot_end_a_statement():
    name = '"; DROP TABLE rows; --'
    split, schema = Threshold(0, 1.5), Schema((Column(name, "numeric"),))
    assert asked(branch_number([(split, False)], schema, -1), name, pa.array([1.0, None, 2.0])) == [0, -1, 1]


@pytest.mark.parametrize("kind", [Threshold, AtMost])
@pytest.mark.parametrize("width", [32, 64])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_cut_parts_the_numbers_beside_it(kind, width, data):
    """The column may hold 32 bits: the cut must not be rounded to them."""
    dtype = np.dtype(f"f{width // 8}")
    cut = data.draw(st.one_of(doubles, singles, st.integers(-9, 9).map(lambda n: n / 10)))
    with np.errstate(over="ignore"):
        near = np.array([cut], dtype)
        values = np.concatenate(
            [near, np.nextafter(near, -np.inf, dtype=dtype), np.nextafter(near, np.inf, dtype=dtype)]
        )
    split, schema = kind(0, cut), Schema((Column("x", "numeric"),))
    found = asked(
        branch_number([(split, False)], schema, -1),
        "x",
        pa.array([*values, None], pa.from_numpy_dtype(dtype)),
    )
    assert found == [*split.branch(values).tolist(), -1]


@pytest.mark.parametrize("kind", [Threshold, AtMost])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("cut", [-2.5, 0.0, 2.5, np.inf])
def test_nan_is_missing(kind, dtype, cut):
    values = np.array([np.nan, -np.inf, -3.0, 0.0, 3.0, np.inf], dtype)
    split, schema = kind(0, cut), Schema((Column("x", "numeric"),))
    found = asked(branch_number([(split, False)], schema, -1), "x", pa.array(values, from_pandas=False))
    assert found == [-1, *split.branch(values[1:]).tolist()]


@settings(max_examples=40, deadline=None)
@given(levels=st.lists(texts, min_size=2, max_size=6, unique=True), data=st.data())
def test_levels_are_told_apart_whatever_characters_they_have(levels, data):
    branches = tuple(
        data.draw(st.lists(st.integers(0, 2), min_size=len(levels) - 1, max_size=len(levels) - 1))
    )
    split = Levels(0, "subset", tuple(range(len(branches))), branches, 3)
    schema = Schema((Column("it's", "nominal", tuple(levels)),))
    # The last level is known to the column and not to the split; the next is known to neither.
    values = [*levels, "".join(levels) + "x", None]
    codes = np.array([*range(len(levels)), -1, -1])
    assert asked(branch_number([(split, False)], schema, -1), "it's", values) == split.branch(codes).tolist()


@pytest.mark.parametrize("levels", [(False, True), (3, 1, 2), (0.1, 0.2, 1e300)])
def test_levels_may_be_truth_values_and_numbers(levels):
    split = Levels(0, "complete", tuple(range(len(levels))), tuple(range(len(levels))), len(levels))
    schema = Schema((Column("x", "nominal", levels),))
    found = asked(branch_number([(split, False)], schema, -1), "x", pa.array([*levels, None]))
    assert found == [*range(len(levels)), -1]


def test_an_ordinal_column_is_cut_between_its_levels():
    split, schema = Threshold(0, 1.5), Schema((Column("size", "ordinal", ("S", "M", "L", "XL")),))
    assert condition(split, schema, 0) == "\"size\" IN ('S', 'M')"
    found = asked(branch_number([(split, False)], schema, -1), "size", ["L", "S", None, "XL", "?", "M"])
    assert found == [1, 0, -1, 1, -1, 0]


def test_a_branch_without_levels_has_no_condition():
    split = Levels(0, "subset", (0,), (1,), 2)
    assert condition(split, Schema((Column("c", "nominal", ("a", "b")),)), 0) is None


def test_the_first_split_that_can_place_a_row_decides():
    schema = Schema((Column("a", "numeric"), Column("b", "numeric")))
    case = branch_number([(Threshold(0, 1.0), False), (Threshold(1, 5.0), True)], schema, -1)
    rows = "(VALUES (0.5, 9.0), (NULL, 9.0), (NULL, 1.0), (NULL, NULL)) rows(a, b)"
    assert CONNECTION.execute(f"SELECT {case} FROM {rows}").fetchall() == [(0,), (0,), (1,), (-1,)]
