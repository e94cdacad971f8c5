"""The command line from the outside: what it prints, what it writes, and how it ends."""

import csv
import dataclasses
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.data.schema import Column

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")


def run(*arguments: object, stdin: str | None = None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def succeed(*arguments: object, stdin: str | None = None) -> str:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object, stdin: str | None = None) -> str:
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "penguins.json"
    succeed("learn", PENGUINS, "--target", "species", "--drop", "year", "--max-depth", 3, "--out", path)
    return path


def test_learn_prints_tree_accuracy_and_rules():
    printed = succeed("learn", PENGUINS, "--target", "species", "--max-depth", 2)
    assert "Classification tree for species" in printed
    assert "Accuracy on 86 held-out rows: 0.9" in printed
    assert "always answering Adelie: 0." in printed
    assert "rules for species from 258 cases" in printed


def test_learn_is_the_same_for_the_same_seed_and_holds_out_others_for_another():
    first, again = (succeed("learn", PENGUINS, "--target", "species", "--random-state", 1) for _ in range(2))
    assert first == again
    assert first != succeed("learn", PENGUINS, "--target", "species", "--random-state", 2)


def test_learn_saves_the_tree_it_prints(model):
    tree = bough.load(model)
    assert tree.target_name == "species"
    assert tree.cases[0] == 258
    assert "year" not in tree.schema.names
    printed = succeed("show", model)
    assert printed.strip() == str(tree).strip()


def test_learn_reads_the_file_that_is_named(tmp_path):
    for name, answer in (("data1.csv", "other"), ("data[1].csv", "named")):
        (tmp_path / name).write_text("x,y\n" + f"1,{answer}\n2,both\n" * 9)
    printed = succeed("learn", tmp_path / "data[1].csv", "--target", "y", "--test-size", 0)
    assert "named" in printed
    assert "other" not in printed


def test_learn_from_all_rows_when_none_is_held_out():
    report = json.loads(succeed("learn", PENGUINS, "--target", "species", "--test-size", 0, "--json"))
    assert report["cases"] == 344
    assert report["held_out"] == {}


def test_learn_reports_in_json():
    report = json.loads(succeed("learn", PENGUINS, "--target", "species", "--json", "--max-leaf-nodes", 3))
    assert report["learner"] == "cart"
    assert report["task"] == "classification"
    assert report["leaves"] == len(report["rules"]) == 3
    assert report["held_out"]["Accuracy"]["rows"] == 86
    assert 0.8 < report["held_out"]["Accuracy"]["value"] <= 1
    assert report["model"] is None


def test_numbers_are_predicted_as_numbers():
    arguments = "learn", PENGUINS, "--target", "body_mass_g", "--max-depth", 2
    assert "The target 'body_mass_g' is missing in 2 of 344 rows" in refused(*arguments)
    printed = succeed(*arguments, "--missing-target", "skip")
    assert "Regression tree for body_mass_g" in printed
    assert "R² on 86 held-out rows: 0." in printed
    assert "Mean squared error on 86 held-out rows" in printed


def test_columns_are_combined_where_that_is_asked_for(tmp_path):
    arguments = "learn", PENGUINS, "--target", "species", "--max-depth", 3, "--out", tmp_path / "tree.json"
    printed = succeed(*arguments, "--combinations", "ratio", "--combinations", "linear")
    tree = bough.load(tmp_path / "tree.json")
    assert tree.formulas
    assert all(formula.words(tree.schema) in printed for formula in tree.formulas)
    printed = succeed("predict", tmp_path / "tree.json", PENGUINS)
    assert len(printed.splitlines()) == 345
    assert "combinations is ('cubic',); it must be" in refused(*arguments, "--combinations", "cubic")
    assert "--learner id3 has no --combinations" in refused(
        *arguments[:4], "--learner", "id3", "--combinations", "ratio"
    )


def test_events_are_not_negative(tmp_path):
    table = tmp_path / "events.csv"
    table.write_text("x,events\n1,-0.5\n2,3\n3,4\n")
    arguments = "learn", table, "--target", "events", "--criterion", "poisson", "--test-size", 0
    assert "The target 'events' is negative in 1 rows" in refused(*arguments)


def test_a_table_of_nothing_but_the_target_is_refused(tmp_path):
    table = tmp_path / "alone.csv"
    table.write_text("y\na\nb\n")
    assert "no column left to predict 'y' from" in refused("learn", table, "--target", "y")


def test_long_trees_are_cut_and_say_how_to_see_the_rest():
    printed = succeed("learn", PENGUINS, "--target", "species", "--max-lines", 3)
    assert len(re.findall(r"not shown: --max-lines \d+ shows all\.", printed)) == 2


