"""The facts of the linear models of nodes: terms, their effects, and partial residuals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.inspect.split_columns import split_schema
from bough.tree import Tree
from bough.tree.leaf_models import LinearModel
from bough.tree.model_answers import models_of
from bough.tree.routing import rows_of_nodes
from bough.types import Floats

_MOST_LEVELS = 6
_MOST_CHARTS = 4
_MOST_LEAVES = 60
_MOST_POINTS = 80


def leaf_model_facts(
    tree: Tree, shown: Tree, table: Table | None = None, target: ClassTarget | Floats | None = None
) -> dict[str, Any] | None:
    """Return the linear models of the nodes of a tree; None if it has none.

    `by_node` has for each node a list of its scores, each an intercept and terms. A term is the column, the
    coefficient, the value used where the column is missing, the codes of its levels if it has any, its text
    without the sign, and its effect: the coefficient times the standard deviation of what it is multiplied
    by, among the rows of the table that pass the node; None without a table. `residuals` has for leaves and
    their terms of greatest effect the values of the column and the partial residuals.

    >>> from bough.example_models import iris_tree
    >>> leaf_model_facts(iris_tree(), iris_tree()) is None
    True
    """
    if tree.leaf_models is None:
        return None
    rows = None if table is None else rows_of_nodes(tree, tree.apply(table))
    facts: dict[str, Any] = {"by_node": [], "residuals": {}}
    for node in range(tree.n_nodes):
        own = None if rows is None else rows[node].astype(np.intp)
        models = models_of(tree, node)
        entries = [_model_facts(model, shown, table, own) for model in models]
        facts["by_node"].append(entries or None)
        drawn = len(facts["residuals"]) < _MOST_LEAVES and tree.is_leaf[node] and len(models) == 1
        if (
            drawn
            and table is not None
            and own is not None
            and len(own)
            and not isinstance(target, ClassTarget)
        ):
            facts["residuals"][str(node)] = _residuals(
                models[0], entries[0][1], table, np.asarray(target), own
            )
    return facts


def _model_facts(
    model: LinearModel, shown: Tree, table: Table | None, rows: npt.NDArray[np.intp] | None
) -> list[Any]:
    schema = split_schema(shown)
    terms = []
    for term in model.terms:
        effect = None
        if table is not None and rows is not None and len(rows) and term.column < len(table.schema):
            effect = _rounded(abs(term.coefficient) * _spread(term.values(table.columns[term.column][rows])))
        words = term.words(schema, _MOST_LEVELS)
        terms.append(
            [term.column, term.coefficient, term.substitute, [*term.codes], words, effect, term.bounds]
        )
    return [model.intercept, terms]


def _residuals(
    model: LinearModel, terms: list[Any], table: Table, y: Floats, rows: npt.NDArray[np.intp]
) -> list[list[Any]]:
    """Return the terms of greatest effect: the number of the term, the values, and the partial residuals.

    A partial residual is the error of the model plus the term itself, so that its points lie about the line
    of the term.
    """
    kept = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _MOST_POINTS)).astype(np.intp))]
    errors = y[kept] - model.answers(lambda column, at: table.columns[column][at], kept)
    numbers = [place for place, term in enumerate(model.terms) if not term.codes]
    numbers.sort(key=lambda place: -(terms[place][5] or 0.0))
    found = []
    for place in numbers[:_MOST_CHARTS]:
        term = model.terms[place]
        values = term.values(table.columns[term.column][kept])
        partial = errors + term.coefficient * values
        if np.isfinite(partial).all():
            found.append([place, [*map(_rounded, values)], [*map(_rounded, partial)]])
    return found


def _spread(values: Floats) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(values.std())


def _rounded(value: float) -> float | None:
    return float(f"{value:.6g}") if np.isfinite(value) else None
