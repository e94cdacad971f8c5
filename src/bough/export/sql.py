"""Export of a tree to an SQL expression of nested CASEs over the columns of its schema."""

from __future__ import annotations

from bough.data.sql import literal
from bough.errors import ParameterError
from bough.tree import Tree
from bough.tree.split import Split
from bough.tree.sql import branch_number, condition


def to_sql(tree: Tree) -> str:
    """Return an SQL expression for the prediction of a tree; NULL and NaN are routed as missing values.

    DuckDB, PostgreSQL and SQLite (3.23 or later) give the same answers as the tree. SQLite may store truth
    values as 0 and 1 or as words.

    >>> from bough.example_models import cars_tree
    >>> print(to_sql(cars_tree()))
    CASE
      WHEN 0e0 + "cyl" < 5.0e0 THEN 26.663636363636364e0
      ELSE CASE
        WHEN 0e0 - "hp" <= -192.5e0 THEN 13.414285714285715e0
        ELSE 18.264285714285712e0
      END
    END
    """
    _check(tree)
    # Children have higher numbers than their parents, so no recursion is needed.
    texts: dict[int, list[str]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        split = tree.split(node)
        if split is None:
            texts[node] = [literal(tree.answer(node))]
            continue
        texts[node] = _case(tree, node, split, [texts.pop(child) for child in tree.children(node)])
    return "\n".join(texts[0])


def _check(tree: Tree) -> None:
    """Raise an error for a tree that nested CASEs cannot represent."""
    if not isinstance(tree, Tree):
        raise ParameterError.of("tree", tree, "a Tree; SQL is written for single trees")
    if tree.formulas:
        raise ParameterError("SQL export needs splits on single columns; this tree combines columns.")
    if tree.share is not None:
        raise ParameterError(
            "SQL export needs a single path for each row; this tree sends a row with missing values down all "
            "branches. If there are none, or if they may follow the largest branch, export "
            "dataclasses.replace(tree, share=None)."
        )


def _case(tree: Tree, node: int, split: Split, children: list[list[str]]) -> list[str]:
    default = int(tree.default_branch[node])
    surrogates = tree.surrogates_of(node) if tree.follows_surrogates else []
    if surrogates:
        splits = [(split, False), *((each.split, each.turned) for each in surrogates)]
        return _case_with_surrogates(tree, node, splits, children)
    lines = ["CASE"]
    for branch, (first, *rest) in enumerate(children):
        test = None if branch == default else condition(split, tree.schema, branch)
        if test is not None:
            lines += [f"  WHEN {test} THEN {first}", *(f"  {line}" for line in rest)]
    # The default branch takes missing values and levels that the split does not list, besides its own.
    otherwise = [literal(tree.answer(node))] if default < 0 else children[default]
    if lines == ["CASE"]:
        return otherwise
    first, *rest = otherwise
    return [*lines, f"  ELSE {first}", *(f"  {line}" for line in rest), "END"]


def _case_with_surrogates(
    tree: Tree, node: int, splits: list[tuple[Split, bool]], children: list[list[str]]
) -> list[str]:
    """Return the CASE of a node with surrogates: the first split with a known value routes the row."""
    lines = [f"CASE {branch_number(splits, tree.schema, int(tree.default_branch[node]))}"]
    for branch, (first, *rest) in enumerate(children):
        lines += [f"  WHEN {branch} THEN {first}", *(f"  {line}" for line in rest)]
    return [*lines, f"  ELSE {literal(tree.answer(node))}", "END"]
