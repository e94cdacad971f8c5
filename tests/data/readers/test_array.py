"""Arrays and nested lists: floats are read in place, lists keep the types of their values."""

import decimal
import enum
import fractions
import math

import numpy as np
import pandas as pd
import pytest

from bough.data.schema import Column
from bough.data.table import Table
from bough.errors import BoughError, ColumnTypeError, ParameterError, TableError


def column_of(values, **said):
    """Read one column of Python values."""
    table = Table.read([[value] for value in values], **said)
    return table.schema[0], table.columns[0].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [slice(None), slice(None, None, 2), slice(None, None, -1)])
def test_float_columns_are_views_of_the_array(dtype, order, rows):
    X = np.asarray(np.arange(12.0).reshape(4, 3), dtype=dtype, order=order)[rows]
    table = Table.read(X)
    for position, column in enumerate(table.columns):
        assert np.shares_memory(column, X)
        assert column.dtype == dtype
        np.testing.assert_array_equal(column, X[:, position])
    for column in Table.fit_to(X, table.schema).columns:
        assert np.shares_memory(column, X)


def test_columns_of_an_array_are_named_by_position():
    assert Table.read(np.zeros((1, 3))).schema.names == ("x0", "x1", "x2")


def test_nan_is_missing_and_infinities_are_values():
    (column,) = Table.read(np.array([[np.nan], [np.inf], [-np.inf]])).columns
    np.testing.assert_array_equal(column, [np.nan, np.inf, -np.inf])


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_integers_become_float64(dtype):
    table = Table.read(np.array([[1], [2]], dtype=dtype))
    assert table.schema[0] == Column("x0", "numeric")
    assert table.columns[0].dtype == np.float64
    assert table.columns[0].tolist() == [1.0, 2.0]


def test_half_floats_become_float32_and_swapped_bytes_native():
    assert Table.read(np.array([[1.5]], dtype=np.float16)).columns[0].dtype == np.float32
    assert Table.read(np.array([[1.5]], dtype=">f4")).columns[0].dtype == np.dtype("=f4")
    assert Table.read(np.array([[1.5]], dtype=">f8")).columns[0].tolist() == [1.5]


def test_a_view_that_native_code_cannot_read_in_place_is_copied():
    packed = np.zeros((3,), dtype=[("flag", "i1"), ("value", "f8")])
    packed["value"] = [1.0, 2.0, 3.0]
    (column,) = Table.read(packed["value"].reshape(-1, 1)).columns
    assert column.flags.aligned
    assert column.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**63])
def test_integers_that_float64_cannot_hold_are_refused_with_their_column(value):
    for X in ([[0, value]], np.array([[0, value]], dtype=object), pd.DataFrame({"x0": [0], "x1": [value]})):
        with pytest.raises(TableError, match=f"Column 'x1' holds {value}"):
            Table.read(X)
    assert column_of([2**53, -(2**53)])[1] == [2.0**53, -(2.0**53)]


def test_a_great_float_beside_integers_is_a_number():
    assert column_of([1, 1e300])[1] == [1.0, 1e300]


def test_an_integer_beyond_float64_is_refused():
    with pytest.raises(TableError, match="Column 'x0' holds a number that float64 cannot hold"):
        column_of([10**400])


def test_truth_values_are_nominal():
    expected = Column("x0", "nominal", (False, True)), [1, 0]
    assert column_of([True, False]) == expected
    assert column_of([np.True_, np.False_]) == expected
    table = Table.read(np.array([[True], [False]]))
    assert (table.schema[0], table.columns[0].tolist()) == expected


