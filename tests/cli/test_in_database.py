"""`bough learn` from tables that stay in a database."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from bough import CARTClassifier, load
from bough.cli import app


@pytest.fixture
def warehouse(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"id": np.arange(400), "price": rng.random(400), "shop": rng.choice(["a", "b"], 400)}
    )
    frame["churned"] = np.where(frame.price + (frame["shop"] == "a") > 0.8, "yes", "no")
    frame.loc[7, "churned"] = None
    with duckdb.connect(str(tmp_path / "warehouse.duckdb")) as connection:
        connection.register("given", frame)
        connection.execute("CREATE TABLE orders AS SELECT * FROM given")
    return tmp_path / "warehouse.duckdb", frame


def run(*arguments):
    return CliRunner().invoke(app, ["learn", *map(str, arguments)])


def test_a_table_of_a_database_file(warehouse):
    path, frame = warehouse
    out = path.parent / "churn.json"
    options = [
        "--target",
        "churned",
        "--set",
        "row_key=id",
        "--set",
        "sampling=hash",
        "--missing-target",
        "skip",
        "--out",
        out,
        "--json",
    ]
    result = run(f"{path}::orders", *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["leaves"] > 2
    known = frame.dropna(subset="churned")
    learner = CARTClassifier(max_bins=255, sampling="hash", row_key="id")
    assert load(out) == learner.fit(known.drop(columns="churned"), known["churned"]).tree_


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no value in 1 rows"),
        (["--missing-target", "skip", "--report", "page.html"], "rows too, which stay in the database"),
        (["--drop", "nothing"], "has no column 'nothing'"),
        (["--learner", "c4.5", "--missing-target", "skip"], "does not grow trees in a database"),
        (["--learner", "oner", "--missing-target", "skip"], "does not grow trees in a database"),
    ],
)
def test_what_cannot_be_done_is_refused(warehouse, arguments, words):
    path, _ = warehouse
    result = run(f"{path}::orders", "--target", "churned", *arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())


def test_no_password_is_shown():
    url = "postgresql://someone:s3cr3t@localhost:1/shop"
    result = run(url, "--table", "orders", "--target", "churned")
    assert result.exit_code != 0
    assert "s3cr3t" not in result.output
