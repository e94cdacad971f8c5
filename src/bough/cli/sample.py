"""A sample is the features, the target and the weights of the same rows, to train or to test on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from bough.cli.options import check_seed
from bough.data.ranking import read_groups
from bough.data.schema import Schema
from bough.data.several_targets import SeveralTargets, several_of
from bough.data.table import Table, is_missing
from bough.data.target import task_of_target
from bough.errors import ParameterError, TableError, TargetError
from bough.tree.answer import label_array
from bough.types import Task


class Sample(NamedTuple):
    """Rows with their target and, if they have any, their weights and the groups that they are ranked in."""

    features: Table
    target: npt.NDArray[Any] | SeveralTargets
    weight: npt.NDArray[np.float64] | None
    groups: npt.NDArray[np.int32] | None = None

    def rows(self, rows: npt.NDArray[np.intp]) -> Sample:
        """Return the sample of these rows.

        >>> sample = Sample(Table.read([[1.0], [2.0]]), np.array(["no", "yes"]), None)
        >>> sample.rows(np.array([1])).target
        array(['yes'], dtype='<U3')
        """
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        target = self.target.take(rows) if isinstance(self.target, SeveralTargets) else self.target[rows]
        return Sample(self.features.take(rows), target, weight, groups)

    def of_columns(self, names: Sequence[str]) -> Sample:
        """Return the sample with these features alone, without a key of rows that a model does not use.

        >>> sample = Sample(Table.read([[1.0, 7.0], [2.0, 8.0]]), np.array(["no", "yes"]), None)
        >>> sample.of_columns(["x1"]).features.columns
        (array([7., 8.]),)
        """
        if len(names) == len(self.features.schema):
            return self
        return self._replace(features=self.features.of_columns(names))

    def divided(self, test_size: float, random_state: int) -> tuple[Sample, Sample | None]:
        """Return the training rows and a random share of test rows; None for these if the share is 0.

        Of groups, a share of whole groups is held out.

        >>> sample = Sample(Table.read([[1.0], [2.0], [3.0], [4.0]]), np.array([1, 2, 3, 4]), None)
        >>> learned, held_out = sample.divided(0.25, random_state=0)
        >>> learned.features.n_rows, held_out.features.n_rows
        (3, 1)
        """
        ids = np.arange(self.features.n_rows) if self.groups is None else np.unique(self.groups)
        n_rows, what = len(ids), "rows" if self.groups is None else "groups"
        check_seed(random_state)
        if not 0 <= test_size < 1:
            raise ParameterError.of("--test-size", test_size, "a share of at least 0 and below 1")
        n_held_out = math.ceil(n_rows * test_size)
        if n_held_out == 0:
            return self, None
        if n_held_out == n_rows:
            raise ParameterError(
                f"--test-size {test_size} of {n_rows} {what} leaves no {what} to train on; "
                f"give a smaller share, or 0 to train on all {what}."
            )
        order = np.random.default_rng(random_state).permutation(n_rows)
        if self.groups is None:
            return self.rows(np.sort(order[n_held_out:])), self.rows(np.sort(order[:n_held_out]))
        is_held_out = np.isin(self.groups, ids[order[:n_held_out]])
        return self.rows(np.flatnonzero(~is_held_out)), self.rows(np.flatnonzero(is_held_out))


def sample_of(
    table: Table, target: str, weights: str | None, task: str | None, groups: str | None = None
) -> tuple[Sample, Task]:
    """Divide a table into features, target, weights and groups; the target decides on the task by default.

    See `bough.data.target.task_of_target` for the rule.

    >>> import pyarrow
    >>> table = Table.read(pyarrow.table({"age": [31, 42], "pay": [1.5, 2.5], "buys": ["no", "yes"]}))
    >>> sample, task = sample_of(table, "buys", None, None)
    >>> sample.features.schema.names, sample.target, task
    (('age', 'pay'), array(['no', 'yes'], dtype='<U3'), 'classification')
    >>> sample_of(table, "pay", None, None)[1]
    'regression'
    """
    y, found = _target_and_task(table, target, task)
    features, weight = features_of(table, [target], weights, groups)
    ids = None if groups is None else _groups(table, groups)
    return Sample(features, y, weight, ids), found


def sample_of_targets(
    table: Table, targets: Sequence[str], weights: str | None, task: str | None
) -> tuple[Sample, Task]:
    """Divide a table into features, several targets and weights.

    >>> import pyarrow
    >>> table = Table.read(pyarrow.table({"age": [31, 42], "pay": [1.5, 2.5], "rent": [0.5, 0.7]}))
    >>> sample, task = sample_of_targets(table, ["pay", "rent"], None, None)
    >>> sample.features.schema.names, sample.target.values[0], task
    (('age',), array([1.5, 0.5]), 'regression')
    """
    found = {name: _target_and_task(table, name, task) for name in targets}
    by_task = {its_task: name for name, (_, its_task) in found.items()}
    if len(by_task) > 1:
        raise ParameterError(
            f"--target names {by_task['classification']!r}, which holds classes, and "
            f"{by_task['regression']!r}, which holds numbers; add --task classification, or learn them one "
            "by one."
        )
    the_task = next(iter(by_task))
    y = several_of({name: own for name, (own, _) in found.items()}, the_task)
    features, weight = features_of(table, targets, weights)
    return Sample(features, y, weight), the_task


def _target_and_task(table: Table, target: str, task: str | None) -> tuple[npt.NDArray[Any], Task]:
    n_missing = table.n_rows - len(_known(table, target))
    if n_missing:
        raise TargetError(
            f"The target {target!r} is missing in {n_missing} of {table.n_rows} rows; "
            "add --missing-target skip to learn from the other rows."
        )
    y = _target(table, target)
    found = task_of_target(y) if task is None else cast("Task", task)
    if found == "regression" and y.dtype.kind != "f":
        raise TargetError(f"The target {target!r} holds no numbers; use --task classification.")
    if found == "classification" and y.dtype.kind == "f" and (y == np.floor(y)).all():
        y = y.astype(np.int64)
    return y, found


def features_of(
    table: Table, targets: Sequence[str], weights: str | None, groups: str | None = None
) -> tuple[Table, npt.NDArray[np.float64] | None]:
    """Return the columns that are neither targets nor weights nor groups, and the weights."""
    columns = dict(zip(table.schema.names, table.columns, strict=True))
    weight = None if weights is None else _weight(table, weights)
    names = [name for name in columns if name not in (*targets, weights, groups)]
    if not names:
        listed = " and ".join(map(repr, targets))
        raise TableError(f"The table has no column left to predict {listed} from; give it one or drop less.")
    schema = Schema(tuple([table.schema[name] for name in names]))
    return Table(schema, tuple([columns[name] for name in names]), table.n_rows), weight


def known_rows(table: Table, *targets: str) -> Table:
    """Return the rows whose targets are known.

    >>> table = Table.read([[31, "no"], [42, None]])
    >>> known_rows(table, "x1").columns
    (array([31.]), array([0], dtype=int32))
    """
    for target in targets:
        table = table.take(known_positions(table, target))
    return table


def known_positions(table: Table, target: str) -> npt.NDArray[np.intp]:
    """Return the positions of the rows whose target is known; there must be one.

    >>> known_positions(Table.read([[31, "no"], [42, None]]), "x1")
    array([0])
    """
    rows = _known(table, target)
    if not rows.size:
        raise TargetError(f"The target {target!r} is missing in every row; name another column.")
    return rows


def _known(table: Table, name: str) -> npt.NDArray[np.intp]:
    return np.flatnonzero(~is_missing(table.columns[table.schema.position(name)]))


def _target(table: Table, name: str) -> npt.NDArray[Any]:
    column, values = table.schema[name], table.columns[table.schema.position(name)]
    return values if column.scale == "numeric" else label_array(column.levels)[values]


def _weight(table: Table, name: str) -> npt.NDArray[np.float64]:
    if table.schema[name].scale != "numeric" or table.schema[name].unit is not None:
        raise ParameterError.of("--weights", name, "a column of numbers")
    return table.columns[table.schema.position(name)].astype(np.float64)


def _groups(table: Table, name: str) -> npt.NDArray[np.int32]:
    values = table.columns[table.schema.position(name)]
    return read_groups(
        values if values.dtype.kind == "f" else np.where(values < 0, np.nan, values), len(values)
    )
