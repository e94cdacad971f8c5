"""A model answers for rows of a schema. Trees, rule sets, forests and what is made of them are models.

A learner fits a model and lets it answer; `save` writes it to a file and `bough.load` reads it.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

import bough
from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.tree import Task
from bough.types import Floats


@runtime_checkable
class Model(Protocol):
    """What all models have in common: a schema of the rows they take, and answers.

    `classes` are in the model's own order, in which it breaks ties; a regression model has none. `recipe`
    says what made the model. `provenance` says when, with which versions and from which source; two models
    that differ in it alone are equal.

    >>> from bough.example_models import iris_tree, tennis_rules
    >>> isinstance(iris_tree(), Model), isinstance(tennis_rules(), Model), isinstance("a tree", Model)
    (True, True, False)
    """

    model_kind: ClassVar[str]
    """The name of the kind of model in files."""

    @property
    def schema(self) -> Schema:
        """The columns of the tables that it answers for."""

    @property
    def task(self) -> Task:
        """Whether it answers with classes or with numbers."""

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes, in the order that breaks ties."""

    @property
    def target_name(self) -> str | None:
        """The name of what is predicted."""

    @property
    def recipe(self) -> dict[str, Any]:
        """What made the model, as JSON can hold it."""

    @property
    def provenance(self) -> dict[str, Any]:
        """Date, versions and source; equality leaves it out."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class or the number for each row."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class (columns, in the order of `classes`) for each row."""

    def importance(self) -> Floats:
        """Return a number for each column of the schema: how much it contributes."""

    def document(self) -> dict[str, Any]:
        """Return what a file holds of the model: objects and lists as JSON has them, and arrays."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, for `bough.load` to read."""


def table_for(X: Any, schema: Schema) -> Table:
    """Return X as a table of the schema; a table that is one already is taken as it is.

    >>> from bough.example_models import iris_tree
    >>> table = table_for([[1.4, 0.2]], iris_tree().schema)
    >>> table_for(table, iris_tree().schema) is table
    True
    """
    if isinstance(X, Table) and (X.schema is schema or X.schema == schema):
        return X
    return Table.fit_to(X, schema)


def completed(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance with today's date and these versions where it does not have them yet.

    >>> completed({"source": "iris.csv", "date": "2020-01-01T00:00:00Z"})["date"]
    '2020-01-01T00:00:00Z'
    """
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    versions = {
        "bough": bough.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    return {"date": now, "versions": versions} | dict(provenance)
