"""A tree as one SQL expression: nested CASEs over the columns of its schema."""

from __future__ import annotations

from bough.data.sql import literal, quote
from bough.errors import ParameterError
from bough.tree import Tree
from bough.tree.split import Split, Threshold
from bough.tree.sql import branch_number, condition


def to_sql(tree: Tree) -> str:
    """Write what a tree answers as an SQL expression; a missing value goes where the tree sends it.

    A missing value is NULL; a NaN must be made NULL before.

    >>> from bough.example_models import cars_tree
    >>> print(to_sql(cars_tree()))
    CASE
      WHEN "cyl" < 5.0e0 THEN 26.663636363636364e0
      WHEN "cyl" >= 5.0e0 OR "cyl" IS NULL THEN CASE
        WHEN "hp" >= 192.5e0 THEN 13.414285714285715e0
        WHEN "hp" < 192.5e0 OR "hp" IS NULL THEN 18.264285714285712e0
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
    # The branch that takes what no other does comes last, so that it can say so in short.
    for branch in sorted(range(split.n_branches), key=lambda each: each == default):
        test = condition(split, tree.schema, branch)
        if branch == default:
            test = _default_test(tree, split, test)
        if test is None:
            continue
        first, *rest = children[branch]
        lines += [f"  WHEN {test} THEN {first}", *(f"  {line}" for line in rest)]
    if default < 0:
        lines.append(f"  ELSE {literal(tree.answer(node))}")
    return [*lines, "END"]


def _case_of_several(
    tree: Tree, node: int, asked: list[tuple[Split, bool]], children: list[list[str]]
) -> list[str]:
    """Write a node whose split has surrogates: the first of them that can place a row names the branch."""
    lines = [f"CASE {branch_number(asked, tree.schema, int(tree.default_branch[node]))}"]
    for branch, (first, *rest) in enumerate(children):
        lines += [f"  WHEN {branch} THEN {first}", *(f"  {line}" for line in rest)]
    return [*lines, f"  ELSE {literal(tree.answer(node))}", "END"]


def _default_test(tree: Tree, split: Split, test: str | None) -> str:
    """Return the test of the branch that also takes missing values and levels not listed by the split."""
    column = tree.schema[split.column]
    if isinstance(split, Threshold) and column.scale == "numeric":
        return f"{test} OR {quote(column.name)} IS NULL"
    return "TRUE"
