"""Arguments and options that more than one verb takes, each said once."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

from bough.errors import ParameterError

TablePath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A table: .csv, .tsv, .json, .ndjson (each also .gz), .parquet, .arrow; - is CSV on stdin.",
        show_default=False,
    ),
]
ModelPath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A tree that `bough learn --out` wrote; - is stdin.", show_default=False
    ),
]
MissingText: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="TEXT",
        help="A field of a CSV file that means missing, instead of NA; may be repeated.",
    ),
]
Smoothing: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="none|laplace|M",
        help="How class shares become probabilities: as they are, Laplace, m-estimate.",
    ),
]
Jobs: TypeAlias = Annotated[int | None, typer.Option("--jobs", metavar="N", help="The most threads to use.")]
OutText: TypeAlias = Annotated[
    str | None, typer.Option("--out", metavar="FILE", help="Write here instead of to stdout; - is stdout.")
]
OutModel: TypeAlias = Annotated[
    str | None, typer.Option("--out", metavar="FILE", help="Save the tree here, as JSON; - is stdout.")
]
Target: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="COLUMN", help="The column of true answers, if not the tree's own target."
    ),
]
Weights: TypeAlias = Annotated[
    str | None, typer.Option("--weights", metavar="COLUMN", help="The column of row weights.")
]
Drop: TypeAlias = Annotated[
    list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Leave a column out; may be repeated.")
]
Nominal: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--nominal", metavar="COLUMN", help="Numbers in this column are names; may be repeated."),
]
Ordinal: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--ordinal", metavar="COLUMN=LOW,…,HIGH", help="A column's levels in rising order; may be repeated."
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def missing_text(said: list[str] | None) -> tuple[str, ...]:
    """Fields that mean missing: the empty one, and those said or else NA.

    >>> missing_text(None), missing_text(["?", "-"])
    (('', 'NA'), ('', '?', '-'))
    """
    return ("", *(["NA"] if said is None else said))


def smoothing_of(said: str) -> Literal["none", "laplace"] | float:
    """Read the smoothing: a word stays a word, anything else must be a number.

    >>> smoothing_of("laplace"), smoothing_of("2.5")
    ('laplace', 2.5)
    >>> smoothing_of("much")
    Traceback (most recent call last):
    bough.errors.ParameterError: --smoothing is 'much'; it must be none, laplace or a positive number.
    """
    words: dict[str, Literal["none", "laplace"]] = {"none": "none", "laplace": "laplace"}
    if said in words:
        return words[said]
    try:
        return float(said)
    except ValueError:
        raise ParameterError.of("--smoothing", said, "none, laplace or a positive number") from None
