"""Trees: their splits and arrays, routing, predictions of nodes, and text."""

from bough.tree.tree import Tree, compared_recipe

__all__ = ["Tree", "compared_recipe"]
