"""A tree as one SQL expression: nested CASEs over the columns of its schema."""

from __future__ import annotations

from bough.data.sql import literal
from bough.errors import ParameterError
from bough.tree import Tree
from bough.tree.split import Split
from bough.tree.sql import branch_number, condition


def to_sql(tree: Tree) -> str:
    """Write the answer of a tree as an SQL expression; NULL and NaN are routed as missing values are.

    >>> from bough.example_models import cars_tree
    >>> print(to_sql(cars_tree()))
    CASE
      WHEN "cyl" < 5.0e0 THEN 26.663636363636364e0
      ELSE CASE
        WHEN 0e0 - "hp" <= -192.5e0 THEN 13.414285714285715e0
        ELSE 18.264285714285712e0
      END
    END
    """
    _check(tree)
    # From the last node to the first, so that no depth of nesting is a depth of calls.
    texts: dict[int, list[str]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        split = tree.split(node)
        if split is None:
            texts[node] = [literal(tree.answer(node))]
            continue
        texts[node] = _case(tree, node, split, [texts.pop(child) for child in tree.children(node)])
    return "\n".join(texts[0])


def _check(tree: Tree) -> None:
    """Refuse a tree that asks more of a row than nested CASEs can say."""
    if not isinstance(tree, Tree):
        raise ParameterError.of("tree", tree, "a Tree; SQL is written for single trees")
    if tree.formulas:
        raise ParameterError("SQL is written for trees whose splits ask one column; this one combines some.")
    if tree.share is not None:
        raise ParameterError(
            "SQL is written for trees that send a row one way; this one sends a row with missing values down "
            "all branches. If there are none, or they may follow the largest branch, export "
            "dataclasses.replace(tree, share=None)."
        )


def _case(tree: Tree, node: int, split: Split, children: list[list[str]]) -> list[str]:
    default = int(tree.default_branch[node])
    surrogates = tree.surrogates_of(node) if tree.follows_surrogates else []
    if surrogates:
        asked = [(split, False), *((each.split, each.turned) for each in surrogates)]
        return _case_of_several(tree, node, asked, children)
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


def _case_of_several(
    tree: Tree, node: int, asked: list[tuple[Split, bool]], children: list[list[str]]
) -> list[str]:
    """Write a node whose split has surrogates: the first of them that can route a row names the branch."""
    lines = [f"CASE {branch_number(asked, tree.schema, int(tree.default_branch[node]))}"]
    for branch, (first, *rest) in enumerate(children):
        lines += [f"  WHEN {branch} THEN {first}", *(f"  {line}" for line in rest)]
    return [*lines, f"  ELSE {literal(tree.answer(node))}", "END"]
