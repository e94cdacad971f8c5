"""The surrogates of a split: splits of other columns that send rows much as it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.table import Table
from bough.data.target import ClassTarget, check_total, read_weights
from bough.errors import ParameterError
from bough.growing.engine import ContingencyTable
from bough.growing.recipe import exhaustive_levels
from bough.inspect.candidate_table import Block
from bough.inspect.candidates import judged, tabulated, tree_of
from bough.inspect.surrogate_table import Surrogate, SurrogateTable
from bough.tree import Tree
from bough.types import Floats

# With fewer cases on a side there is nothing to go by (Breiman et al. 1984, section 5.3; rpart).
_LEAST_CASES = 2


def surrogates(model: Any, X: Any, /, *, node: int = 0, sample_weight: Any = None) -> SurrogateTable:
    """List the surrogates that the split of a node could have, with their errors and agreement.

    A model is a tree or a fitted estimator with one, whose node splits in two; X are the rows it was grown
    on. The split's own children are taken for a target: every split of every other column that sends at least
    two cases each way is held against it. The tree itself need not have kept surrogates. Agreement is a share
    of the rows that the tree's recipe says (see `bough.growing.recipe.Agreement`).

    Rows in which the node's own value is missing say nothing about surrogates and are left out, so a cut lies
    halfway between values of the others. Beyond the recipe's `max_exhaustive_levels` not all sets of levels
    are listed, but the best is.

    >>> import bough
    >>> visits = [["s", 15], ["s", 10], ["o", 5], ["a", 15], ["a", 10], ["o", 10], ["o", 5], ["a", 5]]
    >>> tree = bough.TreeRegressor(max_depth=1).fit(visits, [5, 1, 1, 5, 1, 1, 1, 1]).tree_
    >>> print(surrogates(tree, visits))
    node 1: x1 < 12.5; node 2: x1 >= 12.5
    <BLANKLINE>
    variable  values  node 1  node 2  errors  agreement  adjusted  squares  goes to
    x0        {a, s}  3       2       2       0.75       0         0.7      node 1
              {o}     3       0                                             node 1
    """
    tree = tree_of(model)
    if tree is None:
        raise ParameterError.of("model", type(model).__name__, "a tree, or a fitted learner with one")
    node = tree.known(node)
    split = tree.split(node)
    if split is None or split.n_branches != 2:
        is_what = "is a leaf" if split is None else f"has {split.n_branches} children"
        raise ParameterError(f"Node {node} {is_what}; only a split in two has surrogates.")
    table = Table.fit_to(X, tree.wide_schema)
    weights = read_weights(sample_weight, table.n_rows)
    check_total(weights)
    branch = split.branch(table.columns[split.column])
    rows = np.flatnonzero(_comes_to(tree, node, tree.apply(X)) & (branch >= 0))
    if len(rows) == 0:
        raise ParameterError(f"No row of X comes to node {node} with a value to split by.")
    first, second = tree.children(node)
    conditions = (tree.condition(first), tree.condition(second))
    target = ClassTarget(conditions, branch[rows].astype(np.int32))
    most = exhaustive_levels(tree.recipe.get("max_exhaustive_levels", 12))
    tables = tabulated(None, 0, table.take(rows), target, weights.take(rows))
    listed = judged(tables, tree.wide_schema, "subset", most, target)
    of_all = tree.recipe.get("agreement", "all") == "all"
    found = [
        each
        for block in listed.blocks
        if block.table.column != split.column
        for each in _found(block, of_all)
    ]
    return SurrogateTable((first, second), conditions, tuple(found))


def _comes_to(tree: Tree, node: int, ends: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Tell of each row, by the node where it ends, whether it passes a node."""
    below = np.zeros(tree.n_nodes, dtype=np.bool_)
    below[node] = True
    for later in range(node + 1, tree.n_nodes):
        below[later] = below[tree.parent[later]]
    return below[ends]


def _found(block: Block, of_all: bool) -> Iterator[Surrogate]:
    """Go through the splits of a column that send enough cases each way."""
    table = block.table
    known = table.statistics.sum(axis=0)
    whole = known + table.missing if of_all else known
    for place in np.flatnonzero((block.listed.cases >= _LEAST_CASES).all(axis=1)).tolist():
        yield _surrogate(block, place, table, whole)


def _surrogate(block: Block, place: int, table: ContingencyTable, whole: Floats) -> Surrogate:
    """Hold one split of a column against the `whole` that the node's split sends to each child."""
    sides = block.listed.statistics[place]
    weights = sides.sum(axis=1)
    most = int(whole[1] > whole[0])
    ways = np.where(sides[:, 0] == sides[:, 1], most, sides.argmax(axis=1)).tolist()
    errors = float(sides.min(axis=1).sum())
    total = float(whole.sum())
    agreement, majority = float(weights.sum() - errors) / total, float(whole.max()) / total
    candidate = block.candidate(place)
    (a, b), (c, d) = table.grid.weight(sides).tolist()
    return Surrogate(
        variable=candidate.variable,
        split=candidate.split,
        values=(candidate.values[0], candidate.values[1]),
        counts=((a, b), (c, d)),
        ways=(ways[0], ways[1]),
        errors=float(table.grid.weight(errors)),
        agreement=agreement,
        adjusted=(agreement - majority) / (1.0 - majority) if majority < 1 else 0.0,
        sum_of_squares=float((np.square(sides).sum(axis=1) / weights).sum() / weights.sum()),
        missing=candidate.missing,
    )
