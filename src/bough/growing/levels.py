"""Work on a level of a tree whose rows are elsewhere: its division into batches, and its progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bough.growing.coded import BinEdges
from bough.progress import watcher

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
    """Reports the share of the cases whose leaves are finished, once for each level.

    >>> from bough.progress import watched
    >>> progress = LevelProgress()
    >>> with watched(lambda share: print(f"{share:.0%}")):
    ...     progress.expect({0: 8.0})
    ...     progress.leave([0])
    ...     progress.expect({1: 2.0})
    0%
    75%
    """

    def __init__(self) -> None:
        self.waiting: dict[int, float] = {}
        self._n_cases = 0.0

    def expect(self, cases: Mapping[int, float]) -> None:
        """Add new leaves that may be split, with their cases."""
        self.waiting |= cases
        self._n_cases = self._n_cases or sum(cases.values())
        report = watcher()
        if report is not None and self._n_cases:
            report(1.0 - sum(self.waiting.values()) / self._n_cases)

    def leave(self, leaves: Iterable[int]) -> None:
        """Remove leaves that have been split."""
        for leaf in leaves:
            self.waiting.pop(leaf, None)
