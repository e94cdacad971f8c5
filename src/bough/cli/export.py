"""`bough export`: write a saved tree in another format."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bough.cli.model import as_tree, load_model
from bough.cli.options import ModelPath, OutText
from bough.cli.output import write
from bough.cli.terminal import plain_errors

if TYPE_CHECKING:
    from bough.tree import Tree


class Language(StrEnum):
    """The formats that a tree can be written in."""

    json = "json"
    text = "text"
    rules = "rules"
    sql = "sql"
    dot = "dot"
    svg = "svg"


def export(
    model: ModelPath,
    to: Annotated[Language, typer.Option(help="The format.")],
    out: OutText = None,
) -> None:
    """Write a saved tree as JSON, text, rules, an SQL expression, a Graphviz graph or an SVG picture.

    Example: bough export penguins.json --to sql --out penguins.sql
    """
    with plain_errors():
        loaded = load_model(model)
        if to is Language.sql:
            from bough.export import to_sql

            write(to_sql(loaded), out)
            return
        write(_written(as_tree(loaded, model), to), out)


def _written(tree: Tree, language: Language) -> str:
    if language is Language.json:
        return json.dumps(tree.to_json(), indent=2)
    if language is Language.text:
        return tree.text(max_lines=None)
    if language is Language.rules:
        return tree.rules().text(max_lines=None)
    if language is Language.svg:
        from bough.reports.picture import picture

        return picture(tree, most_leaves=60)
    from bough.export import to_dot

    return to_dot(tree)
