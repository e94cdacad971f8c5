"""Boosting of small tables by several threads: the same models, in forked children and after Ctrl-C too."""

import multiprocessing
import os
import threading
import warnings

import numpy as np
import pytest
from tests.interrupts import ctrl_c_after

import bough

RNG = np.random.default_rng(8)
X = RNG.normal(size=(1024, 12))
X[:, 3] = np.round(X[:, 3])
Y = X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=len(X))


def same_model(ours, theirs):
    """Return whether two fitted models have the same bits."""
    arrays = ours.model_.arrays, theirs.model_.arrays
    return all(arrays[0][name].tobytes() == arrays[1][name].tobytes() for name in arrays[0])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "absolute_error"},
        {"min_samples_leaf": 1, "max_leaf_nodes": 80},
        {"growth": "level", "max_depth": 5, "max_leaf_nodes": None},
        {"l1_regularization": 0.5},
        {"monotonic_cst": [1] + [0] * 11},
        {"max_samples": 0.6},
        {"tree_features": 0.5},
        {"early_stopping": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_rows", [30, 400, 1000, 1024])
def test_small_tables_give_the_same_model_on_any_number_of_threads(options, n_rows):
    fits = [
        bough.GradientBoostingRegressor(max_iter=40, n_jobs=n_jobs, random_state=0, **options).fit(
            X[:n_rows], Y[:n_rows]
        )
        for n_jobs in (1, 2, 3, 2)
    ]
    assert all(same_model(fits[0], fit) for fit in fits[1:])


def test_classes_of_small_tables_give_the_same_model_on_any_number_of_threads():
    classes = np.digitize(Y, [-1.0, 1.0])
    fits = [
        bough.GradientBoostingClassifier(max_iter=20, n_jobs=n_jobs).fit(X, classes) for n_jobs in (1, 2, 3)
    ]
    assert all(same_model(fits[0], fit) for fit in fits[1:])


def test_fits_of_small_tables_in_several_threads_do_not_disturb_each_other():
    alone = bough.GradientBoostingRegressor(max_iter=60, n_jobs=1).fit(X, Y)
    fits = [bough.GradientBoostingRegressor(max_iter=60, n_jobs=2) for _ in range(6)]
    threads = [threading.Thread(target=fit.fit, args=(X, Y)) for fit in fits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same_model(alone, fit) for fit in fits)


def test_ctrl_c_stops_boosting_of_a_small_table():
    learner = bough.GradientBoostingRegressor(max_iter=1_000_000, n_jobs=2)
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.2):
        learner.fit(X, Y)
    again = [bough.GradientBoostingRegressor(max_iter=30, n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2)]
    assert same_model(*again)


def _send_boosted(pipe):
    pipe.send(bough.GradientBoostingRegressor(max_iter=60, n_jobs=2).fit(X, Y).predict(X))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_boosts_a_small_table_after_its_parent_did():
    ours = bough.GradientBoostingRegressor(max_iter=60, n_jobs=2).fit(X, Y).predict(X)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send_boosted, args=(sender,))
    with warnings.catch_warnings():
        # Python warns of any fork of a process that has threads, be they idle.
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    assert receiver.poll(60)
    assert np.array_equal(receiver.recv(), ours)
    child.join(60)
    assert child.exitcode == 0
