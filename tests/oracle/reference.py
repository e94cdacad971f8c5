"""Reference outputs of other programs, and the tables they were made from.

They lie in the folder that the environment variable BOUGH_GOLDEN names, or else in tests/golden:
data/<name>.csv with data/<name>.schema.json, and <program>/<name>.json with the cases of each program.
"""

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

OWN_FOLDER = Path(__file__).parents[1] / "golden"
FOLDER = Path(os.environ.get("BOUGH_GOLDEN") or OWN_FOLDER)
# Another folder may hold fewer cases, and not those of every kind.
of_own_folder = pytest.mark.skipif(
    FOLDER.resolve() != OWN_FOLDER.resolve(), reason="the number of cases is known for our own folder alone"
)


@dataclass(frozen=True, eq=False)
class Data:
    """A table as the programs saw it: rows, columns, levels and classes all in their order.

    Nominal and ordinal columns are categoricals, ordinal ones ordered. Classes are categories too: of equals
    the first of them wins.
    """

    name: str
    task: str
    X: pd.DataFrame
    y: pd.Series
    weight: pd.Series | None
    status: pd.Series | None
    source: str


@dataclass(frozen=True)
class Case:
    """One run of a program: its options and outputs as stored, and what holds for all cases of its file."""

    program: str
    dataset: str
    name: str

    @property
    def file(self) -> dict[str, Any]:
        """The whole file, for what its cases share."""
        return _document(FOLDER / self.program / f"{self.dataset}.json")

    @property
    def output(self) -> dict[str, Any]:
        """What the program was asked and what it answered."""
        return self.file["cases"][self.name]

    def __str__(self) -> str:
        return f"{self.dataset}-{self.name}"


def cases(program: str) -> list[Case]:
    """Every stored case of a program, such as "weka/id3" or "rpart"."""
    files = sorted((FOLDER / program).glob("*.json"))
    return [Case(program, path.stem, name) for path in files for name in _document(path)["cases"]]


def datasets() -> list[str]:
    """The names of all stored tables."""
    return sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("data/*.schema.json"))


@cache
def read_data(name: str, *, ordered: bool = True, folder: Path = FOLDER) -> Data:
    """Read a stored table; without `ordered`, ordinal columns are nominal, as Weka and C4.5 see them."""
    schema = read_schema(name, folder)
    text = pd.read_csv(folder / "data" / f"{name}.csv", dtype=str, keep_default_na=False)
    by_role: dict[str, dict[str, pd.Series]] = {"feature": {}, "target": {}, "weight": {}, "status": {}}
    for column in schema["columns"]:
        by_role[column["role"]][column["name"]] = _column(text[column["name"]], column, ordered)
    [target] = by_role["target"].values()
    return Data(
        name,
        schema["task"],
        pd.DataFrame(by_role["feature"]),
        target,
        next(iter(by_role["weight"].values()), None),
        next(iter(by_role["status"].values()), None),
        schema["source"],
    )


def read_schema(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Read what is said of a stored table's columns."""
    return _document(folder / "data" / f"{name}.schema.json")


def _column(text: pd.Series, column: dict[str, Any], ordered: bool) -> pd.Series:
    known = text.where(text != "")
    if column["type"] == "numeric":
        # float() rounds as the programs' own readers do; pandas' quick parser may be off by a bit.
        return known.map(float, na_action="ignore").astype("float64")
    is_ordered = ordered and column["type"] == "ordinal"
    return known.astype(pd.CategoricalDtype(column["levels"], ordered=is_ordered))


@cache
def _document(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document
