"""Work on a level of a tree whose rows are elsewhere: its division into batches, and its progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter

from bough.growing.coded import BinEdges
from bough.progress import LevelReport, level_watcher

_MOST_SUMS = 2**22
"""The histograms of a batch of leaves have at most about so many sums."""


def batches(leaves: Sequence[int], edges: Sequence[BinEdges], width: int) -> Iterator[Sequence[int]]:
    """Divide leaves into batches, given the number of sums in each cell, so that memory stays bounded.

    >>> [*batches([3, 4, 5], [BinEdges.of_levels(2**20)], 2)]
    [[3], [4], [5]]
    """
    n_cells = sum(each.n_codes for each in edges)
    size = max(1, _MOST_SUMS // (n_cells * width))
    for first in range(0, len(leaves), size):
        yield leaves[first : first + size]


class LevelProgress:
    """Reports each level: the share of the work that is done, its leaves and rows, and the time that is left.

    The work of a level is the number of cases in its leaves. If the number of levels is not known, the share
    is that of the cases whose leaves are finished.

    >>> from bough.progress import watched
    >>> progress = LevelProgress()
    >>> with watched(lambda share: print(f"{share:.0%}")):
    ...     progress.expect({0: 8.0}, 2)
    ...     progress.leave([0])
    ...     progress.expect({1: 2.0}, 1)
    0%
    80%
    """

    def __init__(self) -> None:
        self.waiting: dict[int, float] = {}
        self._level, self._n_cases, self._counted, self._began = 0, 0.0, 0.0, 0.0

    def expect(self, cases: Mapping[int, float], levels_left: int | None = None) -> None:
        """Add new leaves that may be split, with their cases, before they are counted."""
        self.waiting |= cases
        waiting = sum(self.waiting.values())
        self._n_cases = self._n_cases or waiting
        self._began = self._began or perf_counter()
        share = 0.0 if self._n_cases == 0 else 1.0 - waiting / self._n_cases
        if levels_left is not None and self._counted:
            share = self._counted / (self._counted + waiting * levels_left)
        report = level_watcher()
        if report is not None and self._n_cases:
            seconds = perf_counter() - self._began
            left = seconds * (1.0 - share) / share if share > 0 else None
            report(LevelReport(self._level, len(self.waiting), waiting, share, left))
        self._level, self._counted = self._level + 1, self._counted + waiting

    def leave(self, leaves: Iterable[int]) -> None:
        """Remove leaves that have been split."""
        for leaf in leaves:
            self.waiting.pop(leaf, None)
