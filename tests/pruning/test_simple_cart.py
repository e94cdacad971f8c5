"""Small tables on which the rounding of the sums of Weka decides how SimpleCart prunes."""

import numpy as np
import pandas as pd
import pytest

import bough

NAN = np.nan
ONE_COLUMN = ([NAN, 2, 3, NAN, 3, 1, NAN, 0, NAN, NAN], [2, 1, 0, 1, 0, 2, 0, 1, 0, 0])
REPEATED = ([0.25, 0.75, 0.5, 0.5, 0, 0, 0, 0.5, 0.25, 0], [1, 1, 1, 1, 0, 0, 0, 1, 1, 1])
TWO_COLUMNS = (
    pd.DataFrame(
        {
            "v0": [5, NAN, NAN, NAN, 6, 4, NAN, 2, 5, 0, NAN, 9, 7],
            "v1": pd.Categorical([None, *"aaba", None, *"bbabb", None, "a"]),
        }
    ),
    [0, 1, 0, 2, 0, 0, 2, 2, 0, 1, 3, 0, 0],
)
NESTED = (
    [
        *[[0.1, NAN]] * 4,
        [0, 0],
        [0, 0],
        [0, 0.25],
        [0, NAN],
        [0, NAN],
        [0, 0],
        [0, 0],
        [0.1, 0],
    ],
    [0, 1, 0, 1, 3, 3, 2, 3, 3, 4, 3, 1],
)


def fitted(table, **options):
    X, y = table
    X = X if isinstance(X, pd.DataFrame) else np.array(X, dtype=float).reshape(len(y), -1)
    return bough.SimpleCartClassifier(**options).fit(X, y).tree_


def test_a_tree_whose_folds_tie_is_pruned_as_by_weka():
    assert fitted(ONE_COLUMN).n_leaves == 1


def test_a_leaf_of_equal_rows_has_no_errors_while_it_is_pruned_but_keeps_its_risk():
    tree = fitted(REPEATED, min_samples_leaf=1, cv=4, random_state=3)
    assert [str(rule) for rule in tree.rules()] == ["x0 < 0.125 -> 0", "x0 >= 0.125 -> 1"]
    np.testing.assert_array_equal(tree.risk, [3, 1, 0])


def test_fractions_of_rows_lead_to_the_splits_of_weka():
    tree = fitted(TWO_COLUMNS)
    assert tree.split(0).words(tree.schema, 0) == "v1 = b"
    assert tree.split(1).cut == 3
    assert tree.n_leaves == 3
    # Weka prints 2.14/1.57, 1.5/1.28 and 5.5/1.0: the weight of the predicted class and of the others.
    most = tree.statistics.max(axis=1)[tree.is_leaf]
    others = tree.statistics.sum(axis=1)[tree.is_leaf] - most
    assert sorted(zip(most.tolist(), others.tolist(), strict=True)) == [
        pytest.approx(each, abs=0.01) for each in ((1.5, 1.28), (2.14, 1.57), (5.5, 1.0))
    ]


def test_a_split_by_a_column_of_missing_values_is_kept_as_by_weka():
    tree = fitted(NESTED, min_samples_leaf=1, cv=4, random_state=3)
    assert tree.n_leaves == 3
    assert [tree.split(node).cut for node in np.flatnonzero(~tree.is_leaf)] == pytest.approx([0.05, 0.125])


def test_no_probability_is_below_0():
    """Fractional weights that are subtracted one by one left −4e-16 of a class in a node."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    X[rng.random((30, 2)) < 0.25] = np.nan
    learner = bough.SimpleCartClassifier(prune="none", min_samples_leaf=1, heuristic=False)
    tree = learner.fit(X, rng.integers(0, 2, 30)).tree_
    assert tree.statistics.min() == 0
    assert tree.predict_proba(X).min() >= 0
