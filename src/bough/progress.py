"""A progress bar on the terminal for long computations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer

Progress = Callable[[float], None]

# The bar appears after this many seconds, so that short computations show none.
_DELAY = 1.0

_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None] | None]:
    """Show a progress bar if stderr is a terminal and the work takes more than a second.

    Yields a function to call with the fraction of the work done, or None if stderr is not a terminal.

    >>> with working("Growing the tree") as progress:
    ...     tree = "grown"
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    timer = Timer(_DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda share: bar.update(task, completed=share, total=1.0)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def watched(progress: Progress | None) -> Iterator[None]:
    """Within this context, growing a tree calls `progress` repeatedly with the fraction of its work done.

    >>> with watched(lambda share: print(f"{share:.0%}")):
    ...     pass
    """
    token = _watcher.set(progress)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Progress | None:
    """Return the function to call with the fraction of the work done, or None if there is none.

    >>> watcher() is None
    True
    """
    return _watcher.get()
