"""Many classes: a search costs what the classes present in a node cost, and finds the same splits."""

import numpy as np
import pandas as pd
import pytest

import bough


@pytest.mark.parametrize(
    "learner",
    [
        bough.TreeClassifier(),
        bough.TreeClassifier("entropy"),
        bough.RandomForestClassifier(1, random_state=0),
        bough.C45Classifier(),
        bough.C50Classifier(),
    ],
    ids=lambda learner: f"{type(learner).__name__}-{getattr(learner, 'criterion', '')}",
)
def test_a_class_for_each_row(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 3)), rng.permutation(2000)
    # If each cut cost as much as there are classes, this would take minutes.
    model = learner.fit(X, y)
    assert model.n_classes_ == 2000
    np.testing.assert_array_equal(model.predict_proba(X[:50]).sum(axis=1).round(12), 1.0)


def told(tree, node):
    """Return the splits and class weights below a node; classes without weight are left out."""
    weights = {tree.classes[c]: w for c, w in enumerate(tree.statistics[node].tolist()) if w}
    if tree.is_leaf[node]:
        return weights
    return str(tree.split(node)), weights, [told(tree, child) for child in tree.children(node)]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "chi_square", "deviance"])
def test_classes_that_are_absent_from_a_node_do_not_matter(criterion):
    """Beside rows of three classes, forty others lie far away: the tree below the cut between is the same."""
    rng = np.random.default_rng(1)
    n = 300
    X = pd.DataFrame({"x": rng.normal(size=n), "level": rng.choice(list("abcdef"), n), "far": 0.0})
    X.loc[rng.random(n) < 0.1, "x"] = np.nan
    y = rng.integers(0, 3, n) * 20
    others = pd.DataFrame({"x": np.full(40, np.nan), "level": np.full(40, None), "far": 1.0})
    options = {
        "criterion": criterion,
        "missing": "majority",
        "min_samples_leaf": 4,
        "max_exhaustive_levels": 12,
    }
    alone = bough.TreeClassifier(**options).fit(X, y).tree_
    far = np.setdiff1d(np.arange(43), [0, 20, 40])
    both = bough.TreeClassifier(**options).fit(pd.concat([X, others]), np.r_[y, far]).tree_
    near = both.children(0)[0]
    assert both.schema[int(both.column[0])].name == "far"
    assert told(both, near) == told(alone, 0)
