"""What the command line reads from files, and what it refuses."""

import gzip
import io
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

from bough.data.files import check_known, fit_columns, open_table, read_columns, read_table
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.errors import ParameterError, SchemaError, TableError


def read(path: Path, **options: object) -> Table:
    with open_table(str(path)) as table:
        return read_columns(table, table.names, **options)


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return path


def write_parquet(path: Path, query: str) -> Path:
    duckdb.connect().execute(f"COPY ({query}) TO '{path}'").fetchall()
    return path


MIXED = """\
    class,age,fare,alone
    1st,31,7.25,true
    crew,,NA,false
    ,8,1e3,
    """


def check_mixed(table: Table) -> None:
    assert table.schema.columns == (
        Column("class", "nominal", ("1st", "crew")),
        Column("age", "numeric"),
        Column("fare", "numeric"),
        Column("alone", "nominal", (False, True)),
    )
    np.testing.assert_array_equal(table.columns[0], np.array([0, 1, -1], np.int32))
    np.testing.assert_array_equal(table.columns[1], [31.0, np.nan, 8.0])
    np.testing.assert_array_equal(table.columns[2], [7.25, np.nan, 1000.0])
    np.testing.assert_array_equal(table.columns[3], [1, 0, -1])


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_columns_have_scales_by_their_fields_and_missing_stays_missing(tmp_path, separator):
    check_mixed(read(written(tmp_path, MIXED.replace(",", separator))))


def test_csv_may_be_gzipped(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(dedent(MIXED).encode()))
    check_mixed(read(path))


def test_standard_input_is_csv(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(dedent(MIXED).encode())))
    check_mixed(read("-"))


def test_json_and_lines_of_json(tmp_path):
    rows = '{"class":"1st","age":31,"fare":7.25,"alone":true}', '{"class":"crew","age":null,"alone":false}'
    rows = (*rows, '{"class":null,"age":8,"fare":1000}')
    check_mixed(read(written(tmp_path, "\n".join(rows), "table.ndjson")))
    check_mixed(read(written(tmp_path, f"[{','.join(rows)}]", "table.json")))


def test_parquet(tmp_path):
    query = """SELECT * FROM (VALUES
        ('1st', 31::SMALLINT, 7.25::DECIMAL(8, 2), true), ('crew', NULL, NULL, false), (NULL, 8, 1000, NULL)
        ) t("class", age, fare, alone)"""
    check_mixed(read(write_parquet(tmp_path / "table.parquet", query)))


def test_arrow_keeps_declared_orders(tmp_path):
    sizes = pa.DictionaryArray.from_arrays([1, 0, None], ["small", "large"], ordered=True)
    pa.feather.write_feather(pa.table({"size": sizes, "n": [1, 2, None]}), tmp_path / "table.feather")
    table = read(tmp_path / "table.feather")
    assert table.schema[0] == Column("size", "ordinal", ("small", "large"))
    np.testing.assert_array_equal(table.columns[0], [1, 0, -1])


def test_float32_stays_float32(tmp_path):
    path = write_parquet(tmp_path / "t.parquet", "SELECT 1.5::FLOAT AS x UNION ALL SELECT NULL")
    values = read(path).columns[0]
    assert values.dtype == np.float32
    assert np.isnan(values).sum() == 1


def test_integers_that_float64_cannot_hold_are_refused(tmp_path):
    path = written(tmp_path, "id\n9007199254740993\n")
    with pytest.raises(TableError, match="Column 'id' holds 9007199254740993"):
        read(path)


