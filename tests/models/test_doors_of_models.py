"""The table in docs/reference/models.md says which model has which door, and each entry is tried."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.base import is_regressor
from typer.testing import CliRunner

import bough
from bough.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "models.md"
RNG = np.random.default_rng(0)
X = [[float(x), str(level)] for x, level in zip(RNG.normal(size=60), RNG.integers(3, size=60), strict=True)]
Y = ["yes" if row[0] > 0 or row[1] == "2" else "no" for row in X]
SEVERAL = [[answer, len(row[1])] for answer, row in zip(Y, X, strict=True)]
SEVERAL[0][1] = 2
NUMBERS = [3.0 * row[0] if row[1] == "2" else 5.0 - row[0] for row in X]
MODELS = {
    ("tree", "tree"): bough.CARTClassifier(),
    ("forest", "forest"): bough.RandomForestClassifier(3, random_state=0),
    ("rules", "rules"): bough.C50Classifier(rules=True),
    ("boosted C5.0 trees or rules", "boosted"): bough.C50Classifier(n_estimators=3, early_stopping=False),
    ("gradient boosting", "gradient_boosted"): bough.GradientBoostingClassifier(
        max_iter=5, min_samples_leaf=5
    ),
    ("bagging", "bagging"): bough.BaggingClassifier(n_estimators=3, random_state=0),
    ("AdaBoost", "bagging"): bough.AdaBoostClassifier(n_estimators=3),
    ("LogitBoost", "bagging"): bough.LogitBoostClassifier(n_estimators=3),
    ("BrownBoost", "bagging"): bough.BrownBoostClassifier(n_estimators=3),
    ("transform regression", "bagging"): bough.TransformRegressor(max_iter=2, early_stopping=False),
    ("tree of linear models", "tree"): bough.LinearTreeRegressor(),
    ("tree of logistic models", "tree"): bough.LogisticModelTreeClassifier(),
    ("linear rules (Cubist)", "linear_rules"): bough.CubistRegressor(n_estimators=2),
    ("rule ensemble", "linear_rules"): bough.RuleEnsembleClassifier(n_estimators=20, cv=2),
    ("tree of several targets", "tree"): bough.TreeClassifier(max_depth=3),
    ("forest of several targets", "forest"): bough.RandomForestClassifier(3, random_state=0),
}


def table():
    """The entries of the page: (door, (model, kind)) to whether the model has the door."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    entries = {}
    for label, kind, *cells in rows:
        for door, cell in zip(heading[2:], cells, strict=True):
            entries[door, (label, kind.strip('`"'))] = {"yes": True, "no": False}[cell]
    return entries


def saved(model, folder):
    model.save(folder / "model.json")
    assert bough.load(folder / "model.json") == model


def answered(model, folder):
    assert len(model.predict(X)) == len(X)
    if model.task == "regression":
        with pytest.raises(bough.BoughError, match="predict_proba"):
            model.predict_proba(X)
        return
    shares = model.predict_proba(X)
    assert {each.shape for each in (shares if isinstance(shares, list) else [shares])} == {(len(X), 2)}


def predicted(model, folder):
    model.save(folder / "model.json")
    rows = "\n".join(f"{number},{level}" for number, level in X[:5])
    (folder / "new.csv").write_text("x0,x1\n" + rows + "\n")
    run = CliRunner().invoke(app, ["predict", str(folder / "model.json"), str(folder / "new.csv")])
    assert run.exit_code == 0, run.output
    assert len(re.findall(r"yes|no|\d\.\d", run.stdout)) >= 5


def weighed(model, folder):
    bars = bough.plot.importance(model).patches
    assert len(bars) == (model.importance() > 0).sum() > 0
    plt.close("all")


def shown(model, folder):
    model.save(folder / "model.json")
    run = CliRunner().invoke(app, ["importance", str(folder / "model.json")])
    assert run.exit_code == 0, run.output
    assert run.stdout.startswith("column  importance\nx")


def reported(model, folder):
    assert bough.report(model, X, target_of(model), n_draws=0, cv=0).facts["columns"][0]["name"] == "x0"
    model.save(folder / "model.json")
    run = CliRunner().invoke(app, ["report", str(folder / "model.json"), "--out", str(folder / "page.html")])
    assert run.exit_code == 0, run.output


def explained(model, folder):
    said = model.explain(X[0])
    assert said.answer == model.predict(X[:1])[0]
    model.save(folder / "model.json")
    (folder / "new.csv").write_text(f"x0,x1\n{X[0][0]},{X[0][1]}\n")
    run = CliRunner().invoke(app, ["explain", str(folder / "model.json"), str(folder / "new.csv")])
    assert run.exit_code == 0, run.output
    assert run.stdout.startswith(said.headline())


def target_of(model):
    if getattr(model, "targets", ()):
        return SEVERAL
    return Y if model.task == "classification" else NUMBERS


DOORS = {
    "`save` and `bough.load`": saved,
    "`predict`, `predict_proba`": answered,
    "`importance`, `bough.plot.importance`": weighed,
    "`bough importance` on the command line": shown,
    "`bough.regrow`": lambda model, folder: bough.regrow(model, X, target_of(model)),
    "`bough.evaluate`": lambda model, folder: bough.evaluate(model, X, target_of(model)),
    "`bough predict` on the command line": predicted,
    "`explain`, `bough explain`": explained,
    "`bough.report`, `bough report`": reported,
    "`bough.export.to_sql`": lambda model, folder: bough.export.to_sql(model),
    "`bough.plot.tree`": lambda model, folder: bough.plot.tree(model),
}


def test_the_page_lists_every_door_and_every_kind():
    assert set(table()) == {(door, named) for door in DOORS for named in MODELS}


@pytest.mark.parametrize(("door", "label", "kind"), [(door, *named) for door in DOORS for named in MODELS])
def test_a_model_has_the_doors_that_the_page_says(door, label, kind, tmp_path):
    learner = MODELS[label, kind]
    target = SEVERAL if "several" in label else NUMBERS if is_regressor(learner) else Y
    model = learner.fit(X, target).model_
    assert model.model_kind == kind
    if table()[door, (label, kind)]:
        DOORS[door](model, tmp_path)
    else:
        with pytest.raises(bough.BoughError):
            DOORS[door](model, tmp_path)
