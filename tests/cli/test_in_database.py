"""`bough learn` and `bough predict` with tables that stay in a database."""

import io
import json
import shutil

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.engines.places import in_postgresql
from typer.testing import CliRunner

from bough import C45Classifier, CARTClassifier, CARTRegressor, RandomForestClassifier, TreeClassifier, load
from bough.cli import app
from bough.errors import ParameterError


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
        (["--missing-target", "skip", "--report", "page.html"], "rows too, which stay in a database"),
        (["--drop", "nothing"], "has no column 'nothing'"),
        (["--learner", "c4.5", "--missing-target", "skip"], "does not grow trees in a database"),
        (["--learner", "oner", "--missing-target", "skip"], "does not grow trees in a database"),
        (["--event", "shop"], "--event is not supported in a database"),
        (["--missing-target", "skip", "--na", "?"], "--na is '?'; it must be left out for a database"),
    ],
)
def test_what_cannot_be_done_is_refused(warehouse, arguments, words):
    path, _ = warehouse
    result = run(f"{path}::orders", "--target", "churned", *arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "y", "--na", "?"], "--na is '?'; it must be left out for a folder"),
        (["--target", "y", "--report", "page.html"], "rows too, which stay in a folder"),
        (
            ["--target", "y", "--learner", "forest"],
            "does not grow trees in a folder; use --learner cart, or name",
        ),
        (["--target", "y", "--event", "x"], "--event is not supported in a folder"),
        (["--learner", "isolation"], "--learner isolation does not learn in a folder; name its files by a"),
    ],
)
def test_what_cannot_be_done_with_a_folder_is_refused(tmp_path, arguments, words):
    pd.DataFrame({"x": range(30), "y": ["a", "b"] * 15}).to_csv(tmp_path / "part.csv", index=False)
    result = run(tmp_path, *arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())
    assert "database" not in result.output


def test_what_cannot_be_predicted_of_a_folder_is_refused(tmp_path):
    frame = pd.DataFrame({"x": range(30), "y": ["a", "b"] * 15})
    (tmp_path / "parts").mkdir()
    frame.to_csv(tmp_path / "parts" / "part.csv", index=False)
    CARTClassifier().fit(frame[["x"]], frame["y"]).model_.save(tmp_path / "m.json")
    for option in (["--proba"], ["--na", "?"], ["--smoothing", "laplace"]):
        result = CliRunner().invoke(app, ["predict", f"{tmp_path}/m.json", f"{tmp_path}/parts", *option])
        assert "left out for a folder" in " ".join(result.output.split())


def test_the_help_names_folders():
    for command in ("learn", "predict"):
        words = " ".join(CliRunner().invoke(app, [command, "--help"]).output.replace("│", " ").split())
        assert "folder of such files" in words


def test_files_with_the_columns_left_out_in_a_database_are_predicted(warehouse):
    path, frame = warehouse
    out, rows = path.parent / "churn.json", path.parent / "rows.csv"
    frame["w"] = 1.0
    with duckdb.connect(str(path)) as connection:
        connection.register("weighted", frame)
        connection.execute("CREATE TABLE visits AS SELECT *, id AS nr FROM weighted")
    given = ["--target", "churned", "--missing-target", "skip", "--drop", "nr", "--weights", "w"]
    keyed = ["--set", "sampling=hash", "--set", "row_key=id"]
    result = run(f"{path}::visits", *given, *keyed, "--out", out)
    assert result.exit_code == 0, result.output
    frame.assign(nr=frame["id"]).to_csv(rows, index=False)
    assert len(predicted(out, rows)) == 400
    provenance = load(out).provenance
    assert (provenance["learner"], provenance["source"]) == ("CARTClassifier", "warehouse.duckdb::visits")


@pytest.mark.parametrize("name", ["shop.db", "shop.DDB", "shop.warehouse"])
def test_a_database_file_may_have_any_name_before_that_of_a_table(warehouse, name):
    path, frame = warehouse
    copy, out = path.with_name(name), path.with_name("tree.json")
    shutil.copy(path, copy)
    learned = run(f"{copy}::orders", "--target", "churned", "--missing-target", "skip", "--out", out)
    assert learned.exit_code == 0, learned.output
    assert len(predicted(out, f"{copy}::orders")) == len(frame)


