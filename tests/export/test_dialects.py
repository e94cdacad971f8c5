"""The exported SQL answers as the tree does in every database: DuckDB, SQLite and PostgreSQL."""

import numpy as np
import pandas as pd
import pytest
from tests.export.databases import by_duckdb, by_sqlite, by_sqlite_text, postgres

import bough
from bough.export import to_sql

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "row_number": np.arange(n),
            "age": rng.normal(40, 10, n),
            "smoker": rng.random(n) < 0.3,
            "region": rng.choice(["north", "it's", 'the "west"', "größe"], n),
            "size": rng.choice(["s", "m", "l"], n),
            "children": rng.integers(0, 5, n),
        }
    )
    frame.loc[::7, "age"] = np.nan
    frame.loc[::9, "region"] = None
    signal = frame["smoker"] * 2.0 + (frame["region"] == "it's") + frame["age"].fillna(45) / 20
    return frame, signal + (frame["size"] == "m") + rng.normal(0, 0.3, n)


@pytest.fixture(scope="module")
def server():
    with postgres() as started:
        yield started


@pytest.fixture(params=["duckdb", "sqlite", "sqlite_text", "postgres"])
def answers(request):
    if request.param == "postgres":
        return request.getfixturevalue("server").answers
    return {"duckdb": by_duckdb, "sqlite": by_sqlite, "sqlite_text": by_sqlite_text}[request.param]


