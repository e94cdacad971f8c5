"""Pruning by a validation set in one call."""

import numpy as np
import pytest

import bough
from bough.errors import ParameterError
from bough.evaluation import evaluate
from bough.pruning import reduced_error
from bough.pruning.validation import path_errors
from bough.tree.labeled_rows import read_sample

RNG = np.random.default_rng(0)
N = 400
X = RNG.normal(size=(N, 4)).round(1)
X[RNG.random(X.shape) < 0.05] = np.nan
SIGNAL = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + RNG.normal(size=N)
CLASSES = np.array(["a", "b", "c"])[np.digitize(SIGNAL, [0, 1.5])]
HALF = N // 2
LOSS = {("a", "c"): 4, ("c", "a"): 2}


@pytest.mark.parametrize(
    ("learner", "y"),
    [
        (bough.TreeClassifier(), CLASSES),
        (bough.TreeRegressor(), SIGNAL),
        (
            bough.CARTClassifier(prune="none", missing="stop", min_samples_split=2, min_samples_leaf=1),
            CLASSES,
        ),
        (bough.CARTRegressor(prune="none", missing="surrogates_then_stop"), SIGNAL),
    ],
)
@pytest.mark.parametrize("weight", [None, RNG.random(HALF)])
def test_the_tree_of_fewest_errors_of_the_path_is_taken(learner, y, weight):
    tree = learner.fit(X[:HALF], y[:HALF]).tree_
    validation = X[HALF:], y[HALF:]
    path = [tree.pruned(alpha) for alpha in tree.cost_complexity_path().alphas]
    name = "error rate" if tree.task == "classification" else "mean squared error"
    measured = [evaluate(each, *validation, sample_weight=weight).measures[name].value for each in path]
    total = HALF if weight is None else weight.sum()
    found = path_errors(tree, read_sample(tree, *validation, weight))
    np.testing.assert_allclose(found / total, measured, rtol=1e-9, atol=1e-12)
    least = min(measured)
    smallest = min(
        each.n_leaves
        for each, error in zip(path, measured, strict=True)
        if error <= least * (1 + 1e-9) + 1e-15
    )
    assert tree.pruned_on(*validation, weight).n_leaves == smallest


def test_losses_count():
    tree = bough.CARTClassifier(prune="none", missing="majority", loss_matrix=LOSS).fit(
        X[:HALF], CLASSES[:HALF]
    )
    tree = tree.tree_
    matrix = tree.loss_matrix
    code = {label: position for position, label in enumerate(tree.classes)}
    true = [code[label] for label in CLASSES[HALF:]]
    lost = []
    for alpha in tree.cost_complexity_path().alphas:
        answered = [code[label] for label in tree.pruned(alpha).predict(X[HALF:])]
        lost.append(matrix[true, answered].sum())
    np.testing.assert_allclose(path_errors(tree, read_sample(tree, X[HALF:], CLASSES[HALF:])), lost)


def test_reduced_error_is_the_other_method():
    tree = bough.TreeClassifier().fit(X[:HALF], CLASSES[:HALF]).tree_
    validation = X[HALF:], CLASSES[HALF:]
    assert tree.pruned_on(*validation, method="reduced_error") == reduced_error(tree, *validation)
    fewer = tree.pruned_on(*validation, method="reduced_error")
    assert (fewer.predict(X[HALF:]) != CLASSES[HALF:]).sum() <= (
        tree.pruned_on(*validation).predict(X[HALF:]) != CLASSES[HALF:]
    ).sum()
    with pytest.raises(ParameterError, match="method is 'best'"):
        tree.pruned_on(*validation, method="best")


def test_noise_is_pruned_to_the_root():
    y = RNG.choice(["a", "b"], N, p=[0.7, 0.3])
    tree = bough.TreeClassifier().fit(X[:HALF], y[:HALF]).tree_
    assert tree.n_leaves > 20
    assert tree.pruned_on(X[HALF:], y[HALF:]).n_leaves <= 3
