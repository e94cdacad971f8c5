"""`bough schema`: print the columns of a table or of a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bough.cli.options import AsJson, MissingText, OutText, missing_text
from bough.cli.output import write, write_json
from bough.cli.terminal import working
from bough.errors import FormatError

if TYPE_CHECKING:
    from bough.data.schema import Schema


def schema(
    path: Annotated[
        str,
        typer.Argument(
            metavar="TABLE|MODEL", help="A table, or a model from bough learn.", show_default=False
        ),
    ],
    na: MissingText = None,
    out: OutText = None,
    as_json: AsJson = False,
) -> None:
    """Print the columns of a table or of a saved model: name, scale, levels.

    Example: bough schema examples/penguins.csv
    """
    found = _schema_of(path, missing_text(na))
    if as_json:
        write_json(found.to_json(), out)
    else:
        write(_text(found), out)


def _schema_of(path: str, na: tuple[str, ...]) -> Schema:
    from bough.data.files import open_table, read_columns
    from bough.loading import load

    if Path(path).is_file() and Path(path).suffix not in (".csv", ".tsv"):
        try:
            return load(path).schema
        except FormatError:
            # A table, not a model.
            pass
    with working("Reading the table"), open_table(path, na) as file:
        return read_columns(file, file.names).schema


def _text(schema: Schema) -> str:
    from bough.data.times import UNIT_WORDS
    from bough.data.words import level_set_words, name_words

    lines = [("column", "scale", "levels")]
    for column in schema:
        levels = level_set_words(column.levels, 12) if column.levels else ""
        values = UNIT_WORDS[column.unit] if column.unit else levels
        lines.append((name_words(column.name), column.scale, values))
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
