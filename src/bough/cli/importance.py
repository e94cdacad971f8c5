"""`bough importance`: print the importance of the columns of any saved model."""

from __future__ import annotations

from typing import Annotated

import typer

from bough.cli.model import load_model
from bough.cli.option_groups import OutputOptions
from bough.cli.options import ModelPath
from bough.cli.output import write, write_json
from bough.cli.show import importance_text
from bough.models.importance import has_leaf_models
from bough.models.model import used_columns


def importance(
    model: ModelPath,
    max_lines: Annotated[int, typer.Option(min=1, help="The most columns to print.")] = 200,
    *,
    written: OutputOptions,
) -> None:
    """Print the importance of the columns of a saved model, the largest first, as shares of the total.

    Example: bough importance penguins.json
    """
    out = written.out
    loaded = load_model(model)
    shares = used_columns(loaded)
    if written.as_json:
        write_json(shares, out)
    else:
        write(importance_text(shares, max_lines, leaf_models=has_leaf_models(loaded)), out)
