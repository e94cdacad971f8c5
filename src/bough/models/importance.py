"""The importance of the columns of a model as a table: named, sorted, with shares of the total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.records import Records
from bough.data.schema import Schema
from bough.data.views import Part, TextTable, Viewed
from bough.data.words import figure_column, figure_words, name_words, share_words
from bough.errors import ParameterError
from bough.models.model import Model, relative_importance
from bough.types import Floats

_MOST_ROWS = 40

LEAF_MODELS_NOTE = "The linear models of the leaves are not counted."
"""What is said of the importance of a model whose leaves have linear models."""


@dataclass(frozen=True, eq=False, repr=False)
class Importance(Viewed, Records):
    """The importance of the columns of a model, the largest first; columns without any are left out.

    `columns` are their names, `values` the importance of each, `shares` its share of the total, and `errors`
    the standard errors of the values, or None. `measure` says what the values are, and `leaf_models` whether
    leaves of the model have linear models, which the values leave out.

    >>> import bough
    >>> from bough.example_models import tennis_tree
    >>> found = bough.importance(tennis_tree())
    >>> print(found)
    column    importance  share
    Humidity       4.855  36.9%
    Wind           4.855  36.9%
    Outlook        3.454  26.2%
    >>> round(found["Wind"], 3), found["Temperature"], len(found)
    (4.855, 0.0, 3)
    """

    columns: tuple[str, ...]
    values: Floats
    shares: Floats
    errors: Floats | None = None
    measure: str = "importance"
    leaf_models: bool = False

    @classmethod
    def of(
        cls,
        schema: Schema,
        values: Floats,
        errors: Floats | None = None,
        measure: str = "importance",
        *,
        leaf_models: bool = False,
    ) -> Importance:
        """Return the table of the values of each column of a schema.

        >>> from bough.example_models import iris_tree
        >>> Importance.of(iris_tree().schema, np.array([0.0, 2.0])).columns
        ('Petal.Width',)
        """
        order = np.argsort(-values, kind="stable")
        order = order[values[order] != 0]
        return cls(
            tuple([schema.shown[int(each)].name for each in order]),
            values[order],
            relative_importance(np.maximum(values, 0.0))[order],
            None if errors is None else errors[order],
            measure,
            leaf_models,
        )

    def headline(self) -> str:
        """Return the most important columns as text.

        >>> from bough.example_models import iris_tree
        >>> importance(iris_tree()).headline()
        'Petal.Length 56.2%, Petal.Width 43.8%'
        """
        named = zip(self.columns[:3], self.shares[:3].tolist(), strict=True)
        words = ", ".join(f"{name_words(name)} {share_words(share)}" for name, share in named)
        unused = "no split uses a column" if self.leaf_models else "no column is used"
        return words + (f" and {len(self) - 3} more columns" if len(self) > 3 else "") or unused

    def __repr__(self) -> str:
        return f"<Importance: {self.headline()}>"

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(zip(self.columns, self.values.tolist(), strict=True))

    def __getitem__(self, column: str) -> float:
        """Return the importance of a column; 0 if it has none."""
        return dict(self).get(column, 0.0)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each column.

        >>> import bough
        >>> from bough.example_models import tennis_rules
        >>> bough.importance(tennis_rules()).to_dicts()[0]["column"]
        'Outlook'
        """
        errors: Sequence[float | None] = [None] * len(self) if self.errors is None else self.errors.tolist()
        rows = zip(self.columns, self.values.tolist(), self.shares.tolist(), errors, strict=True)
        return [
            {"column": column, "importance": value, "share": share, "standard_error": error}
            for column, value, share, error in rows
        ]

    def parts(self) -> list[Part]:
        """Return a table with a line for each column, at most 40.

        >>> import bough
        >>> from bough.example_models import iris_tree
        >>> len(bough.importance(iris_tree()).parts())
        1
        """
        if not len(self):
            return [no_column_words(self.leaf_models)]
        cells = [list(map(name_words, self.columns)), figure_column(self.values, 4)]
        head = ["column", self.measure]
        if self.errors is not None:
            head.append("± SE")
            cells.append(figure_column(self.errors, 2))
        head.append("share")
        cells.append([share_words(share) for share in self.shares])
        rows = [*zip(*cells, strict=True)]
        hidden = len(self) - _MOST_ROWS
        more: list[Part] = [f"{figure_words(hidden)} more columns are not shown."] if hidden > 0 else []
        more += [LEAF_MODELS_NOTE] if self.leaf_models else []
        return [TextTable(head, rows[:_MOST_ROWS], range(1, len(head))), *more]


def importance(model: Any) -> Importance:
    """Return the importance of the columns of any model or fitted estimator, the largest first.

    The importance of a tree is the gain of its splits, that of a rule set the cases covered by rules with a
    condition on the column, and that of an ensemble the mean over its members.

    >>> from bough.example_models import iris_tree
    >>> print(importance(iris_tree()))
    column        importance  share
    Petal.Length       50.00  56.2%
    Petal.Width        38.97  43.8%
    """
    found = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(found, Model):
        raise ParameterError(
            f"model is a {type(model).__name__}; it must be a model of bough or a fitted estimator."
        )
    values = np.asarray(found.importance(), dtype=np.float64)
    return Importance.of(found.schema, values, leaf_models=has_leaf_models(found))


def has_leaf_models(model: Any) -> bool:
    """Return whether leaves of the model or of its members have linear models, which importance leaves out.

    >>> from bough.example_models import tennis_tree
    >>> has_leaf_models(tennis_tree())
    False
    """
    if getattr(model, "leaf_models", None) is not None:
        return True
    # The importance of a chain counts each column that a member reads, also in linear models.
    counts_all = getattr(model, "voting", None) == "chain"
    return not counts_all and any(map(has_leaf_models, getattr(model, "members", ())))


def no_column_words(leaf_models: bool) -> str:
    """Return what is said of a model in which no column has importance.

    >>> no_column_words(leaf_models=True)
    'No split uses a column. The linear models of the leaves are not counted.'
    """
    return f"No split uses a column. {LEAF_MODELS_NOTE}" if leaf_models else "The model uses no column."
