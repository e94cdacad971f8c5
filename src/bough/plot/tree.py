"""The figure of a tree: nodes with their cases and classes or histograms, and conditions on the edges."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from bough.data.table import Table
from bough.data.words import figure_words
from bough.inspect.rivals import target_for
from bough.plot.axes import axes_for, colour
from bough.reports.layout import Layout, layout
from bough.reports.node_facts import answer_words, passing_facts
from bough.reports.shown import edge_words, shortened, shown_tree, split_name
from bough.resampling.regrowth import tree_of
from bough.tree import Tree
from bough.tree.outline import headline
from bough.types import Floats

# The unit is that of the layout, in which neighbouring nodes and levels have the distance 1.
_WIDTH, _HEIGHT = 0.86, 0.5
_INCHES, _LEVEL_INCHES = 1.3, 1.25
_LARGEST = 60.0


def tree(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    max_depth: int | None = None,
    most_leaves: int | None = 60,
    fontsize: float = 8.0,
) -> Any:
    """Draw a tree and return the axes; with X and y, nodes of a regression tree show histograms of y.

    If the tree has more than `most_leaves` leaves, the nodes of the smallest weight are folded and marked
    "…".

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bough.example_models import tennis_tree
    >>> [text.get_text() for text in tree(tennis_tree(), max_depth=1).texts if "=" not in text.get_text()][:3]
    ['Sunny', 'Overcast', 'Rain']
    >>> matplotlib.pyplot.close("all")
    """
    grown = tree_of(model)
    where, shown = layout(grown, most_leaves, max_depth), shown_tree(grown)
    across = max(where.place[node] for node in where.nodes) + 1
    levels = max(where.depth[node] for node in where.nodes) + 1
    size = (min(max(4.0, across * _INCHES), _LARGEST), min(max(2.0, levels * _LEVEL_INCHES + 0.4), _LARGEST))
    ax = axes_for(ax, size=size)
    bars = None
    if X is not None and y is not None and grown.task == "regression":
        rows = Table.fit_to(X, grown.schema)
        bars = passing_facts(grown, rows, target_for(grown, y), None)["bars"]
    for node in where.nodes:
        if node:
            _draw_edge(ax, shown, where, node, fontsize)
    for node in where.nodes:
        _draw_node(ax, shown, where, node, fontsize, None if bars is None else np.array(bars[node], float))
    ax.set(xlim=(-0.6, across - 0.4), ylim=(-levels + 0.6, 0.5), title=headline(shown))
    ax.axis("off")
    _add_legend(ax, shown)
    return ax


def _draw_edge(ax: Any, shown: Tree, where: Layout, node: int, fontsize: float) -> None:
    parent = int(shown.parent[node])
    x, y, x0, y0 = where.place[node], -where.depth[node], where.place[parent], -where.depth[parent]
    share = float(shown.weight[node] / shown.weight[0]) if shown.weight[0] else 0.0
    steps = np.linspace(0, 1, 20)
    bend = steps * steps * (3 - 2 * steps)
    top, bottom = y0 - _HEIGHT / 2, y + _HEIGHT / 2
    ax.plot(x0 + (x - x0) * bend, top + (bottom - top) * steps, color="#b9bcc4", lw=0.8 + 6 * share, zorder=1)
    words = shortened(edge_words(shown, node, most=3), 20)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
    ax.text(x, bottom + 0.1, words, ha="center", va="center", fontsize=fontsize, bbox=box, zorder=3)


def _draw_node(ax: Any, shown: Tree, where: Layout, node: int, fontsize: float, bars: Floats | None) -> None:
    x, y = where.place[node] - _WIDTH / 2, -where.depth[node] - _HEIGHT / 2
    ax.add_patch(box_of(where, node, facecolor="white", edgecolor="#b9bcc4", zorder=2))
    text = {"fontsize": fontsize, "zorder": 4}
    answer = shortened(answer_words(shown, node), 14)
    ax.text(x + 0.05, y + _HEIGHT - 0.11, answer, weight="bold", va="center", **text)
    cases = figure_words(shown.cases[node])
    ax.text(x + _WIDTH - 0.05, y + _HEIGHT - 0.11, cases, ha="right", va="center", color="#646a75", **text)
    _draw_bar(ax, shown, node, (x + 0.05, y + 0.17), bars)
    if not shown.is_leaf[node]:
        name = shortened(split_name(shown, node), 15) + ("?" if node in where.open else " …")
        ax.text(x + 0.05, y + 0.08, name, va="center", **text)


def box_of(where: Layout, node: int, **style: Any) -> Any:
    """Return the box of a node as a matplotlib patch.

    >>> from bough.example_models import iris_tree
    >>> float(box_of(layout(iris_tree()), 1).get_bbox().x0)
    -0.43
    """
    from matplotlib.patches import FancyBboxPatch

    corner = where.place[node] - _WIDTH / 2, -where.depth[node] - _HEIGHT / 2
    return FancyBboxPatch(corner, _WIDTH, _HEIGHT, boxstyle="round,pad=0,rounding_size=0.05", **style)


def _draw_bar(ax: Any, shown: Tree, node: int, corner: tuple[float, float], bars: Floats | None) -> None:
    from matplotlib.patches import Rectangle

    (x, y), width = corner, _WIDTH - 0.1
    if shown.task == "classification":
        weights = shown.class_weights()[node]
        edges = x + width * np.append(0.0, np.cumsum(weights) / weights.sum())
        for code, (left, right) in enumerate(itertools.pairwise(edges.tolist())):
            if right > left:
                ax.add_patch(Rectangle((left, y), right - left, 0.1, color=colour(code), lw=0, zorder=3))
        return
    if bars is not None and bars.any():
        step = width / len(bars)
        for bar, tall in enumerate(0.14 * bars / bars.max()):
            ax.add_patch(Rectangle((x + bar * step, y), step * 0.9, tall, color=colour(0), lw=0, zorder=3))
        return
    answers = shown.answers()
    low, high = float(np.min(answers)), float(np.max(answers))
    share = (float(answers[node]) - low) / (high - low) if high > low else 0.5
    ax.plot([x, x + width], [y + 0.05] * 2, color="#dcdad3", lw=2, zorder=3)
    ax.plot([x + share * width], [y + 0.05], "o", color=colour(0), ms=4, zorder=4)


def _add_legend(ax: Any, shown: Tree) -> None:
    from matplotlib.patches import Patch

    from bough.data.words import level_words

    if 0 < len(shown.classes) <= 8:
        keys = [
            Patch(color=colour(code), label=level_words(label)) for code, label in enumerate(shown.classes)
        ]
        ax.legend(handles=keys, loc="lower right", fontsize="small", frameon=False)
