"""Partitions of a Dask DataFrame. Without a client of dask.distributed they are computed by threads here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dask.base import compute, persist
from dask.delayed import delayed

from bough.data.partitions.partitions import Combine, Partitions, PartitionTask

_MOST_COMBINED = 8
"""The results of so many partitions are combined in one task."""


class DaskPartitions(Partitions):
    """Partitions as delayed objects. What is kept has a graph, so that Dask can compute a lost part again."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = [*parts]

    @classmethod
    def of(cls, frame: Any) -> DaskPartitions:
        """Return the partitions of a Dask DataFrame."""
        return cls(frame.to_delayed())

    def kept(self, task: PartitionTask, *arguments: Any) -> DaskPartitions:
        """Run a task on each partition, and return the results as partitions that stay on the workers."""
        return DaskPartitions(persist(*self._mapped(task, arguments), optimize_graph=False))

    def kept_numbered(self, task: PartitionTask, *arguments: Any) -> DaskPartitions:
        """Run a task on each partition and its number, and return the results as partitions."""
        made = [
            delayed(_Call(task, (number, *arguments)), pure=False)(part)
            for number, part in enumerate(self._parts)
        ]
        return DaskPartitions(persist(*made, optimize_graph=False))

    def folded(self, task: PartitionTask, value: Any, *arguments: Any) -> Any:
        """Visit one partition after the other with the value of the one before."""
        called = delayed(_Call(task, arguments), pure=False)
        for part in self._parts:
            value = called(part, value)
        [result] = compute(value, optimize_graph=False)
        return result

    def reduced(self, combine: Combine, task: PartitionTask, *arguments: Any) -> Any:
        """Run a task on each partition, and combine the results in a tree of tasks."""
        found = self._mapped(task, arguments)
        combined = delayed(combine, pure=False)
        while True:
            found = [
                combined(found[first : first + _MOST_COMBINED])
                for first in range(0, len(found), _MOST_COMBINED)
            ]
            if len(found) == 1:
                [result] = compute(*found, optimize_graph=False)
                return result

    def grouped(
        self, n_groups: int, finish: PartitionTask, divide: PartitionTask, *arguments: Any
    ) -> list[Any]:
        """Bring a part of each partition to one worker, for each of some groups."""
        results = []
        for group in range(n_groups):
            parts = self._mapped(divide, (group, *arguments))
            results.append(delayed(_Call(finish, (group, *arguments)), pure=False)(parts))
        return [*compute(*results, optimize_graph=False)]

    def _mapped(self, task: PartitionTask, arguments: tuple[Any, ...]) -> list[Any]:
        # Arguments are part of the function, so that Dask does not look into them.
        called = delayed(_Call(task, arguments), pure=False)
        return [called(part) for part in self._parts]

    def release(self) -> None:
        """Free what the workers keep."""
        self._parts.clear()


class _Call:
    """A task with its arguments."""

    def __init__(self, task: PartitionTask, arguments: tuple[Any, ...]) -> None:
        self._task, self._arguments = task, arguments
        self.__name__ = getattr(task, "__name__", "task")

    def __call__(self, *given: Any) -> Any:
        return self._task(*given, *self._arguments)
