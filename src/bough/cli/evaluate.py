"""`bough evaluate`: how well a saved tree answers for rows whose answers are known."""

from __future__ import annotations

from typing import Annotated

import typer

from bough.cli.model import load_tree
from bough.cli.options import (
    AsJson,
    MissingText,
    ModelPath,
    OutText,
    TablePath,
    Target,
    Weights,
    missing_text,
)
from bough.cli.output import write, write_json
from bough.cli.terminal import plain_errors, working
from bough.errors import ParameterError


def evaluate(
    model: ModelPath,
    table: TablePath,
    target: Target = None,
    weights: Weights = None,
    loss_matrix: Annotated[
        str | None,
        typer.Option(
            metavar="ROW;ROW;…",
            help="What each mistake costs: a row a true class, a number an answer, sorted, as '0,1;5,0'.",
        ),
    ] = None,
    na: MissingText = None,
    out: OutText = None,
    as_json: AsJson = False,
) -> None:
    """Hold a saved tree's answers against a table: accuracy, log-loss, confusion, with standard errors.

    Example: bough evaluate penguins.json new_penguins.csv --json
    """
    with plain_errors():
        from bough.cli.labelled import labelled_rows
        from bough.evaluation import evaluate as evaluated

        tree = load_tree(model)
        losses = None if loss_matrix is None else matrix_of(loss_matrix)
        rows = labelled_rows(tree, table, missing_text(na), target, weights)
        with working("Evaluating"):
            found = evaluated(
                tree,
                rows.features,
                rows.target,
                sample_weight=rows.weight,
                loss_matrix=losses,
                rows=f"of {table}",
            )
        if as_json:
            write_json(found.to_dict(), out)
        else:
            write(found.text(), out)


def matrix_of(said: str) -> list[list[float]]:
    """Read a matrix of numbers: rows between semicolons, numbers between commas.

    >>> matrix_of("0,1;5,0")
    [[0.0, 1.0], [5.0, 0.0]]
    """
    try:
        rows = [[float(cell) for cell in row.split(",")] for row in said.split(";")]
    except ValueError:
        rows = []
    if not rows or len({len(row) for row in rows}) > 1:
        raise ParameterError.of("--loss-matrix", said, "rows of numbers, such as '0,1;5,0'")
    return rows
