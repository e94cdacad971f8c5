"""A schema names its columns once, keeps the types of their levels, and survives JSON and pickle."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.schema import Column, Schema, kind_of, levels_from_json, levels_to_json
from bough.errors import FormatError, SchemaError

LEVELS = st.one_of(
    st.lists(st.text(), unique=True),
    st.lists(st.booleans(), unique=True),
    st.lists(st.integers(-(2**53), 2**53), unique=True),
    st.lists(st.floats(allow_nan=False), unique=True),
).map(tuple)
COLUMNS = st.one_of(
    st.builds(Column, st.text(min_size=1), st.just("numeric")),
    st.builds(Column, st.text(min_size=1), st.sampled_from(["nominal", "ordinal"]), LEVELS),
)
SCHEMAS = st.lists(COLUMNS, unique_by=lambda column: column.name).map(lambda columns: Schema(tuple(columns)))


@pytest.fixture
def schema():
    return Schema((Column("age", "numeric"), Column("size", "ordinal", ("s", "m", "l"))))


@given(SCHEMAS)
def test_json_gives_back_the_schema_and_the_types_of_its_levels(schema):
    again = Schema.from_json(json.loads(json.dumps(schema.to_json(), allow_nan=False)))
    assert again == schema
    for old, new in zip(schema, again, strict=True):
        assert list(map(type, new.levels)) == list(map(type, old.levels))


@given(SCHEMAS)
def test_pickle_and_copy_give_back_the_schema(schema):
    for column in schema:
        column.level_codes(column.levels)
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert copy.deepcopy(schema) == schema


@given(COLUMNS)
def test_every_level_has_its_position_for_a_code(column):
    assert [column.level_code(level) for level in column.levels] == list(range(len(column.levels)))
    assert column.level_codes(column.levels).tolist() == list(range(len(column.levels)))


def test_a_pickled_column_does_not_carry_what_it_looked_up():
    column = Column("size", "nominal", ("s", "m"))
    before = pickle.dumps(column)
    column.level_code("s")
    assert pickle.dumps(column) == before


def test_columns_are_found_by_position_and_by_name(schema):
    assert schema[0] is schema["age"]
    assert schema[-1] is schema["size"]
    assert schema.position("size") == 1
    assert schema.names == ("age", "size")
    assert len(schema) == 2


def test_an_unknown_name_is_refused_with_the_known_ones(schema):
    with pytest.raises(SchemaError, match=r"no column 'sise'; the columns are 'age', 'size'"):
        schema["sise"]


@pytest.mark.parametrize("value", [None, math.nan, np.float64("nan"), "xl"])
def test_missing_and_unknown_values_have_the_code_minus_one(schema, value):
    assert schema["size"].level_code(value) == -1


def test_numbers_match_by_value_and_truth_values_are_no_numbers():
    assert Column("n", "nominal", (1, 2)).level_code(2.0) == 1
    assert Column("n", "nominal", (1.0, 2.0)).level_code(np.int64(2)) == 1
    with pytest.raises(SchemaError, match=r"'n' has numbers for levels, got True, which is a bool"):
        Column("n", "nominal", (0, 1)).level_code(True)


def test_kinds():
    assert kind_of(("a",)) == "text"
    assert kind_of((True,)) == "truth values"
    assert kind_of((1, 1.5)) == "numbers"
    assert kind_of(()) is None


@pytest.mark.parametrize(
    ("name", "scale", "levels", "message"),
    [
        ("", "numeric", (), "not empty"),
        (3, "numeric", (), "must be a string"),
        ("a", "interval", (), "has scale 'interval'; the scales are 'numeric', 'ordinal', 'nominal'"),
        ("a", "numeric", ("x",), "numeric, so it has no levels"),
        ("a", "nominal", ["x"], "must be a tuple"),
        ("a", "nominal", ("x", 1), "'a': levels must be all text, .* got int and str"),
        ("a", "nominal", (True, 1), "got bool and int"),
        ("a", "nominal", (None,), "got NoneType"),
        ("a", "nominal", (np.int64(1),), "got int64"),
        ("a", "nominal", ("x", "y", "x"), "has the level 'x' twice"),
        ("a", "nominal", (1, 1.0), "has the level 1 twice"),
        ("a", "nominal", (1.0, math.nan), "NaN is a missing value"),
    ],
)
def test_a_column_that_contradicts_itself_is_refused(name, scale, levels, message):
    with pytest.raises(SchemaError, match=message):
        Column(name, scale, levels)


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(SchemaError, match="Two columns are named 'age'"):
        Schema((Column("age", "numeric"), Column("size", "nominal"), Column("age", "numeric")))


def test_a_schema_is_made_of_columns():
    with pytest.raises(SchemaError, match="tuple of Columns"):
        Schema(("age",))


@pytest.mark.parametrize(
    ("data", "place", "wrong"),
    [
        ([], "schema", "an object is wanted, got list"),
        ({}, "schema", "'columns' is missing"),
        ({"columns": {}}, "schema.columns", "must be a list, got dict"),
        ({"columns": ["age"]}, "schema.columns[0]", "an object is wanted, got str"),
        ({"columns": [{"name": "a"}]}, "schema.columns[0]", "'scale' is missing"),
        (
            {"columns": [{"name": "a", "scale": "numeric", "x": 1}]},
            "schema.columns[0]",
            "'x' is not known here",
        ),
        ({"columns": [{"name": "a", "scale": "odd"}]}, "schema.columns[0]", "has scale 'odd'"),
        ({"columns": [{"name": "a", "scale": ["odd"]}]}, "schema.columns[0]", "has scale ['odd']"),
        (
            {"columns": [{"name": "a", "scale": "nominal", "levels": ["x", None]}]},
            "schema.columns[0].levels[1]",
            "None is not a level",
        ),
        (
            {"columns": [{"name": "a", "scale": "nominal", "levels": [{"float": "nan"}]}]},
            "schema.columns[0].levels[0]",
            "is not a level",
        ),
        ({"columns": [{"name": "a", "scale": "numeric"}] * 2}, "schema.columns", "Two columns are named 'a'"),
    ],
)
def test_json_that_is_not_right_is_refused_with_its_place(data, place, wrong):
    with pytest.raises(FormatError) as caught:
        Schema.from_json(data)
    assert caught.value.place == place
    assert wrong in caught.value.wrong


def test_infinite_levels_are_written_in_json_that_every_reader_knows():
    written = levels_to_json((-math.inf, 0.0, math.inf))
    assert written == [{"float": "-inf"}, 0.0, {"float": "inf"}]
    assert levels_from_json(written) == (-math.inf, 0.0, math.inf)
    with pytest.raises(FormatError, match="is not a level"):
        levels_from_json([{"float": ["inf"]}])
