"""Progress of long work, shown as a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer

Progress = Callable[[float], None]

# What ends within this many seconds needs no bar.
_PATIENCE = 1.0

_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None] | None]:
    """Say on a terminal what is going on, once it has taken a second; elsewhere say nothing.

    Gives a function to call with the share done; None where nobody looks.

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
    timer = Timer(_PATIENCE, bar.start)
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
    """Within it, `progress` is called now and then by every growth with the share of its work done.

    >>> with watched(lambda share: print(f"{share:.0%}")):
    ...     pass
    """
    token = _watcher.set(progress)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Progress | None:
    """Return what is to be called with the share of the work done, None where nobody watches.

    >>> watcher() is None
    True
    """
    return _watcher.get()
