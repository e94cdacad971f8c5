"""The class that a tree predicts is the one it gives the greatest probability, whatever the smoothing."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import bough

SMOOTHINGS = ["none", "laplace", 0.5, 3, 200.0]
LEARNERS = [
    bough.TreeClassifier,
    bough.CARTClassifier,
    bough.C45Classifier,
    bough.REPTreeClassifier,
    bough.ID3Classifier,
]


def clicks():
    """A thousand rows of A with ten clicks, and one of B with a click."""
    X = pd.DataFrame({"page": ["A"] * 1000 + ["B"]})
    return X, np.array([1] * 10 + [0] * 990 + [1])


def rows(with_missing):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.choice(list("abcdefg"), 300), "z": rng.choice(list("uvw"), 300)})
    if with_missing:
        X.loc[rng.random(300) < 0.3, "x"] = None
    y = np.where(rng.random(300) < 0.08, "rare", rng.choice(["many", "more"], 300))
    return X, y


def test_one_click_does_not_outweigh_what_the_m_estimate_knows(tmp_path):
    X, y = clicks()
    model = bough.TreeClassifier(smoothing=2.0).fit(X, y)
    new = pd.DataFrame({"page": ["A", "B"]})
    assert model.predict_proba(new)[1].argmax() == 0
    assert model.predict(new).tolist() == [0, 0]
    assert model.tree_.answers().tolist() == [0, 0, 0]
    assert [rule.answer for rule in model.tree_.rules()] == [0, 0]
    assert model.tree_.rules().for_class(1) == []
    model.model_.save(tmp_path / "tree.json")
    loaded = bough.load(tmp_path / "tree.json")
    assert loaded.predict(new).tolist() == [0, 0]
    assert (loaded.predict_proba(new) == model.predict_proba(new)).all()


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_predict_is_the_argmax_of_predict_proba(learner, smoothing, with_missing, tmp_path):
    X, y = rows(with_missing)
    model = learner(smoothing=smoothing, prune="none").fit(X, y)
    model.model_.save(tmp_path / "tree.json")
    for one in (model, model.tree_, bough.load(tmp_path / "tree.json")):
        classes = np.array(one.classes_ if one is model else one.classes)
        assert (one.predict(X) == classes[one.predict_proba(X).argmax(axis=1)]).all()
    if model.tree_.share is None:
        asked = duckdb.sql(f"SELECT {model.tree_.to_sql()} AS answer FROM X").df()["answer"]
        assert (asked.to_numpy() == model.predict(X)).all()


def test_with_losses_the_class_is_the_cheapest_under_the_smoothed_probabilities():
    X, y = rows(with_missing=False)
    losses = {("rare", "many"): 9.0, ("rare", "more"): 9.0}
    model = bough.CARTClassifier(smoothing=20.0, loss_matrix=losses, prune="none").fit(X, y)
    matrix = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [9.0, 9.0, 0.0]])
    costs = model.predict_proba(X) @ matrix
    predicted = np.searchsorted(model.classes_, model.predict(X))
    assert costs[np.arange(len(X)), predicted] == pytest.approx(costs.min(axis=1))
    assert {*model.predict(X)} > {"rare"}


def test_smoothing_that_is_set_after_fit_holds_for_both():
    X, y = clicks()
    model = bough.TreeClassifier().fit(X, y).set_params(smoothing=2.0)
    assert model.predict(X[-1:]).tolist() == [0]
    assert model.predict_proba(X[-1:]).argmax() == 0
