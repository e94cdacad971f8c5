"""`bough predict`: a saved model's answer for each row of a table, as CSV."""

from __future__ import annotations

import csv
import inspect
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bough.cli.export import sql_of
from bough.cli.in_database import check_na, place_words, predicted_in_database, stays_in_place
from bough.cli.model import load_model
from bough.cli.options import (
    Jobs,
    LargestBranch,
    MissingText,
    ModelPath,
    OutText,
    PlacePath,
    Smoothing,
    TableName,
    missing_text,
    repeated,
    smoothing_of,
)
from bough.cli.output import opened
from bough.cli.terminal import working
from bough.errors import ParameterError, SchemaError

if TYPE_CHECKING:
    from bough.data.files import FileTable
    from bough.data.table import Table
    from bough.models.model import Model


class ExtraColumns(StrEnum):
    """What is done with columns that the tree was not grown on."""

    refuse = "refuse"
    ignore = "ignore"


def predict(
    model: ModelPath,
    table: PlacePath,
    out: OutText = None,
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of each class too.")] = False,
    smoothing: Smoothing = None,
    extra_columns: Annotated[
        ExtraColumns,
        typer.Option(help="Columns that the tree was not grown on; the target is always ignored."),
    ] = ExtraColumns.refuse,
    na: MissingText = None,
    table_name: TableName = None,
    key: Annotated[
        list[str] | None, repeated("--key", "COLUMN", "A column of a database to write beside the answer")
    ] = None,
    largest_branch: LargestBranch = False,
    jobs: Jobs = None,
) -> None:
    """Write a saved model's answer for each row of a table, in the order of the rows, as CSV.

    In a database or a folder the answers are computed there, in no order, so name a --key.

    Example: bough predict penguins.json new_penguins.csv --proba --out answers.csv
    """
    from bough.data.files import open_table

    saved = load_model(model)
    if stays_in_place(table) or table_name is not None:
        check_na(table, na)
        _check_for_database(place_words(table), proba=proba, smoothing=smoothing)
        answer = sql_of(saved, largest_branch=largest_branch)
        predicted_in_database(saved, answer, table, table_name, key or [], out)
        return
    if key:
        raise ParameterError.of("--key", key[0], "left out: answers to a file are in the order of its rows")
    if largest_branch:
        raise ParameterError("--largest-branch goes with a table of a database; leave it out.")
    with working("Reading the table"), open_table(table, missing_text(na)) as file:
        rows = _fitted(saved, file, table, extra_columns is ExtraColumns.ignore)
    columns = _answers(saved, rows, proba, smoothing, jobs)
    with opened(out) as file_out:
        writer = csv.writer(file_out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _check_for_database(place: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            wanted = f"left out for {place}, where SQL computes the answers alone"
            raise ParameterError.of(f"--{name}", value, wanted)


def _answers(
    model: Model, rows: Table, proba: bool, smoothing: str | None, jobs: int | None
) -> dict[str, list[Any]]:
    """Return the columns of the output by their names."""
    from bough.tree import Tree

    if smoothing is not None:
        if not isinstance(model, Tree):
            raise ParameterError.of(
                "--smoothing", smoothing, f"left out for a model of kind {model.model_kind!r}"
            )
        # Smoothing is part of the tree, so that the class written is the most probable one.
        model = replace(model, smoothing=smoothing_of(smoothing), arithmetic="bough")
    takes_jobs = "n_jobs" in inspect.signature(model.predict).parameters
    options: dict[str, Any] = {"n_jobs": jobs} if takes_jobs else {}
    targets = getattr(model, "targets", ())
    if targets:
        answers = model.predict(rows, **options).T.tolist()
        columns = {f"prediction_{each.name}": own for each, own in zip(targets, answers, strict=True)}
        for target, shares in zip(
            targets, model.predict_proba(rows, **options) if proba else (), strict=proba
        ):
            names = [f"probability_{target.name}_{label}" for label in target.classes]
            columns |= dict(zip(names, shares.T.tolist(), strict=True))
        return columns
    quantiles = getattr(model, "quantiles", ())
    if quantiles:
        answers = model.predict(rows, **options).T.tolist()
        return {f"prediction_{share:g}": own for share, own in zip(quantiles, answers, strict=True)}
    columns = {"prediction": model.predict(rows, **options).tolist()}
    if proba:
        shares = model.predict_proba(rows, **options)
        names = [f"probability_{label}" for label in model.classes]
        columns |= dict(zip(names, shares.T.tolist(), strict=True))
    return columns


def _fitted(tree: Model, file: FileTable, path: str, ignore_extra: bool) -> Table:
    from bough.data.files import check_known, fit_columns

    check_known(tree.schema.names, file.names, path)
    # Earlier versions left columns of dates out in learning.
    targets = [target.name for target in getattr(tree, "targets", ())]
    unused = tree.provenance.get("unused_columns", ())
    known = {*tree.schema.names, tree.target_name, *targets, *file.dates, *unused}
    extra = [name for name in file.names if name not in known]
    if extra and not ignore_extra:
        raise SchemaError(
            f"{path} has columns that the model was not fitted on: {', '.join(map(repr, extra))}. "
            "Take them out, or add --extra-columns ignore."
        )
    return fit_columns(file, tree.schema)
