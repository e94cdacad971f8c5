"""Policies under which the search chooses the branch of missing values: "learned" and "own_level"."""

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bough
from bough.data.schema import Column, Schema
from bough.data.table import Table
from bough.data.target import ClassTarget, read_weights
from bough.engines.memory import MemoryEngine
from bough.errors import ParameterError
from bough.growing.growth import grow
from bough.growing.recipe import Recipe
from bough.tree.routing import walk
from bough.tree.split import IsMissing, ThresholdWithMissing

BY_VALUE = ("learned", "own_level")


def telling_rows(scale, n=200):
    """A column whose missing values tell the class, beside a column of noise."""
    rng = np.random.default_rng(0)
    gone = rng.random(n) < 0.5
    if scale == "numeric":
        column = pd.Series(np.where(gone, np.nan, rng.normal(size=n)))
    else:
        drawn = pd.Series(rng.choice(["s", "m", "l"], n)).mask(pd.Series(gone))
        kind = pd.CategoricalDtype(["s", "m", "l"], ordered=scale == "ordinal")
        column = drawn.astype(kind)
    return pd.DataFrame({"x": column, "noise": rng.normal(size=n)}), np.where(gone, "no", "yes")


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
@pytest.mark.parametrize("scale", ["numeric", "ordinal", "nominal"])
@pytest.mark.parametrize("missing", ["auto", *BY_VALUE])
def test_a_missing_value_that_tells_the_class_is_found(scale, missing, nominal):
    X, y = telling_rows(scale)
    learner = bough.TreeClassifier(missing=missing, nominal=nominal, max_depth=1)
    train, test = np.s_[:100], np.s_[100:]
    assert learner.fit(X[train], y[train]).score(X[test], y[test]) == 1.0
    number = (y == "no") * 1.0
    learner = bough.TreeRegressor(missing=missing, nominal=nominal, max_depth=1)
    assert learner.fit(X[train], number[train]).score(X[test], number[test]) == 1.0
    assert bough.TreeClassifier(missing="majority", max_depth=1).fit(X, y).score(X, y) < 0.7


@pytest.mark.parametrize("missing", BY_VALUE)
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_cart_offers_the_policies_too(missing, criterion):
    X, y = telling_rows("numeric")
    tree = bough.CARTRegressor(criterion, missing=missing).fit(X, (y == "no") + 1.0).tree_
    assert tree.recipe["missing"] == missing
    assert tree.split(0) == IsMissing(0)
    assert [tree.condition(node) for node in (1, 2)] == ["x is missing", "x is known"]


def gini(counts):
    counts = np.asarray(counts, dtype=float)
    return counts.sum() - np.square(counts).sum() / max(counts.sum(), 1.0)


def plain_gain(y, parts):
    """The fall in Gini impurity by a partition, from its definition."""
    counted = [np.bincount(y[part], minlength=3) for part in parts]
    return (gini(np.bincount(y, minlength=3)) - sum(map(gini, counted))) / len(y)


def plain_best(values, y, missing, nominal):
    """The best gain of any split that the policy allows, by trying every partition."""
    gone = np.isnan(values)
    present = np.unique(values[~gone])
    pairs = []
    if nominal:
        for code in range(1, 2 ** len(present) - 1):
            chosen = present[(code >> np.arange(len(present))) & 1 == 1]
            pairs.append((np.isin(values, chosen), ~gone & ~np.isin(values, chosen)))
    else:
        pairs = [(values < cut, values >= cut) for cut in present[1:]]
    gains = [-np.inf]
    if not gone.any():
        return max([plain_gain(y, pair) for pair in pairs], default=-np.inf)
    if len(present):
        gains.append(plain_gain(y, (gone, ~gone)))
    for low, high in pairs:
        if missing == "own_level":
            gains.append(plain_gain(y, (low, high, gone)))
        else:
            gains += [plain_gain(y, (low | gone, high)), plain_gain(y, (low, high | gone))]
    return max(gains)