FLIGHTS = "day,hour,late\n" + "".join(
    f"2026-01-{day:02},{hour},{'yes' if hour > 12 else 'no'}\n" for day in range(1, 29) for hour in (9, 18)
)


def test_values_are_shown_as_the_file_has_them(tmp_path):
    table, model = tmp_path / "flights.csv", tmp_path / "tree.json"
    table.write_text(FLIGHTS)
    printed = succeed("learn", table, "--target", "late", "--out", model, "--drop", "day")
    assert "no/yes" in printed
    assert "->  yes" in printed
    assert "True" not in printed
    assert bough.load(model).classes == ("no", "yes")
    assert {row["prediction"] for row in rows_of(succeed("predict", model, table))} == {"no", "yes"}
    assert json.loads(succeed("evaluate", model, table, "--json"))["confusion"]["classes"] == ["no", "yes"]


def test_models_of_truth_values_still_read_yes_and_no(tmp_path):
    table, model = tmp_path / "flights.csv", tmp_path / "tree.json"
    table.write_text(FLIGHTS)
    frame = pd.DataFrame({"hour": [9.0, 18.0] * 9, "late": [False, True] * 9})
    tree = bough.TreeClassifier().fit(frame[["hour"]], frame["late"]).tree_
    dataclasses.replace(tree, target_name="late").save(model)
    found = json.loads(succeed("evaluate", model, table, "--json"))
    assert found["measures"]["error rate"]["value"] == 0


def test_a_date_column_does_not_stop_a_run(tmp_path):
    table, model = tmp_path / "flights.csv", tmp_path / "tree.json"
    table.write_text(FLIGHTS)
    for verb in (("learn", "--out", model), ("compare", "--cv", 2, "--learner", "cart"), ("candidates",)):
        result = run(verb[0], table, "--target", "late", *verb[1:])
        assert result.exit_code == 0, result.output
        assert result.stderr == ""
    assert bough.load(model).schema["day"] == Column("day", "numeric", unit="date")
    assert len(rows_of(succeed("predict", model, table))) == 56
    assert "day     numeric  dates" in succeed("schema", table)
    by_day = tmp_path / "by_day.csv"
    days = [f"2026-01-{day:02},{'yes' if day > 15 else 'no'}" for day in range(1, 31)]
    by_day.write_text("\n".join(["day,late", *days]))
    assert "day < 2026-01-16" in succeed("learn", by_day, "--target", "late", "--out", model)
    assert "day < 2026-01-16" in succeed("show", model)
    assert "< 2026-01-16" in succeed("candidates", by_day, "--target", "late")
    assert "\"day\" < '2026-01-16'" in succeed("export", model, "--to", "sql")
    as_numbers = tmp_path / "numbers.csv"
    as_numbers.write_text("day\n17\n")
    assert "Column 'day' is numbers; the tree was grown on dates" in refused("predict", model, as_numbers)
    succeed("learn", table, "--target", "late", "--nominal", "day", "--out", model)
    assert bough.load(model).schema["day"].levels[0] == "2026-01-01"
    assert len(rows_of(succeed("predict", model, table))) == 56
    assert "add --nominal day" in refused("learn", table, "--target", "day")
    assert "--weights is 'day'" in refused("learn", table, "--target", "late", "--weights", "day")


def test_few_whole_numbers_are_classes_unless_said_otherwise():
    arguments = "learn", PENGUINS, "--target", "year", "--max-depth", 1, "--json"
    assert json.loads(succeed(*arguments))["classes"] == [2007, 2008, 2009]
    assert json.loads(succeed(*arguments, "--task", "regression"))["task"] == "regression"


def test_id3_learns_from_nominal_columns(tmp_path):
    table = tmp_path / "tennis.csv"
    rows = ["sunny,weak,no", "overcast,strong,yes", "rain,weak,yes", "rain,strong,no"] * 3
    table.write_text("outlook,wind,play\n" + "\n".join(rows) + "\n")
    printed = succeed("learn", table, "--target", "play", "--learner", "id3", "--test-size", 0)
    assert "outlook = overcast" in printed
    assert "Column 'bill_length_mm' is numeric" in refused(
        "learn", PENGUINS, "--target", "species", "--learner", "id3"
    )
    assert "predicts classes" in refused(
        "learn", PENGUINS, "--target", "bill_length_mm", "--learner", "id3", "--missing-target", "skip"
    )


