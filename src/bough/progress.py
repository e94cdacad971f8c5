"""Progress of long work, shown as a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

# What ends within this many seconds needs no bar.
_PATIENCE = 1.0


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
