"""`bough refit`: keep the splits of a saved tree and compute its statistics from another table."""

from __future__ import annotations

from typing import Annotated

import typer

from bough.cli.model import load_tree
from bough.cli.option_groups import RowOptions
from bough.cli.options import AsJson, MissingText, ModelPath, OutModel, TablePath, Weights, missing_text
from bough.cli.show import write_tree


def refit(
    model: ModelPath,
    table: TablePath,
    out: OutModel = None,
    weights: Weights = None,
    na: MissingText = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines to print.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Keep the splits of a saved tree and compute cases, predictions and risks of its nodes from a table.

    Example: bough refit penguins.json other_penguins.csv --out refitted.json
    """
    from bough.cli.labelled import labelled_rows

    tree = load_tree(model)
    rows = labelled_rows(tree, table, missing_text(na), rows=RowOptions(weights=weights))
    write_tree(tree.refit(rows.features, rows.target, rows.weight), out, max_lines, as_json)