def test_the_files_of_a_folder_are_not_loaded(warehouse):
    path, frame = warehouse
    folder, out = path.parent / "parts", path.parent / "tree.json"
    folder.mkdir()
    frame[:150].to_parquet(folder / "a.parquet", index=False)
    frame[150:].to_parquet(folder / "b.parquet", index=False)
    given = ["--target", "churned", "--missing-target", "skip", "--drop", "id"]
    learned = run(folder, *given, "--learner", "tree", "--set", "max_bins=16", "--max-depth", 3, "--out", out)
    assert learned.exit_code == 0, learned.output
    known = frame.dropna(subset="churned")
    expected = TreeClassifier(max_bins=16, max_depth=3).fit(known[["price", "shop"]], known["churned"])
    assert load(out) == expected.tree_
    assert sorted(predicted(out, folder, "--key", "id")["id"]) == sorted(frame["id"])


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg", "mysql"])
@pytest.mark.parametrize("command", ["learn", "predict", "evaluate", "report", "explain"])
def test_no_command_shows_the_password_of_a_url(warehouse, command, scheme):
    path, frame = warehouse
    known, model = frame.dropna(subset="churned"), path.with_name("model.json")
    CARTClassifier().fit(known[["price", "shop"]], known["churned"]).tree_.save(model)
    url = f"{scheme}://bob:s3cret@127.0.0.1:1/shop?password=s3cret"
    given = [url, "--target", "churned"] if command == "learn" else [str(model), url]
    for named in ([], ["--table", "orders"]):
        result = CliRunner().invoke(app, [command, *given, *named])
        assert result.exit_code != 0
        if "No such option" not in result.output:
            assert "Error" in result.output
            assert "s3cret" not in result.output


def predicted(model, path, *options):
    result = CliRunner().invoke(app, ["predict", *map(str, [model, path, *options])])
    assert result.exit_code == 0, result.output
    return pd.read_csv(io.StringIO(result.stdout))


@pytest.mark.parametrize("learner", [CARTClassifier(), RandomForestClassifier(5, random_state=0)], ids=repr)
def test_answers_are_computed_in_the_database(warehouse, learner):
    path, frame = warehouse
    known = frame.dropna(subset="churned")
    model = learner.fit(known[["price", "shop"]], known["churned"]).model_
    saved = path.parent / "model.json"
    model.save(saved)
    found = predicted(saved, f"{path}::orders", "--key", "id", "--key", "shop").sort_values("id")
    assert found.columns.tolist() == ["id", "shop", "prediction"]
    assert found["prediction"].tolist() == model.predict(frame[["price", "shop"]]).tolist()
    assert predicted(saved, path, "--table", "orders").columns.tolist() == ["prediction"]


def test_a_model_that_divides_rows_predicts_in_a_database_by_the_largest_branch(warehouse):
    path, frame = warehouse
    known = frame.dropna(subset="churned")
    tree = C45Classifier().fit(known[["price", "shop"]], known["churned"]).model_
    saved = path.parent / "model.json"
    tree.save(saved)
    result = CliRunner().invoke(app, ["predict", str(saved), f"{path}::orders"])
    assert "add --largest-branch" in " ".join(result.output.split())
    found = predicted(saved, f"{path}::orders", "--key", "id", "--largest-branch").sort_values("id")
    # No value is missing, so that no row is divided.
    assert found["prediction"].tolist() == tree.predict(frame[["price", "shop"]]).tolist()


def test_several_targets_are_not_predicted_in_a_database(warehouse):
    path, frame = warehouse
    model = CARTRegressor().fit(frame[["price"]], frame[["id", "price"]]).model_
    saved = path.parent / "model.json"
    model.save(saved)
    result = CliRunner().invoke(app, ["predict", str(saved), f"{path}::orders"])
    assert "learn a model of one, such as --target id" in " ".join(result.output.split())


