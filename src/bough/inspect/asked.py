"""What a node asks about: a column of the schema, or a number computed from several of its columns."""

from __future__ import annotations

from bough.data.schema import Schema
from bough.tree import Tree


def asked_schema(tree: Tree) -> Schema:
    """Return the schema that splits speak of: the tree's own, and what it computes from several columns.

    >>> from bough.example_models import iris_tree
    >>> asked_schema(iris_tree()).names
    ('Petal.Length', 'Petal.Width')
    """
    schema: Schema = getattr(tree, "wide_schema", tree.schema)
    return schema


def asked_columns(tree: Tree, node: int) -> tuple[int, ...]:
    """Return the columns of the schema that a node asks about; none at a leaf.

    >>> from bough.example_models import iris_tree
    >>> asked_columns(iris_tree(), 2), asked_columns(iris_tree(), 1)
    ((1,), ())
    """
    column, own = int(tree.column[node]), len(tree.schema)
    if column < 0:
        return ()
    return (column,) if column < own else tuple(getattr(tree, "formulas", ())[column - own].columns)
