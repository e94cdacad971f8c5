"""`bough explain`: say why a saved model answers as it does for a row of a table."""

from __future__ import annotations

from typing import Annotated

import typer

from bough.cli.model import load_model
from bough.cli.options import AsJson, MissingText, ModelPath, OutText, TablePath, missing_text
from bough.cli.output import write, write_json
from bough.cli.terminal import working
from bough.errors import ParameterError


def explain(
    model: ModelPath,
    table: TablePath,
    row: Annotated[
        list[int] | None, typer.Option(min=1, help="The number of a row, from 1; may be repeated.")
    ] = None,
    changes: Annotated[
        int, typer.Option(min=0, help="The most changes to list that would change the answer.")
    ] = 5,
    na: MissingText = None,
    out: OutText = None,
    as_html: Annotated[bool, typer.Option("--html", help="Write HTML instead of text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say why a saved model answers as it does for a row, and what would change the answer.

    Example: bough explain penguins.json examples/penguins.csv --row 3
    """
    import numpy as np

    from bough.data.files import check_known, fit_columns, open_table
    from bough.inspect.explain import explain as explained

    saved = load_model(model)
    with working("Reading the table"), open_table(table, missing_text(na)) as file:
        check_known(saved.schema.names, file.names, table)
        rows = fit_columns(file, saved.schema)
    wanted = row or [1]
    if max(wanted) > rows.n_rows:
        raise ParameterError.of("--row", max(wanted), f"at most {rows.n_rows}, the rows of {table}")
    found = [explained(saved, rows.take(np.array([n - 1])), most_changes=changes) for n in wanted]
    if as_json:
        facts = [{"row": n, **each.to_dict()} for n, each in zip(wanted, found, strict=True)]
        write_json(facts[0] if len(facts) == 1 else facts, out)
    elif as_html:
        write("\n".join(each.to_html() for each in found), out)
    else:
        heads = [f"row {n}\n" if len(wanted) > 1 else "" for n in wanted]
        write("\n\n".join(f"{head}{each}" for head, each in zip(heads, found, strict=True)), out)
