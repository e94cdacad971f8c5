"""Checks that the packed arrays of a forest are consistent with each other and with its schema.

The native code checks that no node, leaf or level is out of range and that the nodes of each tree form one
tree; this module checks the lengths and the values of the arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.errors import FormatError
from bough.tree.parts_soundness import check_targets


def check(forest: Any) -> None:
    """Raise a FormatError that names the invalid part of a forest, if there is one.

    >>> from bough import RandomForestRegressor
    >>> check(RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0]).forest_)
    """
    _check_answering(forest)
    _check_shapes(forest)
    try:
        forest.native.check_nodes()
    except (ValueError, TypeError, OverflowError) as error:
        raise FormatError("trees", str(error)) from None
    _check_figures(forest)


def _check_answering(forest: Any) -> None:
    if forest.voting not in ("soft", "hard"):
        raise FormatError("voting", f"{forest.voting!r}; 'soft' or 'hard' is wanted")
    cutoff, correction = forest.cutoff, forest.correction
    if forest.targets:
        check_targets(forest.targets, forest)
        if forest.voting != "soft" or cutoff is not None or correction is not None:
            raise FormatError("voting", "a forest of several targets has soft voting and no cutoff")
    if cutoff is not None and (len(cutoff) != len(forest.classes) or not cutoff or min(cutoff) <= 0):
        raise FormatError("cutoff", f"{cutoff!r}; a number above 0 for each class is wanted")
    if correction is not None and (forest.task != "regression" or len(correction) != 2):
        raise FormatError("correction", f"{correction!r}; a regression forest may have two numbers")


def _check_shapes(forest: Any) -> None:
    n_trees, n_leaves = len(forest.node_start) - 1, len(forest.leaf)
    each = 2 if forest.wide else 1
    is_classes, k = forest.task == "classification", max(1, len(forest.targets))
    n_classes = sum(len(target.classes) for target in forest.targets) or len(forest.classes)
    shapes = {
        "gain": (len(forest.nodes) // each,),
        "leaf": (n_leaves, n_classes if is_classes else k),
        "leaf_totals": (0, 2) if is_classes else (n_leaves, 1 + k),
        "cases": (n_leaves,),
        "tree_importance": (n_trees, len(forest.schema)),
    }
    if n_trees < 1:
        raise FormatError("trees.node_start", "a forest has at least one tree")
    for name, shape in shapes.items():
        if getattr(forest, name).shape != shape:
            raise FormatError(f"trees.{name}", f"has shape {getattr(forest, name).shape}; {shape} is wanted")


def _check_figures(forest: Any) -> None:
    if not np.isfinite(forest.leaf).all() or (forest.task == "classification" and (forest.leaf < 0).any()):
        raise FormatError("trees.leaf", "finite numbers are wanted, weights of classes of at least 0")
    for name in ("leaf_totals", "cases"):
        array = getattr(forest, name)
        if not np.isfinite(array).all() or (array < 0).any():
            raise FormatError(f"trees.{name}", "finite numbers of at least 0 are wanted")
