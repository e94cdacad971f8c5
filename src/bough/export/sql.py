"""A tree as one SQL expression: nested CASEs over the columns of its schema."""

from __future__ import annotations

import math

import numpy as np

from bough.data.schema import Column, Level
from bough.errors import ParameterError
from bough.reports.shown import surrogates_of
from bough.tree import Tree
from bough.tree.split import Levels, Split, Threshold


def to_sql(tree: Tree) -> str:
    """Write what a tree answers as an SQL expression; a missing value goes where the tree sends it.

    >>> from bough.example_models import cars_tree
    >>> print(to_sql(cars_tree()))
    CASE
      WHEN "cyl" < 5.0 THEN 26.663636363636364
      WHEN "cyl" >= 5.0 OR "cyl" IS NULL THEN CASE
        WHEN "hp" >= 192.5 THEN 13.414285714285715
        WHEN "hp" < 192.5 OR "hp" IS NULL THEN 18.264285714285712
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
    spares = surrogates_of(tree, node)
    if spares:
        return _case_of_several(
            tree, node, [(split, False), *((each.split, each.turned) for each in spares)], children
        )
    lines = ["CASE"]
    # The branch that takes what no other does comes last, so that it can say so in short.
    for branch in sorted(range(split.n_branches), key=lambda each: each == default):
        test = _test(tree.schema[split.column], split, branch)
        if branch == default:
            test = _default_test(tree.schema[split.column], split, test)
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
    """Write a node whose split has others that stand in for it: the first that can say names the branch."""
    ways = []
    for split, turned in asked:
        for branch in range(split.n_branches):
            test = _test(tree.schema[split.column], split, branch)
            if test is not None:
                ways.append(f"WHEN {test} THEN {1 - branch if turned else branch}")
    lines = [f"CASE CASE {' '.join(ways)} ELSE {int(tree.default_branch[node])} END"]
    for branch, (first, *rest) in enumerate(children):
        lines += [f"  WHEN {branch} THEN {first}", *(f"  {line}" for line in rest)]
    return [*lines, f"  ELSE {literal(tree.answer(node))}", "END"]


def _test(column: Column, split: Split, branch: int) -> str | None:
    name = quoted(column.name)
    if isinstance(split, Threshold):
        if column.scale == "numeric":
            closed = split.branch(np.array([split.cut]))[0] == 0
            return f"{name} {(('<=', '>') if closed else ('<', '>='))[branch]} {literal(split.cut)}"
        levels = column.levels
        chosen = levels[: math.ceil(split.cut)] if branch == 0 else levels[math.ceil(split.cut) :]
    elif isinstance(split, Levels):
        pairs = zip(split.codes, split.branches, strict=True)
        chosen = tuple(column.levels[code] for code, taken in pairs if taken == branch)
    else:
        raise ParameterError(f"A split of the kind {type(split).__name__} cannot be written in SQL.")
    return f"{name} IN ({', '.join(map(literal, chosen))})" if chosen else None


def _default_test(column: Column, split: Split, test: str | None) -> str:
    """Return the test of the branch that also takes missing values and levels never seen."""
    if isinstance(split, Threshold) and column.scale == "numeric":
        return f"{test} OR {quoted(column.name)} IS NULL"
    return "TRUE"


def quoted(name: str) -> str:
    """Write a name as SQL takes it.

    >>> print(quoted('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: Level) -> str:
    """Write a level or an answer as SQL takes it.

    >>> literal("it's"), literal(True), literal(2.5), literal(float("inf"))
    ("'it''s'", 'TRUE', '2.5', "CAST('Infinity' AS DOUBLE PRECISION)")
    """
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and math.isinf(value):
        return f"CAST('{'' if value > 0 else '-'}Infinity' AS DOUBLE PRECISION)"
    return repr(value)
