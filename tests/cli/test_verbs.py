"""The verbs that read a saved tree, from the outside."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")
VERBS = (
    "learn",
    "show",
    "rules",
    "report",
    "predict",
    "evaluate",
    "compare",
    "prune",
    "refit",
    "candidates",
    "export",
    "schema",
)


def run(*arguments: object, stdin: str | bytes | None = None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def succeed(*arguments: object, stdin: str | bytes | None = None) -> str:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "penguins.json"
    options = ("--learner", "tree", "--drop", "year", "--test-size", 0)
    succeed("learn", PENGUINS, "--target", "species", *options, "--out", path)
    return path


@pytest.fixture(scope="module")
def penguins():
    frame = pd.read_csv(PENGUINS)
    return frame.drop(columns=["species", "year"]), frame["species"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb):
    printed = " ".join(succeed(verb, "--help").split())
    assert f"Example: bough {verb} " in printed


def test_the_verbs_are_listed_in_the_help():
    printed = succeed("--help")
    assert all(f" {verb} " in printed for verb in VERBS)
    assert "--install-completion" in printed


def test_a_shell_can_ask_for_completions():
    environment = os.environ | {
        "_BOUGH_COMPLETE": "complete_bash",
        "COMP_WORDS": "bough re",
        "COMP_CWORD": "1",
    }
    command = [sys.executable, "-c", "from bough.cli import main; import sys; sys.argv[0] = 'bough'; main()"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["report", "refit"]


def test_learn_ends_by_naming_the_report_it_wrote(tmp_path):
    page = tmp_path / "penguins.html"
    printed = succeed("learn", PENGUINS, "--target", "species", "--max-depth", 3, "--report", page)
    assert printed.splitlines()[-1] == f"Wrote the report {page}: open it in a browser."
    text = page.read_text()
    assert "rows held out" not in text.split("</style>")[0]
    assert '"rows":"held out"' in text
    told = json.loads(succeed("learn", PENGUINS, "--target", "species", "--report", page, "--json"))
    assert told["report"] == str(page)


@pytest.mark.parametrize(
    "arguments",
    [
        ("learn", PENGUINS, "--target", "species", "--out", "-"),
        ("learn", PENGUINS, "--target", "species", "--report", "-"),
        ("show", "MODEL", "--out", "-"),
        ("show", "MODEL", "--json", "--out", "-"),
        ("rules", "MODEL", "--out", "-"),
        ("report", "MODEL", "--out", "-"),
        ("predict", "MODEL", PENGUINS, "--extra-columns", "ignore", "--out", "-"),
        ("evaluate", "MODEL", PENGUINS, "--out", "-"),
        ("compare", PENGUINS, "--target", "species", "--learner", "cart", "--cv", "2", "--out", "-"),
        ("prune", "MODEL", "--out", "-"),
        ("prune", "MODEL", "--leaves", "2", "--out", "-"),
        ("candidates", PENGUINS, "--target", "species", "--most", "3", "--out", "-"),
        ("export", "MODEL", "--to", "text", "--out", "-"),
        ("schema", PENGUINS, "--out", "-"),
    ],
)
def test_a_dash_is_standard_output_in_every_verb(arguments, model, tmp_path, monkeypatch):
    """The same arguments with a file write that file, byte for byte what goes to standard output."""
    monkeypatch.chdir(tmp_path)
    named = [str(model) if each == "MODEL" else each for each in arguments]
    printed = succeed(*named)
    assert list(tmp_path.iterdir()) == []
    succeed(*named[:-1], "out.html")
    written = (tmp_path / "out.html").read_text()
    if "learn" not in arguments and "--leaves" not in arguments and "compare" not in arguments:
        assert printed.rstrip("\n") == written.rstrip("\n")
    if {"compare", "report", "--report"} & {*arguments}:
        assert printed.startswith("<!DOCTYPE html>")
        assert printed.rstrip().endswith("</html>")


def test_a_tree_goes_from_one_verb_to_the_next_through_pipes():
    tree = succeed("learn", PENGUINS, "--target", "species", "--max-depth", 2, "--out", "-")
    assert bough.Tree.from_json(json.loads(tree)).depth == 2
    assert "rules for species" in succeed("rules", "-", stdin=tree)
    pruned = succeed("prune", "-", "--leaves", 2, "--out", "-", stdin=tree)
    assert bough.Tree.from_json(json.loads(pruned)).n_leaves == 2
    result = run("show", "-", stdin="{}")
    assert result.exit_code == 1
    assert "standard input" in result.stderr


def test_identifiers_are_named_with_the_option_that_leaves_them_out(penguins, tmp_path):
    X, y = penguins
    table, page = tmp_path / "rings.csv", tmp_path / "rings.html"
    rings = [f"R{number}" for number in range(len(X))]
    pd.concat([X, y], axis=1).assign(**{"ring no": rings}).to_csv(table, index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = run("learn", table, "--target", "species", "--report", page)
    assert result.exit_code == 0
    assert result.stderr == (
        "Warning: Column 'ring no' seems to identify the rows: a model that splits on it learns the training "
        "rows by heart and is of no use for new rows. If so, add --drop 'ring no'.\n"
    )
    assert "leave it out and grow the tree again" in page.read_text()
    assert run("learn", table, "--target", "species", "--drop", "ring no").stderr == ""


def test_a_tree_is_refitted_to_other_rows(model, penguins, tmp_path):
    X, y = penguins
    half, out = tmp_path / "half.csv", tmp_path / "refitted.json"
    pd.concat([X, y], axis=1)[::2].to_csv(half, index=False)
    text = succeed("refit", model, half, "--out", out)
    expected = bough.load(model).refit(X[::2], y[::2])
    assert bough.load(out) == expected
    assert text.rstrip() == str(expected)
    assert json.loads(succeed("refit", model, half, "--json"))["cases"] == len(X[::2])


def test_a_tree_is_pruned_by_validation_rows(model, penguins, tmp_path):
    X, y = penguins
    half = tmp_path / "half.csv"
    pd.concat([X, y], axis=1)[::2].to_csv(half, index=False)
    tree = bough.load(model)
    for method in ("cost_complexity", "reduced_error"):
        text = succeed("prune", model, "--table", half, "--method", method)
        assert text.rstrip() == str(tree.pruned_on(X[::2], y[::2], method=method))


def test_rules_are_measured_on_other_rows(model, penguins, tmp_path):
    X, y = penguins
    half = tmp_path / "half.csv"
    pd.concat([X, y], axis=1)[::2].to_csv(half, index=False)
    text = succeed("rules", model, "--table", half)
    assert text.rstrip() == str(bough.load(model).rules().measured(X[::2], y[::2]))
    assert "measured: " in text
    [first, *_] = json.loads(succeed("rules", model, "--table", half, "--json"))
    assert 0 < first["measured"]["confidence"] <= 1
    assert "give one of them" in refused("rules", model, "--table", half, "--class", "Gentoo")


def test_rules_of_a_class_are_a_formula(model):
    tree = bough.load(model)
    assert succeed("rules", model, "--class", "Gentoo").rstrip() == tree.rules().formula("Gentoo").rstrip()
    assert len(json.loads(succeed("rules", model, "--json"))) == tree.n_leaves
    assert "--class is 'Emperor'" in refused("rules", model, "--class", "Emperor")


def test_prune_shows_the_path_and_prunes(model, tmp_path, penguins):
    tree, out = bough.load(model), tmp_path / "small.json"
    assert succeed("prune", model).strip() == tree.cost_complexity_path().text().strip()
    assert json.loads(succeed("prune", model, "--json")) == tree.cost_complexity_path().to_dicts()
    succeed("prune", model, "--cp", 0.05, "--out", out)
    assert bough.load(out) == tree.pruned(0.05, relative=True)
    succeed("prune", model, "--merge", "--out", out)
    assert bough.load(out).n_leaves == tree.merged().n_leaves
    succeed("prune", model, "--table", PENGUINS, "--out", out)
    X, y = penguins
    assert (bough.load(out).predict(X) == y).mean() == (tree.predict(X) == y).mean()
    assert bough.load(out).n_leaves <= tree.n_leaves
    assert "--cp and --leaves each choose a tree" in refused("prune", model, "--cp", 0, "--leaves", 2)


def test_candidates_of_a_table_and_of_a_node(model, penguins):
    X, y = penguins
    table = succeed("candidates", PENGUINS, "--target", "species", "--drop", "year", "--criterion", "gini")
    assert table.strip() == bough.candidates(X, y).text("gini").strip()
    node = succeed("candidates", PENGUINS, "--model", model, "--node", 1, "--json", "--most", 5)
    tree = bough.load(model)
    assert [each["values"] for each in json.loads(node)] == [
        list(each.values) for each in bough.candidates(tree, X, y, node=1)[:5]
    ]
    assert "--target, or a saved tree" in refused("candidates", PENGUINS)


def test_evaluate_prints_what_the_library_finds(model, penguins, tmp_path):
    X, y = penguins
    found = bough.evaluate(bough.load(model), X, y)
    assert (
        json.loads(succeed("evaluate", model, PENGUINS, "--json"))["confusion"] == found.confusion.to_dict()
    )
    loss = "0,1,2;1,0,1;5,1,0"
    risk = json.loads(succeed("evaluate", model, PENGUINS, "--json", "--loss-matrix", loss))["measures"][
        "risk"
    ]
    costs = [[float(cell) for cell in row.split(",")] for row in loss.split(";")]
    assert risk["value"] == bough.evaluate(bough.load(model), X, y, loss_matrix=costs).measures["risk"].value
    assert "--loss-matrix is '0,x'" in refused("evaluate", model, PENGUINS, "--loss-matrix", "0,x")
    table = tmp_path / "unlabelled.csv"
    X.to_csv(table, index=False)
    assert "no column 'species'" in refused("evaluate", model, table)


def test_report_is_written_beside_or_where_told(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert succeed("report", model).strip() == "Wrote penguins.html: open it in a browser."
    out = tmp_path / "full.html"
    succeed("report", model, PENGUINS, "--draws", 3, "--title", "Which <penguin>?", "--out", out)
    text = out.read_text()
    assert "<title>Which &lt;penguin&gt;?</title>" in text
    assert '"stability":{"draws":3' in text
    assert succeed("report", model, "--out", "-").startswith("<!DOCTYPE html>")


def test_compare_lists_learners_and_writes_a_page(tmp_path):
    out = tmp_path / "learners.html"
    printed = succeed("compare", PENGUINS, "--target", "species", "--cv", 3, "--out", out)
    assert "CARTClassifier" in printed
    assert "one answer for all" in printed
    assert printed.splitlines()[-1] == f"Wrote {out}: open it in a browser."
    one = succeed(
        "compare", PENGUINS, "--target", "body_mass_g", "--cv", 3, "--learner", "CARTRegressor", "--json"
    )
    told = json.loads(one)
    assert told["measure"] == "mean squared error"
    assert [each["name"] for each in told["learners"]] == ["CARTRegressor", "one answer for all"]
    names = ("cart", "j48", "c4.5", "c50", "reptree")
    chosen = [part for name in names for part in ("--learner", name)]
    both = succeed("compare", PENGUINS, "--target", "species", "--cv", 3, *chosen, "--json")
    listed = {each["name"] for each in json.loads(both)["learners"]}
    assert listed == {*names, "one answer for all"}
    assert "--learner is 'C9'" in refused("compare", PENGUINS, "--target", "species", "--learner", "C9")


@pytest.mark.parametrize(
    ("language", "beginning"),
    [
        ("json", "{"),
        ("text", "Classification tree"),
        ("rules", "17 rules"),
        ("sql", "CASE"),
        ("dot", "digraph"),
        ("svg", "<svg"),
    ],
)
def test_export_writes_each_language(model, language, beginning, tmp_path):
    if language == "rules":
        beginning = f"{bough.load(model).n_leaves} rules"
    printed = succeed("export", model, "--to", language)
    assert printed.startswith(beginning)
    out = tmp_path / "exported"
    assert succeed("export", model, "--to", language, "--out", out) == ""
    assert out.read_text() == printed


def test_schema_of_tables_and_trees(model, tmp_path):
    assert "species            nominal  {Adelie, Chinstrap, Gentoo}" in succeed("schema", PENGUINS)
    assert "species" not in succeed("schema", model)
    assert bough.Schema.from_json(json.loads(succeed("schema", model, "--json"))) == bough.load(model).schema
    rows = tmp_path / "rows.json"
    rows.write_text('[{"a": 1, "b": "x"}]')
    assert "nominal  {x}" in succeed("schema", rows)