TARGETS = {
    "numbers": lambda y: y,
    "text": lambda y: np.where(y > y.median(), "it's", "no"),
    "truth values": lambda y: y > y.median(),
    "whole numbers": lambda y: pd.qcut(y, 4, labels=False),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("missing", ["majority", "surrogates_then_majority", "stop"])
def test_every_database_answers_as_the_tree(answers, people, target, missing):
    frame, signal = people
    X, y = frame.drop(columns="row_number"), TARGETS[target](signal)
    kind = bough.TreeRegressor if target == "numbers" else bough.TreeClassifier
    given = {"categorical_features": ["smoker", "region", "children"]}
    tree = (
        kind(max_depth=5, missing=missing, ordinal_features={"size": ["s", "m", "l"]}, **given)
        .fit(X, y)
        .tree_
    )
    used = {tree.schema[column].name for column in tree.column[~tree.is_leaf]}
    assert {"smoker", "age"} <= used
    assert answers(frame, to_sql(tree)) == tree.predict(X).tolist()


@pytest.mark.parametrize("prune", ["m5", "none"])
def test_every_database_computes_the_linear_models_of_leaves(answers, people, prune):
    frame, signal = people
    X = frame.drop(columns="row_number")
    given = {"categorical_features": ["smoker", "region"], "ordinal_features": {"size": ["s", "m", "l"]}}
    tree = bough.M5Regressor(prune=prune, **given).fit(X, signal).tree_
    terms = [term for node in range(tree.n_nodes) for term in tree.linear_model(node).terms]
    assert {tree.schema[term.column].name for term in terms} >= {"smoker", "age", "region"}
    # SQLite does not round numbers that are stored as text to the nearest float.
    found, exact = answers(frame, to_sql(tree)), tree.predict(X).tolist()
    assert found == (pytest.approx(exact, rel=1e-12) if answers is by_sqlite_text else exact)


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
def test_truth_values_are_routed_alike_by_every_kind_of_split(answers, people, nominal):
    frame, signal = people
    X = frame[["smoker", "region"]]
    tree = bough.TreeRegressor(nominal=nominal, max_depth=3).fit(X, signal).tree_
    assert answers(frame, to_sql(tree)) == tree.predict(X).tolist()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("variant", ["bough", "gbm"])
def test_every_database_answers_as_the_boosted_trees(answers, people, target, variant):
    frame, signal = people
    X, y = frame.drop(columns="row_number"), TARGETS[target](signal)
    learner = bough.GradientBoostingRegressor if target == "numbers" else bough.GradientBoostingClassifier
    model = learner(
        max_iter=12,
        max_leaf_nodes=4,
        categorical_features=["smoker", "region", "children"],
        ordinal_features={"size": ["s", "m", "l"]},
        variant=variant,
    )
    assert answers(frame, to_sql(model.fit(X, y).model_)) == model.predict(X).tolist()


@pytest.mark.parametrize("target", [*TARGETS, "corrected numbers"])
def test_every_database_answers_as_the_forest(answers, people, target):
    frame, signal = people
    X, y = frame.drop(columns="row_number"), TARGETS[target.removeprefix("corrected ")](signal)
    model = bough.RandomForestClassifier(7)
    if target.endswith("numbers") and not target.startswith("whole"):
        corrected = target.startswith("corrected")
        model = bough.RandomForestRegressor(30 if corrected else 7, bias_correction=corrected)
    model.set_params(max_depth=4, random_state=0, categorical_features=["smoker", "region", "children"])
    model.set_params(ordinal_features={"size": ["s", "m", "l"]}).fit(X, y)
    assert answers(frame, to_sql(model.forest_)) == model.predict(X).tolist()


def test_a_forest_that_counts_votes_is_refused(people):
    frame, signal = people
    model = bough.RandomForestClassifier(3, voting="hard").fit(frame[["age"]], signal > signal.median())
    with pytest.raises(bough.BoughError, match="counts votes"):
        to_sql(model.forest_)


def test_logarithms_of_rates_become_rates(people):
    frame, signal = people
    X, y = frame.drop(columns="row_number"), np.floor(np.exp(signal / 2))
    model = bough.GradientBoostingRegressor(loss="poisson", max_iter=5).fit(X, y)
    np.testing.assert_allclose(by_duckdb(frame, to_sql(model.model_)), model.predict(X), rtol=1e-12)
    several = bough.GradientBoostingRegressor(loss="quantile", quantile=[0.2, 0.8], max_iter=2).fit(X, y)
    with pytest.raises(bough.BoughError, match="this one has several quantiles"):
        to_sql(several.model_)


def many_people(n, seed):
    """People with missing values and, in some rows, levels that no model has seen."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "row_number": np.arange(n),
            "age": rng.normal(40, 10, n).round(1),
            "smoker": rng.random(n) < 0.3,
            "region": rng.choice(["north", "it's", "größe", "east"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "size": rng.choice(["s", "m", "l"], n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame["region"] = frame["region"].where(rng.random(n) > 0.1, None)
    return frame


RULES = {
    "c4.5": lambda X, y: bough.RuleSet.from_tree(bough.TreeClassifier(max_depth=6).fit(X, y).tree_, X, y),
    "c5.0": lambda X, y: bough.RuleSet.from_tree(bough.C50Classifier().fit(X, y).tree_, X, y, method="c5.0"),
    "learned": lambda X, y: bough.RuleSet.from_tree(
        bough.TreeClassifier(max_depth=6, missing="learned").fit(X, y).tree_, X, y
    ),
    "ripper": lambda X, y: bough.RIPPERClassifier().fit(X, y).rules_,
    "one_r": lambda X, y: bough.OneRClassifier().fit(X, y).rules_,
}


def _by_hash(X, y):
    """A forest whose rows were drawn by a hash, as on a cluster."""
    keyed = X.assign(key=range(len(X)))
    given = {"max_bins": 16, "sampling": "hash", "row_key": "key", "max_depth": 4, "random_state": 0}
    return bough.RandomForestClassifier(5, **given).fit(keyed, y).model_


MODELS = RULES | {
    "tree": lambda X, y: bough.TreeClassifier(max_depth=5).fit(X, y).model_,
    "surrogates": lambda X, y: bough.CARTClassifier(prune="none", max_depth=4).fit(X, y).model_,
    "complete": lambda X, y: bough.TreeClassifier(nominal="complete", max_depth=4).fit(X, y).model_,
    "numbers": lambda X, y: bough.TreeRegressor(max_depth=5).fit(X, y.astype(float)).model_,
    "forest": lambda X, y: bough.RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y).model_,
    "forest by hash": _by_hash,
    "boosting": lambda X, y: bough.GradientBoostingClassifier(max_iter=3, max_leaf_nodes=5).fit(X, y).model_,
    "boosted numbers": lambda X, y: (
        bough.GradientBoostingRegressor(max_iter=5, max_leaf_nodes=5).fit(X, y.astype(float)).model_
    ),
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_database_answers_as_the_model(answers, kind):
    """On 100,000 rows with missing and unseen values."""
    seen = many_people(600, 1)
    seen = seen[seen["region"] != "east"]
    score = (
        seen["smoker"] * 2.0
        + (seen["region"] == "it's")
        + seen["age"].fillna(45) / 20
        + (seen["size"] == "m")
    )
    X = seen.drop(columns="row_number").assign(
        size=pd.Categorical(seen["size"], ["s", "m", "l"], ordered=True)
    )
    model = MODELS[kind](X, np.digitize(score, [2.5, 3.5]))
    frame = many_people(100_000, 2)
    found = answers(frame, model.to_sql())
    assert found == model.predict(frame.drop(columns="row_number")).tolist()
    assert len({*found}) > 1
