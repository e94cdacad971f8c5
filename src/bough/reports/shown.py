"""Shortened names of columns, levels and classes, for pages and figures."""

from __future__ import annotations

import dataclasses
from typing import Any

from bough.data.schema import Level, Schema
from bough.data.words import level_words, name_words
from bough.inspect.split_columns import split_schema
from bough.tree import Tree
from bough.tree.labelling import labelled
from bough.tree.split import Intervals

LONGEST = 60
"""The maximum number of characters of a name."""


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return a text truncated to `longest` characters, with an ellipsis if it was truncated.

    >>> shortened("income"), shortened("a" * 100, 5)
    ('income', 'aaaa…')
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def shown_tree(tree: Tree) -> Tree:
    """Return the tree with its labels and with shortened names, levels and classes, which stay distinct.

    >>> from bough.example_models import iris_tree
    >>> shown_tree(iris_tree()).schema.names
    ('Petal.Length', 'Petal.Width')
    """
    tree = labelled(tree)
    names = short_names(tree.schema.names)
    columns = [
        dataclasses.replace(column, name=name, levels=_short_levels(column.levels))
        for name, column in zip(names, tree.schema, strict=True)
    ]
    target = None if tree.target_name is None else shortened(tree.target_name)
    return dataclasses.replace(
        tree, schema=Schema(tuple(columns)), classes=_short_levels(tree.classes), target_name=target
    )


def _short_levels(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    if not levels or not isinstance(levels[0], str):
        return levels
    return tuple(short_names(tuple(map(str, levels))))


def short_names(names: tuple[str, ...]) -> list[str]:
    """Return names shortened to `LONGEST` characters, all of them different.

    >>> short_names(("age", "income"))
    ['age', 'income']
    """
    short = [shortened(name) for name in names]
    taken = set(names)
    for position, (name, full) in enumerate(zip(short, names, strict=True)):
        if name != full:
            number = position
            while (candidate := f"{name} #{number + 1}") in taken:
                number += len(names)
            taken.add(candidate)
            short[position] = candidate
    return short


def split_name(shown: Tree, node: int) -> str:
    """Return the name of the column or formula that a node splits on; "" for a leaf.

    >>> from bough.example_models import iris_tree
    >>> split_name(iris_tree(), 0), split_name(iris_tree(), 1)
    ('Petal.Length', '')
    """
    split = shown.split(node)
    return "" if split is None else name_words(split_schema(shown)[split.column].name)


def surrogates_of(tree: Tree, node: int) -> list[Any]:
    """Return the surrogates that route rows with a missing value at a node, in their order.

    >>> from bough.example_models import iris_tree
    >>> surrogates_of(iris_tree(), 0)
    []
    """
    kept = getattr(tree, "surrogates_of", None)
    return kept(node) if kept is not None and getattr(tree, "follows_surrogates", False) else []


def _interval_words(tree: Tree, split: Intervals, node: int) -> str | None:
    """Return the first and the last level of an inner interval of an ordinal column."""
    column, branch = split_schema(tree)[split.column], node - int(tree.first_child[tree.parent[node]])
    if column.scale != "ordinal" or not 0 < branch < len(split.cuts):
        return None
    low, high = (int(split.cuts[place]) for place in (branch - 1, branch))
    first, last = (level_words(column.levels[code]) for code in (low + 1, high))
    return first if low + 1 == high else f"{first} to {last}"


def edge_words(tree: Tree, node: int, most: int = 4) -> str:
    """Return the condition of a node without the name of its column.

    >>> from bough.example_models import iris_tree
    >>> edge_words(iris_tree(), 1)
    '< 2.45'
    """
    if node == 0:
        return ""
    words = tree.condition(node, most)
    split, name = tree.split(int(tree.parent[node])), split_name(tree, int(tree.parent[node]))
    if isinstance(split, Intervals):
        # An inner interval names the column between its bounds.
        words = _interval_words(tree, split, node) or words.replace(f" <= {name} < ", " to < ")
    short = words.removeprefix(split_name(tree, int(tree.parent[node])) + " ")
    return short.removeprefix("= ").removeprefix("in ")
