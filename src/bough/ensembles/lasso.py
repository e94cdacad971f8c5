"""The lasso path of a linear model, and the penalty of it that cross-validation chooses.

Columns are indicators, such as rules, and numbers, such as predictions of trees. The models of all penalties
are found by coordinate descent in C++ (`cpp/bough/lasso`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.target import ClassTarget
from bough.data.training import Training
from bough.growing.limits import check_whole
from bough.growing.pruning import check_choice
from bough.jobs import n_threads
from bough.learners.folds import drawn_folds
from bough.progress import watcher
from bough.types import Floats

PenaltyRule: TypeAlias = Literal["best", "one_se"]
"""Which penalty is chosen: that of the lowest cross-validated loss, or the greatest one whose loss is at most
one standard error above it."""

_PENALTIES = 100
_MOST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of a linear model: first indicators, given by their rows, then numbers (columns × rows).

    >>> design = Design.of([np.array([1, 2])], np.array([[5.0, 6.0, 7.0]]))
    >>> design.n_columns, design.rows
    (2, array([1, 2], dtype=int32))
    """

    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    numbers: Floats
    only: npt.NDArray[np.int32] | None = None
    """The score that each column may add to; None if every column may add to all."""

    @classmethod
    def of(cls, indicators: Sequence[npt.NDArray[Any]], numbers: Floats) -> Design:
        """Return the design of indicators, each given by the rows where it is 1, and of numbers.

        >>> Design.of([], np.ones((2, 3))).n_columns
        2
        """
        starts = np.cumsum([0, *map(len, indicators)], dtype=np.int64)
        rows = np.concatenate([*indicators, np.empty(0)]).astype(np.int32)
        return cls(starts, rows, np.ascontiguousarray(numbers, dtype=np.float64))

    @property
    def n_columns(self) -> int:
        """The number of columns.

        >>> Design.of([np.array([0])], np.ones((2, 3))).n_columns
        3
        """
        return len(self.starts) - 1 + len(self.numbers)


class Terms(NamedTuple):
    """A model of the path: the intercept of each score; the column, score and coefficient of each term."""

    intercept: Floats
    column: npt.NDArray[np.int32]
    score: npt.NDArray[np.int32]
    coefficient: Floats


@dataclass(frozen=True, eq=False)
class LassoPath:
    """The models of falling penalties, and the mean loss of each on held-out folds (folds × penalties).

    >>> design = Design.of([], np.array([[0.0, 1.0, 2.0, 3.0]]))
    >>> path = lasso_path(design, np.array([0.0, 1.0, 2.0, 3.0]), n_penalties=2)
    >>> path.penalties.round(5), path.terms(1).coefficient.round(3)
    (array([1.25   , 0.00125]), array([0.999]))
    """

    penalties: Floats
    intercept: Floats
    loss: Floats
    start: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    score: npt.NDArray[np.int32]
    coefficient: Floats
    held_out: Floats

    def terms(self, number: int) -> Terms:
        """Return the model of one penalty.

        >>> design = Design.of([], np.array([[0.0, 1.0, 2.0, 3.0]]))
        >>> lasso_path(design, np.array([0.0, 1.0, 2.0, 3.0])).terms(0).intercept
        array([1.5])
        """
        own = slice(int(self.start[number]), int(self.start[number + 1]))
        return Terms(self.intercept[number], self.column[own], self.score[own], self.coefficient[own])

    def chosen(self, rule: PenaltyRule) -> int:
        """Return the number of the penalty that a rule chooses by the losses of the folds.

        >>> x, noise = np.arange(40.0), np.random.default_rng(0).normal(size=40)
        >>> folds = (np.arange(40, dtype=np.int32) % 4, 4)
        >>> path = lasso_path(Design.of([], np.array([x, noise])), 0.1 * x + noise[::-1], folds=folds)
        >>> path.chosen("one_se") <= path.chosen("best")
        True
        """
        held_out = self.held_out[:, : len(self.penalties)]
        if not len(held_out):
            return len(self.penalties) - 1
        mean = held_out.mean(axis=0)
        best = int(mean.argmin())
        if rule == "best":
            return best
        error = held_out[:, best].std(ddof=1) / np.sqrt(len(held_out))
        return int(np.argmax(mean <= mean[best] + error))


