"""Progress of forests and boosting: a bar on the terminal, and scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from bough.data.readers.source import refuse_sparse
from bough.data.training import GivenRows
from bough.data.words import figure_words
from bough.growing.draws import read_seed
from bough.learners.reading import read_for
from bough.progress import Progress, unwatched

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupport:  # type: ignore[no-redef]
        """A substitute for versions of scikit-learn without callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method itself."""
        return method


__all__ = [
    "CallbackSupport",
    "ProgressReports",
    "fitted_with_progress",
    "progress_reports",
    "with_callbacks",
]

Result = TypeVar("Result")


class ProgressReports:
    """Functions to call with the fraction of the trees that are grown, and with their errors.

    >>> seen = []
    >>> reports = ProgressReports([seen.append], lambda n_trees, errors: seen.append(errors))
    >>> reports(0.5)
    >>> reports.report_errors(50, {"OOB error": 0.1})
    >>> seen
    [0.5, {'OOB error': 0.1}]
    """

    def __init__(
        self, of_share: list[Progress], of_errors: Callable[[int, dict[str, float]], None], n_trees: int = 1
    ) -> None:
        self._of_share = of_share
        self._of_errors = of_errors
        self._n_trees = n_trees

    def __call__(self, share: float) -> None:
        """Report the fraction of the trees that are grown."""
        for watcher in self._of_share:
            watcher(share)

    def part(self, before: int, many: int) -> Progress:
        """Return a function that converts the progress of some of the trees into that of all.

        >>> seen = []
        >>> ProgressReports([seen.append], print, n_trees=10).part(5, 5)(0.5)
        >>> seen
        [0.75]
        """
        return lambda share: self((before + share * many) / self._n_trees)

    def report_errors(self, n_trees: int, errors: dict[str, float]) -> None:
        """Report the errors of the first `n_trees` trees.

        >>> ProgressReports([], print).report_errors(50, {"OOB error": 0.25})
        50 {'OOB error': 0.25}
        """
        self._of_errors(n_trees, errors)


@contextmanager
def progress_reports(
    estimator: Any, n_trees: int, verbose: int, unit: str = "trees"
) -> Iterator[ProgressReports | None]:
    """Yield the function to call with the fraction of the work done; None if no progress is shown.

    If `verbose` is at least 1, a bar shows the number of trees, or rounds, and their errors; if it is
    at least 2, a line is printed each time the errors are computed, as randomForest's do.trace does.

    >>> with progress_reports(object(), 10, verbose=0) as progress:
    ...     print(progress)
    None
    """
    reports: list[Progress] = []
    with ExitStack() as stack:
        show_errors: Callable[[int, dict[str, float]], None] = _silent
        if verbose:
            bar, show_errors = stack.enter_context(_bar(n_trees, unit, lines=verbose > 1))
            reports.append(bar)
        if getattr(estimator, "_skl_callbacks", None):
            reports.append(stack.enter_context(_sklearn_callbacks(estimator, n_trees)))
        if not reports:
            yield None
            return
        all_reports = ProgressReports(reports, show_errors, n_trees)
        yield all_reports
        all_reports(1.0)


def _silent(n_trees: int, errors: dict[str, float]) -> None:
    """Report nothing."""


def fitted_with_progress(learner: Any, given: GivenRows, fit: Callable[..., Result]) -> Result:
    """Fit the recipe of a learner to the rows given, with the seed that is drawn, and show the progress.

    >>> from bough import TransformRegressor
    >>> given = GivenRows([[1.0], [2.0]], [1.0, 2.0])
    >>> fit = lambda recipe, training, n_jobs, report: (recipe.seed is None, training.target)
    >>> fitted_with_progress(TransformRegressor(random_state=7), given, fit)
    (False, array([1., 2.]))
    """
    recipe = replace(learner.recipe(), seed=read_seed(learner.random_state))
    refuse_sparse("X", given.X)
    training = read_for(learner, recipe, given)
    assert recipe.ensemble is not None
    with progress_reports(learner, recipe.ensemble.n_estimators, learner.verbose) as reports:
        return fit(recipe, training, n_jobs=learner.n_jobs, report=reports or unwatched)


@contextmanager
def _bar(
    n_trees: int, unit: str, lines: bool
) -> Iterator[tuple[Progress, Callable[[int, dict[str, float]], None]]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("Growing trees" if unit == "trees" else "Boosting"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=n_trees)

        def show_errors(n_grown: int, errors: dict[str, float]) -> None:
            words = ", ".join(f"{name} {figure_words(error, 4)}" for name, error in errors.items())
            bar.update(task, description=words)
            if lines:
                bar.console.print(f"{n_grown:6} {unit}: {words}", highlight=False)

        yield lambda share: bar.update(task, completed=int(share * n_trees + 1e-9)), show_errors


@contextmanager
def _sklearn_callbacks(estimator: Any, n_trees: int) -> Iterator[Progress]:
    """Report each tree to scikit-learn's callbacks as a task that begins and ends."""
    context = estimator._init_callback_context(max_subtasks=n_trees)
    context.call_on_fit_task_begin(estimator=estimator)
    n_reported = 0

    def progress(share: float) -> None:
        nonlocal n_reported
        while n_reported < int(share * n_trees + 1e-9):
            tree = context.subcontext(task_name="tree")
            tree.call_on_fit_task_begin(estimator=estimator)
            tree.call_on_fit_task_end(estimator=estimator)
            n_reported += 1

    yield progress
    context.call_on_fit_task_end(estimator=estimator)
