"""Trees: their splits and arrays, routing, predictions of nodes, and text."""

from bough.tree.tree import Task, Tree, compared_recipe

__all__ = ["Task", "Tree", "compared_recipe"]
