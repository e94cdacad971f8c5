"""Inspection of a tree: the candidate splits of a node, its surrogates, and the error of each threshold."""
