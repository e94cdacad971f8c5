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


__all__ = ["CallbackSupport", "shown", "with_callbacks"]


@contextmanager
def shown(estimator: Any, n_trees: int, verbose: int) -> Iterator[Progress | None]:
    """Give what growth is to call with the share of its work done; None where nobody wants to know.

    >>> with shown(object(), 10, verbose=0) as progress:
    ...     print(progress)
    None
    """
    watchers: list[Progress] = []
    with ExitStack() as stack:
        if verbose:
            watchers.append(stack.enter_context(_bar(n_trees)))
        if getattr(estimator, "_skl_callbacks", None):
            watchers.append(stack.enter_context(_told(estimator, n_trees)))

        def progress(share: float) -> None:
            for watcher in watchers:
                watcher(share)

        yield progress if watchers else None
        progress(1.0)


@contextmanager
def _bar(n_trees: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("Growing trees"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("trees", total=n_trees)
        yield lambda share: bar.update(task, completed=int(share * n_trees + 1e-9))


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
