"""Isolation forests: the plain reference, scikit-learn's scores, and the doors of their model."""

import math

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from sklearn.metrics import roc_auc_score
from tests.ensembles.plain_isolation import PlainIsolationTree, c, score

import bough
import bough.sklearn
from bough.ensembles.forest_sum import summed_trees
from bough.ensembles.isolation import average_path_length, drawn_rows
from bough.errors import BoughError, ParameterError


def numbers(n_rows, n_columns=4, seed=0):
    """Rows of floats, which native code and reference round alike, with ties."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns)).round(1).astype(np.float32).astype(np.float64)
    X[:, -1] = 7.0  # a column that no split can divide
    return X


def plain_scores(model, X, nominal, rows, tree_features=0):
    seed, (size,) = model.model_.recipe["seed"], (model.max_samples_,)
    drawn = drawn_rows(len(rows), size, model.model_.n_trees, seed)
    trees = [
        PlainIsolationTree(rows[np.sort(own)], nominal, seed, number, tree_features)
        for number, own in enumerate(drawn)
    ]
    return [score(trees, row, size) for row in X]


@pytest.mark.parametrize("n_rows", [5, 40, 700])
@pytest.mark.parametrize("options", [{}, {"max_features": 2}, {"max_samples": 0.5}])
def test_scores_are_those_of_the_plain_reference(n_rows, options):
    X = numbers(n_rows)
    model = bough.IsolationForest(7, random_state=3, **options).fit(X)
    wanted = plain_scores(model, X, [False] * 4, X, options.get("max_features", 0))
    np.testing.assert_allclose(model.model_.predict(X), wanted, rtol=1e-12)
    np.testing.assert_allclose(model.score_samples(X), np.negative(wanted), rtol=1e-12)


def test_scores_of_levels_and_missing_values_are_those_of_the_plain_reference():
    X = numbers(300, 3)
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": random.choice(list("pqrs"), 300)})
    frame.loc[random.random(300) < 0.2, "a"] = np.nan
    frame.loc[random.random(300) < 0.2, "c"] = None
    model = bough.IsolationForest(20, random_state=5).fit(frame)
    codes = frame["c"].map({level: i for i, level in enumerate("pqrs")})
    matrix = np.stack([frame["a"], frame["b"], codes], axis=1)
    wanted = plain_scores(model, matrix, [False, False, True], matrix)
    np.testing.assert_allclose(model.model_.predict(frame), wanted, rtol=1e-12)


def test_path_lengths_are_those_of_the_paper():
    assert average_path_length([0, 1, 2]).tolist() == [0.0, 0.0, 1.0]
    np.testing.assert_allclose(average_path_length([3, 10, 256]), [c(3), c(10), c(256)], rtol=1e-15)


def test_drawn_rows_are_different_and_uniform():
    for n_rows, size in ((1000, 50), (100, 80), (7, 7)):
        drawn = drawn_rows(n_rows, size, 400, seed=1)
        assert all(len(np.unique(own)) == size for own in drawn)
        times = np.bincount(drawn.ravel(), minlength=n_rows)
        share = size / n_rows
        assert abs(times / 400 - share).max() <= 6 * math.sqrt(share * (1 - share) / 400)


def test_outliers_are_found_as_by_scikit_learn():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(900, 5)), random.uniform(-5, 5, size=(40, 5))])
    outlier = np.arange(940) >= 900
    own = bough.IsolationForest(200, random_state=0).fit(X)
    theirs = sklearn.ensemble.IsolationForest(n_estimators=200, random_state=0).fit(X)
    areas = [roc_auc_score(outlier, -each.score_samples(X)) for each in (own, theirs)]
    assert min(areas) > 0.98
    assert abs(areas[0] - areas[1]) < 0.01
    # Both are means over random trees of the same distribution.
    assert abs(own.score_samples(X) - theirs.score_samples(X)).max() < 0.06
    assert np.corrcoef(own.score_samples(X), theirs.score_samples(X))[0, 1] > 0.98


def test_scores_of_many_rows_by_the_drop_in_are_those_of_few():
    X = np.random.default_rng(4).normal(size=(6000, 3))
    theirs = bough.sklearn.IsolationForest(n_estimators=20, random_state=0).fit(X)
    parts = np.concatenate([theirs.score_samples(X[:3000]), theirs.score_samples(X[3000:])])
    assert np.array_equal(theirs.score_samples(X), parts)


def test_contamination_is_the_share_of_outliers_of_fit():
    X = numbers(400)
    model = bough.IsolationForest(random_state=0, contamination=0.1).fit(X)
    assert (model.predict(X) == -1).mean() == pytest.approx(0.1, abs=0.01)
    assert np.array_equal(model.predict(X) == -1, model.decision_function(X) < 0)
    plain = bough.IsolationForest(random_state=0).fit(X)
    assert plain.offset_ == -0.5
    assert np.array_equal(plain.fit_predict(X) == -1, plain.model_.predict(X) > 0.5)


def test_one_row_and_equal_rows_are_scored():
    assert bough.IsolationForest(5).fit([[1.0]]).score_samples([[1.0], [9.0]]).tolist() == [-0.5, -0.5]
    equal = bough.IsolationForest(5).fit([[1.0, 2.0]] * 30)
    assert equal.score_samples([[1.0, 2.0]]) == pytest.approx(-0.5)


def test_the_model_does_not_depend_on_threads_and_regrows():
    frame = pd.DataFrame(numbers(500)).add_prefix("x").assign(level=list("abcde") * 100)
    models = [bough.IsolationForest(30, random_state=1, n_jobs=jobs).fit(frame).model_ for jobs in (1, 2)]
    assert models[0] == models[1]
    assert bough.regrow(models[0], frame) == models[0]
    assert bough.regrow(models[0].recipe, frame) == models[0]


def test_the_model_is_saved_and_written_as_sql(tmp_path):
    import duckdb

    frame = pd.DataFrame(numbers(200)).add_prefix("x").assign(level=list("abcde") * 40)
    frame.loc[::9, "x0"] = np.nan
    model = bough.IsolationForest(10, random_state=1).fit(frame).model_
    model.save(tmp_path / "model.json")
    loaded = bough.load(tmp_path / "model.json")
    assert loaded == model
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    query = f"SELECT {bough.export.to_sql(model)} AS anomaly FROM frame"
    np.testing.assert_allclose(duckdb.sql(query).df()["anomaly"], model.predict(frame), rtol=1e-12)
    assert "anomaly" in bough.report(model).html


def test_the_trees_of_a_forest_as_a_sum_are_the_trees_of_the_forest():
    random = np.random.default_rng(2)
    frame = pd.DataFrame(numbers(200)).add_prefix("x").assign(level=random.choice(list("abcdefgh"), 200))
    frame.loc[::7, "x1"] = np.nan
    forest = (
        bough.RandomForestRegressor(6, max_depth=5, random_state=0).fit(frame, random.random(200)).forest_
    )
    trees = summed_trees(forest)
    start = trees.arrays["tree_start"]
    for number, tree in enumerate(forest.trees):
        own = slice(start[number], start[number + 1])
        for name in (
            "parent",
            "first_child",
            "n_children",
            "column",
            "kind",
            "cut",
            "default_branch",
            "cases",
        ):
            np.testing.assert_array_equal(trees.arrays[name][own], getattr(tree, name), name)
        assert trees.depth[own].max() == tree.depth
    values = np.concatenate([tree.statistics[tree.n_children == 0, 0] for tree in forest.trees])
    arrays = trees.with_values(values / forest.n_trees)
    whole = bough.GradientBoosted(
        schema=forest.schema,
        task="regression",
        classes=(),
        target_name=None,
        link="identity",
        start=np.zeros(1),
        arrays=arrays,
    )
    np.testing.assert_allclose(whole.predict(frame), forest.predict(frame), rtol=1e-12)
    roots = start[:-1]
    means = [tree.statistics[0, 0] / forest.n_trees for tree in forest.trees]
    np.testing.assert_allclose(arrays["value"][roots], means, rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"max_samples": 0}, "max_samples is 0; it must be 'auto', a whole number from 1 to the 4 rows"),
        ({"max_samples": 5}, "max_samples is 5"),
        ({"max_samples": 1.5}, "max_samples is 1.5"),
        ({"max_samples": True}, "max_samples is True"),
        ({"max_samples": "all"}, "max_samples is 'all'"),
        ({"max_features": 3}, "max_features is 3"),
        ({"contamination": 0.6}, r"contamination is 0.6; it must be 'auto' or a fraction in \(0, 0.5\]"),
        ({"contamination": "some"}, "contamination is 'some'"),
        ({"contamination": math.nan}, "contamination is nan"),
        ({"missing": "learned"}, "missing is 'learned'"),
        ({"random_state": -1}, "random_state is -1"),
    ],
)
def test_bad_parameters_are_refused_by_name(options, words):
    with pytest.raises(ParameterError, match=words):
        bough.IsolationForest(**options).fit(numbers(4, 2))


def test_missing_values_are_refused_if_asked():
    model = bough.IsolationForest(3, missing="refuse")
    with pytest.raises(BoughError, match="x0"):
        model.fit([[1.0], [None]])
    with pytest.raises(BoughError, match="x0"):
        model.fit([[1.0], [2.0]]).predict([[None]])
