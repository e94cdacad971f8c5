"""Frames of every library: dtypes say the scale, categories keep their order, floats are read in place."""

import decimal
import subprocess
import sys

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bough.data.schema import Column
from bough.data.table import Table
from bough.errors import ColumnTypeError, ParameterError, TableError


def column_of(series, **said):
    """Read a frame with this one column, of any library."""
    frame = (
        pa.table({"a": series}) if isinstance(series, pa.Array | pa.ChunkedArray) else series.to_frame("a")
    )
    table = Table.read(frame, **said)
    return table.schema["a"], table.columns[0].tolist()


FLOATS = np.arange(6.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_read_in_place(dtype):
    values = FLOATS.astype(dtype)
    pandas, polars, arrow = pd.Series(values), pl.Series(values), pa.array(values)
    in_place = {
        "pandas": (pandas.to_frame("a"), pandas.to_numpy()),
        "polars": (polars.to_frame("a"), polars.to_numpy()),
        "pyarrow": (pa.table({"a": arrow}), arrow.to_numpy()),
    }
    for library, (frame, array) in in_place.items():
        (column,) = Table.read(frame).columns
        assert np.shares_memory(column, array), library
        assert column.dtype == dtype


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1.5, None]),
        pd.Series([1.5, None], dtype="Float64"),
        pd.Series([1.5, None], dtype="Float32"),
        pd.Series([1.5, None], dtype="double[pyarrow]"),
        pd.Series([1.5, pd.NA], dtype=object),
        pd.Series([decimal.Decimal("1.5"), None], dtype=object),
        pd.Series([decimal.Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        pl.Series([1.5, None]),
        pl.Series([1.5, float("nan")]),
        pl.Series([1.5, None], dtype=pl.Float32),
        pl.Series([decimal.Decimal("1.5"), None]),
        pa.array([1.5, None]),
        pa.array([1.5, None], pa.float16()),
        pa.array([decimal.Decimal("1.5"), None]),
        pa.chunked_array([[1.5], [None]]),
    ],
    ids=lambda series: str(getattr(series, "dtype", None) or series.type),
)
def test_numbers_with_null_for_missing(series):
    column, values = column_of(series)
    assert column == Column("a", "numeric")
    np.testing.assert_array_equal(values, [1.5, np.nan])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([2, None], dtype="Int64"),
        pd.Series([2, None], dtype="uint8[pyarrow]"),
        pl.Series([2, None]),
        pl.Series([2, None], dtype=pl.UInt64),
        pl.Series([2, None], dtype=pl.Int128),
        pa.array([2, None]),
    ],
    ids=lambda series: str(getattr(series, "dtype", None) or series.type),
)
def test_integers_are_numeric_and_as_categories_whole(series):
    column, values = column_of(series)
    assert column == Column("a", "numeric")
    np.testing.assert_array_equal(values, [2.0, np.nan])
    column, codes = column_of(series, categorical_features=["a"])
    assert repr(column.levels) == "(2,)"
    assert codes == [0, -1]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 2**60], dtype="Int64"),
        pd.Series([1, 2**60]),
        pl.Series([None, 2**60]),
        pl.Series([1, 2**100], dtype=pl.Int128),
        pa.array([1, 2**60]),
        pd.Series(pd.Categorical([2**60])),
    ],
    ids=lambda series: str(getattr(series, "dtype", None) or series.type),
)
def test_integers_that_float64_cannot_hold_are_refused(series):
    with pytest.raises(TableError, match=r"Column 'a' holds \d+, beyond"):
        column_of(series)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([True, None], dtype="boolean"),
        pd.Series([True, None], dtype=object),
        pd.Series([True, None], dtype="bool[pyarrow]"),
        pl.Series([True, None]),
        pa.array([True, None]),
    ],
    ids=lambda series: str(getattr(series, "dtype", None) or series.type),
)
def test_truth_values_are_nominal(series):
    assert column_of(series) == (Column("a", "nominal", (False, True)), [1, -1])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["s", None, "l", "s"]),
        pd.Series(["s", None, "l", "s"], dtype=object),
        pd.Series(["s", None, "l", "s"], dtype="string[python]"),
        pd.Series(["s", None, "l", "s"], dtype="string[pyarrow]"),
        pd.Series(["s", None, "l", "s"], dtype=pd.ArrowDtype(pa.string())),
        pl.Series(["s", None, "l", "s"]),
        pl.Series(["s", None, "l", "s"], dtype=pl.Categorical),
        pa.array(["s", None, "l", "s"]),
        pa.array(["s", None, "l", "s"], pa.large_string()),
        pa.array(["s", None, "l", "s"], pa.string_view()),
        pa.chunked_array([["s"], [None], ["l", "s"]]),
    ],
    ids=lambda series: str(getattr(series, "dtype", None) or series.type),
)
def test_text_is_nominal_with_sorted_levels(series):
    assert column_of(series) == (Column("a", "nominal", ("l", "s")), [1, -1, 0, 1])
    given = column_of(series, ordinal_features={"a": ["s", "l"]})
    assert given == (Column("a", "ordinal", ("s", "l")), [0, -1, 1, 0])
    with pytest.raises(ParameterError, match="the order of its levels is not known"):
        column_of(series, ordinal_features=["a"])


