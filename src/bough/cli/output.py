"""Where a verb writes: to standard output, or to the file named; "-" is standard output too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer


def write(text: str, out: str | None = None) -> None:
    """Write a text, and end it with a newline.

    >>> write("3 leaves")
    3 leaves
    """
    if out is None or out == "-":
        typer.echo(text)
    else:
        Path(out).write_text(text + "\n", encoding="utf-8")


def write_json(value: Any, out: str | None = None) -> None:
    """Write a value as JSON.

    >>> write_json({"leaves": 3})
    {
      "leaves": 3
    }
    """
    write(json.dumps(value, indent=2), out)
