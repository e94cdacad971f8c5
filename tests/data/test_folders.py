"""Folders of files and patterns whose rows are not loaded."""

import gzip

import pandas as pd
import pytest

from bough import CARTClassifier, DatabaseTable
from bough.errors import TableError

ROWS = pd.DataFrame({"n": [1, 2, 3, 4], "buys": ["no", "no", "yes", "yes"]})


def count(source):
    with DatabaseTable.open(source) as table:
        return table.database.rows(f"SELECT count(*) FROM {table.relation}")[0][0]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_each_row_of_a_folder_counts_once(tmp_path, kind):
    places = [".", f"out.{kind}", "deep/deeper", ".ipynb_checkpoints", f"out.{kind}/_temporary/0", "_old"]
    for place in places:
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        if kind == "csv":
            ROWS.to_csv(tmp_path / place / "part.CSV", index=False)
        else:
            ROWS.to_parquet(tmp_path / place / "part.PARQUET", index=False)
    (tmp_path / f"_log.{kind}").write_text("nothing")
    assert count(tmp_path) == 3 * len(ROWS)
    assert count(tmp_path / f"out.{kind}") == len(ROWS)
    assert count(f"{tmp_path}/[!_]*.{kind}") == len(ROWS)
    # The pattern names the folder and its files, and only a point hides a file from it.
    assert count(f"{tmp_path}/out*/**") == 2 * len(ROWS)


def test_a_hidden_folder_can_be_named(tmp_path):
    folder = tmp_path / ".cache" / "_parts"
    folder.mkdir(parents=True)
    ROWS.to_parquet(folder / "a.parquet", index=False)
    assert count(folder) == len(ROWS)


def test_compressed_files_of_a_folder_are_read(tmp_path):
    ROWS.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "b.CSV.gz").write_bytes(gzip.compress(ROWS.to_csv(index=False).encode()))
    assert count(tmp_path) == 2 * len(ROWS)
    assert count(tmp_path / "b.CSV.gz") == len(ROWS)
    assert CARTClassifier(max_bins=4).fit(str(tmp_path), "buys").tree_.cases[0] == 2 * len(ROWS)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "holds no Parquet, CSV or JSON files; name another folder"),
        (["README", ".hidden.csv"], "holds no Parquet, CSV or JSON files; name another folder"),
        (["a.csv", "b.csv.gz", "c.json"], r"different kinds \(2 .csv, 1 .json\).*such as '.*/\*.csv'"),
    ],
)
def test_a_folder_without_files_of_one_kind_is_refused(tmp_path, files, words):
    for name in files:
        (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(TableError, match=words):
        DatabaseTable.open(tmp_path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "a.xlsx").write_text("a\n1\n")
    with pytest.raises(TableError, match=r"rename or convert it to one of \.csv"):
        DatabaseTable.open(tmp_path / "a.xlsx")