def lasso_path(
    design: Design,
    y: Floats,
    weight: Floats | None = None,
    *,
    n_classes: int = 0,
    folds: tuple[npt.NDArray[np.int32], int] | None = None,
    penalties: Sequence[float] = (),
    n_penalties: int = _PENALTIES,
    max_terms: int = 0,
    tolerance: float = 1e-7,
    n_jobs: int | None = None,
) -> LassoPath:
    """Return the models that minimize the mean loss plus a penalty times the sum of absolute coefficients.

    The loss is half the squared error of numbers y, or the log-loss of the codes of `n_classes` classes.
    `folds` are the fold of each row, and their number. By default the penalties fall from the least one
    without a term to a thousandth of it. The path ends before a model has more than `max_terms` terms, unless
    that is 0, and where the rows are fitted perfectly.

    >>> design = Design.of([np.array([2, 3])], np.empty((0, 4)))
    >>> path = lasso_path(design, np.array([0.0, 0.0, 1.0, 1.0]), n_classes=2)
    >>> path.intercept.shape[1], bool(path.terms(30).coefficient[0] > 0)
    (1, True)
    """
    n_scores = n_classes if n_classes > 2 else 1
    loss = "squared_error" if not n_classes else "logistic" if n_scores == 1 else "softmax"
    fold, n_folds = folds or (None, 0)
    settings = {
        "loss": loss,
        "n_scores": n_scores,
        "n_folds": n_folds,
        "penalties": list(penalties),
        "n_penalties": n_penalties,
        "least_share": 1e-3,
        "max_terms": max_terms,
        "tolerance": tolerance,
        "max_sweeps": 10_000,
    }
    y = np.ascontiguousarray(y, dtype=np.float64)
    arrays = (design.starts, design.rows, design.numbers, design.only, y, weight, fold)
    found = _core.lasso_path(*arrays, settings, n_threads(n_jobs), watcher())
    found["intercept"] = found["intercept"].reshape(-1, n_scores)
    found["held_out"] = found["held_out"].reshape(n_folds, -1 if n_folds else 0)
    return LassoPath(**found)


def lasso_settings(cv: Any, rule: Any, max_terms: Any) -> dict[str, Any]:
    """Return the settings of a path for a recipe; raise for one that is invalid.

    >>> lasso_settings(5, "best", None)
    {'cv': 5, 'rule': 'best', 'max_terms': 0}
    """
    check_choice("rule", rule, ("best", "one_se"))
    check_whole("cv", cv, 2, _MOST)
    if max_terms is not None:
        check_whole("max_terms", max_terms, 1, _MOST, end=", or None")
    return {"cv": int(cv), "rule": rule, "max_terms": int(max_terms or 0)}


class FittedTerms(NamedTuple):
    """The model that cross-validation chose, its number on the path, and the path, which is in units of y."""

    terms: Terms
    number: int
    path: LassoPath


def fit_terms(
    design: Design, training: Training, settings: dict[str, Any], seed: int | None, n_jobs: int | None = None
) -> FittedTerms:
    """Return the linear model of training rows that the settings choose.

    >>> from bough.data.table import Table
    >>> from bough.data.target import read_weights
    >>> y = np.arange(8.0)
    >>> training = Training(Table.read(y[:, None]), y, read_weights(None, 8), np.arange(8), 8)
    >>> settings = lasso_settings(2, "best", None)
    >>> fit_terms(Design.of([], y[None]), training, settings, seed=0).terms.coefficient.round(2)
    array([1.])
    """
    target: Any = training.target
    n_rows = training.table.n_rows
    is_classes = isinstance(target, ClassTarget)
    y = target.codes.astype(np.float64) if isinstance(target, ClassTarget) else np.asarray(target)
    scale = 1.0 if is_classes else scale_of(y)
    n_folds = min(settings["cv"], n_rows)
    folds = (drawn_folds(n_folds, target, n_rows, seed), n_folds) if n_folds >= 2 else None
    path = lasso_path(
        design,
        y / scale,
        training.weights.weight,
        n_classes=len(target.classes) if isinstance(target, ClassTarget) else 0,
        folds=folds,
        max_terms=settings["max_terms"],
        n_jobs=n_jobs,
    )
    number = path.chosen(settings["rule"])
    scaled = {name: getattr(path, name) * scale for name in ("penalties", "intercept", "coefficient")}
    squares = {name: getattr(path, name) * scale**2 for name in ("loss", "held_out")}
    path = replace(path, **scaled, **squares)
    return FittedTerms(path.terms(number), number, path)


def scale_of(values: Floats) -> float:
    """Return a power of two near the greatest absolute value, by which numbers are divided exactly.

    >>> scale_of(np.array([-5.0, 3.0])), scale_of(np.zeros(2))
    (8.0, 1.0)
    """
    most = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, math.frexp(most)[1]) if most > 0 else 1.0