@pytest.mark.parametrize("dtype", [object, "U4", np.dtypes.StringDType()])
def test_text_is_nominal_with_sorted_levels(dtype):
    table = Table.read(np.array([["s", "m"], ["l", "m"], ["s", "é"]], dtype=dtype))
    assert table.schema.columns == (Column("x0", "nominal", ("l", "s")), Column("x1", "nominal", ("m", "é")))
    assert [column.tolist() for column in table.columns] == [[1, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    "missing", [None, math.nan, np.float64("nan"), pd.NA, pd.NaT, decimal.Decimal("nan")]
)
def test_what_is_missing_among_objects(missing):
    assert column_of(["s", missing]) == (Column("x0", "nominal", ("s",)), [0, -1])
    assert column_of([True, missing]) == (Column("x0", "nominal", (False, True)), [1, -1])
    column, values = column_of([1, missing])
    assert column.scale == "numeric"
    np.testing.assert_array_equal(values, [1.0, np.nan])


def test_objects_that_are_all_missing_are_numeric():
    column, values = column_of([None, math.nan])
    assert column == Column("x0", "numeric")
    assert np.isnan(values).all()


def test_decimals_and_fractions_are_numbers():
    assert column_of([decimal.Decimal("1.5"), fractions.Fraction(1, 4), 2])[1] == [1.5, 0.25, 2.0]


def test_text_of_any_str_type_goes_by_its_characters():
    class Size(str, enum.Enum):  # noqa: UP042
        SMALL = "s"
        LARGE = "l"

    assert column_of([Size.SMALL, np.str_("l"), "s", None]) == (
        Column("x0", "nominal", ("l", "s")),
        [1, 0, 1, -1],
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "a"], "'x0' mixes int and str, such as 1 and 'a'"),
        ([True, 1], "'x0' mixes bool and int, such as True and 1"),
        (["a", False], "'x0' mixes bool and str"),
        ([1.5, math.nan, "a"], "'x0' mixes float and str"),
    ],
)
def test_a_column_of_mixed_kinds_is_refused_with_its_name_and_both_types(values, message):
    with pytest.raises(ColumnTypeError, match=message):
        column_of(values)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ({"foo": "bar"}, "Spread it over columns"),
        (b"bytes", "Decode it to text"),
        (np.longdouble(1), "Cast it to float64"),
        (object(), "leave the column out"),
    ],
)
def test_values_of_no_scale_are_refused_with_advice(value, advice):
    X = np.array([[0.5, "a"], [1.5, value]], dtype=object)
    with pytest.raises(
        TypeError, match=rf"Column 'x1' holds .*argument must be a string or a number.*{advice}"
    ):
        Table.read(X)


@pytest.mark.parametrize("dtype", ["S3", "V4", np.longdouble])
def test_arrays_of_no_scale_are_refused(dtype):
    with pytest.raises(ColumnTypeError, match=r"Column 'x0' holds .*argument must be a string or a number"):
        Table.read(np.zeros((2, 1), dtype=dtype))


@pytest.mark.parametrize("X", [np.ones((2, 1)) * 1j, [[1j]], pd.DataFrame({"x0": [1j]})])
def test_complex_numbers_are_refused(X):
    with pytest.raises(ValueError, match="Complex data not supported: column 'x0'"):
        Table.read(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(3), "Reshape your data"),
        (np.float64(3), "Reshape your data"),
        ([1, 2, 3], "Reshape your data"),
        ([], "Reshape your data"),
        (pd.Series([1, 2]), "Reshape your data"),
        (np.zeros((1, 2, 3)), "3 dimensions, want 2"),
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
        (np.zeros((12, 0)), r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required"),
        ([[1, 2], [3]], "rows of different lengths"),
        ([{"a": 1}], "list of dicts"),
        (np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]), r"fields 'a', 'b'; give a frame"),
        (np.ma.masked_array([[1.0]], [[True]]), r"masked array.*X\.filled"),
    ],
)
def test_what_is_no_table_is_refused_with_a_way_out(X, message):
    with pytest.raises(TableError, match=message):
        Table.read(X)


@pytest.mark.parametrize("X", [None, "iris.csv", {"a": [1]}, 3, object()])
def test_what_no_reader_knows_is_a_type_error(X):
    with pytest.raises(TypeError, match="argument must be a table of strings and numbers"):
        Table.read(X)


def test_what_turns_itself_into_an_array_is_read_as_one():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.5, 2.5]])

    assert Table.read(Tensor()) == Table.read(np.array([[1.5, 2.5]]))
    assert Table.read(np.array([[1.5, 2.5]]).view(np.memmap)) == Table.read([[1.5, 2.5]])


FOUR = [[3, "b", 1.5, True], [1, "a", 0.5, False]]


@pytest.mark.parametrize(
    "said",
    [["x0", "x2"], [0, 2], [0, -2], ["x0", 2], [True, False, True, False], np.array([0, 2]), ("x2", "x0")],
)
def test_columns_are_said_categorical_by_name_position_or_mask(said):
    schema = Table.read(FOUR, categorical_features=said).schema
    assert schema[0] == Column("x0", "nominal", (1, 3))
    assert schema[2] == Column("x2", "nominal", (0.5, 1.5))
    assert [type(level) for level in schema[0].levels] == [int, int]
    ordinal = Table.read(FOUR, ordinal_features=said).schema
    assert ordinal[0] == Column("x0", "ordinal", (1, 3))
    assert ordinal[2] == Column("x2", "ordinal", (0.5, 1.5))
    assert [column.scale for column in ordinal] == ["ordinal", "nominal", "ordinal", "nominal"]


