"""Export: a tree as SQL and as a Graphviz graph."""

from bough.export.dot import to_dot
from bough.export.sql import to_sql

__all__ = ["to_dot", "to_sql"]
