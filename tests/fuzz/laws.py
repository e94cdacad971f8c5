"""What must hold for every learner on every table."""

import numpy as np
from sklearn.base import clone
from tests.fuzz.random_learners import KINDS
from tests.fuzz.random_tables import random_table

import bough
from bough.data.readers import take
from bough.errors import BoughError

ROUNDING = 1e-9
# C5.0 computes in single precision, and Weka takes probabilities this close for equal.
SINGLE = 1e-5
# J48 and Weka's rule lists take the first of classes that differ by less than 1e-6.
NEAR_TIES = (bough.C45Classifier, bough.C50Classifier, bough.PARTClassifier, bough.RIPPERClassifier)
COSTLY = 0.15
"""The share of the fits for which each law that needs another fit or a file is checked too."""
FRAMES = 0.25
"""The share of the fits that read the table from a frame; the others share what was read."""


class BrokenLawError(Exception):
    """A law does not hold."""


def check(rng, folder):
    """Take a random table through every learner; return the number of fits, of refusals, and what fell."""
    frame = random_table(rng)
    as_text, as_sparse = frame.as_text(), frame.as_sparse()
    read = {id(each): each.read() for each in (frame, as_text)}
    fits, refused, fell = 0, 0, []
    for name, kind in KINDS.items():
        learner, twice = kind.drawn(rng)
        draw = np.random.default_rng(int(rng.integers(2**63)))
        rows = as_text if isinstance(learner, bough.ID3Classifier) else frame
        rows = rows if draw.random() < FRAMES else read[id(rows)]
        if kind.sparse:
            rows = as_sparse
        if rows is None:
            continue
        try:
            fits += 1
            if _fits(learner, kind, rows):
                _check_laws(learner, kind, twice, rows, draw, folder)
            else:
                refused += 1
        except Exception as error:
            words = " ".join(str(error).split())[:300]
            fell.append(f"{name}: {' '.join(repr(learner).split())}: {type(error).__name__}: {words}")
    return fits, refused, fell


def _fits(learner, kind, table):
    """Fit a learner; return False if it refuses the table. What it has accepted must not be refused later."""
    try:
        learner.fit(table.X, table.target(kind.task), sample_weight=table.weight, **kind.given(table))
    except BoughError:
        return False
    return True


def _check_laws(model, kind, twice, table, rng, folder):
    X, y, weight = table.X, table.target(kind.task), table.weight
    answers = _answers(model, kind, table)
    is_own = not isinstance(model, bough.UserTree) and not kind.of_estimators
    saved = model.model_ is not None and is_own
    if saved and rng.random() < COSTLY:
        _check_file(model, X, answers, folder / f"model.{rng.choice(['json', 'bough'])}")
    if saved and rng.random() < COSTLY:
        regrown = bough.regrow(model.model_, X, y, weight, **kind.given(table))
        _demand(regrown == model.model_, "the model regrown is another")
    # Forests of numbers, and of weights that are not whole, sum in another order of the rows.
    exact = kind.twice or (kind.task == "classes" and table.whole)
    if kind.sparse and exact and rng.random() < COSTLY:
        dense = clone(model).fit(X.toarray(), y, sample_weight=weight)
        _demand(_same(dense.predict(X.toarray()), answers), "the dense table predicts otherwise")
    if "n_jobs" in model.get_params() and rng.random() < COSTLY:
        again = clone(model).set_params(n_jobs=3).fit(X, y, sample_weight=weight, **kind.given(table))
        _demand(_same(again.predict(X), answers), "3 threads predict otherwise")
        _demand(not is_own or again.model_ == model.model_, "3 threads grow another model")
    if twice and table.whole and weight is not None and rng.random() < COSTLY:
        many = np.repeat(np.arange(table.n_rows), weight.astype(int))
        repeated = clone(model).fit(take(X, many), y[many], **kind.given(table))
        _demand(_same(repeated.predict(X), answers), "a weight of 2 is not the row twice")


def _answers(model, kind, table):
    """Return the answers for the rows of fit, after strange rows have been answered or refused too."""
    try:
        return _checked_answers(model, kind, table.asked)[: table.n_rows]
    except BoughError:
        return _checked_answers(model, kind, table.X)


def _checked_answers(model, kind, X):
    answers = model.predict(X)
    _demand(len(answers) == X.shape[0], "predict gives another number of rows")
    if kind.task.endswith("classes") and kind.task != "classes":
        for place, shares in enumerate(model.predict_proba(X)):
            _check_shares(shares, ROUNDING)
            _demand(
                np.isin(answers[:, place], model.classes_[place]).all(), "predict gives no class of classes_"
            )
        return answers
    if kind.task != "classes":
        _demand(np.isfinite(answers).all(), "predict gives NaN or infinity")
        return answers
    shares = model.predict_proba(X)
    rounding = SINGLE if isinstance(model, NEAR_TIES) else ROUNDING
    _check_shares(shares, rounding)
    _demand(np.isin(answers, model.classes_).all(), "predict gives a class that is not one of classes_")
    if kind.largest:
        chosen = shares[np.arange(len(answers)), np.searchsorted(model.classes_, answers)]
        _demand((chosen >= shares.max(axis=1) - rounding).all(), "predict is not the most probable class")
    return answers


def _check_shares(shares, rounding):
    _demand(np.isfinite(shares).all(), "predict_proba gives NaN or infinity")
    _demand((shares >= 0).all() and (shares <= 1 + rounding).all(), "a probability is not from 0 to 1")
    _demand(np.abs(shares.sum(axis=1) - 1).max() <= rounding, "probabilities do not sum to 1")


def _check_file(model, X, answers, path):
    model.model_.save(path)
    loaded = bough.load(path)
    _demand(loaded == model.model_, "the model loaded is another")
    _demand(_same(loaded.predict(X), answers), "the model loaded predicts otherwise")


def _same(first, second):
    return np.array_equal(first, second)


def _demand(holds, law):
    if not holds:
        raise BrokenLawError(law)