@pytest.mark.parametrize("said", [None, "from_dtype", [], [False] * 4])
def test_text_and_truth_values_are_nominal_whatever_is_said_of_others(said):
    schema = Table.read(FOUR, categorical_features=said).schema
    assert [column.scale for column in schema] == ["numeric", "nominal", "numeric", "nominal"]


def test_text_said_ordinal_needs_its_order():
    with pytest.raises(ParameterError, match=r"such as ordinal_features=\{'x1': \['a', 'b'\]\}"):
        Table.read(FOUR, ordinal_features=["x1"])
    assert Table.read(FOUR, ordinal_features=["x0"]).schema[0].scale == "ordinal"


@pytest.mark.parametrize("key", ["x1", 1, -3, np.int64(1)])
def test_levels_given_for_an_ordinal_column_are_its_order(key):
    table = Table.read(FOUR, ordinal_features={key: ["b", "c", "a"], 0: np.array([3, 2, 1])})
    assert table.schema[1] == Column("x1", "ordinal", ("b", "c", "a"))
    assert table.columns[1].tolist() == [0, 2]
    assert table.schema[0] == Column("x0", "ordinal", (3, 2, 1))
    assert table.columns[0].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("levels", "value", "row"), [({1: ["b"]}, "'a'", 1), ({0: [1, 2]}, "3.0", 0), ({1: []}, "'b'", 0)]
)
def test_a_value_outside_the_given_levels_is_refused_with_its_row(levels, value, row):
    with pytest.raises(TableError, match=f"holds {value} in row {row}, which is not among the levels"):
        Table.read(FOUR, ordinal_features=levels)


def test_missing_values_are_outside_no_list():
    assert column_of(["b", None], ordinal_features={0: ["a", "b"]})[1] == [1, -1]
    assert column_of([2, None], ordinal_features={0: [1, 2]})[1] == [1, -1]


def test_minus_zero_is_zero():
    assert str(column_of([-0.0, 0.0, 0.5], categorical_features=[0])) == str(
        (Column("x0", "nominal", (0.0, 0.5)), [0, 0, 1])
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"categorical_features": ["colour"]}, "categorical_features has 'colour', which is not a column"),
        ({"categorical_features": [4]}, "categorical_features has 4, which is not a column"),
        ({"categorical_features": [-5]}, "categorical_features has -5, which is not a column"),
        ({"categorical_features": [1.0]}, "categorical_features has 1.0, which is not a column"),
        ({"categorical_features": [0, True]}, "categorical_features has True, which is not a column"),
        ({"categorical_features": [True]}, "a mask of 1 truth values; the table has 4 columns"),
        ({"categorical_features": "x0"}, "categorical_features is 'x0'; it must be a list"),
        ({"categorical_features": 0}, "categorical_features is 0; it must be a list"),
        ({"ordinal_features": "from_dtype"}, "ordinal_features is 'from_dtype'; it must be a list"),
        ({"ordinal_features": {"colour": ["a"]}}, "ordinal_features has 'colour', which is not a column"),
        (
            {"ordinal_features": {"x1": "ab"}},
            r"ordinal_features\['x1'\] is 'ab'; it must be a list of levels",
        ),
        ({"ordinal_features": {"x1": 3}}, r"ordinal_features\['x1'\] is 3; it must be a list of levels"),
        ({"ordinal_features": {"x1": ["a", "a"]}}, "gives 'x1' the levels .* has the level 'a' twice"),
        ({"ordinal_features": {"x1": ["a", None]}}, "gives 'x1' the levels .* got NoneType and str"),
        (
            {"ordinal_features": {"x1": [1, 2]}},
            r"the levels \(1, 2\), which are numbers; the column holds text",
        ),
        ({"ordinal_features": {"x1": ["a", "b"], 1: ["b", "a"]}}, "has column 'x1' twice"),
        ({"categorical_features": [1], "ordinal_features": ["x1"]}, "'x1' is in both"),
    ],
)
def test_what_is_said_of_columns_is_checked(parameters, message):
    with pytest.raises(ParameterError, match=message) as caught:
        Table.read(FOUR, **parameters)
    assert isinstance(caught.value, BoughError)


@pytest.mark.parametrize("dtype", [object, str])
def test_as_many_levels_as_rows_are_read(dtype):
    texts = np.array([[f"{row:06}"] for row in range(100_000)], dtype=dtype)
    table = Table.read(texts)
    assert table.schema[0].levels == tuple(texts[:, 0].tolist())
    np.testing.assert_array_equal(table.columns[0], np.arange(100_000))
