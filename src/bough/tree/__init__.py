"""A tree: its splits, its frozen arrays, how rows are routed down it and how it is printed."""

from bough.tree.tree import Task, Tree, compared_recipe

__all__ = ["Task", "Tree", "compared_recipe"]
