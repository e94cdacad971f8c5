"""CSV files of very many columns are read in parts, as the whole file would be read."""

import gzip
import io

import duckdb
import numpy as np
import pytest

from bough.data import duck, wide
from bough.data.files import read_table
from bough.data.schema import Column, Schema
from bough.errors import TableError

FIELDS = {
    "whole": ["1", "2", "NA"],
    "real": ["0.5", "", "1e3"],
    "text": ["a", 'q"x,y', "line\nbreak"],
    "truth": ["true", "false", "TRUE"],
    "answer": ["yes", "no", ""],
    "empty": ["", "", ""],
    "umlaut ü": ["ä", "z", "é"],
    "code": ["007", "008", "x"],
    "semi;colon": ["1", "2", "3"],
}


def quote(field):
    return '"' + field.replace('"', '""') + '"' if {*field} & {*'",;\n'} else field


def write(path, fields=FIELDS, separator=","):
    quoted = [[quote(each) for each in row] for row in zip(*fields.values(), strict=True)]
    names = [quote(name) for name in fields]
    text = "\n".join(separator.join(row) for row in [names, *quoted]) + "\n\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def narrow_parts(monkeypatch):
    monkeypatch.setattr(wide, "WIDE", 4)
    monkeypatch.setattr(wide, "_PART", 4)


@pytest.mark.parametrize(("name", "separator"), [("t.csv", ","), ("t.csv", ";"), ("t.csv.gz", "\t")])
def test_parts_are_read_as_the_whole_file(tmp_path, name, separator, monkeypatch):
    path = write(tmp_path / name, separator=separator)
    whole = read_table(path)
    monkeypatch.setattr(wide, "WIDE", 4)
    monkeypatch.setattr(wide, "_PART", 4)
    parts = read_table(path)
    assert parts.schema == whole.schema
    for ours, theirs in zip(parts.columns, whole.columns, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


def test_columns_of_several_parts_are_read_in_the_order_asked_for(tmp_path, narrow_parts):
    path = write(tmp_path / "t.csv")
    table = read_table(path, ["code", "whole", "answer"], categorical_features=["whole"])
    assert [(column.name, column.scale) for column in table.schema] == [
        ("code", "nominal"),
        ("whole", "nominal"),
        ("answer", "nominal"),
    ]
    fitted = read_table(
        path, schema=Schema((Column("semi;colon", "nominal", ("1", "3")), Column("real", "numeric")))
    )
    np.testing.assert_array_equal(fitted.columns[0], [0, -1, 1])


def test_standard_input_may_be_wide(tmp_path, narrow_parts, monkeypatch):
    text = write(tmp_path / "t.csv").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert len(read_table("-").schema) == len(FIELDS)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([b"a,b,c,d,e", b"1,2,3,4,5", b"1,2,3,4"], "line 3 has 4 fields"),
        ([b"a,b,c,d,e", b"1,2,3,4,\xff"], "line 2 is not UTF-8"),
        ([b"a,b,c,d,A", b"1,2,3,4,5"], "columns 'a', 'A' have the same name"),
        ([b"a,b,c,d,e"], "0 sample"),
    ],
)
def test_faults_of_a_wide_file_are_named(tmp_path, narrow_parts, lines, words):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(TableError, match=words) as caught:
        read_table(path)
    assert "t.csv" in str(caught.value)


class Counted:
    """A connection to DuckDB that notes the length of each query."""

    def __init__(self, connection, queries):
        self.connection, self.queries = connection, queries

    def execute(self, query, *arguments):
        self.queries.append(len(query))
        return self.connection.execute(query, *arguments)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    close = __exit__


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [900, 9000])
def test_the_work_for_a_file_grows_in_proportion_to_its_columns(tmp_path, monkeypatch, n_columns):
    queries = []
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda: Counted(connect(), queries))
    path = tmp_path / "t.csv"
    rows = [",".join(["x", "1", "2.5"] * (n_columns // 3))] * 3
    path.write_text("\n".join([",".join(f"c{i}" for i in range(n_columns)), *rows]) + "\n")
    table = read_table(path)
    assert len(table.columns) == n_columns
    # No query names more columns than a part has, and each part takes a few queries.
    assert max(queries) < 40 * wide._PART
    assert len(queries) <= 6 * -(-n_columns // wide._PART)


def test_columns_fetched_together_are_those_fetched_one_by_one(tmp_path, monkeypatch):
    path = write(tmp_path / "t.csv")
    together = read_table(path)
    monkeypatch.setattr(duck, "_MOST_CELLS", 1)
    alone = read_table(path)
    assert together.schema == alone.schema
    for ours, theirs in zip(together.columns, alone.columns, strict=True):
        np.testing.assert_array_equal(ours, theirs)
