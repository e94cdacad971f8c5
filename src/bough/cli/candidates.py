"""`bough candidates`: the candidate splits of a node, with the value of every criterion."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bough.cli.model import load_tree
from bough.cli.option_groups import ColumnOptions, OutputOptions
from bough.cli.options import TablePath, missing_text, of_column
from bough.cli.output import write, write_json
from bough.cli.terminal import working
from bough.errors import ParameterError


def candidates(
    table: TablePath,
    target: Annotated[str | None, of_column("--target", "The column to predict.")] = None,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A saved tree whose node is split.")
    ] = None,
    node: Annotated[int, typer.Option(min=0, help="The node of the tree; 0 is the root.")] = 0,
    criterion: Annotated[
        list[str] | None, typer.Option(help="Show the values of this criterion; may be repeated.")
    ] = None,
    *,
    columns: ColumnOptions,
    most: Annotated[int, typer.Option(min=1, help="The most candidates to print.")] = 100,
    written: OutputOptions,
) -> None:
    """List every candidate split of a node, with class counts and errors of its children.

    Example: bough candidates examples/penguins.csv --target species --criterion gini
    """
    out, as_json = written.out, written.as_json
    if model is None and target is None:
        raise ParameterError("Name the column to predict with --target, or a saved tree with --model.")
    arguments = _rows_of_model(model, table, target, missing_text(columns.na)) if model else None
    if arguments is None:
        arguments = _rows_alone(table, str(target), columns)
    with working("Listing the candidates"):
        from bough.inspect.candidates import candidates as listed

        found = listed(*arguments, node=node)
    if as_json:
        write_json([_finite(each) for each in found.to_dicts()[:most]], out)
    else:
        write(found.text(*(criterion or []), max_candidates=most), out)


def _rows_of_model(model: str, table: str, target: str | None, na: tuple[str, ...]) -> tuple[Any, ...]:
    from bough.cli.labelled import labelled_rows

    tree = load_tree(model)
    rows = labelled_rows(tree, table, na, target)
    return tree, rows.features, rows.target


def _rows_alone(table: str, target: str, columns: ColumnOptions) -> tuple[Any, ...]:
    from bough.cli.roles import Roles, read_rows
    from bough.cli.sample import sample_of

    roles = Roles.of(target, columns)
    sample, _ = sample_of(read_rows(table, roles, missing_text(columns.na)), target, None, None)
    return sample.features, sample.target


def _finite(candidate: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and value != value else value
        for name, value in candidate.items()
    }
