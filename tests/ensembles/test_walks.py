"""Laws of asking a forest: rows are walked in lanes, pieces and blocks, and none of these can be seen."""

import dataclasses

import numpy as np
import pytest

import bough
from bough.data.table import Table
from bough.ensembles.forest import _wide
from bough.ensembles.unpack import WIDE_COLUMN_BITS, fields_of, widened

LANES, PIECE, BLOCK = 12, 2048, 32768
"""Rows walked together, added together and loaded together, as the native code has them."""


def noisy(n, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).astype(dtype)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    return X, signal


def grown(n_classes, n=800, **options):
    X, signal = noisy(n)
    options = {"n_estimators": 10, "random_state": 0, "n_jobs": 2} | options
    if n_classes == 0:
        return bough.RandomForestRegressor(max_features=2, **options).fit(X, signal)
    cuts = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    return bough.RandomForestClassifier(**options).fit(X, np.searchsorted(cuts, signal))


def answers(model, X):
    numbers = isinstance(model, bough.RandomForestRegressor) or getattr(model, "task", "") == "regression"
    return model.predict(X) if numbers else model.predict_proba(X)


def said_by_trees(model, X):
    """The mean of what the trees say one by one, added in their order as the forest does."""
    told = [answers_of(tree, X) for tree in model.forest_.trees]
    return sum(told[1:], told[0]) / len(told)


def answers_of(tree, X):
    return tree.predict(X) if tree.task == "regression" else tree.predict_proba(X)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("min_samples_leaf", [1, 6])
@pytest.mark.parametrize("n_rows", [1, LANES - 1, LANES, LANES + 1, PIECE, PIECE + 1])
def test_any_number_of_rows_gets_what_the_trees_say(n_classes, min_samples_leaf, n_rows):
    model = grown(n_classes, min_samples_leaf=min_samples_leaf)
    X, _ = noisy(n_rows, seed=1)
    np.testing.assert_allclose(answers(model, X), said_by_trees(model, X), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_a_row_gets_the_same_answer_among_any_others(n_classes):
    model = grown(n_classes, min_samples_leaf=3)
    X, _ = noisy(BLOCK + PIECE + 5, seed=2)
    whole = answers(model, X)
    for rows in (slice(0, 1), slice(5, 30), slice(BLOCK - 3, BLOCK + 3), slice(PIECE - 1, 3 * PIECE)):
        np.testing.assert_array_equal(answers(model, X[rows]), whole[rows])
    for n_jobs in (1, 3, 7):
        np.testing.assert_array_equal(answers(model.set_params(n_jobs=n_jobs), X), whole)
    np.testing.assert_array_equal(answers(model, X.astype(np.float64)), whole)
    np.testing.assert_array_equal(answers(model, np.asfortranarray(X)), whole)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("n_trees", [1, 2, 31, 100])
def test_rows_left_out_early_keep_their_class(n_classes, voting, n_trees):
    model = grown(n_classes, n_estimators=n_trees, voting=voting, min_samples_leaf=2)
    X, _ = noisy(3 * PIECE + 7, seed=3)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("n_classes", [0, 2])
def test_missing_values_are_seen_wherever_they_are(n_classes):
    X, signal = noisy(1500)
    X[::7, 0] = np.nan
    learner = bough.RandomForestRegressor if n_classes == 0 else bough.RandomForestClassifier
    model = learner(10, random_state=0).fit(X, signal if n_classes == 0 else signal > 0)
    other, _ = noisy(2 * PIECE, seed=4)
    np.testing.assert_allclose(answers(model, other), said_by_trees(model, other), rtol=1e-13, atol=1e-15)
    complete = answers(model, other)
    other[-1, 0] = np.nan
    np.testing.assert_array_equal(answers(model, other)[:-1], complete[:-1])
    np.testing.assert_allclose(answers(model, other), said_by_trees(model, other), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_errors_out_of_bag_do_not_depend_on_threads(n_classes):
    one, three = (grown(n_classes, n=3 * PIECE, oob_score=True, n_estimators=70, n_jobs=n) for n in (1, 3))
    np.testing.assert_array_equal(one.oob_error_curve_, three.oob_error_curve_)
    truth = noisy(3 * PIECE)[1]
    if n_classes == 0:
        np.testing.assert_array_equal(one.oob_prediction_, three.oob_prediction_)
        error = np.mean((truth - one.oob_prediction_) ** 2)
        np.testing.assert_allclose(one.oob_error_curve_[-1], error, rtol=1e-12)
    else:
        np.testing.assert_array_equal(one.oob_decision_function_, three.oob_decision_function_)


@pytest.mark.parametrize("missing", [False, True])
def test_wide_nodes_hold_what_narrow_ones_hold(missing):
    X, signal = noisy(500)
    if missing:
        X[::5, 1] = np.nan
    narrow = bough.RandomForestRegressor(4, random_state=0).fit(X, signal).forest_
    wide = _wide(narrow)
    table = Table.fit_to(X, narrow.schema)
    np.testing.assert_array_equal(wide.leaves(table), narrow.leaves(table))
    ours = fields_of(narrow.nodes, wide=False, column_bits=narrow.column_bits)
    theirs = fields_of(widened(narrow.nodes, narrow.column_bits), wide=True, column_bits=WIDE_COLUMN_BITS)
    for name, values in ours.items():
        np.testing.assert_array_equal(theirs[name], values)
    for tree, again in zip(narrow.trees, wide.trees, strict=True):
        np.testing.assert_array_equal(tree.risk, again.risk)


def test_a_leaf_of_another_tree_is_refused():
    forest = grown(2).forest_
    leaf = int(np.flatnonzero(~fields_of(forest.nodes, False, forest.column_bits)["inner"])[0])
    table = Table.fit_to(noisy(3)[0], forest.schema)
    for change, wrong in ((1 << 52, "leaf is out of range"), (1, "has a split"), (1 << 31, "has a split")):
        nodes = forest.nodes.copy()
        nodes[leaf] ^= np.uint64(change)
        with pytest.raises(ValueError, match=wrong):
            dataclasses.replace(forest, nodes=nodes).leaves(table)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_rows_that_are_read_as_they_are_get_the_answers_of_a_table(n_classes, dtype):
    model = grown(n_classes, min_samples_leaf=3)
    X, _ = noisy(9, seed=3, dtype=dtype)
    X[0, 0], X[1, 1], X[2, 2] = np.nan, np.inf, -np.inf
    forest = model.forest_
    for own in (forest, _wide(forest)):
        assert own.reads(X)
        np.testing.assert_array_equal(answers(own, X), answers(own, Table.read(X)))
        np.testing.assert_array_equal(own.predict(X), own.predict(Table.read(X)))
    assert not forest.reads(X[:, :4])
    assert not forest.reads(X[:, ::-1])
    assert not forest.reads(X[:0])


def test_few_rows_never_leave_the_arrays_of_a_forest():
    forest = grown(2, n=60).forest_
    X, _ = noisy(3, seed=4)
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(300):
        nodes = forest.nodes.copy()
        nodes[rng.integers(len(nodes))] ^= np.uint64(1) << np.uint64(rng.integers(64))
        try:
            dataclasses.replace(forest, nodes=nodes).predict(X)
        except ValueError as error:
            assert "do not make one tree" in str(error)  # noqa: PT017
            refused += 1
    assert refused > 10
