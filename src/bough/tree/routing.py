"""Routing: send the rows of a table down a tree, from the root along one branch of each split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import bough._core as _core
from bough.data.formula import formula_inputs
from bough.data.schema import Schema
from bough.errors import SchemaError
from bough.jobs import n_threads
from bough.tree.nodes import Nodes
from bough.tree.split import takes_only_missing

if TYPE_CHECKING:
    from bough.data.table import Table

# Formulas are computed for batches of rows, to limit the memory that their columns need.
_MOST_CELLS = 2**23
_LEAST_ROWS = 2**10


TREE_ARRAYS = (
    "first_child",
    "n_children",
    "column",
    "kind",
    "cut",
    "default_branch",
    "level_start",
    "level_code",
    "level_branch",
)
"""The arrays of a tree that native code needs to route rows."""
_SURROGATE_ARRAYS = ("start", "column", "cut", "turned", "level_start", "level_code", "level_branch")


def route(tree: Nodes, table: Table, n_jobs: int | None = None) -> npt.NDArray[np.int32]:
    """Return the node where each row ends: a leaf, or the inner node whose split cannot route the row.

    >>> from bough.example_models import tennis_tree
    >>> from bough.data.table import Table
    >>> tree = tennis_tree()
    >>> row = np.array([["Overcast", "Hot", "High", "Weak"]], dtype=object)
    >>> route(tree, Table.fit_to(row, tree.schema))
    array([2], dtype=int32)
    """
    if not tree.formulas:
        return np.asarray(
            native_router(tree).apply(table.native_or_sparse(), table.n_rows, n_threads(n_jobs))
        )
    ends = np.empty(table.n_rows, dtype=np.int32)
    width = len(tree.formulas) + (len(tree.schema) if table.is_sparse else 0)
    step = max(_LEAST_ROWS, _MOST_CELLS // width)
    for start in range(0, table.n_rows, step):
        part = table.take(np.s_[start : start + step])
        if part.is_sparse:
            part = part.dense()
        computed = [(formula.values(part.columns), "numeric", 0) for formula in tree.formulas]
        columns = [*part.native(), *computed]
        ends[start : start + step] = native_router(tree).apply(columns, part.n_rows, n_threads(n_jobs))
    return ends


def routed_values(
    tree: Nodes, table: Table, values: npt.NDArray[Any], n_jobs: int | None = None
) -> npt.NDArray[Any]:
    """Return the value of the node where each row ends, of an array with one for each node.

    >>> from bough.example_models import iris_tree
    >>> tree = iris_tree()
    >>> routed_values(tree, tree._table([[1.4, 0.2], [5.1, 1.9]]), tree.weight)
    array([50., 46.])
    """
    in_words = not values.dtype.hasobject and values.dtype.itemsize % 8 == 0 and values.flags.c_contiguous
    if tree.formulas or table.is_sparse or not in_words:
        return values.take(route(tree, table, n_jobs), axis=0)
    words = values.view(np.int64).reshape(len(values), -1)
    found = native_router(tree).answers(table.native_or_sparse(), table.n_rows, words, n_threads(n_jobs))
    return np.asarray(found).view(values.dtype).reshape(table.n_rows, *values.shape[1:])


def column_values(tree: Nodes, table: Table, column: int, rows: Any = slice(None)) -> npt.NDArray[Any]:
    """Return the values of a column of the schema, or of a formula, in some rows of a table.

    >>> from bough.example_models import iris_tree
    >>> tree = iris_tree()
    >>> column_values(tree, tree._table([[1.4, 0.2]]), 1)
    array([0.2])
    """
    if column < len(tree.schema):
        return np.asarray(table.columns[column][rows])
    formula = tree.formulas[column - len(tree.schema)]
    return formula.values(formula_inputs(formula, table.columns, rows))


def native_router(tree: Nodes) -> _core.Router:
    """Return the native object that routes rows down a tree; it is built on first use.

    >>> from bough.example_models import iris_tree
    >>> table = iris_tree()._table([[1.4, 0.2]])
    >>> native_router(iris_tree()).apply(table.native(), table.n_rows, 1)
    array([1], dtype=int32)
    """
    router: _core.Router | None = tree.__dict__.get("_router")
    if router is None:
        tree.__dict__["_router"] = router = _new_router(tree)
    return router


def _new_router(tree: Nodes) -> _core.Router:
    return _core.Router(
        {name: getattr(tree, name) for name in TREE_ARRAYS},
        [len(column.levels) for column in tree.wide_schema.columns],
        None
        if tree.surrogates is None or not tree.follows_surrogates
        else {name: getattr(tree.surrogates, name) for name in _SURROGATE_ARRAYS},
        None if tree.interval_cut is None else {"start": tree.interval_start, "cut": tree.interval_cut},
    )


def walk(tree: Nodes, table: Table) -> npt.NDArray[np.int32]:
    """Return the node where each row ends, computed in numpy node by node: the reference of `route`.

    A row that the split cannot route (−1) follows the first surrogate that can route it, else the default
    branch of the node. If that is −1, the row stops at the node.

    >>> from bough.example_models import tennis_tree
    >>> from bough.data.table import Table
    >>> tree = tennis_tree()
    >>> rows = np.array([["Sunny", "Hot", "High", "Weak"], ["Sunny", "Hot", None, "Weak"]], dtype=object)
    >>> walk(tree, Table.fit_to(rows, tree.schema))
    array([4, 1], dtype=int32)
    """
    reached = np.zeros(table.n_rows, dtype=np.int32)
    pending = [(0, np.arange(table.n_rows))]
    while pending:
        node, rows = pending.pop()
        reached[rows] = node
        split = tree.split(node)
        if split is None or len(rows) == 0:
            continue
        branch = split.branch(column_values(tree, table, split.column, rows))
        for alternative in tree.surrogates_of(node) if tree.follows_surrogates else ():
            unrouted = branch < 0
            branch[unrouted] = alternative.branch(
                column_values(tree, table, alternative.split.column, rows[unrouted])
            )
        branch[branch < 0] = tree.default_branch[node]
        pending += [(child, rows[branch == number]) for number, child in enumerate(tree.children(node))]
    return reached


def rows_by_node(tree: Nodes, ends: npt.NDArray[np.int32]) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """Yield each node with the ascending rows that reach it, from the last node to the root.

    >>> from bough.example_models import iris_tree
    >>> [(node, len(rows)) for node, rows in rows_by_node(iris_tree(), np.array([1, 4, 4], np.int32))]
    [(4, 2), (3, 0), (2, 2), (1, 1), (0, 3)]
    """
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(tree.n_nodes + 1))
    passed = {node: [order[starts[node] : starts[node + 1]]] for node in range(tree.n_nodes)}
    for node in range(tree.n_nodes - 1, -1, -1):
        rows = np.sort(np.concatenate(passed.pop(node)))
        yield node, rows
        if node:
            passed[int(tree.parent[node])].append(rows)


def path_matrix(tree: Nodes, ends: npt.NDArray[np.int32]) -> Any:
    """Return a scipy CSR matrix (rows × nodes) with a 1 for each node on the path of a row to its end.

    >>> from bough.example_models import tennis_tree
    >>> path_matrix(tennis_tree(), np.array([2, 5], dtype=np.int32)).toarray()
    array([[1, 0, 1, 0, 0, 0, 0, 0],
           [1, 1, 0, 0, 0, 1, 0, 0]])
    """
    from scipy.sparse import csr_matrix

    lengths = tree.node_depths[ends] + 1
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    nodes = np.empty(starts[-1], dtype=np.int32)
    rows, current = np.arange(len(ends)), ends
    while len(rows):
        nodes[starts[rows] + tree.node_depths[current]] = current
        current = tree.parent[current]
        rows, current = rows[current >= 0], current[current >= 0]
    return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(ends), tree.n_nodes))


def one_row(row: Any, schema: Schema) -> Any:
    """Return a row, given as a dict or a pandas Series by column name or as a list, as an array of one row.

    >>> from bough.example_models import iris_tree
    >>> one_row({"Petal.Width": 1.9, "Petal.Length": 5.1}, iris_tree().schema)
    array([[5.1, 1.9]], dtype=object)
    """
    if hasattr(row, "index") and hasattr(row, "to_dict") and not hasattr(row, "columns"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        given, wanted = set(row), set(schema.names)
        if given != wanted:
            odd = sorted(map(str, given ^ wanted))[0]
            raise SchemaError(f"The row and the tree differ in column {odd!r}; the tree has {schema.names}.")
        row = [row[name] for name in schema.names]
    is_flat = isinstance(row, list | tuple) and not any(isinstance(value, list | tuple) for value in row)
    if not is_flat and not (isinstance(row, np.ndarray) and row.ndim == 1):
        return row
    values = np.empty((1, len(row)), dtype=object)
    values[0] = row
    return values


def learned_to_take_missing(tree: Nodes, node: int) -> bool:
    """Whether missing values go to a node and not to its sibling of greatest weight, as the tree learned.

    A tree does not record where values were missing in training. With `missing="learned"` and
    `"floating_level"` they go to the
    sibling of greatest weight, the first of equal ones, wherever none were missing; any other branch was
    learned. A node that only missing values reach does not count.

    >>> from bough import TreeClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [None]], ["a", "a", "b", "b", "b", "a"]
    >>> tree = TreeClassifier().fit(X + [[6.0]], y + ["b"]).tree_
    >>> [learned_to_take_missing(tree, node) for node in range(tree.n_nodes)]
    [False, True, False]
    """
    parent = int(tree.parent[node])
    if parent < 0 or tree.recipe.get("missing") not in ("learned", "floating_level"):
        return False
    default, first = int(tree.default_branch[parent]), int(tree.first_child[parent])
    split = tree.split(parent)
    if split is None or node != first + default or takes_only_missing(split, default):
        return False
    return default != int(tree.weight[first : first + split.n_branches].argmax())


def rows_of_nodes(tree: Nodes, ends: npt.NDArray[np.int32]) -> list[npt.NDArray[np.uint32]]:
    """Return the rows that pass each node, in ascending order, given the nodes where they end.

    >>> from bough.example_models import cars_tree
    >>> [rows.tolist() for rows in rows_of_nodes(cars_tree(), np.array([1, 4, 3], np.int32))]
    [[0, 1, 2], [0], [1, 2], [2], [1]]
    """
    return [rows.astype(np.uint32) for _, rows in sorted(rows_by_node(tree, ends))]
