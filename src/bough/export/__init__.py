"""Export: a tree in other languages, to be taken where bough is not."""

from bough.export.dot import to_dot
from bough.export.sql import to_sql

__all__ = ["to_dot", "to_sql"]