@pytest.mark.parametrize(
    ("learner", "target", "estimator"),
    [
        ("cart", "species", bough.CARTClassifier()),
        ("cart", "body_mass_g", bough.CARTRegressor()),
        ("tree", "species", bough.TreeClassifier()),
        ("tree", "body_mass_g", bough.TreeRegressor()),
        ("id3", "species", bough.ID3Classifier()),
        ("c4.5", "species", bough.C45Classifier()),
        ("j48", "species", bough.C45Classifier(variant="j48")),
        ("c50", "species", bough.C50Classifier()),
        ("reptree", "species", bough.REPTreeClassifier()),
        ("reptree", "body_mass_g", bough.REPTreeRegressor()),
        ("optimal", "species", bough.OptimalTreeClassifier()),
        ("conditional", "species", bough.ConditionalTreeClassifier()),
        ("conditional", "body_mass_g", bough.ConditionalTreeRegressor()),
        ("simplecart", "species", bough.SimpleCartClassifier()),
        ("stump", "species", bough.DecisionStumpClassifier()),
        ("stump", "body_mass_g", bough.DecisionStumpRegressor()),
        ("m5", "body_mass_g", bough.M5Regressor()),
        ("linear", "body_mass_g", bough.LinearTreeRegressor()),
        ("logistic", "species", bough.LogisticModelTreeClassifier()),
    ],
)
def test_the_tree_is_the_one_the_estimator_grows(learner, target, estimator, tmp_path):
    out = tmp_path / "tree.json"
    penguins = pd.read_csv(PENGUINS).dropna(subset=[target])
    dropped = ["year"]
    if learner == "id3":
        dropped = [name for name in penguins if name not in ("species", "island", "sex")]
    options = [part for name in dropped for part in ("--drop", name)]
    succeed(
        "learn",
        PENGUINS,
        "--target",
        target,
        "--learner",
        learner,
        "--test-size",
        0,
        "--out",
        out,
        "--ordinal",
        "sex=female,male",
        "--missing-target",
        "skip",
        *options,
    )
    estimator.set_params(ordinal_features={"sex": ["female", "male"]})
    features = penguins.drop(columns=[target, *dropped])
    assert bough.load(out) == estimator.fit(features, penguins[target]).tree_


def test_a_tree_is_pruned_as_told(tmp_path):
    out = tmp_path / "tree.json"
    arguments = ("learn", PENGUINS, "--target", "species", "--test-size", 0, "--out", out)
    succeed(*arguments)
    whole = bough.load(out)
    succeed(*arguments, "--prune", "mdl")
    assert bough.load(out).n_leaves < whole.n_leaves


@pytest.mark.parametrize(
    ("learner", "estimator"), [("cart", bough.CARTClassifier()), ("c50", bough.C50Classifier())]
)
def test_learn_takes_a_loss_matrix(learner, estimator, tmp_path):
    out = tmp_path / "tree.json"
    arguments = "learn", PENGUINS, "--target", "species", "--drop", "year", "--learner", learner
    losses = [[0.0, 1.0, 2.0], [9.0, 0.0, 1.0], [5.0, 1.0, 0.0]]
    said = ";".join(",".join(map(str, row)) for row in losses)
    succeed(*arguments, "--test-size", 0, "--loss-matrix", said, "--out", out)
    penguins = pd.read_csv(PENGUINS).drop(columns="year")
    features, y = penguins.drop(columns="species"), penguins["species"]
    assert bough.load(out) == estimator.set_params(loss_matrix=losses).fit(features, y).tree_
    assert bough.load(out) != estimator.set_params(loss_matrix=None).fit(features, y).tree_

    printed = succeed(*arguments, "--loss-matrix", said, "--out", out, "--json")
    order = np.random.default_rng(0).permutation(344)[:86]
    codes = {label: code for code, label in enumerate(bough.load(out).classes)}
    answers = bough.load(out).predict(features.iloc[order])
    costs = np.array([losses[codes[true]] for true in y.iloc[order]])
    score = json.loads(printed)["held_out"]["Mean cost"]
    assert score["value"] == pytest.approx(
        np.mean([row[codes[a]] for row, a in zip(costs, answers, strict=True)])
    )
    assert score["baseline"] == pytest.approx(costs.mean(axis=0).min())


def test_a_loss_matrix_that_does_not_fit_is_refused():
    arguments = "learn", PENGUINS, "--target", "species", "--loss-matrix"
    assert "--loss-matrix is '0,x'; it must be rows of numbers" in refused(*arguments, "0,x")
    assert "there are 3 classes" in refused(*arguments, "0,1;1,0")
    assert "--learner j48 has no --loss-matrix" in refused(*arguments, "0,1;1,0", "--learner", "j48")


