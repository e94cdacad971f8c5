"""The surrogates of a split: splits on other columns that route most rows to the same branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bough.data.table import Table
from bough.data.target import ClassTarget, check_total, read_weights
from bough.errors import ParameterError
from bough.growing.engine import ContingencyTable
from bough.growing.recipe import exhaustive_levels
from bough.inspect.candidate_table import Block
from bough.inspect.candidates import scored_candidates, tabulated, tree_of
from bough.inspect.surrogate_table import Surrogate, SurrogateTable
from bough.pruning.collapse import along_paths
from bough.types import Floats

# A surrogate sends at least this many cases to each side, as in rpart (Breiman et al. 1984, section 5.3).
_LEAST_CASES = 2


def surrogates(model: Any, X: Any, /, *, node: int = 0, sample_weight: Any = None) -> SurrogateTable:
    """List all possible surrogates of the split of a node, with their errors and agreement.

    The model is a tree or a fitted estimator that has one, and X are the rows it was grown on. The node must
    have two children. They serve as the classes of a target, and every split on another column that sends at
    least two cases to each side is compared with it. The tree need not have been grown with surrogates. The
    recipe's `agreement` determines the denominator of the agreement (see `bough.growing.recipe.Agreement`).

    Rows in which the value of the primary split is missing are left out. If a column has more levels than the
    recipe's `max_exhaustive_levels`, not all subsets are listed, but the best one always is.

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
        raise ParameterError(f"Node {node} {is_what}; only a node with two children has surrogates.")
    table = Table.fit_to(X, tree.wide_schema)
    weights = read_weights(sample_weight, table.n_rows)
    check_total(weights)
    branch = split.branch(table.columns[split.column])
    below = along_paths(tree.parent, np.arange(tree.n_nodes) == node, np.logical_or)
    rows = np.flatnonzero(below[tree.apply(X)] & (branch >= 0))
    if len(rows) == 0:
        raise ParameterError(
            f"No row of X with a known value reaches node {node}. Pass the rows that the tree was grown on."
        )
    first, second = tree.children(node)
    conditions = (tree.condition(first), tree.condition(second))
    target = ClassTarget(conditions, branch[rows].astype(np.int32))
    most = exhaustive_levels(tree.recipe.get("max_exhaustive_levels", 12))
    tables = tabulated(None, 0, table.take(rows), target, weights.take(rows))
    listed = scored_candidates(tables, tree.wide_schema, "subset", most, target)
    of_all = tree.recipe.get("agreement", "all") == "all"
    found = [
        each
        for block in listed.blocks
        if block.table.column != split.column
        for each in _surrogates_of_column(block, of_all)
    ]
    return SurrogateTable((first, second), conditions, tuple(found))


def _surrogates_of_column(block: Block, of_all: bool) -> Iterator[Surrogate]:
    """Yield the splits of a column that send enough cases to each side."""
    table = block.table
    known = table.statistics.sum(axis=0)
    denominator = known + table.missing if of_all else known
    for position in np.flatnonzero((block.listed.cases >= _LEAST_CASES).all(axis=1)).tolist():
        yield _surrogate(block, position, table, denominator)


def _surrogate(block: Block, position: int, table: ContingencyTable, denominator: Floats) -> Surrogate:
    """Compare one split of a column with the primary split.

    `denominator` holds the weight that the primary split sends to each child, over the rows that the
    agreement refers to.
    """
    sides = block.listed.statistics[position]
    weights = sides.sum(axis=1)
    most = int(denominator[1] > denominator[0])
    ways = np.where(sides[:, 0] == sides[:, 1], most, sides.argmax(axis=1)).tolist()
    errors = float(sides.min(axis=1).sum())
    total = float(denominator.sum())
    agreement, majority = float(weights.sum() - errors) / total, float(denominator.max()) / total
    candidate = block.candidate(position)
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