def test_text_is_known_by_all_its_rows_and_not_by_the_first():
    with pytest.raises(ColumnTypeError, match="Column 'a' mixes int and str"):
        column_of(pd.Series(["text"] * 200 + [1], dtype=object))


def test_levels_of_a_polars_categorical_are_its_own_and_not_those_of_the_process():
    pl.Series(["of another column"], dtype=pl.Categorical)
    column, _ = column_of(pl.Series(["s"], dtype=pl.Categorical))
    assert column.levels == ("s",)


SIZES = ["s", "m", "l"]
CATEGORIES = {
    "pandas": pd.Series(pd.Categorical(["l", None, "s"], SIZES)),
    "pandas arrow": pd.Series(
        pa.DictionaryArray.from_arrays([2, None, 0], SIZES),
        dtype=pd.ArrowDtype(pa.dictionary(pa.int64(), pa.string())),
    ),
    "pyarrow": pa.DictionaryArray.from_arrays([2, None, 0], SIZES),
    "pyarrow unsigned": pa.DictionaryArray.from_arrays(pa.array([2, None, 0], pa.uint8()), SIZES),
}
ORDERED = {
    "pandas": pd.Series(pd.Categorical(["l", None, "s"], SIZES, ordered=True)),
    "polars": pl.Series(["l", None, "s"], dtype=pl.Enum(SIZES)),
    "pyarrow": pa.DictionaryArray.from_arrays([2, None, 0], SIZES, ordered=True),
}


@pytest.mark.parametrize("series", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_levels_in_their_order_used_or_not(series):
    assert column_of(series) == (Column("a", "nominal", ("s", "m", "l")), [2, -1, 0])
    assert column_of(series, ordinal_features=["a"]) == (Column("a", "ordinal", ("s", "m", "l")), [2, -1, 0])


@pytest.mark.parametrize("series", ORDERED.values(), ids=ORDERED)
def test_ordered_categories_are_ordinal_unless_said_categorical(series):
    assert column_of(series) == (Column("a", "ordinal", ("s", "m", "l")), [2, -1, 0])
    assert column_of(series, categorical_features=["a"])[0] == Column("a", "nominal", ("s", "m", "l"))
    assert column_of(series, ordinal_features={"a": ["l", "s"]}) == (
        Column("a", "ordinal", ("l", "s")),
        [0, -1, 1],
    )


def test_categories_that_are_numbers_are_numbers_when_nothing_is_to_be_categorical():
    series = pd.Series(pd.Categorical([3, None, 1], [3, 2, 1]))
    assert column_of(series) == (Column("a", "nominal", (3, 2, 1)), [0, -1, 2])
    column, values = column_of(series, categorical_features=None)
    assert column == Column("a", "numeric")
    np.testing.assert_array_equal(values, [3.0, np.nan, 1.0])
    assert column_of(CATEGORIES["pandas"], categorical_features=None)[0].scale == "nominal"


def test_an_arrow_dictionary_may_list_a_value_twice_or_null():
    twice = pa.DictionaryArray.from_arrays([0, 1, 2, 3], ["s", None, "s", "l"])
    assert column_of(twice) == (Column("a", "nominal", ("s", "l")), [0, -1, 0, 1])


def test_chunks_with_dictionaries_of_their_own_are_one_column():
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array([None, "c", "a"]).dictionary_encode()]
    assert column_of(pa.chunked_array(chunks)) == (Column("a", "nominal", ("b", "a", "c")), [0, 1, -1, 2, 1])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([None, None]),
        pl.Series([None, None]),
        pa.array([None, None]),
        pd.Series([None, None], dtype="Int64"),
    ],
    ids=["pandas", "polars", "pyarrow", "Int64"],
)
def test_a_column_of_unknown_type_that_is_all_missing_is_numeric(series):
    column, values = column_of(series)
    assert column == Column("a", "numeric")
    assert np.isnan(values).all()


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (pl.Series([[1]]), "List.*Spread it"),
        (pl.Series([{"x": 1}]), "Struct.*Spread it"),
        (pl.Series([b"x"]), "Binary.*Decode it"),
        (pl.Series([{1}], dtype=pl.Object), "values of type set"),
        (pd.Series(pd.Categorical(["a", 1])), "categories of type int and str"),
    ],
)
def test_columns_of_no_scale_are_refused_with_advice(series, message):
    with pytest.raises(TypeError, match=f"Column 'a' holds .*{message}"):
        column_of(series)


