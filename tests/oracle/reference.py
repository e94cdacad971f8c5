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

    Nominal and ordinal columns are categoricals, ordinal ones ordered. Classes are categories too, with
    `class_labels` for names.
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
        """The whole file, for what its cases share; classes have the names of `class_labels`."""
        document = _document(FOLDER / self.program / f"{self.dataset}.json")
        levels = document.get("class_levels")
        return document | {"class_levels": levels and class_labels(levels)}

    def label(self, level: str) -> str:
        """The label of a class as `class_labels` names it."""
        stored = _document(FOLDER / self.program / f"{self.dataset}.json")["class_levels"]
        return class_labels(stored)[stored.index(level)]

    @property
    def output(self) -> dict[str, Any]:
        """What the program was asked and what it answered."""
        return self.file["cases"][self.name]

    def __str__(self) -> str:
        return f"{self.dataset}-{self.name}"


def class_labels(levels: list[str]) -> list[str]:
    """Labels that sort in the program's order of classes; learners sort them, and the first wins a tie."""
    return levels if levels == sorted(levels) else [f"{place:02} {each}" for place, each in enumerate(levels)]


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
    coded = known.astype(pd.CategoricalDtype(column["levels"], ordered=is_ordered))
    return (
        coded if column["role"] != "target" else coded.cat.rename_categories(class_labels(column["levels"]))
    )


@cache
def _document(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document
