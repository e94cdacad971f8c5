"""SQL of a forest: the mean of its trees, or the class of the greatest mean probability."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from bough.data.sql import literal
from bough.ensembles.forest import Forest
from bough.errors import ParameterError
from bough.export.boosted_sql import greatest
from bough.tree import Tree
from bough.tree.one_target import refuse_several

TreeAnswer = Callable[[int], str]


def forest_sql(forest: Forest, tree_sql: Callable[[Tree, TreeAnswer], str]) -> str:
    """Return an SQL expression for the prediction of a forest.

    `tree_sql` returns the expression of a tree whose nodes have given answers. Trees are added in their
    order, so that the sums are those of the forest.

    >>> import bough
    >>> forest = bough.RandomForestRegressor(2, random_state=0).fit([[1.0], [2.0]], [1.0, 2.0]).forest_
    >>> print(forest_sql(forest, lambda tree, answer: "tree"))
    ((CAST(0e0 AS DOUBLE PRECISION)
      + tree
      + tree) / 2.0e0)
    """
    refuse_several(forest.trees[0], "to_sql")
    trees = [*forest.trees]
    if forest.task == "regression":
        total = _sum(tree_sql(each, partial(_number, each)) for each in trees)
        mean = f"({total} / {literal(float(len(trees)))})"
        if forest.correction is None:
            return mean
        intercept, slope = map(literal, map(float, forest.correction))
        return f"({intercept} + {slope} * {mean})"
    if forest.voting == "hard":
        raise ParameterError("SQL is written for forests of mean probabilities, and this one counts votes.")
    sums = []
    for code in range(len(forest.classes)):
        total = _sum(tree_sql(each, partial(_share, each, code)) for each in trees)
        cutoff = None if forest.cutoff is None else literal(float(forest.cutoff[code]))
        sums.append(total if cutoff is None else f"({total} / {cutoff})")
    return greatest(sums, forest.classes)


def _sum(terms: Iterable[str]) -> str:
    # Without the cast PostgreSQL would add decimal numbers.
    return "(" + "\n  + ".join(["CAST(0e0 AS DOUBLE PRECISION)", *terms]) + ")"


def _number(tree: Tree, node: int) -> str:
    return literal(tree.answer(node))


def _share(tree: Tree, code: int, node: int) -> str:
    weights = tree.statistics[node]
    return literal(float(weights[code] / weights.sum()))
