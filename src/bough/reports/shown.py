"""Names as a page can show them: a name of thousands of characters is cut in the middle of sentences."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from bough.data.schema import Column, Level, Schema
from bough.data.words import name_words
from bough.inspect.split_columns import split_schema
from bough.tree import Tree

LONGEST = 60
"""Characters of a name shown where it stands among other words."""


def shortened(text: str, longest: int = LONGEST) -> str:
    """Cut a text that is too long, and show that it was cut.

    >>> shortened("income"), shortened("a" * 100, 5)
    ('income', 'aaaa…')
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def shown_tree(tree: Tree) -> Tree:
    """Return the tree with names, levels and classes short enough to be read, no two alike.

    >>> from bough.example_models import iris_tree
    >>> shown_tree(iris_tree()).schema.names
    ('Petal.Length', 'Petal.Width')
    """
    names = _distinct(tree.schema.names)
    columns = [
        Column(name, column.scale, _short_levels(column.levels))
        for name, column in zip(names, tree.schema, strict=True)
    ]
    target = None if tree.target_name is None else shortened(tree.target_name)
    return dataclasses.replace(
        tree, schema=Schema(tuple(columns)), classes=_short_levels(tree.classes), target_name=target
    )


def brief(words: str) -> str:
    """Write the numbers in words with few digits, for places where there is little room.

    >>> brief(">= -1.130824964247776"), brief("< 206.5"), brief("a1.0.33333333")
    ('>= -1.131', '< 206.5', 'a1.0.33333333')
    """
    return re.sub(r"(?<![\w.])-?\d+\.\d{5,}(?![\w.])", lambda digits: f"{float(digits[0]):.4g}", words)


def _short_levels(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    if not levels or not isinstance(levels[0], str):
        return levels
    return tuple(_distinct(tuple(map(str, levels))))


def _distinct(names: tuple[str, ...]) -> list[str]:
    short = [shortened(name) for name in names]
    taken = set(names)
    for place, (name, full) in enumerate(zip(short, names, strict=True)):
        if name != full:
            number = place
            while (candidate := f"{name} #{number + 1}") in taken:
                number += len(names)
            taken.add(candidate)
            short[place] = candidate
    return short


def asked_words(shown: Tree, node: int) -> str:
    """Say what a node asks about: the name of its column, or of what it computes from several; "" of a leaf.

    >>> from bough.example_models import iris_tree
    >>> asked_words(iris_tree(), 0), asked_words(iris_tree(), 1)
    ('Petal.Length', '')
    """
    split = shown.split(node)
    return "" if split is None else name_words(split_schema(shown)[split.column].name)


def surrogates_of(tree: Tree, node: int) -> list[Any]:
    """Return the splits that stand in for a node's own where its value is missing, in their order.

    >>> from bough.example_models import iris_tree
    >>> surrogates_of(iris_tree(), 0)
    []
    """
    kept = getattr(tree, "surrogates_of", None)
    return kept(node) if kept is not None and getattr(tree, "follows_surrogates", False) else []


def edge_words(tree: Tree, node: int, most: int = 4) -> str:
    """Say the condition that leads to a node without the name of its column, where it begins with it.

    >>> from bough.example_models import iris_tree
    >>> edge_words(iris_tree(), 1)
    '< 2.45'
    """
    if node == 0:
        return ""
    words = tree.condition(node, most)
    short = words.removeprefix(asked_words(tree, int(tree.parent[node])) + " ")
    return short.removeprefix("= ").removeprefix("in ")
