"""Learning from a table that stays in a database, and predicting there."""

from __future__ import annotations

import csv
from pathlib import Path
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


def stays_in_place(path: str) -> bool:
    """Return whether the rows of a path are not loaded: those of a database, and of a folder of files.

    >>> [stays_in_place(path) for path in ("shop.duckdb::orders", ".", "orders.csv")]
    [True, True, False]
    """
    from bough.data.databases.table import is_database

    return is_database(path) or Path(path).is_dir()


def place_words(path: str) -> str:
    """Return what holds rows that are not loaded, in words.

    >>> place_words("shop.duckdb::orders"), place_words(".")
    ('a database', 'a folder')
    """
    return "a folder" if Path(path).is_dir() else "a database"


def instead_words(path: str) -> str:
    """Return what to do where a table must be loaded.

    >>> instead_words("shop.duckdb::orders")
    'give it a sample of the rows in a file'
    """
    if Path(path).is_dir():
        return f"name its files by a pattern, such as '{Path(path) / '*.csv'}', which loads their rows"
    return "give it a sample of the rows in a file"


def check_na(path: str, na: Sequence[str] | None) -> None:
    """Refuse `--na` for rows that are not loaded.

    >>> check_na("shop.duckdb::orders", ["?"])
    Traceback (most recent call last):
    bough.errors.ParameterError: --na is '?'; it must be left out for a database, whose rows are not loaded.
    """
    if na:
        raise ParameterError.of("--na", na[0], f"left out for {place_words(path)}, whose rows are not loaded")


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
            f"--event is not supported in {place_words(path)}; learn from a file, such as a sample of the "
            "rows."
        )
    with _opened(path, table) as whole:
        named = [roles.target, *([] if roles.weights is None else [roles.weights])]
        check_known([*named, *roles.drop, *roles.nominal, *roles.ordinal], whole.names, whole.shown)
        kept = [name for name in whole.names if name not in roles.drop]
        rows = whole.select(kept, known=roles.target if skip_missing_target else None)
        estimator = made(cast("Task | None", task.given()) or task_of_column(rows, roles.target))
        if not isinstance(estimator, TreeEstimator):
            raise ParameterError(
                f"{type(estimator).__name__} does not grow trees in {place_words(path)}; use --learner cart, "
                f"or {instead_words(path)}."
            )
        if estimator.get_params().get("max_bins", 0) is None:
            estimator.set_params(max_bins=_MAX_BINS)
        scales = {"categorical_features": list(roles.nominal), "ordinal_features": dict(roles.ordinal)}
        estimator.set_params(**{name: value for name, value in scales.items() if value})
        with showing_levels("Growing the tree"):
            estimator.fit(rows, roles.target, sample_weight=roles.weights)
    return estimator


def _opened(path: str, table: str | None) -> DatabaseTable:
    """Open a table that the path or `--table` names, or the files of a folder.

    The errors name no URL, which may hold a password.
    """
    from bough.data.databases.table import DatabaseTable

    if table is None and Path(path).is_dir():
        return DatabaseTable.open(path)
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
