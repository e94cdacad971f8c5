"""What each column gained, against scikit-learn where both grow the same tree."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough

# Nodes of few rows have ties, which scikit-learn breaks at random.
LIMITS = {"max_depth": 3, "min_samples_leaf": 100}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (bough.TreeClassifier("gini", **LIMITS), DecisionTreeClassifier(**LIMITS)),
        (bough.TreeClassifier("entropy", **LIMITS), DecisionTreeClassifier(criterion="entropy", **LIMITS)),
        (bough.TreeRegressor(**LIMITS), DecisionTreeRegressor(**LIMITS)),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_importances_are_those_of_scikit_learn(ours, theirs, weighted):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 6)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=3000) * 0.3
    if isinstance(ours, bough.TreeClassifier):
        y = (y > 0).astype(int)
    weight = rng.random(3000) + 0.5 if weighted else None
    found = ours.fit(X, y, sample_weight=weight).feature_importances_
    np.testing.assert_allclose(found, theirs.fit(X, y, sample_weight=weight).feature_importances_, rtol=1e-9)
    assert found.sum() == pytest.approx(1)


def test_a_tree_that_is_a_leaf_gives_no_column_any_importance():
    model = bough.CARTClassifier().fit([[1.0, 2.0]], ["a"])
    assert model.feature_importances_.tolist() == [0.0, 0.0]


def test_bagging_averages_the_shares_of_its_learners():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y = X[:, 0] + 0.3 * X[:, 1] + rng.normal(size=100)
    model = bough.BaggingRegressor(n_estimators=6, max_features=2, random_state=0).fit(X, y)
    expected = np.zeros(4)
    for learner, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        expected[columns] += learner.feature_importances_ / 6
    np.testing.assert_allclose(model.feature_importances_, expected)


def test_bagging_without_any_split_gives_no_column_any_importance():
    model = bough.BaggingClassifier(random_state=0).fit([[1.0, 2.0], [2.0, 1.0]], ["a", "a"])
    assert model.feature_importances_.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("options", [{"n_estimators": 4, "early_stopping": False}, {"rules": True}])
def test_the_importance_of_c50_is_that_of_its_whole_model(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).round(1)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=200) / 2 > 0
    model = bough.C50Classifier(**options).fit(X, y)
    members = getattr(model, "rule_sets_", model.trees_)
    expected = np.mean([member.importance() for member in members], axis=0)
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())
    first = model.tree_.importance()
    assert not np.allclose(model.feature_importances_, first / first.sum())