@pytest.mark.slow
def test_answers_are_computed_in_postgresql(warehouse, tmp_path):
    _, frame = warehouse
    known = frame.dropna(subset="churned")
    model = CARTClassifier().fit(known[["price", "shop"]], known["churned"]).model_
    model.save(tmp_path / "model.json")
    with in_postgresql(tmp_path) as place:
        place(frame)
        url = f"postgresql://postgres@/postgres?host={place.server.folder}"
        found = predicted(tmp_path / "model.json", url, "--table", "orders", "--key", "id").sort_values("id")
        learned = run(url, "--table", "orders", "--target", "churned", "--missing-target", "skip")
    assert found["prediction"].tolist() == model.predict(frame[["price", "shop"]]).tolist()
    assert learned.exit_code == 0, learned.output
    assert "leaves" in learned.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{path}::orders", "--proba"], "--proba is True; it must be left out"),
        (["{path}::orders", "--key", "nr"], "has no column 'nr'"),
        (["{path}::order"], "order"),
        (["{path}"], "name one with --table NAME, or write"),
        (["{path}::orders", "--table", "other"], "both name a table; leave one of them out"),
        (["{csv}", "--table", "other"], "is not a database"),
        (["{csv}", "--largest-branch"], "--largest-branch goes with a table of a database"),
        (["{csv}", "--key", "id"], "--key is 'id'; it must be left out"),
    ],
)
def test_what_cannot_be_predicted_is_refused(warehouse, arguments, words):
    path, frame = warehouse
    known = frame.dropna(subset="churned")
    CARTClassifier().fit(known[["price", "shop"]], known["churned"]).model_.save(path.parent / "m.json")
    frame.to_csv(path.parent / "rows.csv", index=False)
    given = [each.format(path=path, csv=path.parent / "rows.csv") for each in arguments]
    result = CliRunner().invoke(app, ["predict", str(path.parent / "m.json"), *given])
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())


def test_no_password_is_shown():
    url = "postgresql://someone:s3cr3t@localhost:1/shop"
    result = run(url, "--table", "orders", "--target", "churned")
    assert result.exit_code != 0
    assert "s3cr3t" not in result.output


@pytest.mark.parametrize(
    "given", ["postgresql://me:s3cr3t@h/shop", "mysql://me:s3cr3t@h/shop", "host=h password=s3cr3t"]
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "{url}"],
        ["explain", "{url}", "{csv}"],
        ["predict", "{url}", "{csv}"],
        ["evaluate", "{url}", "{csv}"],
        ["report", "{url}", "{csv}"],
        ["show", "{model}", "--out", "{url}"],
        ["predict", "{model}", "{csv}", "--out", "{url}"],
        ["report", "{model}", "{csv}", "--out", "{url}"],
        ["learn", "{csv}", "--target", "y", "--out", "{url}"],
        ["learn", "{csv}", "--target", "y", "--report", "{url}"],
        ["predict", "{model}", "{url}"],
        ["explain", "{model}", "{url}"],
        ["learn", "{url}", "--target", "y"],
    ],
    ids=" ".join,
)
def test_a_url_where_a_file_is_expected_is_not_shown(tmp_path, monkeypatch, given, arguments):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"x": range(30), "y": ["a"] * 15 + ["b"] * 15})
    frame.to_csv(tmp_path / "d.csv", index=False)
    CARTClassifier().fit(frame[["x"]], frame["y"]).model_.save(tmp_path / "m.json")
    places = {"url": given, "csv": tmp_path / "d.csv", "model": tmp_path / "m.json"}
    result = CliRunner().invoke(app, [each.format(**places) for each in arguments])
    assert result.exit_code == 1, result.output
    words = " ".join(result.output.split())
    assert "s3cr3t" not in words
    assert "was given" in words or "name one with --table" in words or "a URL" in words


def test_a_connection_string_is_not_shown_beside_a_table():
    result = run("host=h password=s3cr3t", "--table", "t", "--target", "y")
    assert result.exit_code == 1
    assert "is not a database" in " ".join(result.output.split())
    assert "s3cr3t" not in result.output


def test_the_library_does_not_show_a_url_either(tmp_path):
    tree = CARTClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_
    for call in (load, tree.save):
        with pytest.raises(ParameterError, match="A URL was given where") as caught:
            call("postgresql://me:s3cr3t@h/shop")
        assert "s3cr3t" not in str(caught.value)
