"""Folders of files and patterns whose rows are not loaded."""

import gzip

import pandas as pd
import pytest
from typer.testing import CliRunner

from bough import CARTClassifier, DatabaseTable, load
from bough.cli import app
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


def test_the_last_rows_of_json_have_a_say_in_the_types(tmp_path):
    lines = ['{"n": 1}'] * 21_000 + ['{"n": 2.5}']
    (tmp_path / "a.ndjson").write_text("\n".join(lines))
    with DatabaseTable.open(tmp_path) as table:
        assert table.database.rows(f"SELECT max(n) FROM {table.relation}") == [(2.5,)]


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


@pytest.mark.parametrize(
    "parts",
    [
        ["n,buys\n1,no\n2,no\n", "n,buys\n3,yes\n4,yes\n"],
        ["n,buys\n1,f\n2,f\n", "buys,n\nt,3\nt,4\n"],
        ["n,buys\n1,true\n2,true\n", "n,buys\n3,no\n4,no\n"],
        ["n,buys\n1,TRUE\n2,true\n", "n,buys\n3,False\n4,NA\n"],
        ["n,buys\n1,007\n2,007\n", "n,buys\n3,x\n4,x\n"],
        ["m,buys\nno,b\nno,b\n", "m,buys\nyes,a\nyes,a\n"],
        ["n;buys\n1;no\n2;no\n", "n;buys\n3;yes\n4;yes\n"],
    ],
)
@pytest.mark.parametrize("name", ["parts", "it's $path [1] $missing"])
def test_words_of_a_folder_are_those_of_its_files(tmp_path, parts, name):
    folder = tmp_path / name
    folder.mkdir()
    for number, text in enumerate(parts):
        (folder / f"{number}.csv").write_text(text)
    options = ["--target", "buys", "--missing-target", "skip", "--max-depth", "1", "--test-size", "0"]
    settings = ["--set", "max_bins=255", "--min-samples-split", "2", "--min-samples-leaf", "1"]
    models = []
    for source in (folder, f"{folder}/*.csv"):
        out = tmp_path / "model.json"
        result = CliRunner().invoke(
            app, ["learn", str(source), *options, *settings, "--learner", "tree", "--out", str(out)]
        )
        assert result.exit_code == 0, result.output
        models.append(load(out))
    assert models[0].classes == models[1].classes
    assert models[0].schema == models[1].schema
    answers = CliRunner().invoke(app, ["predict", str(out), str(folder)])
    assert answers.exit_code == 0, answers.output
    assert {*answers.stdout.split()[1:]} <= {*map(str, models[0].classes), "true", "false"}


@pytest.mark.parametrize(("text", "value"), [("5", 5), ("few", "few"), ("yes", "yes"), ("true", True)])
def test_a_column_that_some_files_of_a_folder_lack_is_missing_there(tmp_path, text, value):
    (tmp_path / "a.csv").write_text("n,buys\n1,no\n")
    (tmp_path / "b.csv").write_text(f"n,m,buys\n1,{text},yes\n")
    with DatabaseTable.open(tmp_path) as table:
        found = table.database.rows(f"SELECT m, buys FROM {table.relation} ORDER BY buys")
    assert found == [(None, "no"), (value, "yes")]
