"""The figure of the stability of a tree: how often each split recurs in bootstrap samples."""

from __future__ import annotations

from typing import Any

from bough.data.words import share_words
from bough.plot.tree import box_of, tree
from bough.reports.layout import layout
from bough.resampling.stability import Stability


def stability(
    found: Stability, *, ax: Any = None, max_depth: int | None = None, most_leaves: int = 60
) -> Any:
    """Draw the tree with a frame around each split, from red (never recurs) to green (always recurs).

    The share of bootstrap samples in which the split recurs is written in the frame, and near ties are marked
    "~". Returns the axes.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import bough
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> found = bough.stability(bough.TreeClassifier().fit(X, y), X, y, n_draws=5)
    >>> stability(found).texts[-1].get_text()
    '100.0%'
    >>> matplotlib.pyplot.close("all")
    """
    import matplotlib as mpl

    ax = tree(found.tree, ax=ax, max_depth=max_depth, most_leaves=most_leaves)
    where = layout(found.tree, most_leaves, max_depth)
    colours = mpl.colormaps["RdYlGn"]
    for node in where.nodes:
        if found.tree.is_leaf[node]:
            continue
        share = float(found.returns[node])
        frame = box_of(where, node, facecolor="none", edgecolor=colours(share), linewidth=2.5, zorder=5)
        ax.add_patch(frame)
        words = share_words(share) + (" ~" if node in found.near_ties else "")
        corner = frame.get_bbox()
        ax.text(corner.x1 - 0.04, corner.y0 + 0.03, words, ha="right", va="bottom", fontsize=7, zorder=6)
    ax.set_title(f"How often each split recurs in {found.n_draws} bootstrap samples")
    return ax