def test_weights_are_rows_repeated(tmp_path):
    weighted, repeated = tmp_path / "weighted.csv", tmp_path / "repeated.csv"
    rows = [(value, "yes" if value > 4 else "no", value % 3) for value in range(10)]
    weighted.write_text("x,y,w\n" + "".join(f"{x},{y},{w}\n" for x, y, w in rows))
    repeated.write_text("x,y\n" + "".join(f"{x},{y}\n" * w for x, y, w in rows))
    common = "--target", "y", "--test-size", 0
    assert succeed("learn", weighted, *common, "--weights", "w") == succeed("learn", repeated, *common)


def test_scales_can_be_said(tmp_path):
    out = tmp_path / "tree.json"
    succeed(
        "learn",
        PENGUINS,
        "--target",
        "species",
        "--nominal",
        "year",
        "--ordinal",
        "sex=female,male",
        "--out",
        out,
    )
    schema = bough.load(out).schema
    assert schema["year"].scale == "nominal"
    assert schema["year"].levels == (2007, 2008, 2009)
    assert schema["sex"].scale == "ordinal"


def test_show_prints_rules_and_depths(model):
    assert "rules for species" in succeed("show", model, "--rules")
    assert "nodes are not shown" in succeed("show", model, "--max-depth", 1)
    summary = json.loads(succeed("show", model, "--json"))
    assert summary["depth"] == bough.load(model).depth == 2  # of the three levels that were grown
    assert summary["rules"][0].keys() == {"if", "then", "cases", "confidence"}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predict_writes_an_answer_a_row(model, tmp_path):
    out = tmp_path / "answers.csv"
    printed = succeed("predict", model, PENGUINS, "--extra-columns", "ignore")
    assert succeed("predict", model, PENGUINS, "--extra-columns", "ignore", "--out", out) == ""
    assert out.read_text() == printed
    answers = [row["prediction"] for row in rows_of(printed)]
    with Path(PENGUINS).open() as file:
        truth = [row["species"] for row in csv.DictReader(file)]
    assert len(answers) == 344
    assert sum(map(str.__eq__, answers, truth)) > 320


def test_predict_writes_probabilities(model):
    arguments = "predict", model, PENGUINS, "--extra-columns", "ignore", "--proba"
    for smoothing in ((), ("--smoothing", "laplace"), ("--smoothing", "2.5")):
        row = rows_of(succeed(*arguments, *smoothing))[0]
        shares = {name: float(text) for name, text in row.items() if name != "prediction"}
        assert list(shares) == ["probability_Adelie", "probability_Chinstrap", "probability_Gentoo"]
        assert sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) > 0


def test_predict_writes_the_class_that_is_most_probable_after_smoothing(tmp_path):
    (tmp_path / "clicks.csv").write_text("page,click\n" + "A,no\n" * 90 + "A,yes\n" * 9 + "B,yes\n")
    model = tmp_path / "clicks.json"
    succeed("learn", tmp_path / "clicks.csv", "--target", "click", "--learner", "id3", "--out", model)
    arguments = "predict", model, tmp_path / "clicks.csv", "--proba"
    answers = [rows_of(succeed(*arguments, *more))[-1] for more in ((), ("--smoothing", "4"))]
    assert [row["prediction"] for row in answers] == ["yes", "no"]
    assert float(answers[1]["probability_no"]) > 0.5 > float(answers[0]["probability_no"])


def test_predict_reads_standard_input_in_any_order_of_columns(model):
    header = "sex,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g"
    printed = succeed(
        "predict", model, "-", stdin=f"{header}\nmale,Biscoe,,,230,5600\n,,,,,\n,Atlantis,40,,,\n"
    )
    assert rows_of(printed)[0] == {"prediction": "Gentoo"}
    assert len(rows_of(printed)) == 3


