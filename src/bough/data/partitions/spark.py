"""Partitions of a Spark DataFrame: the tasks of Dask's partitions, through `mapInArrow`.

A partition reaches a task as a table of pyarrow. What is kept is a cached DataFrame with one row for each
partition, the pickled result; Spark computes it again if it is lost. A Python worker also keeps the results
that it used last as objects, which may hold what follows from them.
"""

from __future__ import annotations

import pickle
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bough.data.partitions.partitions import Combine, Partitions, PartitionTask
from bough.errors import TableError

_PICKLED = "result binary"
_GROUPED = "place long, result binary"
_KEPT = "key string, result binary"
_MOST_OBJECTS = 8

_objects: OrderedDict[str, Any] = OrderedDict()
"""The objects that this Python worker used last, by key."""


class SparkPartitions(Partitions):
    """Partitions as a DataFrame; its rows are those of the table or, if `read` says so, pickled results."""

    def __init__(self, frame: Any, read: Callable[[Any], Any]) -> None:
        self._frame, self._read = frame, read

    @classmethod
    def of(cls, frame: Any) -> SparkPartitions:
        """Return the partitions of a Spark DataFrame."""
        return cls(frame, _table)

    def kept(self, task: PartitionTask, *arguments: Any) -> SparkPartitions:
        """Run a task on each partition, and return the results as partitions that stay on the workers."""
        return self._kept(lambda partition, number: _pickled(task, (partition, *arguments)))

    def kept_numbered(self, task: PartitionTask, *arguments: Any) -> SparkPartitions:
        """Run a task on each partition and its number, and return the results as partitions."""
        return self._kept(lambda partition, number: _pickled(task, (partition, number, *arguments)))

    def _kept(self, pickled: Callable[[Any, int], bytes]) -> SparkPartitions:
        read, key = self._read, uuid.uuid4().hex

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa
            from pyspark import TaskContext

            partition, context = read(batches), TaskContext.get()
            if partition is not None and context is not None:
                number = context.partitionId()
                result = pickled(partition, number)
                yield pa.RecordBatch.from_pydict({"key": [f"{key}:{number}"], "result": [result]})

        return SparkPartitions(self._frame.mapInArrow(run, _KEPT).cache(), _kept_object)

    def folded(self, task: PartitionTask, value: Any, *arguments: Any) -> Any:
        """Visit one kept partition after the other, in one task that reads them in their order."""

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            found = _pickled(_folded, (batches, task, value, arguments))
            yield pa.RecordBatch.from_pydict({"result": [found]})

        [row] = self._frame.coalesce(1).mapInArrow(run, _PICKLED).collect()
        return _result(row["result"])

    def reduced(self, combine: Combine, task: PartitionTask, *arguments: Any) -> Any:
        """Run a task on each partition, and combine the results here."""
        found = [_result(row["result"]) for row in self._mapped(task, arguments).collect()]
        return combine(found)

    def grouped(
        self, n_groups: int, finish: PartitionTask, divide: PartitionTask, *arguments: Any
    ) -> list[Any]:
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

    def _mapped(self, task: PartitionTask, arguments: tuple[Any, ...]) -> Any:
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


def _kept_object(batches: Iterator[Any]) -> Any:
    """Return the kept result of a partition, None if it has none.

    All batches are read, because Spark ends a Python worker that leaves some.
    """
    found = [_object(batch, row) for batch in batches for row in range(batch.num_rows)]
    return found[0] if found else None


def _object(batch: Any, row: int) -> Any:
    key = batch.column("key")[row].as_py()
    if key not in _objects:
        _objects[key] = _result(batch.column("result")[row].as_py())
    _objects.move_to_end(key)
    while len(_objects) > _MOST_OBJECTS:
        _objects.popitem(last=False)
    return _objects[key]


def _folded(batches: Iterator[Any], task: PartitionTask, value: Any, arguments: tuple[Any, ...]) -> Any:
    for batch in batches:
        for row in range(batch.num_rows):
            value = task(_object(batch, row), value, *arguments)
    return value


def _pickled(task: PartitionTask, arguments: Sequence[Any]) -> bytes:
    """Return the pickled result of a task, or the error that it raised, which Spark would show as text."""
    try:
        return pickle.dumps((task(*arguments), None))
    except Exception as error:
        return pickle.dumps((None, _portable(error)))


def _portable(error: Exception) -> Exception:
    """Return an error that survives pickling: itself, or one of ours that names it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return TableError(f"A task failed on a worker with {type(error).__name__}: {error}")
    return error


def _result(value: bytes) -> Any:
    result, error = pickle.loads(value)
    if error is not None:
        raise error
    return result
