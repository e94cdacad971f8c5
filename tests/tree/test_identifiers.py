"""Columns of identifiers are named in a warning; ordinary columns are not."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import bough
from bough.errors import BoughWarning, IdentifierWarning

RNG = np.random.default_rng(0)
N = 200
X = pd.DataFrame(
    {
        "size": RNG.normal(size=N).round(2),
        "colour": RNG.choice(["red", "blue"], N),
        "age": RNG.integers(9, 80, N),
    }
)
Y = np.where(X["size"] + RNG.normal(size=N) > 0, "yes", "no")
SORTED = np.sort(Y)
NAMES = [f"Name {i}" for i in range(N)]
LEARNERS = {
    "tree": bough.TreeClassifier(),
    "complete": bough.TreeClassifier(nominal="complete"),
    "cart": bough.CARTClassifier(),
    "c4.5": bough.C45Classifier(nominal="subset", prune="none"),
    "c5.0": bough.C50Classifier(nominal="subset"),
    "forest": bough.RandomForestClassifier(10, random_state=0),
    "bagging": bough.BaggingClassifier(n_estimators=5, random_state=0),
}


def columns_named(learner, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X, y)
    found = [each.message for each in caught if issubclass(each.category, IdentifierWarning)]
    assert len(found) <= 1
    assert all(each.filename == __file__ for each in caught)
    return found[0].columns if found else ()


@pytest.mark.parametrize("name", ["tree", "cart", "c4.5", "forest", "bagging"])
def test_a_level_for_each_row_is_named(name):
    assert columns_named(LEARNERS[name], X.assign(name=NAMES), Y) == ("name",)


def test_a_complete_split_on_identifiers_is_named():
    days = pd.DataFrame({"day": [f"D{i}" for i in range(1, 15)], "wind": ["weak", "strong"] * 7})
    play = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]
    assert columns_named(bough.ID3Classifier(), days, play) == ("day",)
    assert columns_named(LEARNERS["complete"], days, play) == ("day",)


def test_nearly_a_level_for_each_row_is_named():
    tickets = [f"T{i}" for i in RNG.permutation(N) % int(0.75 * N)]
    assert columns_named(LEARNERS["tree"], X.assign(ticket=tickets), Y) == ("ticket",)


@pytest.mark.parametrize(
    "number",
    [np.arange(N), np.arange(N) + 5000, np.arange(N)[::-1], np.cumsum(RNG.integers(1, 9, N))],
    ids=["counter", "from 5000", "downward", "ascending"],
)
def test_a_number_of_the_row_is_named_where_the_rows_are_sorted_by_class(number):
    assert columns_named(LEARNERS["tree"], X.assign(id=number), SORTED) == ("id",)
    assert columns_named(LEARNERS["cart"], X.assign(id=number), SORTED) == ("id",)
    assert columns_named(LEARNERS["bagging"], X.assign(id=number), SORTED) == ("id",)


def test_a_shuffled_counter_is_named():
    order = RNG.permutation(N)
    assert columns_named(LEARNERS["tree"], X.assign(id=np.arange(N)[order]), SORTED[order]) == ("id",)


def test_a_counter_in_regression_is_named():
    y = np.sort(RNG.normal(size=N))
    assert columns_named(bough.TreeRegressor(), X.assign(id=np.arange(N)), y) == ("id",)


@pytest.mark.parametrize("name", LEARNERS)
def test_ordinary_columns_are_not_named(name):
    assert columns_named(LEARNERS[name], X, Y) == ()


@pytest.mark.parametrize(
    ("column", "y"),
    [
        (RNG.normal(size=N), Y),
        (np.sort(RNG.normal(size=N)), SORTED),
        (RNG.integers(0, 10**6, N), Y),
        (np.sort(RNG.integers(0, 150, N)), SORTED),
        (np.arange(N), Y),
        (RNG.choice([f"city {i}" for i in range(60)], N), Y),
        (np.where(np.arange(N) == 3, np.nan, np.arange(N)), SORTED),
    ],
    ids=["measure", "sorted measure", "whole", "sorted with ties", "unused counter", "cities", "with a gap"],
)
def test_measures_counts_and_many_levels_are_not_named(column, y):
    assert columns_named(bough.TreeClassifier(max_depth=3), X.assign(column=column), y) == ()


def test_a_time_that_explains_a_part_is_not_named():
    year = np.arange(1900, 2000)
    y = np.sin(year / 9) + RNG.normal(size=100)
    frame = pd.DataFrame({"year": year, "rain": RNG.normal(size=100)})
    for learner in (bough.CARTRegressor(), bough.TreeRegressor(max_depth=4)):
        assert columns_named(learner, frame, y) == ()


def test_few_rows_and_a_single_column_are_not_named():
    assert (
        columns_named(LEARNERS["tree"], pd.DataFrame({"a": list("pqrstuvwx"), "b": 1}), ["y", "n", "n"] * 3)
        == ()
    )
    assert columns_named(LEARNERS["tree"], pd.DataFrame({"a": NAMES}), Y) == ()
    assert columns_named(LEARNERS["tree"], np.arange(N)[:, None], SORTED) == ()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_known_tables_are_not_named(load):
    features, y = load(return_X_y=True, as_frame=True)
    learner = bough.TreeRegressor() if load is load_diabetes else bough.TreeClassifier()
    assert columns_named(learner, features, y) == ()


def test_the_warning_says_what_to_do():
    with pytest.warns(BoughWarning) as caught:
        bough.TreeClassifier().fit(X.assign(name=NAMES), Y)
    [one] = caught
    assert str(one.message) == (
        "Column 'name' seems to identify the rows: a model that splits on it learns the training rows by "
        "heart and is of no use for new rows. If so, leave it out: X.drop(columns=['name'])."
    )
    again = pickle.loads(pickle.dumps(one.message))
    assert (type(again), str(again)) == (IdentifierWarning, str(one.message))


def test_several_columns_are_named_together():
    message = str(IdentifierWarning(("name", "ticket")))
    assert message.startswith(
        "Columns 'name', 'ticket' seem to identify the rows: a model that splits on them "
    )
    assert message.endswith("If so, leave them out: X.drop(columns=['name', 'ticket']).")


def test_many_fits_warn_once():
    frame = X.assign(name=NAMES)
    learners = {"a": bough.TreeClassifier(), "b": bough.TreeClassifier("entropy")}
    for many in (
        lambda: bough.compare(frame, Y, learners, cv=3, n_jobs=2),
        lambda: bough.compare(frame, Y, learners, cv=3),
        lambda: bough.cross_validated(bough.TreeClassifier(), frame, Y, cv=3),
    ):
        with pytest.warns(IdentifierWarning) as caught:
            many()
        assert [each.message.columns for each in caught] == [("name",)]


def test_a_report_shows_it_and_does_not_warn_again():
    frame = X.assign(name=NAMES, size=X["size"].mask(X["age"] > 70))
    with pytest.warns(IdentifierWarning):
        model = bough.TreeClassifier().fit(frame, Y)
    shown = [
        "Column 'name' seems to identify the rows: a model that splits on it learns the training rows by "
        "heart and is of no use for new rows. If so, leave it out and grow the tree again."
    ]
    assert model.tree_.report(frame, Y, n_draws=2, cv=2).facts["warnings"] == shown
    assert bough.report(model, frame, Y, n_draws=2, cv=2).facts["warnings"] == shown
    assert model.tree_.report().facts["warnings"] == shown
    assert bough.TreeClassifier().fit(X, Y).tree_.report(X, Y, n_draws=2, cv=2).facts["warnings"] == []
