"""The interface of models: trees, rule sets, forests, and ensembles of them.

A model predicts for the rows of a table. A learner fits a model and predicts with it; `save` writes the model
to a file, and `bough.load` reads it.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.types import Floats, Task
from bough.version import __version__


@runtime_checkable
class Model(Protocol):
    """The attributes and methods that all models have.

    `classes` are in the order in which ties are resolved; a regression model has none. `recipe` describes how
    the model was made. `provenance` records when, with which versions and from which source; `==` ignores it.

    >>> from bough.example_models import iris_tree, tennis_rules
    >>> isinstance(iris_tree(), Model), isinstance(tennis_rules(), Model), isinstance("a tree", Model)
    (True, True, False)
    """

    model_kind: ClassVar[str]
    """The name of the kind of model in files."""

    @property
    def schema(self) -> Schema:
        """The columns of the tables that the model predicts from."""

    @property
    def task(self) -> Task:
        """Whether the model predicts classes or numbers."""

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes, in the order in which ties are resolved."""

    @property
    def target_name(self) -> str | None:
        """The name of the target."""

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe that the model was made with, in values that JSON can represent."""

    @property
    def provenance(self) -> dict[str, Any]:
        """The date, versions and source of the model; `==` ignores it."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class or the number for each row."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class (columns, in the order of `classes`) for each row."""

    def importance(self) -> Floats:
        """Return the importance of each column of the schema."""

    def document(self) -> dict[str, Any]:
        """Return the content of the model's file: dicts, lists, plain values and arrays."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `bough.load` reads."""


def table_for(X: Any, schema: Schema) -> Table:
    """Return X as a table of the schema; a `Table` of that schema is returned unchanged.

    >>> from bough.example_models import iris_tree
    >>> table = table_for([[1.4, 0.2]], iris_tree().schema)
    >>> table_for(table, iris_tree().schema) is table
    True
    """
    if isinstance(X, Table) and (X.schema is schema or X.schema == schema):
        return X
    return Table.fit_to(X, schema)


def relative_importance(importance: Floats) -> Floats:
    """Return the share of each column in the total importance; all 0 if no column has any.

    >>> relative_importance(np.array([3.0, 1.0, 0.0]))
    array([0.75, 0.25, 0.  ])
    """
    total = importance.sum()
    return importance / total if total > 0 else importance


def used_columns(model: Model) -> dict[str, float]:
    """Return the share of each column that a model uses in the total importance, the largest first.

    >>> from bough.example_models import tennis_rules
    >>> {name: round(share, 2) for name, share in used_columns(tennis_rules()).items()}
    {'Outlook': 0.44, 'Humidity': 0.37, 'Wind': 0.19}
    """
    shares = relative_importance(model.importance())
    order = np.argsort(-shares, kind="stable")
    return {model.schema.shown[int(each)].name: float(shares[each]) for each in order[shares[order] > 0]}


def completed(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance with the current date and versions added where they are missing.

    >>> completed({"source": "iris.csv", "date": "2020-01-01T00:00:00Z"})["date"]
    '2020-01-01T00:00:00Z'
    """
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    versions = {
        "bough": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    return {"date": now, "versions": versions} | dict(provenance)
