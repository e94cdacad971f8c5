"""Rules measured on rows that the tree was not grown on."""

import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import TargetError
from bough.example_models import iris_tree

RNG = np.random.default_rng(0)
N = 200
X = pd.DataFrame({"x": RNG.normal(size=N).round(1), "z": RNG.choice(["u", "v", "w"], N)})
CLASSES = np.where(X["x"] + (X["z"] == "u") + RNG.normal(size=N) > 0, "yes", "no")
NUMBERS = np.abs(X["x"] * 2 + RNG.normal(size=N))
HALF = N // 2


@pytest.mark.parametrize("weight", [None, RNG.integers(0, 4, HALF), RNG.random(HALF)])
def test_support_and_confidence_are_counted_by_hand(weight):
    tree = bough.TreeClassifier(max_depth=3).fit(X[:HALF], CLASSES[:HALF]).tree_
    rules = tree.rules().measured(X[HALF:], CLASSES[HALF:], sample_weight=weight)
    w = np.ones(HALF) if weight is None else np.asarray(weight, float)
    cases = w if weight is not None and (w == np.rint(w)).all() else (w > 0).astype(float)
    for rule in rules:
        covered = rule.covers(X[HALF:])
        assert rule.measured.cases == pytest.approx(cases[covered].sum())
        assert rule.measured.share == pytest.approx(cases[covered].sum() / cases.sum())
        right = covered & (CLASSES[HALF:] == rule.answer)
        assert rule.measured.weight == pytest.approx(w[covered].sum())
        if w[covered].sum():
            assert rule.measured.confidence == pytest.approx(w[right].sum() / w[covered].sum())
    assert sum(rule.measured.share for rule in rules) == pytest.approx(1)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_on_the_training_rows_it_is_what_was_learned(criterion):
    tree = bough.TreeRegressor(criterion, max_depth=3).fit(X, NUMBERS).tree_
    for rule in tree.rules().measured(X, NUMBERS):
        assert rule.measured.cases == rule.cases
        assert rule.measured.share == rule.share
        assert rule.measured.deviation == pytest.approx(rule.deviation)
        assert rule.measured.confidence is None


@pytest.mark.parametrize(
    "learner",
    [
        bough.CARTClassifier(prune="none", loss_matrix={("yes", "no"): 5}),
        bough.C45Classifier(),
        bough.C50Classifier(),
        bough.REPTreeClassifier(prune="none"),
    ],
)
def test_on_the_training_rows_confidence_is_what_was_learned_with_missing_values_too(learner):
    gaps = X.mask(RNG.random(X.shape) < 0.1).dropna(how="all")
    y = CLASSES[gaps.index]
    tree = learner.fit(gaps, y).tree_
    rules = tree.rules().measured(gaps, y)
    assert rules[0].measured.cases == pytest.approx(rules[0].cases, rel=1e-5)
    for rule in rules:
        assert rule.measured.confidence == pytest.approx(rule.confidence, rel=1e-4)


def test_printing_shows_both():
    X, y = [[1.4, 0.2], [5.1, 1.9], [5.1, 1.0]], ["setosa", "virginica", "virginica"]
    lines = str(iris_tree().rules().measured(X, y)).splitlines()
    assert lines[3] == (
        "R2  Petal.Length >= 2.45 and Petal.Width < 1.75   ->  versicolor  54 cases (36.0%), "
        "confidence 90.7% (49 of 54)   measured: 1 case (33.3%), confidence 0.0% (0 of 1)"
    )
    assert "measured: no cases" in str(iris_tree().rules().measured(X[1:], y[1:]))
    assert "measured" not in str(iris_tree().rules())


def test_slices_classes_and_iteration_keep_the_measures():
    rules = iris_tree().rules().measured([[1.4, 0.2]], ["setosa"])
    assert rules[:1][0].measured == rules[0].measured == rules.for_class("setosa")[0].measured
    assert next(iter(rules)).measured.cases == 1


def test_rules_of_a_class_follow_its_losses():
    tree = (
        bough.CARTClassifier(prune="none", max_depth=2, loss_matrix={("yes", "no"): 9}).fit(X, CLASSES).tree_
    )
    for label in tree.classes:
        assert [rule.answer for rule in tree.rules().for_class(label)] == [
            rule.answer for rule in tree.rules() if rule.answer == label
        ]


def test_classes_that_the_tree_does_not_know_are_refused():
    with pytest.raises(TargetError, match="y holds 'rose', which is not a class of the tree"):
        iris_tree().rules().measured([[1.4, 0.2]], ["rose"])
