"""Structure given, leaves fitted: the splits of a tree with the statistics of other rows."""

import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import ParameterError, TargetError, WeightError
from bough.example_models import iris_tree

RNG = np.random.default_rng(0)
N = 300
X = pd.DataFrame(
    {"x": RNG.normal(size=N).round(1), "z": RNG.choice(["u", "v", "w", "t"], N), "r": RNG.normal(size=N)}
)
SIGNAL = X["x"] + (X["z"] == "u") + RNG.normal(size=N)
CLASSES = np.array(["a", "b", "c"])[np.digitize(SIGNAL, [-0.5, 1.0])]
GAPS = X.mask(RNG.random(X.shape) < 0.1).assign(r=X["r"])
NODE_FIGURES = ("cases", "weight", "statistics", "risk", "gain")
SMALL = {"max_depth": 4, "min_samples_leaf": 5}


@pytest.mark.parametrize(
    ("learner", "y"),
    [
        *((bough.TreeClassifier(name, **SMALL), CLASSES) for name in ("gini", "entropy", "chi_square")),
        *((bough.TreeClassifier(name, **SMALL), CLASSES) for name in ("twoing", "gain_ratio")),
        (bough.TreeClassifier("gini", nominal="complete", **SMALL), CLASSES),
        (bough.TreeRegressor(**SMALL), SIGNAL),
        (bough.TreeRegressor("absolute_error", **SMALL), SIGNAL),
        (bough.CARTClassifier(missing="majority"), CLASSES),
        (bough.CARTClassifier(prune="none", missing="majority", prior="equal", **SMALL), CLASSES),
        (
            bough.CARTClassifier(
                prune="none", missing="majority", prior="equal", loss_matrix={("a", "c"): 5}, **SMALL
            ),
            CLASSES,
        ),
        (
            bough.CARTClassifier(
                "generalized_gini", prune="none", missing="majority", loss_matrix={("a", "c"): 5}, **SMALL
            ),
            CLASSES,
        ),
    ],
)
@pytest.mark.parametrize(
    "weight", [None, RNG.integers(0, 4, N), RNG.random(N)], ids=["none", "whole", "real"]
)
def test_from_the_training_rows_come_the_statistics_of_growth(learner, y, weight):
    tree = learner.fit(GAPS, y, sample_weight=weight).tree_
    again = tree.refit(GAPS, y, sample_weight=weight)
    for name in NODE_FIGURES:
        np.testing.assert_allclose(
            getattr(again, name), getattr(tree, name), rtol=1e-9, atol=1e-12, err_msg=name
        )
    np.testing.assert_array_equal(again.predict(GAPS), tree.predict(GAPS))
    again.check()


@pytest.mark.parametrize(
    ("learner", "y"),
    [
        (bough.C45Classifier(prune="none"), CLASSES),
        (bough.C50Classifier(global_pruning=False), CLASSES),
        (bough.REPTreeClassifier(prune="none"), CLASSES),
        (bough.REPTreeRegressor(prune="none"), SIGNAL),
    ],
)
def test_fractions_of_rows_are_counted(learner, y):
    tree = learner.fit(GAPS, y).tree_
    again = tree.refit(GAPS, y)
    for name in ("weight", "statistics", "cases"):
        np.testing.assert_allclose(
            getattr(again, name), getattr(tree, name), rtol=1e-4, atol=1e-4, err_msg=name
        )
    assert (again.predict(X) == tree.predict(X)).mean() > 0.99 if tree.classes else True


def test_leaves_are_those_of_the_other_rows():
    half = N // 2
    tree = bough.TreeRegressor(max_depth=3).fit(X[:half], SIGNAL[:half]).tree_
    honest = tree.refit(X[half:], SIGNAL[half:])
    assert [honest.split(node) for node in range(honest.n_nodes)] == [
        tree.split(node) for node in range(tree.n_nodes)
    ]
    leaf = honest.apply(X[half:])
    for node in np.unique(leaf):
        assert honest.answer(node) == pytest.approx(SIGNAL[half:][leaf == node].mean())
    assert honest.cases[0] == half
    assert honest.recipe["prune"]["steps"][-1] == {"by": "refit", "rows": half}


def test_a_leaf_that_no_row_reaches_answers_as_its_parent():
    tree = iris_tree().refit([[5.0, 1.9], [5.0, 1.8]], ["virginica", "versicolor"])
    assert tree.cases.tolist() == [2, 0, 2, 0, 2]
    assert tree.predict([[1.4, 0.2]]).tolist() == ["versicolor"]
    assert tree.gain[~tree.is_leaf].tolist() == [0, 0]
    assert tree.importance().tolist() == [0, 0]


def test_files_keep_it(tmp_path):
    tree = bough.TreeClassifier(max_depth=3).fit(X, CLASSES).tree_.refit(X[:50], CLASSES[:50])
    tree.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json") == tree
    assert tree.pruned(0.5).n_leaves <= tree.n_leaves


def test_priors_hold_for_the_frequencies_of_the_other_rows():
    y = np.where(CLASSES == "a", "a", "b")
    tree = bough.CARTClassifier(prior="equal", prune="none", max_depth=1, missing="majority").fit(X, y).tree_
    kept = np.flatnonzero((y == "b") | (np.arange(N) % 2 == 0))
    again = tree.refit(X.iloc[kept], y[kept])
    np.testing.assert_allclose(again.class_scale * again.statistics[0] / again.weight[0], [0.5, 0.5])


def test_what_cannot_be_refitted_is_refused():
    with pytest.raises(ParameterError, match=r"Poisson rates cannot be refitted; grow it again"):
        bough.TreeRegressor("poisson").fit(X, SIGNAL.abs()).tree_.refit(X, SIGNAL.abs())
    with pytest.raises(TargetError, match="'rose', which is not a class"):
        iris_tree().refit([[5.0, 1.9]], ["rose"])
    with pytest.raises(WeightError):
        iris_tree().refit([[5.0, 1.9]], ["setosa"], sample_weight=[0])