def test_a_sparse_pandas_column_is_refused():
    with pytest.raises(TypeError, match=r"Column 'a' is sparse: .*to_dense"):
        column_of(pd.Series([1, 0]).astype(pd.SparseDtype("int", 0)))


ROWS = {"a": [1.5, 2.5], "b": ["x", None]}


@pytest.mark.parametrize(
    "frame",
    [
        pl.LazyFrame(ROWS),
        nw.from_native(pl.DataFrame(ROWS)),
        nw.from_native(pl.LazyFrame(ROWS)),
        pa.RecordBatch.from_pydict(ROWS),
    ],
    ids=["polars lazy", "narwhals", "narwhals lazy", "record batch"],
)
def test_lazy_and_wrapped_frames_are_read(frame):
    assert Table.read(frame) == Table.read(pd.DataFrame(ROWS))


def test_relations_of_duckdb_are_read():
    with duckdb.connect() as connection:
        relation = connection.sql("select * from (values (1.5::double, 'x'), (2.5, null)) as rows(a, b)")
        assert Table.read(relation) == Table.read(pd.DataFrame(ROWS))


def test_enums_and_decimals_of_duckdb_are_read():
    with duckdb.connect() as connection:
        relation = connection.sql("select 'y'::enum('z', 'y') as e, 1.5::decimal(5, 2) as d, null as n")
        schema = Table.read(relation).schema
    assert schema.columns == (
        Column("e", "nominal", ("z", "y")),
        Column("d", "numeric"),
        Column("n", "numeric"),
    )


def test_the_index_of_a_pandas_frame_is_no_column_and_does_not_reorder_rows():
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}, index=[7, 3])
    assert Table.read(frame) == Table.read(frame.reset_index(drop=True))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), pa.table([[1], [2], [3]], names=["a", "b", "a"])],
    ids=["pandas", "pyarrow"],
)
def test_a_name_that_occurs_twice_is_refused(frame):
    with pytest.raises(TableError, match=r"'a' 2 times\nRename the columns"):
        Table.read(frame)


def test_names_that_are_integers_are_written_as_text():
    assert Table.read(pd.DataFrame(np.zeros((1, 2)))).schema.names == ("0", "1")


@pytest.mark.parametrize(
    ("names", "types"),
    [
        (["a", 1], r"\['int', 'str'\]"),
        ([("a", 1), ("b", 2)], r"\['tuple'\]"),
        ([1.5, 2.5], r"\['float'\]"),
        ([True, False], r"\['bool'\]"),
    ],
)
def test_other_names_are_refused_in_the_words_of_scikit_learn(names, types):
    frame = pd.DataFrame(np.zeros((1, 2)))
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    with pytest.raises(TypeError, match=f"only supported if all input features have string names.*{types}"):
        Table.read(frame)


def test_an_empty_name_is_refused():
    with pytest.raises(TableError, match="Column 1 has an empty name"):
        Table.read(pl.DataFrame({"a": [1], "": [1]}))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(index=range(3)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pa.table({"a": pa.array([], pa.string())}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pl.Series([1]), "Reshape your data"),
        (pa.array([1]), "Reshape your data"),
    ],
)
def test_frames_without_rows_or_columns_are_refused(frame, message):
    with pytest.raises(TableError, match=message):
        Table.read(frame)


def test_reading_an_array_loads_no_frame_library():
    """scikit-learn itself loads pandas where it is installed; bough loads no library beyond what it loads."""
    program = (
        "import sys, numpy, sklearn.base; before = set(sys.modules);"
        "from bough.data.table import Table; Table.read(numpy.zeros((2, 2)));"
        "optional = {'pandas', 'polars', 'pyarrow', 'duckdb', 'matplotlib', 'typer', 'rich'};"
        "print(optional & (set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
