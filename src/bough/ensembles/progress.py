"""How far the growth of a forest has come: a bar on the terminal, and scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from bough.ensembles.growing import Progress

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupport:  # type: ignore[no-redef]
        """Stands in where scikit-learn knows no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method itself."""
        return method


__all__ = ["CallbackSupport", "Watchers", "shown", "with_callbacks"]


class Watchers:
    """Those who want to know how far a forest has grown, and how wrong it still is.

    >>> seen = []
    >>> watchers = Watchers([seen.append], lambda n_trees, errors: seen.append(errors))
    >>> watchers(0.5)
    >>> watchers.tell(50, {"OOB": 0.1})
    >>> seen
    [0.5, {'OOB': 0.1}]
    """

    def __init__(
        self, of_share: list[Progress], of_errors: Callable[[int, dict[str, float]], None], n_trees: int = 1
    ) -> None:
        self._of_share = of_share
        self._of_errors = of_errors
        self._n_trees = n_trees

    def __call__(self, share: float) -> None:
        """Tell the share of the trees that are grown."""
        for watcher in self._of_share:
            watcher(share)

    def part(self, before: int, many: int) -> Progress:
        """Return what the growth of some of the trees is to call with the share of them.

        >>> seen = []
        >>> Watchers([seen.append], print, n_trees=10).part(5, 5)(0.5)
        >>> seen
        [0.75]
        """
        return lambda share: self((before + share * many) / self._n_trees)

    def tell(self, n_trees: int, errors: dict[str, float]) -> None:
        """Tell the errors of so many trees.

        >>> Watchers([], print).tell(50, {"OOB": 0.25})
        50 {'OOB': 0.25}
        """
        self._of_errors(n_trees, errors)


@contextmanager
def shown(estimator: Any, n_trees: int, verbose: int) -> Iterator[Watchers | None]:
    """Give what growth is to call with the share of its work done; None where nobody wants to know.

    With `verbose` a bar shows the trees and their errors; from 2 on, each step of the errors is a line, as
    randomForest's do.trace writes them.

    >>> with shown(object(), 10, verbose=0) as progress:
    ...     print(progress)
    None
    """
    watchers: list[Progress] = []
    with ExitStack() as stack:
        tell: Callable[[int, dict[str, float]], None] = _silent
        if verbose:
            bar, tell = stack.enter_context(_bar(n_trees, lines=verbose > 1))
            watchers.append(bar)
        if getattr(estimator, "_skl_callbacks", None):
            watchers.append(stack.enter_context(_told(estimator, n_trees)))
        if not watchers:
            yield None
            return
        everyone = Watchers(watchers, tell, n_trees)
        yield everyone
        everyone(1.0)


def _silent(n_trees: int, errors: dict[str, float]) -> None:
    """Tell nobody."""


@contextmanager
def _bar(n_trees: int, lines: bool) -> Iterator[tuple[Progress, Callable[[int, dict[str, float]], None]]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("Growing trees"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=n_trees)

        def tell(n_grown: int, errors: dict[str, float]) -> None:
            words = ", ".join(f"{name} error {error:.4g}" for name, error in errors.items())
            bar.update(task, description=words)
            if lines:
                bar.console.print(f"{n_grown:6} trees: {words}", highlight=False)

        yield lambda share: bar.update(task, completed=int(share * n_trees + 1e-9)), tell


@contextmanager
def _told(estimator: Any, n_trees: int) -> Iterator[Progress]:
    """Tell scikit-learn's callbacks of each tree: a task begins and ends."""
    context = estimator._init_callback_context(max_subtasks=n_trees)
    context.call_on_fit_task_begin(estimator=estimator)
    told = 0

    def progress(share: float) -> None:
        nonlocal told
        while told < int(share * n_trees + 1e-9):
            tree = context.subcontext(task_name="tree")
            tree.call_on_fit_task_begin(estimator=estimator)
            tree.call_on_fit_task_end(estimator=estimator)
            told += 1

    yield progress
    context.call_on_fit_task_end(estimator=estimator)
