"""The columns that a node splits on: one column of the schema, or several that a formula combines."""

from __future__ import annotations

from bough.data.schema import Schema
from bough.tree import Tree


def split_schema(tree: Tree) -> Schema:
    """Return the schema that splits refer to: the tree's columns, followed by its formulas.

    >>> from bough.example_models import iris_tree
    >>> split_schema(iris_tree()).names
    ('Petal.Length', 'Petal.Width')
    """
    schema: Schema = getattr(tree, "wide_schema", tree.schema)
    return schema


def split_columns(tree: Tree, node: int) -> tuple[int, ...]:
    """Return the positions of the columns that a node splits on; a leaf has none.

    >>> from bough.example_models import iris_tree
    >>> split_columns(iris_tree(), 2), split_columns(iris_tree(), 1)
    ((1,), ())
    """
    column, own = int(tree.column[node]), len(tree.schema)
    if column < 0:
        return ()
    return (column,) if column < own else tuple(getattr(tree, "formulas", ())[column - own].columns)
