"""Learning from a table that stays in a database, and predicting there."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, cast

from bough.cli.options import TaskChoice
from bough.cli.output import opened
from bough.cli.roles import Roles
from bough.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bough.data.databases.table import DatabaseTable
    from bough.models.model import Model
    from bough.types import Task

_MAX_BINS = 255
"""The bins of a column if the options name no number; trees in databases are grown from bins."""


def learned_in_database(
    path: str,
    table: str | None,
    roles: Roles,
    task: TaskChoice,
    skip_missing_target: bool,
    made: Callable[[Task], Any],
) -> Any:
    """Fit the estimator that `made` returns for the task of the target, where the rows are."""
    from bough.data.files import check_known
    from bough.learners.estimator import TreeEstimator
    from bough.progress import showing_levels

    if roles.event is not None:
        raise ParameterError(
            "--event is not supported in a database; learn from a file, such as a sample of the rows."
        )
    with _opened(path, table) as whole:
        named = [roles.target, *([] if roles.weights is None else [roles.weights])]
        check_known([*named, *roles.drop, *roles.nominal, *roles.ordinal], whole.names, whole.shown)
        kept = [name for name in whole.names if name not in roles.drop]
        rows = whole.select(kept, known=roles.target if skip_missing_target else None)
        estimator = made(cast("Task | None", task.given()) or task_of_column(rows, roles.target))
        if not isinstance(estimator, TreeEstimator):
            raise ParameterError(
                f"{type(estimator).__name__} does not grow trees in a database; use --learner cart."
            )
        if estimator.get_params().get("max_bins", 0) is None:
            estimator.set_params(max_bins=_MAX_BINS)
        scales = {"categorical_features": list(roles.nominal), "ordinal_features": dict(roles.ordinal)}
        estimator.set_params(**{name: value for name, value in scales.items() if value})
        with showing_levels("Growing the tree"):
            estimator.fit(rows, roles.target, sample_weight=roles.weights)
    return estimator


def _opened(path: str, table: str | None) -> DatabaseTable:
    """Open a table that the path or `--table` names; the errors name no URL, which may hold a password."""
    from bough.data.databases.table import DatabaseTable

    is_url = "://" in path
    named = "" if is_url else path.partition("::")[2]
    if named and table is not None:
        raise ParameterError(f"{path} and --table {table} both name a table; leave one of them out.")
    if not named and table is None:
        also = "" if is_url else f", or write {path}::NAME"
        raise ParameterError(f"A database may hold several tables; name one with --table NAME{also}.")
    return DatabaseTable.open(path, table)


def predicted_in_database(
    model: Model, answer: str, path: str, table: str | None, keys: Sequence[str], out: str | None
) -> None:
    """Write what a model predicts for the rows of a table, after the columns `keys`, as CSV.

    `answer` is the SQL expression of the model. The database computes the predictions, and the rows are
    read some at a time.
    """
    from bough.data.files import check_known
    from bough.data.sql import quote

    with _opened(path, table) as rows:
        check_known([*model.schema.names, *keys], rows.names, rows.shown)
        columns = ", ".join([*map(quote, keys), f"{answer} AS prediction"])
        with opened(out) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*keys, "prediction"])
            for some in rows.database.batches(f"SELECT {columns} FROM {rows.relation}"):
                writer.writerows(some)


def task_of_column(table: DatabaseTable, name: str) -> Task:
    """Return the task that a target asks for, by the rule of `bough.data.target.task_of_target`.

    >>> import duckdb
    >>> from bough import DatabaseTable
    >>> task_of_column(DatabaseTable.open(duckdb.sql("SELECT 1.5 AS price")), "price")
    'regression'
    """
    import numpy as np

    from bough.data.databases.columns import column_of
    from bough.data.readers.source import Numbers
    from bough.data.target import MOST_NUMBERED_CLASSES, task_of_target

    column = column_of(table, name)
    if column.kind in ("text", "enum", "truth"):
        return "classification"
    rows = table.database.rows(
        f"SELECT DISTINCT {column.value} FROM {table.relation} WHERE {column.value} IS NOT NULL "
        f"LIMIT {MOST_NUMBERED_CLASSES + 1}"
    )
    return task_of_target(Numbers(np.array([value for (value,) in rows], dtype=np.float64)))
