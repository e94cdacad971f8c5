"""Partitions of a table on the workers of a cluster, and the ways in which work is sent to them.

A task is a function of a partition and of its arguments alone. If a worker is lost, its partitions are
computed again on another one, and nothing changes in the result.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

PartitionTask = Callable[..., Any]
"""A function of a partition and arguments; it is defined in a module, so that workers can import it."""

Combine = Callable[[Sequence[Any]], Any]
"""A function from the results of some partitions to a result of the same kind; the order is arbitrary."""


class Partitions(ABC):
    """The partitions of a table or, after `kept`, the results of a task on each of them.

    To support another cluster, write a subclass.
    """

    @abstractmethod
    def kept(self, task: PartitionTask, *arguments: Any) -> Partitions:
        """Run a task on each partition, and return the results as partitions that stay on the workers."""

    @abstractmethod
    def kept_numbered(self, task: PartitionTask, *arguments: Any) -> Partitions:
        """Do the same with `task(partition, number, *arguments)`; numbers ascend from the first partition."""

    @abstractmethod
    def folded(self, task: PartitionTask, value: Any, *arguments: Any) -> Any:
        """Call `task(partition, value, *arguments)` on one partition after the other; return the last value.

        Each call is given the value of the one before. This is for sums over kept partitions that depend on
        the order of rows.
        """

    @abstractmethod
    def reduced(self, combine: Combine, task: PartitionTask, *arguments: Any) -> Any:
        """Run a task on each partition, and return the results combined, on the workers where possible."""

    @abstractmethod
    def grouped(
        self, n_groups: int, finish: PartitionTask, divide: PartitionTask, *arguments: Any
    ) -> list[Any]:
        """Bring a part of each partition to one worker, for each of some groups, and return the results.

        `divide(partition, group, *arguments)` returns the part of a group, and `finish(parts, group,
        *arguments)` the result of the group, from the parts of all partitions in any order.
        """

    @abstractmethod
    def release(self) -> None:
        """Free what the workers keep."""


def is_partitioned(X: Any, y: Any) -> bool:
    """Return whether X is a frame of Dask or Spark, and y names its target.

    >>> is_partitioned([[1.0]], "churned")
    False
    """
    return isinstance(y, str) and (is_dask_frame(X) or is_spark_frame(X))


def partitions_of(X: Any) -> tuple[Partitions, tuple[str, ...]]:
    """Return the partitions of a frame of Dask or Spark, and the names of its columns."""
    if is_dask_frame(X):
        from bough.data.partitions.dask import DaskPartitions

        return DaskPartitions.of(X), tuple(X.columns)
    from bough.data.partitions.spark import SparkPartitions

    return SparkPartitions.of(X), tuple(X.columns)


def is_dask_frame(X: Any) -> bool:
    """Return whether X is a Dask DataFrame.

    >>> is_dask_frame([[1.0]])
    False
    """
    module = sys.modules.get("dask.dataframe")
    return module is not None and isinstance(X, module.DataFrame)


def is_spark_frame(X: Any) -> bool:
    """Return whether X is a Spark DataFrame.

    >>> is_spark_frame([[1.0]])
    False
    """
    return (
        "pyspark" in sys.modules and type(X).__module__.startswith("pyspark.sql") and hasattr(X, "mapInArrow")
    )
