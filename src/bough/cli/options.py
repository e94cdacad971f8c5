"""Arguments and options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

import typer

from bough.errors import ParameterError


class TaskChoice(StrEnum):
    """What is predicted; auto leaves it to the target."""

    auto = "auto"
    classification = "classification"
    regression = "regression"

    def given(self) -> str | None:
        """Return the task, or None if the target decides.

        >>> TaskChoice.auto.given(), TaskChoice.regression.given()
        (None, 'regression')
        """
        return None if self is TaskChoice.auto else self.value


class MissingTarget(StrEnum):
    """What is done with rows whose target is missing."""

    refuse = "refuse"
    skip = "skip"


def repeated(name: str, metavar: str, meaning: str) -> Any:
    """Return an option that may be given several times."""
    return typer.Option(name, metavar=metavar, help=f"{meaning}; may be repeated.")


def of_column(name: str, meaning: str, **more: Any) -> Any:
    """Return an option that names a column."""
    return typer.Option(name, metavar="COLUMN", help=meaning, **more)


TaskOption: TypeAlias = Annotated[
    TaskChoice,
    typer.Option("--task", help="auto: text, truth values and up to 10 different whole numbers are classes."),
]
TablePath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A table: .csv, .tsv, .json, .ndjson (each also .gz), .parquet, .arrow; - is CSV on stdin.",
        show_default=False,
    ),
]
PlacePath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A table: .csv, .tsv, .json, .ndjson (each also .gz), .parquet, .arrow; - is CSV on stdin. A "
        "folder of such files, a DuckDB database or a PostgreSQL URL is read where it is.",
        show_default=False,
    ),
]
ModelPath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model that `bough learn --out` wrote; - is stdin.", show_default=False
    ),
]
MissingText: TypeAlias = Annotated[
    list[str] | None,
    repeated("--na", "TEXT", "A field of a CSV file that means a missing value, instead of NA"),
]
TableName: TypeAlias = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="The table of a database, such as shop.orders.")
]
LargestBranch: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--largest-branch",
        help="SQL of a model that divides rows with missing values among branches: let them follow the "
        "branch of greatest weight instead; rules that need the value do not fire.",
    ),
]
Smoothing: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="none|laplace|M",
        help="Smoothing of the probabilities: none, Laplace, or the m of the m-estimate.",
    ),
]
Jobs: TypeAlias = Annotated[int | None, typer.Option("--jobs", metavar="N", help="The most threads to use.")]
OutText: TypeAlias = Annotated[
    str | None, typer.Option("--out", metavar="FILE", help="Write here instead of to stdout; - is stdout.")
]
OutModel: TypeAlias = Annotated[
    str | None, typer.Option("--out", metavar="FILE", help="Save the model here; - is stdout, as JSON.")
]
TargetColumn: TypeAlias = Annotated[str, of_column("--target", "The column to predict.", show_default=False)]
TargetColumns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="COLUMN[,COLUMN...]",
        help="The column to predict, or several that one model predicts together; isolation has none.",
        show_default=False,
    ),
]
Target: TypeAlias = Annotated[
    str | None, of_column("--target", "The column of the target, if it is not named as in the model.")
]
Weights: TypeAlias = Annotated[str | None, of_column("--weights", "The column of row weights.")]
Groups: TypeAlias = Annotated[
    str | None, of_column("--groups", "Ids of the groups in which a ranker ranks rows.")
]
Event: TypeAlias = Annotated[
    str | None,
    of_column(
        "--event",
        "The target is a time; this column says whether the event happened then (1) or the time is censored "
        "(0).",
    ),
]
SkipMissingTarget: TypeAlias = Annotated[
    MissingTarget, typer.Option(help="Refuse or skip rows whose target is missing.")
]
Drop: TypeAlias = Annotated[list[str] | None, repeated("--drop", "COLUMN", "Leave a column out")]
Nominal: TypeAlias = Annotated[
    list[str] | None,
    repeated("--nominal", "COLUMN", "Read this column as nominal, also if it holds numbers"),
]
Ordinal: TypeAlias = Annotated[
    list[str] | None,
    repeated("--ordinal", "COLUMN=LOW,…,HIGH", "A column's levels in rising order"),
]
LossMatrix: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--loss-matrix",
        metavar="ROW;ROW;…",
        help="The cost of each error: a row for each true class, a number for each answer, in sorted order, "
        "such as '0,1;5,0'.",
    ),
]
Digits: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Digits of numbers; by default six in predictions, four in errors."
    ),
]
Width: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=20, metavar="N", help="The longest line, in characters; by default that of the terminal."
    ),
]
MaxLevels: TypeAlias = Annotated[
    int, typer.Option(min=0, metavar="N", help="The most levels of a condition to print; 0 prints all.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def missing_text(given: list[str] | None) -> tuple[str, ...]:
    """Return the fields that mean missing: the empty field, and those given, or NA if none is given.

    >>> missing_text(None), missing_text(["?", "-"])
    (('', 'NA'), ('', '?', '-'))
    """
    return ("", *(["NA"] if given is None else given))


def smoothing_of(given: str) -> Literal["none", "laplace"] | float:
    """Return the smoothing as the library takes it: a word, or a number.

    >>> smoothing_of("laplace"), smoothing_of("2.5")
    ('laplace', 2.5)
    >>> smoothing_of("much")
    Traceback (most recent call last):
    bough.errors.ParameterError: --smoothing is 'much'; it must be none, laplace or a positive number.
    """
    words: dict[str, Literal["none", "laplace"]] = {"none": "none", "laplace": "laplace"}
    if given in words:
        return words[given]
    try:
        return float(given)
    except ValueError:
        raise ParameterError.of("--smoothing", given, "none, laplace or a positive number") from None


def matrix_of(given: str) -> list[list[float]]:
    """Return the matrix that a text holds: semicolons between rows, commas between numbers.

    >>> matrix_of("0,1;5,0")
    [[0.0, 1.0], [5.0, 0.0]]
    """
    try:
        rows = [[float(cell) for cell in row.split(",")] for row in given.split(";")]
    except ValueError:
        rows = []
    if not rows or len({len(row) for row in rows}) > 1:
        raise ParameterError.of("--loss-matrix", given, "rows of numbers, such as '0,1;5,0'")
    return rows


def check_seed(random_state: int) -> None:
    """Refuse a seed that no generator takes.

    >>> check_seed(-5)
    Traceback (most recent call last):
    bough.errors.ParameterError: --random-state is -5; it must be a whole number from 0 to 4294967295.
    """
    if not 0 <= random_state < 2**32:
        raise ParameterError.of("--random-state", random_state, f"a whole number from 0 to {2**32 - 1}")
