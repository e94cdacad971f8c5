"""Coding the rows of a table in a database: bins of its columns, and weights and y on the grid of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bough.data.bins import bins_of_values, last_of_bins
from bough.data.databases.columns import DatabaseColumn
from bough.data.databases.database import Parameters, Scratch
from bough.data.databases.table import DatabaseTable
from bough.data.schema import Level, Schema
from bough.data.sql import floor_scaled, literal, quote
from bough.engines.sql import LEAST_SQUARED, CodedRows, SQLRows
from bough.growing.coded import BinEdges
from bough.growing.fit_grid import FitGrid
from bough.types import Floats


@dataclass(frozen=True)
class TrainingInDatabase:
    """The columns, the target and the weights of a fit in a database, as SQL.

    `weight` is the SQL of the weight of a row, and `cases` that of its cases; None if they are 1 in every
    row. `class_weight` holds the factor of each class. Only the `n_rows` rows that meet `where` are read, and
    only those that meet `present` too are in the tree.
    """

    table: DatabaseTable
    schema: Schema
    columns: Sequence[DatabaseColumn]
    target: DatabaseColumn
    classes: tuple[Level, ...]
    where: str
    n_rows: int
    present: str = "TRUE"
    weight: str | None = None
    cases: str | None = None
    class_weight: tuple[float, ...] | None = None
    row_key: DatabaseColumn | None = None

    def weighted(self, parameters: Parameters) -> str:
        """Return the relation of all rows: their values v0, v1, …, y, and w and n where they are not 1."""
        values = [f"{column.value} AS v{place}" for place, column in enumerate(self.columns)]
        values.append(f"{self.target.value} AS label" if self.classes else f"{self.target.value} AS y")
        if self.weight is not None:
            values.append(f"{self.weight} AS own")
        if self.cases is not None:
            values.append(f"{self.cases} AS n")
        if self.row_key is not None:
            values.append(f"CAST({quote(self.row_key.name)} AS VARCHAR) AS row_key")
        given = f"SELECT {', '.join(values)} FROM {self.table.relation} WHERE {self.where} AND {self.present}"
        if not self.classes:
            own = ", own AS w" if self.weight is not None else ""
            return f"(SELECT given.*{own} FROM ({given}) AS given)"
        levels = self.table.database.coded(self.target.levels, self.target.codes, parameters)
        factor = self._factor()
        weight = [each for each in ("own" if self.weight is not None else None, factor) if each is not None]
        own = f", {' * '.join(weight)} AS w" if weight else ""
        return (
            f"(SELECT given.*, classes.code AS y{own} FROM ({given}) AS given "
            f"LEFT JOIN {levels} AS classes ON classes.level = given.label)"
        )

    def _factor(self) -> str | None:
        if self.class_weight is None:
            return None
        cases = [f"WHEN {code} THEN {literal(each)}" for code, each in enumerate(self.class_weight)]
        return f"CASE classes.code {' '.join(cases)} END"

    @property
    def has_weights(self) -> bool:
        """Whether any row may have another weight than 1."""
        return self.weight is not None or self.class_weight is not None


def coded_rows(
    training: TrainingInDatabase,
    max_bins: int,
    scratch: Scratch | None,
    *,
    squares: bool = False,
    folds: tuple[int, int] | None = None,
) -> SQLRows:
    """Return the rows of a fit, coded; they are written to a temporary table unless `scratch` is None.

    `folds` holds the number of folds and the seed of the hash that divides the rows.
    """
    if folds is None:
        training = replace(training, row_key=None)
    edges = tuple([_edges(training, place, max_bins) for place in range(len(training.columns))])
    grid = _grid(training)
    database = training.table.database
    parameters = database.parameters()
    query, columns = _coding(training, edges, grid, parameters)
    if folds is not None:
        key = " || ',' || ".join(f"CAST({name} AS VARCHAR)" for name in columns if name[0] == "c")
        key = key if training.row_key is None else "row_key"
        text = f"'{int(folds[1])}:' || {key}"
        fold = f"CAST({database.hash(text)} % {folds[0]} AS INTEGER)"
        query = f"SELECT {', '.join(columns)}, {fold} AS fold FROM ({query}) AS unfolded"
        columns = columns | {"fold": "INTEGER"}
    if scratch is None:
        rows = CodedRows(f"({query}) AS coded", columns, parameters)
    else:
        rows = CodedRows(scratch.create(columns, query, parameters), columns, database.parameters())
    return SQLRows(
        database,
        rows,
        training.schema,
        training.classes,
        edges,
        grid,
        scratch,
        squares=squares,
        fetches=training.table.fetch_rows,
    )


def _edges(training: TrainingInDatabase, place: int, max_bins: int) -> BinEdges:
    """Return the bins of a column, by the rule of `bough.data.bins`."""
    if training.schema[place].scale != "numeric":
        return BinEdges.of_levels(len(training.schema[place].levels))
    database = training.table.database
    if database.is_in_process and training.n_rows <= database.most_fetched:
        lowest, highest = _edges_of_values(training, place, max_bins)
    else:
        lowest, highest = _edges_of_counts(training, place, max_bins)
    # Adding 0 turns −0 into 0.
    return BinEdges(lowest + 0.0, highest + 0.0)


def _edges_of_values(training: TrainingInDatabase, place: int, max_bins: int) -> tuple[Floats, Floats]:
    """Return the bins of a column whose values are all fetched.

    A database in this process sends them faster than it groups them.
    """
    cases = "" if training.cases is None else f", {training.cases}"
    query = f"SELECT {training.columns[place].value}{cases} {_known(training, place)}"
    values, *weights = training.table.database.arrays(query)
    return bins_of_values(values, max_bins, weights[0] if weights else None)


def _edges_of_counts(training: TrainingInDatabase, place: int, max_bins: int) -> Sequence[Floats]:
    """Return the bins of a column by the counts of its distinct values, or by ranks if they are too many."""
    database = training.table.database
    found = database.arrays(f"{_grouped(training, place)} LIMIT {database.most_fetched + 1}")
    if len(found) == 0:
        return np.empty(0), np.empty(0)
    if len(found[0]) > database.most_fetched:
        return _edges_by_rank(training, place, max_bins)
    order = np.argsort(found[0])
    values, last = found[0][order], last_of_bins(found[1][order].astype(np.int64), max_bins)
    first = np.append(0, last[:-1] + 1)[: len(last)]
    return values[first], values[last]


def _known(training: TrainingInDatabase, place: int) -> str:
    """Return the rows whose value in a column is known, after SELECT."""
    where = f"{training.where} AND {training.columns[place].value} IS NOT NULL"
    return f"FROM {training.table.relation} WHERE {where}"


def _grouped(training: TrainingInDatabase, place: int) -> str:
    """Return the query of the distinct values v of a column, and of their cases n."""
    cases = "count(*)" if training.cases is None else f"CAST(sum({training.cases}) AS BIGINT)"
    return f"SELECT {training.columns[place].value} AS v, {cases} AS n {_known(training, place)} GROUP BY 1"


def _edges_by_rank(training: TrainingInDatabase, place: int, max_bins: int) -> list[Floats]:
    """Return the bins of a column of many values, found by the database.

    A value ends a bin if a rank ⌈kN / B⌉ lies among its cases, that is if the quotients of B times the cases
    up to it and before it, by N, differ. Hence the values of a bin have the same quotient of those before.
    """
    database = training.table.database
    before = database.quotient(f"(reached - n) * {max_bins}", "total")
    return database.arrays(
        f"SELECT min(v), max(v) FROM (SELECT v, n, CAST(sum(n) OVER (ORDER BY v) AS BIGINT) AS reached, "
        f"CAST(sum(n) OVER () AS BIGINT) AS total FROM ({_grouped(training, place)}) AS counts) AS ranked "
        f"GROUP BY {before} ORDER BY 1"
    )


def _grid(training: TrainingInDatabase) -> FitGrid:
    database = training.table.database
    parameters = database.parameters()
    rows = training.weighted(parameters)
    weight = "w" if training.has_weights else "1e0"
    extremes = "0, 0" if training.classes else "min(y), max(y)"
    [found] = database.rows(
        f"SELECT count(*), sum({weight}), max({weight}), "
        f"count(CASE WHEN {weight} <> floor({weight}) THEN 1 END), {extremes} FROM {rows} AS weighted",
        parameters,
    )
    n_rows, total, greatest, n_fractions, lowest, highest = found
    grid = FitGrid.of_weights(n_rows, whole=n_fractions == 0, total=float(total), greatest=float(greatest))
    if training.classes:
        return grid
    if not grid.whole:
        parameters = database.parameters()
        whole = floor_scaled("w", grid.weight_exponent)
        rows = training.weighted(parameters)
        [(total,)] = database.rows(f"SELECT sum(CAST({whole} AS BIGINT)) FROM {rows} AS weighted", parameters)
    return grid.with_target(float(total), float(lowest), float(highest))


def _coding(
    training: TrainingInDatabase, edges: Sequence[BinEdges], grid: FitGrid, parameters: Parameters
) -> tuple[str, dict[str, str]]:
    """Return the query of the codes and terms of all rows, and the types of its columns."""
    database = training.table.database
    codes, joins = [], []
    columns: dict[str, str] = {}
    rows = training.weighted(parameters)
    for place, (column, each) in enumerate(zip(training.columns, edges, strict=True)):
        value, missing = f"given.v{place}", each.n_codes - 1
        if each.is_numeric:
            code = database.bin_code(value, each.lowest[1:].tolist(), missing, parameters)
            codes.append(f"{code} AS c{place}")
        elif column.levels:
            levels = database.coded(column.levels, column.codes, parameters)
            joins.append(f"LEFT JOIN {levels} AS l{place} ON l{place}.level = {value}")
            codes.append(f"coalesce(l{place}.code, {missing}) AS c{place}")
        else:
            codes.append(f"0 AS c{place}")
        columns[f"c{place}"] = database.code_type(each.n_codes)
    terms, types = _terms(training, grid)
    whole = "given.w" if grid.whole else floor_scaled("given.w", grid.weight_exponent)
    kept = f"WHERE {whole} > 0" if training.has_weights else ""
    if training.row_key is not None:
        terms.append("given.row_key AS row_key")
    query = f"SELECT {', '.join(codes + terms)} FROM {rows} AS given {' '.join(joins)} {kept}"
    return query, columns | types


def _terms(training: TrainingInDatabase, grid: FitGrid) -> tuple[list[str], dict[str, str]]:
    """Return the SQL of what a row adds, and the types of these columns."""
    terms, types = ["given.y AS y"], {"y": "DOUBLE PRECISION"}
    if training.classes:
        types["y"] = training.table.database.code_type(len(training.classes))
    whole = "1e0"
    if training.has_weights:
        whole = "given.w" if grid.whole else floor_scaled("given.w", grid.weight_exponent)
        terms.append(f"CAST({whole} AS BIGINT) AS w")
        types["w"] = "BIGINT"
    if training.cases is not None:
        terms.append("CAST(given.n AS BIGINT) AS n")
        types["n"] = "BIGINT"
    if not training.classes:
        d = f"(given.y - {literal(grid.origin)})"
        product = d if grid.whole else f"({whole} * {d})"
        # The square of a tiny number is not computed, because PostgreSQL refuses a product that underflows.
        factor = f"(CASE WHEN abs{d} < {literal(LEAST_SQUARED)} THEN 0e0 ELSE {d} END)"
        square = f"({factor} * {factor})" if grid.whole else f"(({whole} * {factor}) * {factor})"
        by_weight = f"{whole} * " if grid.whole and training.has_weights else ""
        terms += [
            f"CAST({by_weight}{floor_scaled(product, grid.exponent)} AS BIGINT) AS t",
            f"CAST({by_weight}{floor_scaled(square, grid.squares_exponent)} AS BIGINT) AS s",
        ]
        types |= {"t": "BIGINT", "s": "BIGINT"}
    return terms, types
