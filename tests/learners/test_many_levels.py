"""Columns of thousands of levels: memory in proportion to them, and Ctrl-C is noticed soon."""

import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from tests.interrupts import ctrl_c_after

import bough

pytestmark = pytest.mark.slow

MOST_MEGABYTES = 100


def levels(n_rows, n_levels, n_columns):
    rng = np.random.default_rng(0)
    names = [f"l{level}" for level in range(n_levels)]
    codes = rng.integers(0, n_levels, (n_columns, n_rows))
    X = pd.DataFrame({f"c{c}": pd.Categorical.from_codes(each, names) for c, each in enumerate(codes)})
    return X, rng.integers(0, 2, n_rows)


@pytest.mark.slow
def test_memory_of_c50_grows_with_the_levels_and_not_with_their_square():
    """Sets of 20,000 levels by a flag each took hundreds of megabytes."""
    code = "from tests.learners.test_many_levels import print_growth; print_growth()"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) < MOST_MEGABYTES


def print_growth():
    """Print by how many megabytes a fit of C5.0 raises the most memory that the process has had."""
    X, y = levels(40_000, 20_000, 1)
    bough.C50Classifier().fit(X[:200], y[:200])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bough.C50Classifier().fit(X, y)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)


@pytest.mark.parametrize(
    ("learner", "shape"),
    [
        (bough.C45Classifier(criterion="entropy", nominal="subset"), (20_000, 2_000, 1)),
        (bough.ID3Classifier(), (300_000, 6_000, 20)),
    ],
    ids=["C4.5", "ID3"],
)
def test_an_interrupt_is_noticed_within_a_second(learner, shape):
    X, y = levels(*shape)
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.4) as sent:
        learner.fit(X, y)
    assert time.process_time() - sent[0] < 1


def test_c45_merges_two_thousand_levels():
    """Summing over all blocks anew for every pair of them would take hours."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2000, 20_000)
    y = rng.random(20_000) < rng.dirichlet([5.0, 5.0], 2000)[codes, 0]
    X = pd.DataFrame({"a": pd.Categorical.from_codes(codes, [f"l{level}" for level in range(2000)])})
    tree = bough.C45Classifier(nominal="subset").fit(X, y).tree_
    assert tree.cases[0] == 20_000
    assert tree.predict(X[:100]).shape == (100,)


@pytest.mark.parametrize("criterion", ["chi_square", "misclassification", "gain_ratio", "generalized_gini"])
def test_a_tree_of_as_many_classes_as_rows(criterion):
    """All cuts tie, the tree is as deep as it has rows, and each cut summed over all classes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.permutation(3000)
    grown = bough.CARTClassifier(
        criterion=criterion, prune="none", min_samples_split=2, min_samples_leaf=1, n_jobs=1
    )
    grown.fit(X, y)
    assert grown.tree_.n_leaves == 3000
