"""Fitting one tree where the rows are: in a database, by GROUP BY alone.

The tree is that of the rows in memory with the same `max_bins`, to the last bit.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from bough.data.databases.columns import DatabaseColumn, column_of, distinct_values, read_schema, with_codes
from bough.data.databases.database import Scratch
from bough.data.databases.table import DatabaseTable
from bough.data.readers.source import Coded
from bough.data.schema import Level
from bough.data.sql import literal
from bough.data.target import Weights, check_reach, check_total, read_classes, read_numbers
from bough.engines.sql_coding import TrainingInDatabase, coded_rows
from bough.errors import ParameterError, TargetError, WeightError
from bough.growing.pruning import CostComplexity
from bough.growing.recipe import Recipe
from bough.learners.fitting import Fitted
from bough.learners.reading import resolved_for
from bough.learners.where_rows_are import (
    check_names,
    checked_recipe,
    factors_of_classes,
    fit_to_rows,
    hashed_folds,
    warn_of_empty,
    with_bins,
)
from bough.types import Floats

_WHERE = "in a database"
_MOST_RANGE = 2.0**200
_LEAST_RANGE = 2.0**-200


def fit_in_database(recipe: Recipe, table: DatabaseTable, y: Any, sample_weight: Any, learner: str) -> Fitted:
    """Fit a tree to the rows of a table in a database; y and the weights are names of columns.

    All statements see one state of the table. Codes of the rows are written to temporary tables of the
    session, which are gone at the end. Where that is not allowed nothing is written, and every query computes
    the codes anew, which is slower.
    """
    recipe = checked_recipe(recipe, learner, _WHERE)
    check_names(recipe, y, sample_weight, table.names, table.shown)
    with table.snapshot() as temporary:
        scratch = temporary if table.temporary_tables else None
        if scratch is not None and not table.database.allows_temporary_tables():
            warnings.warn(
                f"{table.shown}: this session may not create temporary tables, so that every level of the "
                "tree computes the bins anew, which is slower.",
                UserWarning,
                stacklevel=6,
            )
            scratch = None
        return _fit(recipe, table, y, sample_weight, scratch)


def _fit(
    recipe: Recipe, table: DatabaseTable, y: str, sample_weight: str | None, scratch: Scratch | None
) -> Fitted:
    training = read_training_in_database(recipe, table, y, sample_weight)
    recipe = with_bins(resolved_for(recipe, training.schema, training.classes), training.schema, _WHERE)
    most, folds = recipe.max_bins or 2, hashed_folds(recipe)
    rows = coded_rows(training, most, scratch, squares=recipe.grouping is not None, folds=folds)
    return fit_to_rows(recipe, rows, y)


def read_training_in_database(
    recipe: Recipe, table: DatabaseTable, y: str, sample_weight: str | None
) -> TrainingInDatabase:
    """Read the schema, the classes and the weights, as they would be read in memory; no row is loaded."""
    weight, is_whole, where = None, True, "TRUE"
    if sample_weight is not None:
        weight, is_whole, where = _read_weight(table, sample_weight)
    row_key = recipe.pruning.row_key if isinstance(recipe.pruning, CostComplexity) else None
    names = [name for name in table.names if name not in (y, sample_weight, row_key)]
    if not names:
        raise ParameterError(f"{table.shown} has no column besides {y!r}; a tree needs columns to split on.")
    target = column_of(table, y)
    classes: tuple[Level, ...] = ()
    n_rows = _check_target(table, target, where)
    if recipe.task == "classification":
        target, classes = _with_classes(table, target, where)
    else:
        _check_numbers(recipe, table, target, where)
    schema, columns = read_schema(table, names, recipe.scales, where)
    present = _some_value(table, columns, where) if recipe.needs_a_value else "TRUE"
    training = TrainingInDatabase(
        table,
        schema,
        columns,
        target,
        classes,
        where,
        n_rows,
        present,
        weight,
        cases=weight if is_whole and recipe.count == "cases" else None,
        row_key=None if row_key is None else _key(table, row_key),
    )
    if recipe.class_weight is not None:
        factors = _class_weights(recipe.class_weight, training, is_whole=is_whole)
        training = replace(training, class_weight=factors)
    return training


def _read_weight(table: DatabaseTable, name: str) -> tuple[str | None, bool, str]:
    """Return the SQL of weights, None if all are 1, whether all are whole, and which rows have weight."""
    column = column_of(table, name)
    if column.kind not in ("number", "whole", "truth"):
        raise WeightError(f"sample_weight is {name!r}, which holds {column.type_}; name a column of numbers.")
    w = column.value
    bounds = f"{w} >= 0 AND {w} < {literal(float('inf'))}"
    [(n_rows, n_valid, total, n_ones, n_fractions)] = table.database.rows(
        f"SELECT count(*), count(CASE WHEN {bounds} THEN 1 END), sum(CASE WHEN {bounds} THEN {w} END), "
        f"count(CASE WHEN {w} = 1 THEN 1 END), count(CASE WHEN {bounds} AND {w} <> floor({w}) THEN 1 END) "
        f"FROM {table.relation}"
    )
    if n_valid < n_rows:
        raise WeightError(
            f"sample_weight {name!r} is not a finite number of at least 0 in {n_rows - n_valid} rows. Give 0 "
            "to leave a row out."
        )
    if not total:
        raise WeightError(
            "sample_weight is zero for every row; at least one row must have a positive weight."
        )
    check_total(Weights(np.array([float(total)]), None, whole=False))
    return None if n_ones == n_rows else w, n_fractions == 0, f"{w} > 0"


def _key(table: DatabaseTable, name: str) -> DatabaseColumn:
    column = column_of(table, name)
    if column.kind not in ("whole", "text"):
        wanted = "a column of whole numbers or of text"
        raise ParameterError.of("row_key", name, f"{wanted}; it holds {column.type_}")
    return column


def _check_target(table: DatabaseTable, target: DatabaseColumn, where: str) -> int:
    """Return the number of rows; raise if there are none, or if any of them lacks the target."""
    [(n_rows, n_known)] = table.database.rows(
        f"SELECT count(*), count({target.value}) FROM {table.relation} WHERE {where}"
    )
    if n_rows == 0:
        raise TargetError(f"{table.shown} has no rows: 0 sample(s), while a minimum of 1 is required.")
    if n_known < n_rows:
        raise TargetError(
            f"Column {target.name!r}, the target, has no value in {n_rows - n_known} rows. Leave such rows "
            "out, by a query."
        )
    return int(n_rows)


def _with_classes(
    table: DatabaseTable, target: DatabaseColumn, where: str
) -> tuple[DatabaseColumn, tuple[Level, ...]]:
    """Return the target with the code of each of its values, and its classes."""
    raw = distinct_values(table, target, where)
    if isinstance(raw, Coded) and target.kind in ("truth", "enum"):
        # Only values that occur are classes.
        found = table.database.rows(f"SELECT DISTINCT {target.value} FROM {table.relation} WHERE {where}")
        occurring = {value for (value,) in found}
        levels = [0.0, 1.0] if target.kind == "truth" else raw.levels
        raw = raw._replace(codes=np.array([code for code, each in enumerate(levels) if each in occurring]))
        codes = read_classes(raw).sorted()
        of_level = dict(zip([levels[code] for code in raw.codes.tolist()], codes.codes.tolist(), strict=True))
        own = replace(target, levels=tuple(of_level), codes=tuple(of_level.values()))
        return own, codes.classes
    read = read_classes(raw).sorted()
    return with_codes(target, raw, read.codes), read.classes


def _check_numbers(recipe: Recipe, table: DatabaseTable, target: DatabaseColumn, where: str) -> None:
    read_numbers(distinct_values(table, target, where, at_most_one=True))
    [(low, high, total)] = table.database.rows(
        f"SELECT min({target.value}), max({target.value}), count(*) FROM {table.relation} WHERE {where}"
    )
    extremes = read_numbers(np.array([low, high], dtype=np.float64))
    check_reach(extremes, Weights(np.array([float(total)]), None, whole=False), recipe.criterion)
    span = float(extremes[1] - extremes[0])
    if span != 0 and not _LEAST_RANGE <= span <= _MOST_RANGE:
        raise TargetError(
            f"y goes from {low!r} to {high!r}, a range that a database cannot square. Give y in another unit."
        )


def _some_value(table: DatabaseTable, columns: list[DatabaseColumn], where: str) -> str:
    """Return the condition that a row has a value in any column; warn if some have none."""
    present = f"({' OR '.join(f'{column.value} IS NOT NULL' for column in columns)})"
    [(n_rows, n_present)] = table.database.rows(
        f"SELECT count(*), count(CASE WHEN {present} THEN 1 END) FROM {table.relation} WHERE {where}"
    )
    if n_present in (0, n_rows):
        return "TRUE"
    warn_of_empty(n_rows - n_present)
    return present


def _class_weights(class_weight: Any, training: TrainingInDatabase, *, is_whole: bool) -> tuple[float, ...]:
    """Return the factor of each class; as in memory, rows without any value count in the balance."""
    database = training.table.database
    parameters = database.parameters()
    weight = "sum(w)" if training.has_weights else "count(*)"
    sums: Floats = np.zeros(len(training.classes))
    given = replace(training, present="TRUE").weighted(parameters)
    rows = database.rows(f"SELECT y, {weight} FROM {given} AS weighted GROUP BY y", parameters)
    for code, total in rows:
        sums[int(code)] = float(total)
    return factors_of_classes(class_weight, training.classes, sums, _WHERE, is_whole=is_whole)
