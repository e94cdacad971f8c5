"""A table holds one array per column; the same data gives the same table whatever library holds it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import SchemaError, TableError

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=4)
FLOATS = st.floats(allow_nan=False, width=64)
WHOLE = st.integers(-(2**53), 2**53)


@st.composite
def columns_of_values(draw):
    """Columns of numbers, whole numbers, text and truth values with some values missing."""
    n_rows = draw(st.integers(1, 8))
    columns = {}
    for position in range(draw(st.integers(1, 4))):
        values = draw(st.sampled_from([TEXT, FLOATS, WHOLE, st.booleans()]))
        column = draw(st.lists(st.one_of(st.none(), values), min_size=n_rows, max_size=n_rows))
        if all(value is None for value in column):
            column[0] = draw(values)
        columns[f"x{position}"] = column
    return columns


def in_every_library(columns):
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    array = np.empty((len(rows), len(columns)), dtype=object)
    array[:] = rows
    arrow = pa.table(columns)
    nullable = {bool: "boolean", int: "Int64", float: "Float64", str: "str"}
    kinds = {name: {type(value) for value in column if value is not None} for name, column in columns.items()}
    yield "lists", rows
    yield "numpy", array
    yield "pandas objects", pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in columns.items()})
    yield (
        "pandas",
        pd.DataFrame({n: pd.Series(c, dtype=nullable[kinds[n].pop()]) for n, c in columns.items()}),
    )
    yield "pandas arrow", arrow.to_pandas(types_mapper=pd.ArrowDtype)
    yield "polars", pl.DataFrame(columns, strict=True)
    yield "polars lazy", pl.LazyFrame(columns, strict=True)
    yield "pyarrow", arrow
    yield "pyarrow in chunks", pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)])


@given(columns_of_values())
@settings(max_examples=60, deadline=None)
def test_the_same_data_is_the_same_table_in_every_library(columns):
    tables = {library: Table.read(X) for library, X in in_every_library(columns)}
    for library, table in tables.items():
        assert table == tables["lists"], library


@given(columns_of_values())
@settings(max_examples=60, deadline=None)
def test_a_table_fitted_to_its_own_schema_is_itself(columns):
    for library, X in in_every_library(columns):
        table = Table.read(X)
        assert Table.fit_to(X, table.schema) == table, library


@given(columns_of_values(), st.randoms())
@settings(max_examples=60, deadline=None)
def test_columns_of_a_frame_are_put_in_the_order_of_the_schema(columns, random):
    names = list(columns)
    random.shuffle(names)
    shuffled = {name: columns[name] for name in names}
    table = Table.read(pa.table(columns))
    for frame in (pa.table(shuffled), pl.DataFrame(shuffled, strict=True)):
        assert Table.fit_to(frame, table.schema) == table


@given(st.lists(TEXT, min_size=1), st.lists(TEXT, min_size=1))
def test_levels_never_seen_are_coded_as_missing_and_the_others_keep_their_codes(seen, asked):
    schema = Table.read(pl.DataFrame({"a": seen})).schema
    (codes,) = Table.fit_to(pl.DataFrame({"a": asked}), schema).columns
    levels = schema["a"].levels
    assert codes.tolist() == [levels.index(text) if text in levels else -1 for text in asked]


@given(st.lists(st.one_of(st.none(), TEXT), min_size=1))
def test_codes_stand_for_the_values_they_were_read_from(values):
    table = Table.read(pd.DataFrame({"a": pd.Series(values, dtype="str")}))
    (codes,), levels = table.columns, table.schema["a"].levels
    assert [None if code < 0 else levels[code] for code in codes] == values
    assert list(levels) == sorted(levels)


@given(st.lists(st.one_of(st.just(float("nan")), FLOATS), min_size=1))
def test_numbers_said_to_be_categories_have_their_distinct_values_for_levels(values):
    table = Table.read(np.array([values]).T, categorical_features=[0])
    (codes,), levels = table.columns, table.schema[0].levels
    assert list(levels) == sorted({value for value in values if value == value})
    decoded = [float("nan") if code < 0 else levels[code] for code in codes]
    np.testing.assert_array_equal(decoded, values)


def test_tables_differ_by_values_by_types_and_by_schemas():
    table = Table.read(np.array([[1.0, np.nan]]))
    assert table == Table.read(np.array([[1.0, np.nan]]))
    assert table != Table.read(np.array([[1.0, 2.0]]))
    assert table != Table.read(np.array([[1.0, np.nan]], dtype=np.float32))
    assert table != Table.read(pd.DataFrame({"a": [1.0], "b": [np.nan]}))
    assert table != "table"


def test_a_table_cannot_be_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Table.read([[1]]))


NUMERIC = Schema((Column("age", "numeric"),))
NOMINAL = Schema((Column("size", "nominal", ("s", "l")),))


@pytest.mark.parametrize(
    ("schema", "columns", "message"),
    [
        (NUMERIC, (), "1 columns and 0 arrays"),
        (NUMERIC, (np.zeros(3),), r"'age' has shape \(3,\); it must be \(2,\)"),
        (NUMERIC, (np.zeros((2, 1)),), r"'age' has shape \(2, 1\)"),
        (NUMERIC, (np.zeros(2, dtype=np.int64),), "'age' is numeric and holds int64"),
        (NUMERIC, (np.zeros(2, dtype=">f8"),), "'age' is numeric and holds >f8"),
        (NOMINAL, (np.zeros(2),), "'size' is nominal: its codes are int32, not float64"),
        (NOMINAL, (np.array([0, 2], dtype=np.int32),), "2 levels, so its codes go from −1 to 1; got 0 to 2"),
        (NOMINAL, (np.array([0, -2], dtype=np.int32),), "got -2 to 0"),
    ],
)
def test_arrays_that_are_not_what_the_schema_says_are_refused(schema, columns, message):
    with pytest.raises(TableError, match=message):
        Table(schema, columns, 2)


def test_fitting_to_the_schema_of_a_frame_takes_arrays_by_position():
    table = Table.read(pd.DataFrame({"age": [31.0, 42.0], "size": ["s", "l"]}))
    assert Table.fit_to(np.array([[31.0, "s"], [42.0, "l"]], dtype=object), table.schema) == table
    assert Table.fit_to([[31, "s"], [42, "l"]], table.schema) == table


def test_a_frame_without_a_column_is_refused_with_its_name():
    schema = Table.read(pd.DataFrame({"age": [31.0], "pay": [1.0]})).schema
    with pytest.raises(SchemaError, match=r"seen at fit time, yet now missing:\n- pay\n"):
        Table.fit_to(pd.DataFrame({"age": [31.0]}), schema)


def test_a_frame_with_a_column_too_many_is_refused_with_its_name_before_it_is_read():
    schema = Table.read(pd.DataFrame({"age": [31.0]})).schema
    frame = pd.DataFrame({"age": [31.0], "born": pd.to_datetime(["1990-01-01"])})
    with pytest.raises(SchemaError, match=r"unseen at fit time:\n- born\n"):
        Table.fit_to(frame, schema)


def test_at_most_five_names_are_listed():
    schema = Table.read(pd.DataFrame([[0.0] * 7], columns=list("abcdefg"))).schema
    with pytest.raises(SchemaError, match=r"- f\n- \.\.\.\n"):
        Table.fit_to(pd.DataFrame({"a": [0.0]}), schema)


@pytest.mark.parametrize("X", [np.zeros((2, 3)), [[0, 0, 0]]])
def test_an_array_of_another_width_is_refused_in_the_words_of_scikit_learn(X):
    schema = Table.read(np.zeros((2, 4))).schema
    with pytest.raises(SchemaError, match=r"X has 3 features, but \w+ is expecting 4 features as input"):
        Table.fit_to(X, schema)


TRAINED = {
    "numbers": [31.0, 42.0],
    "text": ["s", "l"],
    "truth values": [True, False],
}


@pytest.mark.parametrize("got", TRAINED)
@pytest.mark.parametrize("want", TRAINED)
def test_values_of_another_kind_are_refused_with_the_column_and_both_kinds(got, want):
    schema = Table.read(pl.DataFrame({"a": TRAINED[want]})).schema
    asked = pl.DataFrame({"a": TRAINED[got]})
    if got == want:
        assert Table.fit_to(asked, schema).n_rows == 2
        return
    with pytest.raises(SchemaError, match=f"Column 'a' is {got}; the tree was grown on {want}"):
        Table.fit_to(asked, schema)


def test_a_categorical_of_numbers_fits_a_numeric_column_as_its_numbers():
    frame = pd.DataFrame({"a": pd.Categorical([10, None, 2, 10])})
    schema = Table.read(frame, categorical_features=None).schema
    assert schema == Table.read(pd.DataFrame({"a": [1.0, 2.0]})).schema
    np.testing.assert_array_equal(Table.fit_to(frame, schema).columns[0], [10, np.nan, 2, 10])


@pytest.mark.parametrize("values", TRAINED.values(), ids=TRAINED)
@pytest.mark.parametrize(
    "missing",
    [
        pd.Series([None, None], dtype=object),
        pd.Series([np.nan, np.nan]),
        pd.Series([None, None], dtype="str"),
        pd.Series([None, None], dtype="Int64"),
        pd.Series([None, None], dtype=pd.CategoricalDtype(["other"])),
        pl.Series([None, None], dtype=pl.Null),
        pl.Series([None, None], dtype=pl.Boolean),
    ],
    ids=lambda series: str(series.dtype),
)
def test_a_column_in_which_everything_is_missing_fits_any_column(values, missing):
    schema = Table.read(pl.DataFrame({"a": values})).schema
    frame = missing.to_frame("a")
    (column,) = Table.fit_to(frame, schema).columns
    assert (np.isnan(column) if schema["a"].scale == "numeric" else column == -1).all()


def test_anything_fits_a_column_that_had_no_levels_and_is_missing_there():
    schema = Table.read(pl.DataFrame({"a": pl.Series([None], dtype=pl.String)})).schema
    assert schema["a"] == Column("a", "nominal")
    for values in TRAINED.values():
        assert Table.fit_to(pl.DataFrame({"a": values}), schema).columns[0].tolist() == [-1, -1]


@pytest.mark.parametrize("levels", [(1, 2, 3), (1.0, 2.0, 3.0), (3, 1, 2)])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_levels_that_are_numbers_are_matched_by_number(levels, dtype):
    schema = Schema((Column("a", "nominal", levels),))
    asked = np.array([[3], [1], [7], [0]], dtype=dtype)
    assert Table.fit_to(asked, schema).columns[0].tolist() == [levels.index(3), levels.index(1), -1, -1]


def test_categories_in_another_order_are_translated():
    schema = Table.read(pd.DataFrame({"a": pd.Categorical(["s", "l"], ["s", "m", "l"], ordered=True)})).schema
    asked = pd.DataFrame({"a": pd.Categorical(["s", "xl", "l"], ["xl", "l", "s"])})
    assert Table.fit_to(asked, schema).columns[0].tolist() == [0, -1, 2]
