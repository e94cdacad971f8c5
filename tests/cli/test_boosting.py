"""`bough learn` with the boosting learners and the rankers: printed, saved, predicted, refused."""

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("tables") / "offers.csv"
    lines = ["query,price,colour,grade,bought"]
    for row in range(240):
        price, colour = rng.normal(), rng.choice(["red", "blue"])
        worth = price + (colour == "red") + rng.normal() / 3
        bought = "yes" if worth > 0.5 else "no"
        lines.append(f"q{row // 12},{price:.3f},{colour},{int(np.clip(worth + 1, 0, 3))},{bought}")
    path.write_text("\n".join(lines) + "\n")
    return path


def learn(table, *options):
    return CliRunner().invoke(app, ["learn", str(table), *options])


@pytest.mark.parametrize("learner", ["adaboost", "logitboost", "brownboost"])
def test_boosting_is_learned_from_a_table(learner, table, tmp_path):
    model = tmp_path / "model.json"
    columns = ("--target", "bought", "--drop", "grade", "--drop", "query", "--set", "n_estimators=5")
    run = learn(table, *columns, "--learner", learner, "--out", str(model))
    assert run.exit_code == 0, run.output
    assert "Accuracy on 60 held-out rows" in run.stdout
    assert bough.load(model).target_name == "bought"


@pytest.mark.parametrize(
    ("learner", "rounds"),
    [("ranking", "max_iter"), ("rankboost", "n_estimators"), ("gbrank", "n_estimators")],
)
def test_whole_groups_are_held_out_of_a_ranking(learner, rounds, table, tmp_path):
    model = tmp_path / "model.json"
    columns = ("--target", "grade", "--drop", "bought", "--groups", "query", "--set", f"{rounds}=5")
    run = learn(table, *columns, "--learner", learner, "--out", str(model))
    assert run.exit_code == 0, run.output
    assert "NDCG@10 on 60 held-out rows" in run.stdout
    assert bough.load(model).schema.names == ("price", "colour")
    judged = CliRunner().invoke(app, ["evaluate", str(model), str(table), "--groups", "query"])
    assert judged.exit_code == 0, judged.output
    assert "NDCG@10" in judged.stdout
    alone = CliRunner().invoke(app, ["evaluate", str(model), str(table)])
    assert alone.stdout == judged.stdout, alone.output


def test_rankers_and_groups_go_together(table):
    for options in (("--learner", "ranking"), ("--learner", "cart", "--groups", "query")):
        run = learn(table, "--target", "grade", *options)
        assert run.exit_code != 0
        assert "--groups" in run.output


def test_several_quantiles_are_scored_and_written_as_a_column_each(table, tmp_path):
    model, page = str(tmp_path / "model.json"), tmp_path / "page.html"
    columns = (
        "--target",
        "price",
        "--drop",
        "query",
        "--set",
        "loss=quantile",
        "--set",
        "quantile=[0.1,0.9]",
    )
    options = ("--learner", "boosting", "--set", "max_iter=5", "--out", model, "--report", str(page))
    run = learn(table, *columns, *options)
    assert run.exit_code == 0, run.output
    assert "Pinball loss on 60 held-out rows" in run.stdout
    assert page.exists()
    answers = CliRunner().invoke(app, ["predict", model, str(table)])
    assert answers.stdout.startswith("prediction_0.1,prediction_0.9\n"), answers.output
    judged = CliRunner().invoke(app, ["evaluate", model, str(table)])
    assert "rows from 0.1 to 0.9" in judged.stdout, judged.output
