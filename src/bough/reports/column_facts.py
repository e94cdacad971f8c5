"""The facts of a report about columns: scales, ranges or levels, missing values, importance."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.schema import Column
from bough.data.table import Table, is_missing
from bough.data.times import time_words
from bough.data.words import figure_words, level_words
from bough.errors import TableError
from bough.models.model import relative_importance
from bough.tree import Tree
from bough.types import Floats

_N_BARS = 20
_MOST_LEVELS = 200
_MOST_PATTERNS = 8
_MOST_EXPLAINED = 5
_MOST_ROWS_TO_EXPLAIN = 20_000


def column_facts(tree: Tree, shown: Tree, table: Table | None) -> list[dict[str, Any]]:
    """Return a dict for each column of the tree, with values that JSON can hold.

    `shown` is the tree with shortened names, see `shown_tree`.

    >>> from bough.example_models import iris_tree
    >>> facts = column_facts(iris_tree(), iris_tree(), None)
    >>> facts[0]["name"], facts[0]["scale"], round(facts[0]["importance"], 2), facts[0]["splits"]
    ('Petal.Length', 'numeric', 0.56, 1)
    """
    facts = shown_columns(tree, shown.schema, relative_importance(tree.importance()), table)
    splits = np.bincount(tree.column[~tree.is_leaf], minlength=len(tree.schema)).tolist()
    return [fact | {"splits": count} for fact, count in zip(facts, splits, strict=False)]


def shown_columns(
    model: Any, shown: Iterable[Column], shares: Floats, table: Table | None
) -> list[dict[str, Any]]:
    """Return the facts of each column of any model: its importance and, with a table, its values.

    >>> from bough.example_models import iris_tree
    >>> schema = iris_tree().schema
    >>> shown_columns(iris_tree(), schema, np.array([0.6, 0.4]), None)[1]["importance"]
    0.4
    """
    facts = []
    for position, (column, short) in enumerate(zip(model.schema, shown, strict=True)):
        fact: dict[str, Any] = {
            "name": model.schema.shown[position].name,
            "short": short.name,
            "scale": column.scale,
            "unit": column.unit,
            "levels": [level_words(level) for level in short.levels[:_MOST_LEVELS]],
            "n_levels": len(column.levels),
            "importance": float(shares[position]),
        }
        if table is not None:
            fact |= values_facts(column, table.columns[position])
        facts.append(fact)
    return facts


def values_facts(column: Column, values: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the range, the mean, the distribution and the number of missing values of a column.

    >>> values_facts(Column("age", "numeric"), np.array([31.0, 42.0, np.nan]))["range"]
    '31 to 42'
    """
    missing = is_missing(values)
    known = values[~missing]
    fact: dict[str, Any] = {"missing": int(missing.sum()), "range": "", "bars": []}
    if not len(known):
        return fact
    if column.scale != "numeric":
        counts = np.bincount(known, minlength=len(column.levels))
        # Bars and names of levels are in one order: that of the scale, or the most frequent first.
        order = np.arange(len(counts)) if column.scale == "ordinal" else np.argsort(-counts, kind="stable")
        return fact | {"bars": counts[order][:_N_BARS].tolist(), "order": order[:_N_BARS].tolist()}
    finite = known[np.isfinite(known)].astype(np.float64)
    fact["range"] = f"{_figure(column, float(known.min()))} to {_figure(column, float(known.max()))}"
    if len(finite):
        fact["mean"] = _figure(column, float(finite.mean()))
        low, high = float(finite.min()), float(finite.max())
        if np.isfinite(high - low) and high > low:
            fact["bars"] = np.histogram(finite, _N_BARS)[0].tolist()
    return fact


def _figure(column: Column, value: float) -> str:
    return figure_words(value, 5) if column.unit is None else time_words(column.unit, value)


def _explanations(table: Table) -> list[str]:
    """Return the results of Little's test and of the trees that predict missing values, as sentences."""
    from bough.missing_values.missingness import missingness

    found = missingness(table)
    # One column alone has no others that could explain its missing values.
    if not found.touched or len(table.schema) == 1 or table.n_rows > _MOST_ROWS_TO_EXPLAIN:
        return []
    sentences = []
    # Little's test needs at least two numeric columns.
    with contextlib.suppress(TableError):
        sentences.append(f"Little's test: {found.mcar().words()}.")
    ranked = sorted(found.touched, key=lambda name: -found.shares[found.table.schema.position(name)])
    return sentences + [f"{found.explain(name).words()}." for name in ranked[:_MOST_EXPLAINED]]


def missing_facts(table: Table) -> dict[str, Any]:
    """Return the number of complete rows and the most frequent patterns of missing values.

    >>> from bough.example_models import iris_tree
    >>> rows = Table.fit_to([[1.4, None], [None, None], [5.0, 1.2]], iris_tree().schema)
    >>> missing_facts(rows)["patterns"]
    [[1, []], [1, [1]], [1, [0, 1]]]
    """
    masks = [*map(is_missing, table.columns)]
    incomplete = [column for column, mask in enumerate(masks) if mask.any()]
    packed = np.packbits(
        np.array([masks[column] for column in incomplete], dtype=bool).reshape(-1, table.n_rows), axis=0
    )
    _, first, counts = np.unique(packed, axis=1, return_index=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    patterns = [
        [int(counts[each]), [column for column in incomplete if masks[column][first[each]]]]
        for each in order[:_MOST_PATTERNS].tolist()
    ]
    complete = int((~np.any(masks, axis=0)).sum())
    return {
        "explanations": _explanations(table),
        "rows": table.n_rows,
        "complete": complete,
        "columns": [[column, int(masks[column].sum())] for column in incomplete],
        "patterns": patterns,
        "n_patterns": len(counts),
    }