def test_types_come_from_all_rows_not_from_the_first(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("code\n" + "1\n" * 30_000 + "x\n")
    assert read(path).schema[0] == Column("code", "nominal", ("1", "x"))


def test_rows_keep_their_order(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("n,level\n" + "".join(f"{n},v{n % 1000}\n" for n in range(300_000)))
    table = read(path)
    np.testing.assert_array_equal(table.columns[0], np.arange(300_000))
    levels = np.array(table.schema[1].levels)
    np.testing.assert_array_equal(levels[table.columns[1][:1500]], [f"v{n % 1000}" for n in range(1500)])


def test_a_column_without_any_value_is_numbers_that_are_missing(tmp_path):
    table = read(written(tmp_path, "a,b\n1,\n2,\n"))
    assert table.schema[1] == Column("b", "numeric")
    assert np.isnan(table.columns[1]).all()


@pytest.mark.parametrize("words", [("no", "yes"), ("f", "t"), ("F", "T"), ("NO", "Yes"), ("n", "y")])
def test_words_for_truth_values_are_text_as_the_file_has_them(tmp_path, words):
    path = written(tmp_path, f"late,x\n{words[1]},1\n{words[0]},2\n,3\n")
    table = read(path)
    assert table.schema["late"] == Column("late", "nominal", words)
    assert table.values("late").tolist() == [words[1], words[0], None]
    ordered = read(path, ordinal={"late": words[::-1]})
    assert ordered.schema["late"] == Column("late", "ordinal", words[::-1])


@pytest.mark.parametrize("words", [("false", "true"), ("False", "True"), ("FALSE", "TRUE")])
def test_true_and_false_are_truth_values(tmp_path, words):
    table = read(written(tmp_path, f"late\n{words[1]}\n{words[0]}\nNA\n"))
    assert table.schema["late"] == Column("late", "nominal", (False, True))
    assert table.values("late").tolist() == [True, False, None]


def test_fitting_reads_any_words_for_truth_values_where_the_schema_has_them(tmp_path):
    path = written(tmp_path, "late,b\nyes,no\nno,yes\n")
    schema = Schema((Column("late", "nominal", (False, True)), Column("b", "nominal", ("no", "yes"))))
    with open_table(str(path)) as table:
        assert [values.tolist() for values in fit_columns(table, schema).columns] == [[1, 0], [0, 1]]


def test_dates_are_read_as_text_where_they_are_said_to_be_nominal(tmp_path):
    days = ("2020-01-31", "2021-02-01")
    csv = written(tmp_path, f"day,x\n{days[1]},1\n{days[0]},2\n,3\n")
    query = f"SELECT * FROM read_csv('{csv}')"
    parquet = write_parquet(tmp_path / "t.parquet", query)
    feather = tmp_path / "t.feather"
    pa.feather.write_feather(pa.table({"day": pa.array([days[1], days[0], None]).cast("date32")}), feather)
    for path in (csv, parquet, feather):
        with open_table(str(path)) as table:
            assert table.dates == ("day",)
            column = read_columns(table, ["day"], nominal=["day"])
            assert column.schema[0] == Column("day", "nominal", days)
            assert column.columns[0].tolist() == [1, 0, -1]
            assert fit_columns(table, column.schema).columns[0].tolist() == [1, 0, -1]
            numbers = read_columns(table, ["day"])
            assert numbers.schema[0] == Column("day", "numeric", unit="date")
            assert numbers.columns[0].tolist()[:2] == [18659.0, 18292.0]
            assert fit_columns(table, numbers.schema) == numbers


def test_names_may_hold_quotes_and_spaces(tmp_path):
    table = read(written(tmp_path, '"petal ""length""",it\'s\n1,a\n'))
    assert table.schema.names == ('petal "length"', "it's")
    path = written(tmp_path, "it's\n1\n")
    with open_table(str(path)) as opened:
        fit = fit_columns(opened, Schema((Column("it's", "nominal", ("1", "2")),)))
    assert fit.columns[0].tolist() == [0]


def test_scales_that_are_given_win(tmp_path):
    path = written(tmp_path, "zip,grade,size\n10,3,m\n20,1,s\n10,,l\n")
    table = read(path, nominal=["zip"], ordinal={"grade": ["1", "2", "3"], "size": ["s", "m", "l"]})
    assert table.schema.columns == (
        Column("zip", "nominal", (10, 20)),
        Column("grade", "ordinal", (1.0, 2.0, 3.0)),
        Column("size", "ordinal", ("s", "m", "l")),
    )
    np.testing.assert_array_equal(table.columns[1], [2, 0, -1])
    np.testing.assert_array_equal(table.columns[2], [1, 0, 2])
    with pytest.raises(ParameterError, match="Column 'grade' is given the levels 'low', 'high'"):
        read(path, ordinal={"grade": ["low", "high"]})
    with pytest.raises(TableError, match="holds 'l' in row 2"):
        read(path, ordinal={"size": ["s", "m"]})


SCHEMA = Schema((Column("size", "nominal", ("1", "l")), Column("age", "numeric")))


def fit(path: Path) -> Table:
    with open_table(str(path)) as table:
        return fit_columns(table, SCHEMA)


def test_fitting_reads_text_where_the_schema_has_text_and_codes_new_levels_as_missing(tmp_path):
    table = fit(written(tmp_path, "age,size\n31,1\n,2\n"))
    assert table.schema == SCHEMA
    np.testing.assert_array_equal(table.columns[0], [0, -1])
    np.testing.assert_array_equal(table.columns[1], [31.0, np.nan])


def test_fitting_takes_a_column_without_values(tmp_path):
    table = fit(written(tmp_path, "size,age\n,\n"))
    np.testing.assert_array_equal(table.columns[0], [-1])
    np.testing.assert_array_equal(table.columns[1], [np.nan])


def test_fitting_refuses_text_for_numbers(tmp_path):
    with pytest.raises(SchemaError, match="Column 'age' is text; the tree was grown on numbers"):
        fit(written(tmp_path, "size,age\nl,old\n"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "begins with an empty line"),
        ("t.csv", "a,b\n", "0 sample"),
        ("t.csv", "a,b\n1,2\n3,4,5\n", "cannot be read"),
        ("t.csv", "a,,c\n1,2,3\n", "column 2 has no name"),
        ("t.csv", "age,Age\n1,2\n", "columns 'age', 'Age' have the same name"),
        ("t.ndjson", '{"a": [1]}\n', r"Column 'a' holds BIGINT\[\]"),
        ("t.ndjson", '{"a": 1}\n{"a": "x"}\n', "Column 'a' holds JSON values of different types"),
        ("t.json", "{", "cannot be read"),
        ("t.parquet", "no parquet", "cannot be read"),
        ("t.feather", "no arrow", "cannot be read"),
        ("t.xlsx", "", "does not have the suffix of a table"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, name, text, message):
    with pytest.raises(TableError, match=message):
        read(written(tmp_path, text, name))


TABLE = b"a,b\n1,2\n3,4\n"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv.gz", b"no gzip", "is not a whole gzip file"),
        ("t.csv.gz", gzip.compress(TABLE, mtime=0)[:-12], "is not a whole gzip file"),
        ("t.csv", TABLE.decode().encode("utf-16"), "is encoded in UTF-16"),
        ("t.csv", TABLE.decode().encode("utf-16-le"), "holds zero bytes, as UTF-16 does"),
        ("t.csv", b"a,b\n1,2\n\xe9,4\n", "line 3 is not UTF-8"),
        ("t.csv", TABLE + b"5,6,7\n", "line 4 has 3 fields, and the first line names 2 columns"),
        ("t.csv", TABLE * 3 + b"5\n", "line 10 has 1 field, and the first line names 2 columns"),
        ("t.csv", b'a,b\n"1,2\n3,4\n', "cannot be read: line 3: unexpected end of data"),
        ("t.csv", b"a" * 200_000 + b",b\n1,2\n", "the names of the columns cannot be read"),
        ("t.csv", b"a,b\n", "0 sample"),
        ("t.json.gz", b"no gzip", "cannot be read"),
        ("t.parquet", b"", "cannot be read"),
    ],
)
def test_odd_files_are_refused_in_one_short_line_that_names_them(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(TableError, match=message) as refused:
        read(path)
    said = str(refused.value).replace(str(path), name)
    assert said.startswith(name)
    assert "LINE 1" not in said
    assert len(said) < 200


def test_a_separator_in_a_quoted_name_is_none(tmp_path):
    table = read(written(tmp_path, '"a;b;c;""d",e\n1,2\n'))
    assert table.schema.names == ('a;b;c;"d', "e")


def test_dates_times_and_durations_are_numbers_of_a_unit(tmp_path):
    query = (
        "SELECT DATE '1970-01-03' AS d, TIMESTAMP '1970-01-01 00:00:01' AS t, TIME '00:00:02' AS c, "
        "INTERVAL '3 seconds' AS i, TIMESTAMPTZ '1970-01-01 01:00:00+01' AS z, "
        "TIMESTAMP_NS '1969-12-31 23:59:59.9999999' AS n, TIMESTAMP '1970-01-02' AS m "
        "UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL"
    )
    table = read(write_parquet(tmp_path / "t.parquet", query))
    units = [column.unit for column in table.schema]
    assert units == ["date", "datetime", "time", "duration", "datetime_utc", "datetime", "date"]
    assert [np.nanmin(values) for values in table.columns] == [2, 1e6, 2e6, 3e6, 0, -1, 1]
    assert all(np.isnan(values).sum() == 1 for values in table.columns)


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
@pytest.mark.parametrize("name", ["data[1]", "data*", "data?", "data[!x]", "~", "[data1]", "a]b", "{a,b}"])
def test_a_name_with_pattern_characters_is_that_file(tmp_path, monkeypatch, name, suffix):
    monkeypatch.chdir(tmp_path)
    for stem, value in (("data1", 1), ("data2", 2), (name, 7)):
        target = str(tmp_path / f"made.{suffix}")
        duckdb.connect().execute(f"COPY (SELECT {value} AS x) TO '{target}'").fetchall()
        Path(target).rename(tmp_path / f"{stem}.{suffix}")
    assert read(Path(f"{name}.{suffix}")).columns[0].tolist() == [7.0]
    assert read(tmp_path / f"{name}.{suffix}").columns[0].tolist() == [7.0]


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_a_pattern_is_one_only_if_no_file_has_that_name(tmp_path, suffix):
    for stem, row in (("part1", "1 AS x, 'b' AS y"), ("part2", "'a' AS y, 2.5 AS x")):
        duckdb.connect().execute(f"COPY (SELECT {row}) TO '{tmp_path}/{stem}.{suffix}'").fetchall()
    both = read(tmp_path / f"part*.{suffix}")
    assert both.columns[0].tolist() == [1.0, 2.5]
    assert both.values("y").tolist() == ["b", "a"]
    (tmp_path / f"part1.{suffix}").rename(tmp_path / f"part*.{suffix}")
    assert read(tmp_path / f"part*.{suffix}").columns[0].tolist() == [1.0]
    with pytest.raises(TableError, match=r"none.*does not exist"):
        read(tmp_path / f"none*.{suffix}")


def test_files_of_a_pattern_have_the_same_columns_and_keep_their_text(tmp_path):
    for number, text in enumerate(("a,b\n1,yes\n", "a,b\n2,maybe\n", "a,b\n3,007\n")):
        written(tmp_path, text, f"part{number}.csv")
    assert read(tmp_path / "part?.csv").values("b").tolist() == ["yes", "maybe", "007"]
    written(tmp_path, "a,c\n1,2\n", "part3.csv")
    with pytest.raises(
        TableError, match=r"part0.csv has no column 'c', which another file of .*part\?.csv has"
    ):
        read(tmp_path / "part?.csv")
    written(tmp_path, "a;b\n1;2\n", "part3.csv")
    with pytest.raises(TableError, match="different separators"):
        read(tmp_path / "part?.csv")
    written(tmp_path, "a,b\n1,2,3\n", "part3.csv")
    with pytest.raises(TableError, match=r"part3.csv: line 2 has 3 fields"):
        read(tmp_path / "part?.csv")
    with pytest.raises(TableError, match="must all be CSV"):
        read(write_parquet(tmp_path / "part.parquet", "SELECT 1 AS a").with_name("part*"))


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_the_name_of_a_folder_adds_no_column(tmp_path, suffix):
    folder = tmp_path / "year=2024"
    folder.mkdir()
    duckdb.connect().execute(f"COPY (SELECT 1 AS x) TO '{folder}/t.{suffix}'").fetchall()
    assert read(folder / f"t.{suffix}").schema.names == ("x",)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TableError, match="does not exist"):
        read(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder"):
        read(tmp_path)


def test_an_unknown_column_is_refused_with_the_one_meant():
    with pytest.raises(TableError, match="no column 'agee'; did you mean 'age'"):
        check_known(["agee"], ["age", "class"], "t.csv")
    with pytest.raises(TableError, match=r"no column 'x'\. Its columns are 'age'"):
        check_known(["x"], ["age"], "t.csv")


def test_a_table_is_read_whole_in_part_and_as_a_schema_says(tmp_path):
    path = written(tmp_path, MIXED)
    check_mixed(read_table(path))
    part = read_table(path, ["fare", "class"], missing_text=["", "NA", "crew"])
    assert part.schema.columns == (Column("fare", "numeric"), Column("class", "nominal", ("1st",)))
    assert part.values("class").tolist() == ["1st", None, None]
    as_said = read_table(path, ["age"], ordinal_features={"age": [8, 31]})
    assert as_said.values("age").tolist() == [31.0, None, 8.0]
    schema = Schema((Column("age", "nominal", ("8", "31")),))
    assert read_table(path, schema=schema).columns[0].tolist() == [1, -1, 0]
    with pytest.raises(ParameterError, match="leave the other options out"):
        read_table(path, ["age"], schema=schema)
    for wrong in (
        {"columns": ["agee"]},
        {"categorical_features": ["agee"]},
        {"ordinal_features": {"agee": [1]}},
    ):
        with pytest.raises(TableError, match="no column 'agee'; did you mean 'age'"):
            read_table(path, **wrong)


def test_reading_needs_no_frame_library(tmp_path):
    path = written(tmp_path, MIXED)
    program = f"""
        import sys
        sys.modules.update(dict.fromkeys(["pandas", "polars", "pyarrow"]))
        from bough.data.files import open_table, read_columns
        with open_table({str(path)!r}) as table:
            print([column.scale for column in read_columns(table, table.names).schema])
    """
    run = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "['nominal', 'numeric', 'numeric', 'nominal']", run.stderr
