"""Results that can be listed: as dicts, and as a DataFrame of pandas or polars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any


class Records(ABC):
    """Base class of results that are a table; a subclass defines `to_dicts`."""

    @abstractmethod
    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each entry."""

    def _frame(self) -> Any:
        """Return the rows of a DataFrame as dicts, or its columns."""
        return self.to_dicts()

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each entry, or for each child of a split.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().cost_complexity_path().to_pandas()[["CP", "nsplit", "rel error"]]
             CP  nsplit  rel error
        0  0.00       2       0.06
        1  0.44       1       0.50
        2  0.50       0       1.00
        """
        import pandas as pd

        return pd.DataFrame(self._frame())

    def to_polars(self) -> Any:
        """Return a polars DataFrame with a row for each entry, or for each child of a split.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().to_polars()["cover"].to_list()
        [3.0, 2.0, 4.0, 3.0, 7.0]
        """
        import polars as pl

        return pl.DataFrame(self._frame(), infer_schema_length=None)


def rows_of_parts(entries: Iterable[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return a row for each part of each entry, whose values by part are lists; `name` numbers the entries.

    >>> rows_of_parts([{"variable": "x0", "values": ["< 7.5", ">= 7.5"]}], "candidate")[1]
    {'candidate': 0, 'variable': 'x0', 'values': '>= 7.5'}
    """
    return [
        {
            name: number,
            **{key: value[part] if isinstance(value, list) else value for key, value in entry.items()},
        }
        for number, entry in enumerate(entries)
        for part in range(len(entry["values"]))
    ]
