"""A progress bar on the terminal for long computations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from threading import Timer
from typing import Any, NamedTuple, TypeVar

Progress = Callable[[float], None]
BoundsProgress = Callable[[float, float], None]


class LevelReport(NamedTuple):
    """A level of a tree whose rows are elsewhere, before it is counted.

    `cases` are those of the leaves that may be split, and `seconds_left` is estimated from the levels so far,
    None at the first.
    """

    level: int
    n_leaves: int
    cases: float
    share: float
    seconds_left: float | None

    def __str__(self) -> str:
        """Return the report in words.

        >>> print(LevelReport(3, 8, 1.2e6, 0.5, 20.4))
        level 3, 8 leaves, 1,200,000 rows, about 20 s left
        """
        left = "" if self.seconds_left is None else f", about {self.seconds_left:.0f} s left"
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves:,} leaves"
        return f"level {self.level}, {leaves}, {self.cases:,.0f} rows{left}"


LevelsProgress = Callable[[LevelReport], None]

# The bar appears after this many seconds, so that short computations show none.
_DELAY = 1.0

_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)
_bounds_watcher: ContextVar[BoundsProgress | None] = ContextVar("bounds_watcher", default=None)
_levels_watcher: ContextVar[LevelsProgress | None] = ContextVar("levels_watcher", default=None)


@contextmanager
def working(what: str) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar if stderr is a terminal and the work takes more than a second.

    Yields a function to call with the fraction of the work done and, if it has changed, a description of the
    work; or None if stderr is not a terminal.

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
        yield lambda share, now=what: bar.update(task, completed=share, total=1.0, description=now)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def unwatched(share: float) -> None:
    """Ignore the fraction of the work done.

    >>> unwatched(0.5)
    """


Watcher = TypeVar("Watcher")


@contextmanager
def _while_set(variable: ContextVar[Watcher], watcher: Watcher) -> Iterator[None]:
    """Within this context, a variable has this value."""
    token = variable.set(watcher)
    try:
        yield
    finally:
        variable.reset(token)


def watched(progress: Progress | None) -> AbstractContextManager[None]:
    """Within this context, growing a tree calls `progress` repeatedly with the fraction of its work done.

    >>> with watched(lambda share: print(f"{share:.0%}")):
    ...     pass
    """
    return _while_set(_watcher, progress)


def watcher() -> Progress | None:
    """Return the function to call with the fraction of the work done, or None if there is none.

    >>> watcher() is None
    True
    """
    return _watcher.get()


def part_of(progress: Progress | None, number: int, n_parts: int) -> Progress | None:
    """Return the function to call with the fraction done of one of several equal parts of the work.

    >>> part_of(print, 1, 4)(0.5)
    0.375
    """
    return None if progress is None else lambda share: progress((number + share) / n_parts)


def watched_bounds(progress: BoundsProgress | None) -> AbstractContextManager[None]:
    """Within this context, a search calls `progress` repeatedly with its lower bound and the best objective.

    >>> with watched_bounds(lambda lower, objective: print(f"{lower:.3f} to {objective:.3f}")):
    ...     pass
    """
    return _while_set(_bounds_watcher, progress)


@contextmanager
def _showing(what: str, watched_by: Callable[[Any], AbstractContextManager[None]]) -> Iterator[None]:
    """Show progress on the terminal within this context; nothing is watched where there is no terminal."""
    with working(what) as progress, nullcontext() if progress is None else watched_by(progress):
        yield


def showing_bounds(what: str) -> AbstractContextManager[None]:
    """Show the bounds of a search on the terminal as they close, if it takes more than a second.

    >>> with showing_bounds("Searching the best tree"):
    ...     tree = "found"
    """

    def watched_by(progress: Any) -> AbstractContextManager[None]:
        def show(lower: float, objective: float) -> None:
            progress(1.0 if objective <= 0 else lower / objective, f"{what}: {lower:.4g} to {objective:.4g}")

        return watched_bounds(show)

    return _showing(what, watched_by)


def bounds_watcher(unit: float, offset: float) -> BoundsProgress | None:
    """Return the function to call with the bounds of a search, in units of `unit` above `offset`.

    >>> with watched_bounds(lambda lower, objective: print(lower, objective)):
    ...     bounds_watcher(0.5, 1.0)(2.0, 4.0)
    2.0 3.0
    """
    share, bounds = _watcher.get(), _bounds_watcher.get()
    if share is None and bounds is None:
        return None

    def watch(lower: float, objective: float) -> None:
        if share is not None:
            share(1.0 if objective <= 0 else lower / objective)
        if bounds is not None:
            bounds(lower * unit + offset, objective * unit + offset)

    return watch


def watched_levels(progress: LevelsProgress | None) -> AbstractContextManager[None]:
    """Within this context, growth in a database or on a cluster calls `progress` with a report of each level.

    >>> with watched_levels(print):
    ...     level_watcher()(LevelReport(0, 1, 8.0, 0.0, None))
    level 0, 1 leaf, 8 rows
    """
    return _while_set(_levels_watcher, progress)


def level_watcher() -> LevelsProgress | None:
    """Return the function to call with a report of each level, or None if nobody watches.

    >>> level_watcher() is None
    True
    """
    share, levels = _watcher.get(), _levels_watcher.get()
    if share is None and levels is None:
        return None

    def watch(report: LevelReport) -> None:
        if share is not None:
            share(report.share)
        if levels is not None:
            levels(report)

    return watch


def showing_levels(what: str) -> AbstractContextManager[None]:
    """Show the levels of a tree on the terminal as they are counted, if that takes more than a second.

    >>> with showing_levels("Growing the tree"):
    ...     tree = "grown"
    """

    def watched_by(progress: Any) -> AbstractContextManager[None]:
        return watched_levels(lambda report: progress(report.share, f"{what}: {report}"))

    return _showing(what, watched_by)
