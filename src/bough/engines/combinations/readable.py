"""Readable trees: coefficients and thresholds with as few digits as possible that route all rows alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from bough.data.formula import Arrays, Formula, Linear, formula_inputs
from bough.data.schema import Schema
from bough.data.table import Table
from bough.growing.column_split import midpoint
from bough.tree import Tree
from bough.tree.routing import column_values
from bough.types import Rows


def readable(tree: Tree, schema: Schema, formulas: Sequence[Formula], table: Table) -> Tree:
    """Convert a tree grown on computed columns into one with formulas, whose numbers have few digits.

    The numbers themselves are rounded, not only their text, and every row of the table is routed as before.
    Formulas that no split uses are left out.

    >>> from bough.data.formula import Ratio, WideSchema
    >>> from bough.engines import native
    >>> from bough.growing.recipe import Recipe
    >>> from bough.data.target import read_classes, read_weights
    >>> table, ratio = Table.read([[1.0, 3.0], [2.0, 7.0], [3.0, 4.0]]), [Ratio(1, 0), Ratio(0, 1)]
    >>> wide, y = table.widened(WideSchema.of(table.schema, ratio)), read_classes([0, 0, 1])
    >>> tree = native.grow(wide, y, read_weights(None, 3), Recipe("gini", task="classification"))
    >>> readable(tree, table.schema, ratio, table).formulas
    ()
    """
    tree = dataclasses.replace(tree, schema=schema, formulas=tuple(formulas))
    column, cut = tree.column.copy(), tree.cut.copy()
    unknown = np.full(tree.n_nodes, np.nan)
    beside = np.stack([unknown if each is None else each for each in (tree.cut_below, tree.cut_above)])
    numbers: dict[Formula, int] = {}
    for node, rows in _nodes(tree, table):
        formula = tree.formulas[column[node] - len(schema)]
        inputs = formula_inputs(formula, table.columns, rows)
        formula, cut[node] = shortened(formula, float(cut[node]), inputs)
        values = formula.values(inputs)
        beside[:, node] = values[values < cut[node]].max(), values[values >= cut[node]].min()
        column[node] = len(schema) + numbers.setdefault(formula, len(numbers))
    return dataclasses.replace(
        tree, column=column, cut=cut, cut_below=beside[0], cut_above=beside[1], formulas=tuple(numbers)
    )


def _nodes(tree: Tree, table: Table) -> Iterator[tuple[int, Rows]]:
    """Yield the nodes whose split uses a formula, and the rows of each."""
    pending = [(0, np.arange(table.n_rows))]
    while pending:
        node, rows = pending.pop(0)
        split = tree.split(node)
        if split is None or len(rows) == 0:
            continue
        if split.column >= len(tree.schema):
            yield node, rows
        branch = split.branch(column_values(tree, table, split.column, rows))
        branch[branch < 0] = tree.default_branch[node]
        pending += [(child, rows[branch == number]) for number, child in enumerate(tree.children(node))]


def shortened(formula: Formula, cut: float, columns: Arrays) -> tuple[Formula, float]:
    """Return the formula and threshold with the fewest digits, at least two, that route the rows alike.

    The gap between the two sides may shrink to half its width; the threshold stays near its middle.

    >>> x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 7.0])
    >>> shortened(Linear((0, 1), (1.0, 0.3333)), 2.65, [x, y])
    (Linear(columns=(0, 1), coefficients=(1.0, 0.33)), 2.0)
    """
    values = formula.values(columns)
    known = ~np.isnan(values)
    low_side, high_side = known & (values < cut), known & (values >= cut)
    low, high = float(values[low_side].max()), float(values[high_side].min())
    if isinstance(formula, Linear):
        for digits in range(2, 17):
            rounded = [float(f"{each:.{digits}g}") for each in formula.coefficients]
            shorter = Linear(formula.columns, tuple(rounded))
            again = shorter.values(columns)
            below, above = float(again[low_side].max()), float(again[high_side].min())
            if above - below >= (high - low) / 2 and above > below:
                formula, low, high = shorter, below, above
                break
    return formula, _short_cut(low, high)


def _short_cut(low: float, high: float) -> float:
    """Return the number with the fewest digits in the middle half of the gap between two values."""
    middle, quarter = midpoint(low, high), (high - low) / 4
    if not np.isfinite(quarter):
        return middle
    texts = (f"{middle:.{digits}g}" for digits in range(1, 17))
    return next((float(text) for text in texts if low + quarter < float(text) <= high - quarter), middle)
