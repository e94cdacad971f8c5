"""`bough predict`: the prediction of a saved tree for each row of a table, as CSV."""

from __future__ import annotations

import csv
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bough.cli.model import load_model
from bough.cli.options import (
    Jobs,
    MissingText,
    ModelPath,
    OutText,
    Smoothing,
    TablePath,
    missing_text,
    smoothing_of,
)
from bough.cli.output import opened
from bough.cli.terminal import plain_errors, working
from bough.errors import SchemaError

if TYPE_CHECKING:
    from bough.data.files import FileTable
    from bough.data.table import Table
    from bough.tree import Tree


class ExtraColumns(StrEnum):
    """What is done with columns that the tree was not grown on."""

    refuse = "refuse"
    ignore = "ignore"


def predict(
    model: ModelPath,
    table: TablePath,
    out: OutText = None,
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of each class too.")] = False,
    smoothing: Smoothing = None,
    extra_columns: Annotated[
        ExtraColumns,
        typer.Option(help="Columns that the tree was not grown on; the target is always ignored."),
    ] = ExtraColumns.refuse,
    na: MissingText = None,
    jobs: Jobs = None,
) -> None:
    """Write the prediction of a saved tree for each row of a table, in the order of the rows, as CSV.

    Example: bough predict penguins.json new_penguins.csv --proba --out answers.csv
    """
    with plain_errors():
        from bough.data.files import open_table

        tree = load_model(model)
        with working("Reading the table"), open_table(table, missing_text(na)) as file:
            rows = _fitted(tree, file, table, extra_columns is ExtraColumns.ignore)
        columns = {"prediction": tree.predict(rows, n_jobs=jobs).tolist()}
        if proba:
            shares = tree.predict_proba(rows, smoothing_of(smoothing or "none"), n_jobs=jobs)
            names = [f"probability_{label}" for label in tree.classes]
            columns |= dict(zip(names, shares.T.tolist(), strict=True))
        with opened(out) as file_out:
            writer = csv.writer(file_out, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))


def _fitted(tree: Tree, file: FileTable, path: str, ignore_extra: bool) -> Table:
    from bough.data.files import check_known, fit_columns

    check_known(tree.schema.names, file.names, path)
    # Columns of dates were left out in learning, too.
    known = {*tree.schema.names, tree.target_name, *file.dates}
    extra = [name for name in file.names if name not in known]
    if extra and not ignore_extra:
        raise SchemaError(
            f"{path} has columns that the tree was not grown on: {', '.join(map(repr, extra))}. "
            "Take them out, or add --extra-columns ignore."
        )
    return fit_columns(file, tree.schema)
