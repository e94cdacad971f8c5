"""Partitions of a Spark DataFrame: the tasks of Dask's partitions, through `mapInArrow`.

A partition reaches a task as a table of pyarrow. What is kept is a cached DataFrame with one row for each
partition, the pickled result; Spark computes it again if it is lost.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bough.data.partitions.partitions import Combine, Partitions, Task

_PICKLED = "result binary"
_GROUPED = "place long, result binary"


class SparkPartitions(Partitions):
    """Partitions as a DataFrame; its rows are those of the table or, if `read` says so, pickled results."""

    def __init__(self, frame: Any, read: Callable[[Any], Any]) -> None:
        self._frame, self._read = frame, read

    @classmethod
    def of(cls, frame: Any) -> SparkPartitions:
        """Return the partitions of a Spark DataFrame."""
        return cls(frame, _table)

    def kept(self, task: Task, *arguments: Any) -> SparkPartitions:
        """Run a task on each partition, and return the results as partitions that stay on the workers."""
        return SparkPartitions(self._mapped(task, arguments).cache(), _unpickled)

    def reduced(self, combine: Combine, task: Task, *arguments: Any) -> Any:
        """Run a task on each partition, and combine the results here."""
        found = [_result(row["result"]) for row in self._mapped(task, arguments).collect()]
        return combine(found)

    def grouped(self, n_groups: int, finish: Task, divide: Task, *arguments: Any) -> list[Any]:
        """Bring a part of each partition to one worker, for each of some groups."""
        import pyarrow as pa

        read = self._read

        def divided(batches: Iterator[Any]) -> Iterator[Any]:
            partition = read(batches)
            for group in range(n_groups if partition is not None else 0):
                part = _pickled(divide, (partition, group, *arguments))
                yield pa.RecordBatch.from_pydict({"place": [group], "result": [part]})

        def finished(key: tuple[Any], table: Any) -> Any:
            parts = [_result(each) for each in table["result"].to_pylist()]
            group = key[0].as_py()
            return pa.table({"place": [group], "result": [_pickled(finish, (parts, group, *arguments))]})

        parts = self._frame.mapInArrow(divided, _GROUPED)
        rows = parts.groupBy("place").applyInArrow(finished, _GROUPED).collect()
        return [_result(row["result"]) for row in sorted(rows, key=lambda row: row["place"])]

    def release(self) -> None:
        """Free what the workers keep."""
        self._frame.unpersist()

    def _mapped(self, task: Task, arguments: tuple[Any, ...]) -> Any:
        read = self._read

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            partition = read(batches)
            if partition is not None:
                result = _pickled(task, (partition, *arguments))
                yield pa.RecordBatch.from_pydict({"result": [result]})

        return self._frame.mapInArrow(run, _PICKLED)


def _table(batches: Iterator[Any]) -> Any:
    """Return the rows of a partition as a table, None if there are none."""
    import pyarrow as pa

    found = [batch for batch in batches if batch.num_rows]
    return pa.Table.from_batches(found) if found else None


def _unpickled(batches: Iterator[Any]) -> Any:
    for batch in batches:
        for value in batch.column(0).to_pylist():
            return _result(value)
    return None


def _pickled(task: Task, arguments: Sequence[Any]) -> bytes:
    """Return the pickled result of a task, or the error that it raised, which Spark would show as text."""
    try:
        return pickle.dumps((task(*arguments), None))
    except Exception as error:
        return pickle.dumps((None, error))


def _result(value: bytes) -> Any:
    result, error = pickle.loads(value)
    if error is not None:
        raise error
    return result
