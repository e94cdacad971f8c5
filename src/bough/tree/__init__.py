"""Trees: their splits and arrays, routing, predictions of nodes, and text."""

from bough.tree.tree import Tree

__all__ = ["Tree"]
