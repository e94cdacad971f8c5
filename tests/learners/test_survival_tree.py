"""CART for times until an event."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bough
from bough.errors import BoughError, ParameterError, TargetError

rng = np.random.default_rng(5)
X = rng.normal(size=(120, 3))
TIME = np.ceil(rng.exponential(np.where(X[:, 0] > 0, 2.0, 20.0)))
STATUS = (rng.random(120) < 0.8).astype(float)


def learner(**options):
    return bough.CARTSurvival(prune="none", max_depth=2, **options)


def test_a_leaf_answers_with_its_hazard_relative_to_all_rows():
    model = bough.CARTSurvival(prune="none", max_depth=1, shrink=0).fit(X, (TIME, STATUS))
    scaled, leaf = bough.rescaled_times(TIME, STATUS), model.apply(X)
    assert model.tree_.condition(1).startswith("x0 < ")
    assert model.tree_.answers()[0] == pytest.approx(1.0)
    for node in (1, 2):
        inside = leaf == node
        assert model.tree_.answer(node) == pytest.approx(STATUS[inside].sum() / scaled[inside].sum())


def test_the_unit_of_time_does_not_matter():
    assert learner().fit(X, (TIME / 64, STATUS)).tree_ == learner().fit(X, (TIME, STATUS)).tree_


FORMS = {
    "two columns": np.column_stack([TIME, STATUS]),
    "nested lists": np.column_stack([TIME, STATUS]).tolist(),
    "frame": pd.DataFrame({"time": TIME, "status": STATUS}),
    "frame, truth first": pd.DataFrame({"died": STATUS == 1, "time": TIME}),
    "polars, truth first": pl.DataFrame({"died": STATUS == 1, "time": TIME}),
    "structured": np.array(list(zip(STATUS == 1, TIME, strict=True)), dtype=[("e", bool), ("t", float)]),
    "structured, time first": np.array(
        list(zip(TIME, STATUS == 1, strict=True)), dtype=[("t", float), ("e", "?")]
    ),
    "pair of lists": (TIME.tolist(), (STATUS == 1).tolist()),
    "pair of series": (pd.Series(TIME), pd.Series(STATUS == 1)),
}


@pytest.mark.parametrize("y", FORMS.values(), ids=FORMS)
def test_the_target_is_taken_in_every_form(y):
    model = learner().fit(X, y)
    assert model.tree_ == learner().fit(X, (TIME, STATUS)).tree_
    assert model.score(X, y) == model.score(X, (TIME, STATUS))


WRONG = {
    "zero time": ((np.append(0.0, TIME[1:]), STATUS), "time is 0 in a row; it must be greater than 0"),
    "negative time": ((np.append(-1.0, TIME[1:]), STATUS), "time is -1 in a row"),
    "missing time": ((np.append(np.nan, TIME[1:]), STATUS), "time is nan in row 0"),
    "infinite time": ((np.append(np.inf, TIME[1:]), STATUS), "time is inf in row 0"),
    "status 2": (
        (TIME, STATUS + 1),
        "status is 2 in a row|status is 1|it must be 1 \\(the event happened\\)",
    ),
    "missing status": ((TIME, np.append(np.nan, STATUS[1:])), "status is nan in row 0"),
    "status in words": ((TIME, ["dead"] * 120), "status is list; it must be a column of numbers"),
    "no event": ((TIME, np.zeros(120)), "there must be an event"),
    "one column": (TIME, "y has shape \\(120,\\); give a time and a status"),
    "one named column": (pd.DataFrame({"time": TIME}), "y has 1 columns"),
    "three columns": (np.column_stack([TIME, STATUS, STATUS]), "y has 3 columns"),
    "no truth values": (
        np.zeros(120, dtype=[("a", float), ("b", float)]),
        "the fields 'a', 'b'; one of the two",
    ),
    "ragged": ([[1.0, 1], [2.0]] * 60, "y"),
    "uneven": ((TIME, STATUS[1:]), "time has 120 rows and status 119"),
    "too few": ((TIME[1:], STATUS[1:]), "X has 120 rows and y has 119"),
    "none": (None, "requires y to be passed"),
}


@pytest.mark.parametrize(("y", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_target_is_named(y, words):
    with pytest.raises(TargetError, match=words):
        learner().fit(X, y)


def test_wrong_parameters_are_named():
    for wrong in (
        {"shrink": -1},
        {"cv_error": "absolute"},
        {"cp": -1},
        {"max_depth": 0},
    ):
        [name] = wrong
        with pytest.raises(ParameterError, match=name):
            bough.CARTSurvival(**wrong).fit(X, (TIME, STATUS))
    with pytest.raises(TypeError, match="criterion"):
        bough.CARTSurvival(criterion="gini")


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=40, max_size=40).filter(lambda w: sum(map(bool, w)) > 4))
def test_a_weight_is_so_many_rows(weights):
    weight = np.array(weights)
    x, time, status = X[:40].round(1), TIME[:40], STATUS[:40]
    if not (status * weight).any():
        return
    model = bough.CARTSurvival(prune="none", max_depth=1, n_competitors=2)
    weighed = model.fit(x, (time, status), weight).tree_
    rows = np.repeat(np.arange(40), weight)
    repeated = model.fit(x[rows], (time[rows], status[rows])).tree_
    # Of splits that are equally good, rounding may take either: compared is how good they are.
    for figure in ("weight", "cases", "risk", "gain"):
        assert getattr(weighed, figure)[0] == pytest.approx(getattr(repeated, figure)[0], rel=1e-9)
    values = [[alternative.value for alternative in tree.competitors_of(0)] for tree in (weighed, repeated)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_counting_rows_rescales_times_as_rpart_does():
    weight = rng.integers(1, 4, 120)
    scaled = bough.rescaled_times(TIME, STATUS)
    model = learner(count="rows", shrink=0).fit(X, (TIME, STATUS), weight)
    assert model.tree_.answers()[0] == pytest.approx((weight * STATUS).sum() / (weight * scaled).sum())


def test_rows_without_any_value_do_not_bend_the_times():
    empty = np.vstack([X, np.full((1, 3), np.nan)])
    y = np.append(TIME, 1.0), np.append(STATUS, 1.0)
    with pytest.warns(UserWarning, match="1 rows have no value in any column .the first is row 120."):
        model = learner().fit(empty, y)
    assert model.tree_ == learner().fit(X, (TIME, STATUS)).tree_


def test_the_score_of_a_tree_that_tells_nothing_is_a_half():
    model = bough.CARTSurvival(prune="none", min_samples_split=1000).fit(X, (TIME, STATUS))
    assert model.score(X, (TIME, STATUS)) == 0.5
    assert learner().fit(X, (TIME, STATUS)).score(X, (TIME, STATUS)) > 0.6


def test_cross_validation_finds_the_column_that_matters():
    model = bough.CARTSurvival(min_samples_leaf=5).fit(X, (TIME, STATUS))
    assert 2 <= model.tree_.n_leaves <= 4
    assert model.tree_.condition(1).startswith("x0")
    assert len(model.cp_table_) > 1


def test_it_keeps_scikit_learns_conventions():
    y = FORMS["structured"]
    model = clone(bough.CARTSurvival(cp=0.01, min_samples_leaf=5))
    assert model.get_params()["cp"] == 0.01
    assert "criterion" not in model.get_params()
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model), {"cartsurvival__max_depth": [1, 3]}, cv=3
    ).fit(X, y)
    assert search.best_params_["cartsurvival__max_depth"] in (1, 3)
    assert model.fit(X, y).n_features_in_ == 3
    with pytest.raises(BoughError, match="X has 2 features"):
        model.predict(X[:, :2])
    assert not hasattr(bough.CARTSurvival(), "tree_")


def test_options_of_rpart_become_parameters():
    model = bough.CARTSurvival.like_rpart(minsplit=10, error="sqrt", usesurrogate=0, xval=0)
    assert (model.min_samples_leaf, model.shrink, model.cv_error) == (3, 0.0, "sqrt")
    assert (model.missing, model.prune, model.cv, model.count) == ("stop", "cp", None, "rows")


def test_a_saved_tree_predicts_the_same(tmp_path):
    model = learner().fit(X, (TIME, STATUS))
    model.tree_.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json").predict(X).tolist() == model.predict(X).tolist()
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_rows_cannot_be_compared_with_hazards():
    model = bough.CARTSurvival(max_depth=1, prune="none").fit(X, (TIME, STATUS))
    times = np.c_[TIME, STATUS]
    for asked in (
        lambda: bough.evaluate(model, X, times),
        lambda: bough.evaluate(model.tree_, X, STATUS),
        lambda: bough.report(model, X, times),
        lambda: bough.report(model, test=(X, times)),
        lambda: bough.cross_validated(bough.CARTSurvival(), X, times),
    ):
        with pytest.raises(TargetError, match=r"The model predicts relative hazards, .* score\(X, y\) of"):
            asked()
    assert bough.report(model).facts["headline"].startswith("Survival tree")
    assert str(model.tree_).splitlines()[2].split()[:4] == ["node", "condition", "cases", "hazard"]
