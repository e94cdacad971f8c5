"""Formulas: their values, their words, and the schema they widen."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.formula import (
    Computed,
    Linear,
    Ratio,
    WideSchema,
    column_words,
    formula_from_json,
    formula_inputs,
)
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import FormatError, ParameterError
from bough.tree.split import Threshold

SCHEMA = Schema((Column("a", "numeric"), Column("b", "numeric"), Column("c d", "numeric")))
NUMBERS = st.floats(-1e6, 1e6, width=32)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1), NUMBERS.filter(bool))
def test_a_linear_formula_is_the_sum_of_its_terms(rows, coefficient):
    x, y = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    formula = Linear((0, 1), (1.0, float(coefficient)))
    assert np.array_equal(formula.values([x, y]), x + coefficient * y)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1))
def test_a_ratio_is_missing_just_where_its_divisor_is_zero(rows):
    x, y = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    values = Ratio(0, 1).values([x, y])
    assert np.array_equal(np.isnan(values), y == 0)
    assert np.array_equal(values[y != 0], x[y != 0] / y[y != 0])


@pytest.mark.parametrize("formula", [Linear((0, 1), (1.0, 2.0)), Ratio(0, 1), Ratio(1, 0)])
def test_a_missing_column_makes_the_value_missing(formula):
    x, y = np.array([np.nan, 1.0, 2.0]), np.array([1.0, np.nan, 2.0])
    assert np.isnan(formula.values([x, y])).tolist() == [True, True, False]


def test_float32_columns_are_computed_in_float64():
    x = np.array([0.1], dtype=np.float32)
    assert Linear((0, 1), (1.0, 1.0)).values([x, x])[0] == 2 * float(x[0])


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False).filter(bool), min_size=2, max_size=5).map(tuple)
)
def test_a_formula_comes_back_from_json_exactly(coefficients):
    formula = Linear(tuple(range(len(coefficients))), coefficients)
    assert formula_from_json(formula.to_json(), "formulas[0]") == formula


@pytest.mark.parametrize(
    ("coefficients", "words"),
    [
        ((0.45, 1.0), "0.45·a + b"),
        ((-1.0, 1.0), "b - a"),
        ((-1.0, -2.5), "-a - 2.5·b"),
        ((1.0, -0.1), "a - 0.1·b"),
    ],
)
def test_a_linear_formula_in_words(coefficients, words):
    assert Linear((0, 1), coefficients).words(SCHEMA) == words


def test_a_name_that_reads_like_a_formula_is_quoted():
    schema = Schema((Column("a / b", "numeric"), Column("x - y", "numeric"), Column("c d", "numeric")))
    assert Ratio(0, 2).words(schema) == "'a / b' / c d"
    assert Ratio(1, 2).words(schema) == "'x - y' / c d"


def test_a_threshold_on_a_formula_says_the_formula():
    wide = WideSchema.of(SCHEMA, [Ratio(1, 0)])
    assert Threshold(3, 0.45).words(wide, 0) == "b / a < 0.45"
    assert column_words(wide[3]) == "b / a"


def test_two_formulas_of_the_same_words_do_not_clash():
    formulas = [Linear((0, 1), (1.0, 0.5)), Linear((0, 1), (1.0, 0.5))]
    wide = WideSchema.of(SCHEMA, formulas)
    assert wide.names[3] == wide.names[4]
    assert wide.narrow == SCHEMA
    assert pickle.loads(pickle.dumps(wide)) == wide
    assert all(isinstance(column, Computed) for column in wide.columns[3:])


def test_a_table_is_read_by_a_wide_schema():
    wide = WideSchema.of(SCHEMA, [Ratio(1, 0)])
    table = Table.fit_to([[2.0, 1.0, 0.0]], wide)
    assert table.columns[3].tolist() == [0.5]
    assert Table.fit_to(table, wide) is table


def test_only_the_columns_a_formula_reads_are_picked():
    columns = [np.arange(3.0), np.arange(3.0, 6.0), np.arange(6.0, 9.0)]
    assert [len(values) for values in formula_inputs(Ratio(2, 0), columns, [0, 1])] == [2, 0, 2]


@pytest.mark.parametrize(
    ("columns", "coefficients"),
    [
        ((0,), (1.0,)),
        ((0, 0), (1.0, 1.0)),
        ((0, -1), (1.0, 1.0)),
        ((0, 1.0), (1.0, 1.0)),
        ((True, 0), (1.0, 1.0)),
        ((0, 1), (1.0,)),
        ((0, 1), (1.0, 0.0)),
        ((0, 1), (1.0, float("nan"))),
        ((0, 1), (1.0, float("inf"))),
        ((0, 1), (1, 1)),
    ],
)
def test_a_wrong_linear_formula_is_refused(columns, coefficients):
    with pytest.raises(ParameterError, match=r"columns is|coefficients is"):
        Linear(columns, coefficients)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"kind": "cubic"},
        {"kind": ["ratio"]},
        {"kind": "ratio", "numerator": 0},
        {"kind": "ratio", "numerator": 0, "denominator": "1"},
        {"kind": "ratio", "numerator": 0, "denominator": 1, "more": 2},
        {"kind": "linear", "columns": 3, "coefficients": [1.0]},
        {"kind": "linear", "columns": [0, [1]], "coefficients": [1.0, 1.0]},
        {"kind": "linear", "columns": [0, 1], "coefficients": [1.0, "inf"]},
        {"kind": "linear", "columns": [0, 1], "coefficients": [1.0, None]},
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(data):
    with pytest.raises(FormatError, match=r"formulas\[2\]"):
        formula_from_json(data, "formulas[2]")
