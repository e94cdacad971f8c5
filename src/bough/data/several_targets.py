"""Several targets: a table y of classes in every column, or of numbers in every column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough.data.readers import collected, plain_column, source_of
from bough.data.schema import Level
from bough.data.target import ClassTarget, read_classes, read_numbers
from bough.errors import TableError, TargetError
from bough.types import Task


class Target(NamedTuple):
    """One of several targets: its name, and its classes; a number has none."""

    name: str
    classes: tuple[Level, ...] = ()


@dataclass(frozen=True, eq=False)
class SeveralTargets:
    """Several targets, all of them classes or all numbers, with a column of `values` for each.

    The values are the positions of classes among those of their target, or numbers.

    >>> read_several([[1, "a"], [2, "b"]], "classification")
    SeveralTargets(targets=(Target(name='y0', classes=(1, 2)), Target(name='y1', classes=('a', 'b'))),
                   values=array([[0, 0], [1, 1]], dtype=int32))
    """

    targets: tuple[Target, ...]
    values: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"SeveralTargets(targets={self.targets!r},\n               values={self.values!r})"

    @property
    def n_classes(self) -> list[int]:
        """The number of classes of each target, 0 for a number.

        >>> read_several([[1, 2], [3, 4]], "regression").n_classes
        [0, 0]
        """
        return [len(target.classes) for target in self.targets]

    def of(self, position: int) -> ClassTarget | npt.NDArray[Any]:
        """Return one of the targets.

        >>> read_several([[1, 2], [3, 4]], "regression").of(1)
        array([2., 4.])
        """
        values = np.ascontiguousarray(self.values[:, position])
        classes = self.targets[position].classes
        return ClassTarget(classes, values) if classes else values

    def take(self, rows: npt.NDArray[Any]) -> SeveralTargets:
        """Return the targets of some rows, with the same classes.

        >>> read_several([[1, 2], [3, 4]], "regression").take(np.array([1])).values
        array([[3., 4.]])
        """
        return replace(self, values=self.values[rows])

    def occurring(self) -> SeveralTargets:
        """Return the targets without the classes that no row has.

        >>> y = read_several([[1, "a"], [2, "b"]], "classification")
        >>> y.take(np.array([1])).occurring().targets
        (Target(name='y0', classes=(2,)), Target(name='y1', classes=('b',)))
        """
        if not any(self.n_classes):
            return self
        columns = [self.of(position) for position in range(len(self.targets))]
        return _joined(
            [target.name for target in self.targets],
            [column.occurring() for column in columns if isinstance(column, ClassTarget)],
        )

    def native(self) -> npt.NDArray[Any]:
        """Return the values row by row, classes as positions among the classes of all targets.

        >>> read_several([[1, "a"], [2, "b"]], "classification").native()
        array([0, 2, 1, 3], dtype=int32)
        """
        if not any(self.n_classes):
            return np.ascontiguousarray(self.values.ravel())
        first = np.cumsum([0, *self.n_classes[:-1]], dtype=np.int32)
        return np.ascontiguousarray((self.values + first).ravel(), dtype=np.int32)


def n_columns_of_target(y: Any) -> int:
    """Return the number of columns of a target; 1 if it is not a table.

    >>> n_columns_of_target([1, 2]), n_columns_of_target([[1, 2, 3]]), n_columns_of_target(None)
    (1, 3, 1)
    """
    if isinstance(y, ClassTarget):
        return 1
    if isinstance(y, SeveralTargets):
        return len(y.targets)
    y = collected(y)
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, list | tuple) and len(y) > 0:
        first = y[0]
        if isinstance(first, list | tuple) or (isinstance(first, np.ndarray) and first.ndim == 1):
            shape = (len(y), len(first))
    return shape[1] if shape is not None and len(shape) == 2 else 1


def read_several(y: Any, task: Task) -> SeveralTargets:
    """Read a table of classes or of numbers; columns without a name are called y0, y1, and so on.

    >>> import pandas as pd
    >>> read_several(pd.DataFrame({"a": [1.5, 2.0], "b": [0, 1]}), "regression").values
    array([[1.5, 0. ],
           [2. , 1. ]])
    >>> read_several([[1.0, None], [2.0, 1.0]], "regression")
    Traceback (most recent call last):
    bough.errors.TargetError: Target 'y1': Input y contains NaN. Row 0 has no value; leave such
    rows out.
    """
    if isinstance(y, SeveralTargets):
        return y
    try:
        source = source_of(collected(y))
    except TableError as error:
        # The reader of tables takes it for X.
        raise TargetError(re.sub(r"\bX\b", "y", str(error))) from None
    names = [*source.names] if source.named else [f"y{number}" for number in range(len(source.names))]
    read = _read_sorted if task == "classification" else read_numbers
    columns = []
    for position, name in enumerate(names):
        try:
            columns.append(read(plain_column(name, source.read(position))))
        except (TableError, TargetError) as error:
            raise TargetError(f"Target {name!r}: {error}") from None
    return _joined(names, columns)


def several_of(columns: Mapping[str, Any], task: Task) -> SeveralTargets:
    """Return several targets from an array of each, by name.

    >>> several_of({"a": np.array([1.5, 2.0]), "b": np.array([0.0, 1.0])}, "regression").values
    array([[1.5, 0. ],
           [2. , 1. ]])
    """
    read = _read_sorted if task == "classification" else read_numbers
    return _joined([*columns], [read(column) for column in columns.values()])


def _read_sorted(raw: Any) -> ClassTarget:
    return read_classes(raw).sorted()


def _joined(names: list[str], columns: list[Any]) -> SeveralTargets:
    classes = isinstance(columns[0], ClassTarget)
    targets = [
        Target(name, column.classes if classes else ()) for name, column in zip(names, columns, strict=True)
    ]
    values = np.stack([column.codes if classes else column for column in columns], axis=1)
    return SeveralTargets(tuple(targets), values)
