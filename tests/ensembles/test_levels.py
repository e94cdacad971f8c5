"""Levels in forests: the order they are cut in, and the best sets of them."""

import numpy as np
import pandas as pd
import pytest
from tests.ensembles.test_forests import mixed_rows

import bough
from bough.errors import ParameterError


def levels_and_noise(n=4000, n_levels=400, seed=0):
    """One column whose many levels tell nothing, one whose few levels tell all there is, and numbers."""
    rng = np.random.default_rng(seed)
    told = rng.integers(0, 12, n)
    X = pd.DataFrame(
        {
            "told": pd.Categorical([f"t{each}" for each in told]),
            "noise": pd.Categorical([f"n{each}" for each in rng.integers(0, n_levels, n)]),
            "x": rng.normal(size=n).round(1),
        }
    )
    effect = rng.permutation(np.linspace(-2, 2, 12))[told]
    return X, effect, rng


@pytest.mark.parametrize("target", ["two", "three", "numbers", "weights"])
def test_levels_that_tell_nothing_are_seldom_cut_early(target):
    X, effect, rng = levels_and_noise()
    signal = effect + rng.normal(size=len(X))
    options = {"n_estimators": 30, "max_features": None, "max_depth": 2, "random_state": 0}
    if target == "numbers":
        model = bough.RandomForestRegressor(**options).fit(X, signal)
        best = bough.RandomForestRegressor(**options, nominal="subset").fit(X, signal)
    else:
        y = pd.qcut(signal, 3 if target == "three" else 2, labels=False)
        weight = rng.uniform(0.5, 2, len(X)) if target == "weights" else None
        model = bough.RandomForestClassifier(**options).fit(X, y, sample_weight=weight)
        best = bough.RandomForestClassifier(**options, nominal="subset").fit(X, y, sample_weight=weight)
    assert model.feature_importances_[0] > 0.9
    assert model.feature_importances_[1] < best.feature_importances_[1]


def test_an_ordered_forest_does_better_than_best_sets_where_levels_are_many():
    X, effect, rng = levels_and_noise(n=6000, n_levels=2000)
    y = effect + 3 * rng.normal(size=len(X)) > 0
    train, test = slice(0, 3000), slice(3000, None)
    right = {
        rule: bough.RandomForestClassifier(60, nominal=rule, random_state=0)
        .fit(X[train], y[train])
        .score(X[test], y[test])
        for rule in ("ordered", "subset")
    }
    assert right["ordered"] > right["subset"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_tree_of_best_sets_is_the_tree_of_cart(n_classes):
    X, classes, _ = mixed_rows(n_classes=n_classes)
    X = X[["colour", "plane"]].dropna()
    y = classes[X.index]
    forest = bough.RandomForestClassifier(
        1, bootstrap=False, max_features=None, nominal="subset", max_depth=3, random_state=0
    ).fit(X, y)
    tree = bough.CARTClassifier(prune="none", max_depth=3).fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(X), tree.predict_proba(X), atol=1e-12)


def test_weights_in_proportion_leave_the_order_of_levels():
    X, classes, _ = mixed_rows(n_classes=3)
    once = bough.RandomForestClassifier(5, random_state=0).fit(X, classes, sample_weight=np.full(len(X), 1.0))
    four = bough.RandomForestClassifier(5, random_state=0).fit(X, classes, sample_weight=np.full(len(X), 4.0))
    np.testing.assert_array_equal(once.forest_.nodes, four.forest_.nodes)
    np.testing.assert_array_equal(once.forest_.special, four.forest_.special)


@pytest.mark.parametrize("nominal", ["ordered", "subset", "randomforest"])
def test_levels_never_seen_follow_the_side_of_most_weight(nominal):
    X = pd.DataFrame({"level": list("aaaaaabbbcc") * 3})
    y = np.array([0] * 6 + [1] * 5 + [0] * 6 + [1] * 5 + [0] * 6 + [1] * 5)
    forest = bough.RandomForestClassifier(1, bootstrap=False, nominal=nominal, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.predict(X), y)
    assert forest.predict(pd.DataFrame({"level": ["never"]})) == [0]


def test_an_unknown_way_with_levels_is_refused():
    X, classes, _ = mixed_rows(60)
    with pytest.raises(
        ParameterError, match=r"nominal is 'best'; RandomForestClassifier supports 'ordered', 'subset'"
    ):
        bough.RandomForestClassifier(2, nominal="best").fit(X, classes)


@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize("nominal", ["ordered", "subset", "randomforest"])
@pytest.mark.parametrize("target", ["two", "three", "numbers"])
def test_rows_are_asked_the_way_they_were_grown(missing, nominal, target):
    X, classes, numbers = mixed_rows(3000, n_classes=3 if target == "three" else 2)
    options = {"bootstrap": False, "min_samples_leaf": 5, "missing": missing, "nominal": nominal}
    kind = bough.RandomForestRegressor if target == "numbers" else bough.RandomForestClassifier
    model = kind(3, max_features=2, random_state=0, **options).fit(
        X, numbers if target == "numbers" else classes
    )
    shown = pd.Series(numbers if target == "numbers" else classes == 1)
    answers = []
    for leaves in model.apply(X).T:
        groups = shown.groupby(leaves)
        assert groups.size().min() >= 5
        answers.append(groups.transform("mean"))
    said = model.predict(X) if target == "numbers" else model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(np.mean(answers, axis=0), said, rtol=1e-9, atol=1e-9)


def absent_branch(kind, levels, y, asked, **options):
    """Grow one split on all rows; return whether the asked level, absent from them, goes with each level."""
    X = pd.DataFrame({"level": pd.Categorical(levels, categories=list("abcdefghijklmn")[: options.pop("n")])})
    model = kind(1, bootstrap=False, max_depth=1, nominal="randomforest", random_state=0).fit(X, y)
    leaf = dict(zip(levels, model.apply(X)[:, 0], strict=True))
    new = pd.DataFrame({"level": pd.Categorical([asked], categories=X["level"].cat.categories)})
    return {level for level in leaf if leaf[level] == model.apply(new)[0, 0]}


def test_absent_levels_go_where_randomforest_sends_them():
    """The rules of randomForest 4.7 on splits that can be done by hand."""
    classes, numbers = bough.RandomForestClassifier, bough.RandomForestRegressor
    # At most ten levels: with the last level present, although the other branch is heavier.
    assert absent_branch(classes, list("aaaabbcc"), [0] * 6 + [1] * 2, "d", n=10) == {"c"}
    assert absent_branch(classes, list("aaaabbcc"), [1] * 6 + [0] * 2, "d", n=10) == {"c"}
    # Two classes and more levels: with the lowest share of the first class.
    assert absent_branch(classes, list("aaaabbcc"), [0] * 6 + [1] * 2, "d", n=11) == {"c"}
    assert absent_branch(classes, list("aaaabbcc"), [1] * 6 + [0] * 2, "d", n=11) == {"a", "b"}
    # Numbers: with the side of the mean of all rows, 0, although in the last case the other one is heavier.
    assert absent_branch(numbers, list("aabcc"), [-1.0, -1, -1, 3, 0], "d", n=5) == {"a", "b"}
    assert absent_branch(numbers, list("aabcc"), [1.0, 1, 1, -3, 0], "d", n=5) == {"a", "b"}
    assert absent_branch(numbers, list("aaabc"), [-1.0, -1, -1, 0.9, 2.1], "d", n=5) == {"b", "c"}
