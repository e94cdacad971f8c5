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
from bough.data.files import check_known
from bough.data.readers.source import Coded
from bough.data.schema import Level
from bough.data.sql import literal
from bough.data.target import ClassTarget, Weights, check_reach, check_total, read_classes, read_numbers
from bough.engines import binned
from bough.engines.sql_coding import TrainingInDatabase, coded_rows
from bough.errors import ParameterError, TargetError, WeightError
from bough.growing.grouping import Merging
from bough.growing.pruning import CostComplexity, MinimumLength, Pessimistic
from bough.growing.recipe import Recipe
from bough.learners.fitting import Fitted, Grown, pruned_by_cost_complexity, with_smoothing
from bough.learners.hashed_folds import grow_with_hashed_folds
from bough.learners.reading import resolved_for, weights_of_classes
from bough.pruning.methods import prune_without_rows
from bough.types import Floats

_MOST_RANGE = 2.0**200
_LEAST_RANGE = 2.0**-200


def fit_in_database(
    recipe: Recipe, table: DatabaseTable, y: Any, sample_weight: Any, learner: str, *, scratch: bool = True
) -> Fitted:
    """Fit a tree to the rows of a table in a database; y and the weights are names of columns.

    All statements see one state of the table. With `scratch`, codes of the rows are written to temporary
    tables of the session, which are gone at the end; otherwise nothing is written, and every query computes
    the codes anew, which is slower.
    """
    if isinstance(recipe.pruning, CostComplexity) and recipe.pruning.validates:
        # Rows of a database have no order from which folds could be drawn.
        recipe = replace(recipe, pruning=replace(recipe.pruning, sampling="hash"))
    _check_recipe(recipe, learner)
    for name, column in (("y", y), ("sample_weight", sample_weight)):
        if not isinstance(column, str) and (name == "y" or column is not None):
            raise ParameterError.of(name, type(column).__name__, "the name of a column of the table")
    given = (y, sample_weight, getattr(recipe.pruning, "row_key", None))
    check_known([each for each in given if each is not None], table.names, table.shown)
    with table.snapshot() as temporary:
        return _fit(recipe, table, y, sample_weight, temporary if scratch else None)


def _fit(
    recipe: Recipe, table: DatabaseTable, y: str, sample_weight: str | None, scratch: Scratch | None
) -> Fitted:
    training = read_training_in_database(recipe, table, y, sample_weight)
    recipe = _with_bins(resolved_for(recipe, training.schema, training.classes), training)
    most = recipe.max_bins or 2
    pruning, folds = recipe.pruning, None
    if isinstance(pruning, CostComplexity) and pruning.validates:
        folds = int(pruning.cv), int(pruning.random_state)
    rows = coded_rows(training, most, scratch, squares=recipe.grouping is not None, folds=folds)
    if isinstance(pruning, CostComplexity):
        trees, validated = grow_with_hashed_folds(recipe, pruning, rows, y)
        return with_smoothing(recipe, pruned_by_cost_complexity(pruning, Grown(trees), validated))
    grown = binned.grow(rows, recipe, y)
    tree = grown if recipe.pruning is None else prune_without_rows(recipe.pruning, grown)
    return with_smoothing(recipe, Fitted(tree, grown, largest=grown))


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
    _check_target(table, target, where)
    if recipe.task == "classification":
        target, classes = _with_classes(table, target, where)
    else:
        _check_numbers(recipe, table, target, where)
    schema, columns = read_schema(table, names, recipe.scales, where)
    present = _some_value(table, columns, where) if recipe.follows_surrogates else "TRUE"
    training = TrainingInDatabase(
        table,
        schema,
        columns,
        target,
        classes,
        where,
        present,
        weight,
        cases=weight if is_whole and recipe.count == "cases" else None,
        row_key=None if row_key is None else _key(table, row_key),
    )
    if recipe.class_weight is not None:
        factors = _class_weights(recipe.class_weight, training, is_whole=is_whole)
        training = replace(training, class_weight=factors)
    return training


def _check_recipe(recipe: Recipe, learner: str) -> None:
    """Raise if a recipe has a part that only our own code can compute beside the rows."""
    if recipe.arithmetic != "bough" or recipe.method is not None or "program" in recipe.settings:
        raise ParameterError(
            f"{learner} does not grow trees in a database. Choose a CART, Tree, ID3 or CHAID learner, or "
            "read the table into memory."
        )
    if recipe.response not in ("classes", "numbers") or recipe.criterion in ("poisson", "absolute_error"):
        raise ParameterError.of(
            "criterion", recipe.criterion_name, "one for classes, or 'squared_error', in a database"
        )
    others = {
        "a criterion that is a function": callable(recipe.criterion),
        "combinations": recipe.combinations is not None,
        "max_features or splitter='random'": recipe.columns is not None,
        "monotonic_cst": recipe.monotonic_cst is not None,
        "column_costs": recipe.column_costs is not None,
        "n_competitors": recipe.n_competitors > 0,
        "prior": recipe.prior is not None,
        "loss_matrix": recipe.loss_matrix is not None,
    }
    for name, is_given in others.items():
        if is_given:
            raise ParameterError(
                f"{name} is not supported in a database; leave it out, or read the table into memory."
            )
    pruning = recipe.pruning
    if pruning is not None and not isinstance(pruning, CostComplexity | MinimumLength | Pessimistic):
        raise ParameterError.of(
            "prune", pruning.name, "'none', 'pessimistic', 'mdl' or by cost complexity in a database"
        )


def _with_bins(recipe: Recipe, training: TrainingInDatabase) -> Recipe:
    """Return the recipe with the bins that it grows from; raise if it names none and a column needs them."""
    if recipe.max_bins is not None:
        return recipe
    if isinstance(recipe.grouping, Merging):
        return replace(recipe, max_bins=recipe.grouping.max_bins)
    numeric = [column.name for column in training.schema if column.scale == "numeric"]
    if numeric or recipe.task == "regression":
        why = f"column {numeric[0]!r} is numeric" if numeric else "y is numeric"
        raise ParameterError.of(
            "max_bins",
            None,
            f"given: {why}, and in a database trees are grown from bins, such as max_bins=64",
        )
    return recipe


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


def _check_target(table: DatabaseTable, target: DatabaseColumn, where: str) -> None:
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
    warnings.warn(
        f"{n_rows - n_present} rows have no value in any column; they are left out because no split can "
        "route them.",
        UserWarning,
        stacklevel=7,
    )
    return present


def _class_weights(class_weight: Any, training: TrainingInDatabase, *, is_whole: bool) -> tuple[float, ...]:
    """Return the factor of each class."""
    if class_weight == "balanced" and not is_whole:
        raise ParameterError.of(
            "class_weight", class_weight, "None or a dict with weights that are not whole, in a database"
        )
    database, k = training.table.database, len(training.classes)
    parameters = database.parameters()
    weight = "sum(w)" if training.has_weights else "count(*)"
    sums: Floats = np.zeros(k)
    rows = database.rows(
        f"SELECT y, {weight} FROM {training.weighted(parameters)} AS weighted GROUP BY y", parameters
    )
    for code, total in rows:
        sums[int(code)] = float(total)
    target = ClassTarget(training.classes, np.arange(k, dtype=np.int32))
    factors = weights_of_classes(class_weight, target, sums)
    if not factors.all():
        raise ParameterError(
            "class_weight gives a class the weight 0; in a database leave its rows out by a query instead."
        )
    return tuple(factors.tolist())