@pytest.mark.parametrize("missing", BY_VALUE)
@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=80)
def test_the_split_is_the_best_of_all_partitions(missing, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    y = rng.integers(0, 3, n).astype(np.int32)
    y[:2] = 0, 1
    nominal = bool(rng.random() < 0.5)
    codes = rng.integers(-1, 5, n)
    values = np.where(codes < 0, np.nan, codes.astype(float))
    column = Column("c", "nominal", tuple(range(5))) if nominal else Column("c", "numeric")
    table = Table(Schema((column,)), (codes.astype(np.int32) if nominal else values,), n)
    recipe = Recipe("gini", missing=missing, task="classification")
    engine = MemoryEngine(table, ClassTarget((0, 1, 2), y), read_weights(None, n))
    tree = grow(engine, recipe)
    best = plain_best(values, y, missing, nominal)
    assert tree.is_leaf[0] == (best == -np.inf)
    if not tree.is_leaf[0]:
        assert tree.gain[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("missing", BY_VALUE)
def test_where_no_value_was_missing_it_follows_the_heavier_branch(missing):
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 1]
    tree = bough.TreeClassifier(missing=missing).fit(X, y).tree_
    assert tree.n_children[0] == 2
    assert tree.default_branch[0] == 1
    tree = bough.TreeClassifier(missing=missing).fit(X, [0, 0, 0, 1, 1]).tree_
    assert tree.default_branch[0] == 0


def test_missing_values_too_few_for_a_leaf_have_no_branch_of_their_own():
    X = [[None], *[[float(x)] for x in range(20)]]
    y = [1, *[0] * 10, *[1] * 10]
    own = bough.TreeClassifier(missing="own_level").fit(X, y).tree_
    assert own.split(0) == ThresholdWithMissing(0, 9.5)
    few = bough.TreeClassifier(missing="own_level", min_samples_leaf=2).fit(X, y).tree_
    assert few.n_children[0] == 2
    assert few.default_branch[0] == 0


def mixed_rows(seed=1, n=400):
    """Columns of every scale with missing values that depend on y."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    number = np.round(rng.normal(size=n) + y, 1)
    X = pd.DataFrame({"a": number, "b": rng.normal(size=n)})
    X["g"] = pd.Categorical(rng.choice(list("pqrs"), n))
    X["o"] = pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True)
    for name in X.columns:
        X[name] = X[name].mask(rng.random(n) < 0.1 + 0.2 * (y == 1))
    return X, np.array(["u", "v", "w"])[y]


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
@pytest.mark.parametrize("missing", BY_VALUE)
def test_every_door_routes_missing_values_alike(missing, nominal, tmp_path):
    X, y = mixed_rows()
    model = bough.TreeClassifier(missing=missing, nominal=nominal, max_depth=5).fit(X, y)
    tree = model.tree_
    tree.check()
    ends = tree.apply(X)
    assert walk(tree, tree._table(X)).tolist() == ends.tolist()
    assert (
        np.bincount(ends, minlength=tree.n_nodes)[tree.is_leaf].tolist() == tree.cases[tree.is_leaf].tolist()
    )
    for rule in tree.rules():
        assert (rule.covers(X) == (ends == rule.leaf)).all()
    connection = duckdb.connect()
    connection.register("rows", X.astype({"g": object, "o": object}))
    asked = connection.sql(f"SELECT {tree.to_sql()} AS answer FROM rows").df()["answer"]
    assert (asked == tree.predict(X)).all()
    for name in ("tree.json", "tree.zip"):
        tree.save(tmp_path / name)
        assert bough.load(tmp_path / name) == tree
    assert bough.regrow(tree, X, y) == tree
    small = tree.pruned(ccp_alpha=2.0)
    small.check()
    assert walk(small, small._table(X)).tolist() == small.apply(X).tolist()


@pytest.mark.parametrize("missing", BY_VALUE)
def test_error_based_pruning_keeps_the_branch_of_missing_values(missing):
    X, y = mixed_rows()
    tree = bough.TreeClassifier(missing=missing, prune="none").fit(X, y).tree_
    for raising in (False, True):
        prune = bough.pruning.ErrorBased(subtree_raising=raising)
        small = bough.TreeClassifier(missing=missing, prune=prune).fit(X, y).tree_
        small.check()
        assert 1 < small.n_leaves < tree.n_leaves
        leaf = small.is_leaf
        ends = np.bincount(small.apply(X), minlength=small.n_nodes)
        assert ends[leaf].tolist() == small.cases[leaf].tolist()


@pytest.mark.parametrize("missing", BY_VALUE)
def test_cross_validated_pruning_and_survival_work_with_the_policies(missing):
    X, y = telling_rows("numeric")
    model = bough.CARTClassifier(missing=missing, n_competitors=2, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    model.tree_.check()
    times = np.where(y == "no", 1.0, 5.0)
    survival = bough.CARTSurvival(missing=missing, random_state=0).fit(X, (times, np.ones(len(y))))
    assert survival.tree_.condition(1) == "x is missing"


@pytest.mark.parametrize("missing", BY_VALUE)
def test_a_weight_of_two_is_the_row_twice(missing):
    X, y = mixed_rows(n=120)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = bough.TreeClassifier(missing=missing).fit(X, y, sample_weight=weight).tree_
    again = np.repeat(np.arange(len(y)), weight)
    repeated = bough.TreeClassifier(missing=missing).fit(X.iloc[again], y[again]).tree_
    assert weighted == repeated


@pytest.mark.parametrize("missing", BY_VALUE)
def test_a_function_that_is_gini_grows_the_tree_of_gini(missing):
    def own_gini(children):
        weight = children.sum(axis=-1)
        squares = np.square(children).sum(axis=-1) / np.where(weight > 0, weight, 1.0)
        whole = children.sum(axis=-2)
        total = whole.sum(axis=-1)
        return (squares.sum(axis=-1) - np.square(whole).sum(axis=-1) / total) / total

    X, y = mixed_rows(n=150)
    ours = bough.TreeClassifier(own_gini, missing=missing, max_depth=3).fit(X, y).tree_
    theirs = bough.TreeClassifier("gini", missing=missing, max_depth=3).fit(X, y).tree_
    assert ours.text() == theirs.text()


def test_what_a_policy_cannot_do_is_refused():
    X, y = telling_rows("numeric")
    with pytest.raises(
        ParameterError, match="missing is 'own_level'; it must be another policy under 'twoing'"
    ):
        bough.TreeClassifier("twoing", missing="own_level").fit(X, y)
    with pytest.raises(ParameterError, match="missing is 'learned'; it must be 'majority' or 'refuse'"):
        bough.CARTClassifier(combinations="ratio", missing="learned").fit(X, y)
    with pytest.raises(
        ParameterError, match="missing is 'floating_level'; TreeClassifier supports 'auto', 'maj"
    ):
        bough.TreeClassifier(missing="floating_level").fit(X, y)


def test_a_path_says_that_a_value_is_missing():
    X, y = telling_rows("numeric")
    tree = bough.TreeClassifier().fit(X, y).tree_
    assert tree.path_of({"x": None, "noise": 0.0}) == ["x is missing"]
    assert tree.path_of({"x": 0.0, "noise": 0.0}) == ["x is known"]
    assert [rule.premise() for rule in tree.rules()] == ["x is missing", "x is known"]
