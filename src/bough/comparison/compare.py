"""Comparison of learners on one table, by cross-validation on the same folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from operator import call
from typing import Any

import numpy as np

from bough.catalogue import HOMES, named
from bough.comparison.comparison import Comparison, Entry, paired_p_value
from bough.comparison.judging import Judging, judging_of, of_hazards, times_of
from bough.data.readers import divided, take
from bough.data.target import task_of_target
from bough.errors import ParameterError
from bough.evaluation.arguments import check_rows
from bough.evaluation.evaluate import folds, take_labels
from bough.evaluation.measures import mean_and_error
from bough.tree.identifiers import one_identifier_warning
from bough.types import Floats, Task

BASELINE = "one answer for all"

# A search would otherwise take as long as it needs for a proof.
_PARAMETERS = {f"OptimalTree{kind}": {"time_limit": 10.0} for kind in ("Classifier", "Regressor")}


def compare(
    X: Any,
    y: Any,
    learners: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    task: Task | None = None,
    cv: Any = 10,
    random_state: Any = 0,
    groups: Any = None,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Comparison:
    """Compare learners on a table by cross-validation: error, size, time, and a paired test against the best.

    `learners` is a dict or a list of estimators; by default it contains all learners of bough for the task,
    with default parameters. y has a value for each row, or is the name of a column of X. The error is the
    error rate or the mean squared error. The p-value is that of the corrected resampled t-test. A learner
    that fails is left out, with the reason; it is an error if all of them fail. The result also contains a
    baseline, a constant prediction.

    `task` is by default that of the learners. Without learners it is "classification" if y holds text, truth
    values, categories, or up to 10 different whole numbers, and "regression" otherwise. `cv` is the number of
    folds or a scikit-learn splitter, `random_state` shuffles the folds, and rows with the same id in `groups`
    are in the same fold. If one of the learners is a ranker, all are compared by 1 − NDCG in these groups.
    Learners of survival times, whose y is a time and a status, are compared by 1 − concordance of each fold.
    `n_jobs` learners run at the same time, each on one core; times are comparable only
    if it is 1. `progress` is called with the share of learners that are finished.

    >>> import bough
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> found = compare(X, y, {"stump": bough.TreeClassifier(max_depth=1)}, cv=4)
    >>> [(entry.name, entry.error) for entry in found]
    [('stump', 0.0), ('one answer for all', 0.5)]
    """
    check_rows(X, y, "compare(X, y, learners)")
    X, y = divided(X, y)
    given = None if learners is None else named_learners(learners)
    times = times_of(y) if of_hazards((given or {}).values()) else None
    found: Task = "regression" if times is not None else _task(y, given or {}, task)
    y = y if times is None else times
    judging = judging_of(given or {}, found, groups, len(y))
    estimators = {**(learners_for(found) if given is None else given), BASELINE: _baseline(found)}
    # Folds of censored times have events in equal shares.
    strata = y if times is None else times["event"]
    by_class = found == "classification" or times is not None
    parts = folds(strata, cv, random_state, by_class=by_class, groups=groups)
    start = time.perf_counter()

    def run(name: str, estimator: Any) -> Entry:
        return _run(name, estimator if n_jobs == 1 else _on_one_core(estimator), X, y, parts, judging)

    runs, refused = _run_all(run, estimators, n_jobs, progress)
    entries = _ranked(runs, parts)
    kept = {name: estimator for name, estimator in estimators.items() if name not in refused}
    seconds = time.perf_counter() - start
    return Comparison(judging.measure, len(y), len(parts), entries, refused, seconds, kept)


def _run_all(
    run: Callable[[str, Any], Entry],
    estimators: Mapping[str, Any],
    n_jobs: int,
    progress: Callable[[float], None] | None,
) -> tuple[list[Entry], dict[str, str]]:
    """Return the entries of the learners, and the reasons why others failed; raise if all of them fail."""
    runs: list[Entry] = []
    refused: dict[str, str] = {}

    def attempt(item: tuple[str, Any]) -> Entry | None:
        try:
            return run(*item)
        except Exception as error:
            # A learner of another library may raise anything; the others are compared without it.
            if item[0] == BASELINE or len(refused) + 2 == len(estimators):
                raise
            refused[item[0]] = next(iter(str(error).splitlines()), type(error).__name__)
            return None

    with one_identifier_warning(), ThreadPoolExecutor(n_jobs) as pool:
        # A thread runs in a copy of this context, in which the warnings are joined.
        jobs = [partial(copy_context().run, attempt, item) for item in estimators.items()]
        outcomes = pool.map(call, jobs) if n_jobs > 1 else map(call, jobs)
        for done, entry in enumerate(outcomes):
            runs += [entry] if entry is not None else []
            if progress is not None:
                progress((done + 1) / len(estimators))
    return runs, refused


def _ranked(runs: list[Entry], parts: list[Any]) -> tuple[Entry, ...]:
    """Return the entries, the one of least error first, with the p-value of a paired test against it."""
    first, *others = sorted(runs, key=lambda entry: entry.error)
    train, test = parts[0]
    share = len(test) / (len(train) + len(test))
    tested = [
        entry._replace(p_value=paired_p_value(entry.fold_errors, first.fold_errors, share))
        for entry in others
    ]
    return (first._replace(p_value=None), *tested)


def learners_for(task: Task) -> dict[str, Any]:
    """Return all learners of bough for a task, by name and with default parameters.

    Forests and bagging have the seed 0, so that a comparison can be repeated. A search for an optimal tree is
    stopped after 10 seconds.

    >>> "TreeRegressor" in learners_for("regression"), "TreeRegressor" in learners_for("classification")
    (True, False)
    """
    suffix = "Classifier" if task == "classification" else "Regressor"
    names = [name for name in HOMES if name.endswith(suffix)]
    learners = {name: named(name)(**_PARAMETERS.get(name, {})) for name in sorted(names)}
    for learner in learners.values():
        if getattr(learner, "random_state", 0) is None:
            learner.set_params(random_state=0)
    return learners


def _on_one_core(estimator: Any) -> Any:
    from sklearn.base import clone

    return clone(estimator).set_params(n_jobs=1) if "n_jobs" in estimator.get_params() else estimator


def _run(name: str, estimator: Any, X: Any, y: Any, parts: list[Any], judging: Judging) -> Entry:
    from sklearn.base import clone

    rows = X if name != BASELINE else np.zeros((len(y), 1))
    found = list[Floats]()
    sizes, seconds = [], []
    for train, test in parts:
        train_rows, labels = take(rows, train), take_labels(y, train)
        start = time.perf_counter()
        model = judging.fitted(clone(estimator), train_rows, labels, train)
        seconds.append(time.perf_counter() - start)
        found.append(judging.losses(model, take(rows, test), take_labels(y, test), test))
        sizes.append(_size(model))
    losses = np.zeros(len(y)) if judging.by_rows else np.concatenate(found)
    if judging.by_rows:
        for (_, test), own in zip(parts, found, strict=True):
            losses[test] = own
    error, standard_error = mean_and_error(losses)
    leaves, depth = (_mean([size[i] for size in sizes]) for i in range(2))
    fold_errors = np.array([own.mean() for own in found])
    spent = float(np.mean(seconds))
    return Entry(name, error, standard_error, leaves, depth, spent, None, losses, fold_errors)


def _size(model: Any) -> tuple[float | None, float | None]:
    if hasattr(model, "get_n_leaves") and hasattr(model, "get_depth"):
        return float(model.get_n_leaves()), float(model.get_depth())
    return None, None


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def named_learners(learners: Any) -> dict[str, Any]:
    """Return learners by name: a dict as it is, and those of a list by their classes.

    >>> import bough
    >>> list(named_learners([bough.TreeClassifier(), bough.TreeClassifier(max_depth=1)]))
    ['TreeClassifier', 'TreeClassifier 2']
    """
    if isinstance(learners, Mapping):
        named = dict(learners)
    elif isinstance(learners, Sequence) and not isinstance(learners, str):
        named = {}
        for each in learners:
            name, known = type(each).__name__, sum(type(each) is type(other) for other in named.values())
            named[f"{name} {known + 1}" if known else name] = each
    else:
        raise ParameterError.of(
            "learners", learners, "a dict from name to estimator, or a list of estimators"
        )
    for name, each in named.items():
        if isinstance(each, type) or not (hasattr(each, "fit") and hasattr(each, "predict")):
            raise ParameterError.of(
                f"learners[{name!r}]", each, "an estimator with fit and predict, such as TreeClassifier()"
            )
    return named


def _task(y: Any, learners: Mapping[str, Any], task: Task | None) -> Task:
    """Return the task given, that of the learners, or that which y asks for."""
    from sklearn.base import is_classifier, is_regressor

    if task not in (None, "classification", "regression"):
        raise ParameterError.of("task", task, "'classification', 'regression' or None")
    found = task
    for name, each in learners.items():
        own: Task | None = (
            "classification" if is_classifier(each) else "regression" if is_regressor(each) else None
        )
        if own is not None and own != (found or own):
            raise ParameterError(
                f"learners[{name!r}] is for {own}, but {found} is compared; compare learners of one task."
            )
        found = found or own
    return found or task_of_target(y)


def _baseline(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier() if task == "classification" else DummyRegressor()