def test_predict_refuses_columns_it_does_not_know_and_misses_those_it_does(model, tmp_path):
    ringed = tmp_path / "ringed.csv"
    ringed.write_text("".join(f"{line},ring\n" for line in Path(PENGUINS).read_text().splitlines()))
    assert "columns that the model was not fitted on: 'ring'" in refused("predict", model, ringed)
    table = tmp_path / "few.csv"
    table.write_text("island,bill_length\nBiscoe,40\n")
    assert "no column 'bill_length_mm'; did you mean 'bill_length'?" in refused("predict", model, table)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn", "none.csv", "--target", "y"), "none.csv does not exist"),
        (("learn", PENGUINS, "--target", "Species"), "did you mean 'species'?"),
        (("learn", PENGUINS, "--target", "species", "--drop", "x"), "no column 'x'"),
        (("learn", PENGUINS, "--target", "species", "--drop", "species"), "no column 'species'"),
        (("learn", PENGUINS, "--target", "species", "--criterion", "ginny"), "criterion is 'ginny'"),
        (("learn", PENGUINS, "--target", "species", "--max-depth", "0"), "max_depth is 0"),
        (("learn", PENGUINS, "--target", "species", "--test-size", "1"), "--test-size is 1.0"),
        (("learn", PENGUINS, "--target", "species", "--random-state", "-5"), "--random-state is -5"),
        (("compare", PENGUINS, "--target", "species", "--random-state", "-5"), "--random-state is -5"),
        (("learn", PENGUINS, "--target", "species", "--out", "-", "--report", "-"), "both standard output"),
        (("learn", PENGUINS, "--target", "species", "--weights", "island"), "--weights is 'island'"),
        (("learn", PENGUINS, "--target", "species", "--ordinal", "sex"), "--ordinal is 'sex'"),
        (("learn", PENGUINS, "--target", "species", "--task", "regression"), "holds no numbers"),
        (
            ("learn", PENGUINS, "--target", "species", "--learner", "id3", "--criterion", "gini"),
            "no --criterion",
        ),
        (("show", PENGUINS), "penguins.csv"),
        (("show", "none.json"), "none.json"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, message):
    assert message in refused(*arguments)


@pytest.mark.parametrize("arguments", [("learn", PENGUINS), ("grow",), ("learn", PENGUINS, "--target")])
def test_bad_usage_exits_with_2(arguments):
    assert run(*arguments).exit_code == 2


def bough_process(*arguments: str, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from bough.cli import main; main()", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_process_prints_its_help_and_its_version():
    process = bough_process("--help")
    printed, _ = process.communicate()
    assert process.returncode == 0
    assert "learn" in printed
    printed, _ = bough_process("--version").communicate()
    assert printed.startswith("bough")


def test_help_loads_nothing_heavy():
    program = """
        import sys
        from typer.testing import CliRunner
        from bough.cli import app
        assert CliRunner().invoke(app, ["learn", "--help"]).exit_code == 0
        print([name for name in ("duckdb", "polars", "bough.data.files") if name in sys.modules])
    """
    lines = "\n".join(line.strip() for line in program.strip().splitlines())
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_standard_output_that_is_not_utf_8_gets_replacement_characters(encoding, tmp_path):
    table, model = tmp_path / "table.csv", tmp_path / "model.json"
    table.write_text("größe,尺\n" + "1,大\n2,小\n" * 9, encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    learn = "learn", str(table), "--target", "尺", "--test-size", "0"
    for arguments in (learn, (*learn, "--out", str(model)), ("predict", str(model), str(table))):
        process = bough_process(*arguments, env=environment, encoding=encoding)
        printed, errors = process.communicate()
        assert process.returncode == 0, errors
        assert "?" in printed
        assert ("gr??e < 1.5" if encoding == "ascii" else "größe < 1.5") in printed or "predict" in arguments


def test_warnings_show_no_source_line(tmp_path):
    table = tmp_path / "gaps.csv"
    table.write_text("x,z,y\n" + "1,2,a\n3,4,b\n" * 9 + ",,a\n")
    process = bough_process("learn", str(table), "--target", "y", "--learner", "cart", "--test-size", "0")
    _, errors = process.communicate()
    assert process.returncode == 0
    assert errors.startswith("Warning: 1 rows have no value in any column")
    assert errors.count("\n") == 1
    assert ".py" not in errors


def test_errors_of_a_process_have_no_traceback():
    process = bough_process("learn", "none.csv", "--target", "y")
    printed, errors = process.communicate()
    assert process.returncode == 1
    assert printed == ""
    assert errors.startswith("Error: none.csv")
    assert "Traceback" not in errors


def test_a_reader_that_closes_early_is_no_error(model):
    process = bough_process("predict", str(model), PENGUINS, "--extra-columns", "ignore")
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate()
    assert "Traceback" not in errors


def test_ctrl_c_exits_quietly_with_130():
    process = bough_process("learn", "-", "--target", "y", stdin=subprocess.PIPE)
    # More than a pipe holds: once all is written, the process is reading and waits for more.
    process.stdin.write("y\n" * 500_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate()
    assert process.returncode == 130
    assert printed == ""
    assert "Traceback" not in errors
