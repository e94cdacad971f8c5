"""`bough report`: write an HTML page about a saved model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from bough.cli.model import load_model
from bough.cli.option_groups import RowOptions
from bough.cli.options import (
    MissingTarget,
    MissingText,
    ModelPath,
    SkipMissingTarget,
    Target,
    Weights,
    missing_text,
)
from bough.cli.output import write
from bough.cli.terminal import working

TestTable: TypeAlias = Annotated[
    str | None, typer.Option(metavar="TABLE", help="Test rows with the target, to evaluate the model on.")
]
Draws: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=0, help="How many trees to grow on samples of the table, to show how stable the tree is."
    ),
]
Optimality: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Search so long for the best tree of the same depth, and show how far this one is from it.",
    ),
]
OutPage: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The file of the page, by default named after the model; - is stdout."),
]


def report(
    model: ModelPath,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]", help="Rows with the target, to show in the nodes.", show_default=False
        ),
    ] = None,
    test: TestTable = None,
    target: Target = None,
    weights: Weights = None,
    missing_target: SkipMissingTarget = MissingTarget.refuse,
    title: Annotated[str | None, typer.Option(help="The title of the page.")] = None,
    draws: Draws = None,
    optimality: Optimality = None,
    na: MissingText = None,
    out: OutPage = None,
) -> None:
    """Write one HTML page about a saved model, which can be read without a network.

    Example: bough report penguins.json examples/penguins.csv --out penguins.html
    """
    from bough.cli.labelled import labelled_rows
    from bough.reports.report import report as reported

    saved = load_model(model)
    missing = missing_text(na)
    read = partial(labelled_rows, saved, na=missing, target=target)
    rows = None if table is None else read(table, rows=RowOptions(missing_target, weights))
    held_out = None if test is None else read(test, rows=RowOptions(missing_target))[:2]
    with working("Writing the report"):
        page = reported(
            saved,
            None if rows is None else rows.features,
            None if rows is None else rows.target,
            sample_weight=None if rows is None else rows.weight,
            test=held_out,
            title=title,
            n_draws=draws,
            optimality=optimality,
        )
    if out == "-":
        write(page.html)
        return
    path = page.save(out or (f"{Path(model).stem}.html" if model != "-" else "report.html"))
    write(f"Wrote {path}: open it in a browser.")
