"""What must hold for every learner on every table."""

import numpy as np
from sklearn.base import clone
from tests.fuzz.random_learners import KINDS
from tests.fuzz.random_tables import random_table, strange_rows

import bough
from bough.errors import BoughError

ROUNDING = 1e-9
# C5.0 computes in single precision.
SINGLE = 1e-5
COSTLY = 0.3
"""The share of the fits for which the laws that need another fit or a file are checked too."""


class BrokenLawError(Exception):
    """A law does not hold."""


def check(rng, folder):
    """Take a random table through every learner; return the number of fits, of refusals, and what fell."""
    table = random_table(rng)
    fits, refused, fell = 0, 0, []
    for name, kind in KINDS.items():
        learner, twice = kind.drawn(rng)
        draw = np.random.default_rng(int(rng.integers(2**63)))
        try:
            fits += 1
            _check_learner(learner, kind, twice, table, draw, folder)
        except BoughError:
            refused += 1
        except Exception as error:
            words = " ".join(str(error).split())[:300]
            fell.append(f"{name}: {' '.join(repr(learner).split())}: {type(error).__name__}: {words}")
    return fits, refused, fell


def _check_learner(learner, kind, twice, table, rng, folder):
    X = table.levels() if isinstance(learner, bough.ID3Classifier) else table.X
    y, weight = table.target(kind.task), table.weight
    model = clone(learner).fit(X, y, sample_weight=weight)
    strange = strange_rows(rng, X)
    for rows in (X, strange):
        _check_answers(model, kind, rows)
    if rng.random() >= COSTLY:
        return
    if model.model_ is not None and not isinstance(learner, bough.UserTree):
        _check_file(model, X, folder)
        _demand(bough.regrow(model.model_, X, y, weight) == model.model_, "the model regrown is another")
    if "n_jobs" in model.get_params():
        again = clone(learner).set_params(n_jobs=3).fit(X, y, sample_weight=weight)
        _demand(_same(again.predict(X), model.predict(X)), "3 threads predict otherwise")
        _demand(again.model_ == model.model_, "3 threads grow another model")
    if twice and table.whole and weight is not None:
        many = np.repeat(np.arange(len(X)), weight.astype(int))
        repeated = clone(learner).fit(X.iloc[many], y[many])
        _demand(_same(repeated.predict(X), model.predict(X)), "a weight of 2 is not the row twice")


def _check_answers(model, kind, X):
    answers = model.predict(X)
    _demand(len(answers) == len(X), "predict gives another number of rows")
    if kind.task != "classes":
        _demand(np.isfinite(answers).all(), "predict gives NaN or infinity")
        return
    shares = model.predict_proba(X)
    rounding = SINGLE if isinstance(model, bough.C50Classifier) else ROUNDING
    _demand(np.isfinite(shares).all(), "predict_proba gives NaN or infinity")
    _demand((shares >= 0).all() and (shares <= 1 + rounding).all(), "a probability is not from 0 to 1")
    _demand(np.abs(shares.sum(axis=1) - 1).max() <= rounding, "probabilities do not sum to 1")
    _demand(np.isin(answers, model.classes_).all(), "predict gives a class that is not one of classes_")
    if kind.largest:
        chosen = shares[np.arange(len(X)), np.searchsorted(model.classes_, answers)]
        _demand((chosen >= shares.max(axis=1) - rounding).all(), "predict is not the most probable class")


def _check_file(model, X, folder):
    for ending in ("json", "bough"):
        path = folder / f"model.{ending}"
        model.model_.save(path)
        loaded = bough.load(path)
        _demand(loaded == model.model_, "the model loaded is another")
        _demand(_same(loaded.predict(X), model.predict(X)), "the model loaded predicts otherwise")


def _same(first, second):
    return np.array_equal(first, second)


def _demand(holds, law):
    if not holds:
        raise BrokenLawError(law)
