"""The diagram of a tree as an SVG element without scripts, for notebooks and pages with scripts disabled."""

from __future__ import annotations

import html
from collections.abc import Iterator

from bough.data.words import figure_words
from bough.reports.layout import Layout, layout
from bough.reports.node_facts import answer_words
from bough.reports.shown import edge_words, shortened, shown_tree, split_name
from bough.tree import Tree

PALETTE = ("#3b6fb6", "#e0803a", "#4a9a6b", "#b5517d", "#7d6bc2", "#c2a83e", "#3fa3b5", "#8a6a52")
OTHER = "#9a9aa2"
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 132, 58, 14, 40


def picture(tree: Tree, most_leaves: int = 12) -> str:
    """Return an SVG element with the top of a tree: predictions, cases, class shares and conditions.

    >>> from bough.example_models import iris_tree
    >>> drawn = picture(iris_tree())
    >>> drawn.startswith("<svg"), drawn.count("<rect") > 5, "&lt; 2.45" in drawn
    (True, True, True)
    """
    shown = shown_tree(tree)
    where = layout(tree, most_leaves)
    columns = max(where.place[node] for node in where.nodes) + 1
    rows = max(where.depth[node] for node in where.nodes) + 1
    width, height = columns * (_WIDTH + _GAP_X) + 10, rows * (_HEIGHT + _GAP_Y)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" role="img" '
        f'aria-label="{html.escape(repr(shown)[1:-1], quote=True)}" '
        'font-family="system-ui,sans-serif" font-size="11" fill="currentColor">'
    ]
    parts += [_edge(shown, where, node) for node in where.nodes if node]
    parts += [part for node in where.nodes for part in _card(shown, where, node)]
    return "".join([*parts, "</svg>"])


def _corner(where: Layout, node: int) -> tuple[float, float]:
    return 5 + where.place[node] * (_WIDTH + _GAP_X), 2 + where.depth[node] * (_HEIGHT + _GAP_Y)


def _edge(shown: Tree, where: Layout, node: int) -> str:
    (x, y), (above_x, above_y) = _corner(where, node), _corner(where, int(shown.parent[node]))
    x, above_x, above_y = x + _WIDTH / 2, above_x + _WIDTH / 2, above_y + _HEIGHT
    share = float(shown.weight[node] / shown.weight[0]) if shown.weight[0] else 0.0
    words = html.escape(shortened(edge_words(shown, node, most=3), 22))
    return (
        f'<path d="M{above_x:.1f},{above_y:.1f} '
        f'C{above_x:.1f},{above_y + 22:.1f} {x:.1f},{y - 22:.1f} {x:.1f},{y:.1f}" '
        f'fill="none" stroke="currentColor" stroke-opacity=".25" stroke-width="{1 + 7 * share:.1f}"/>'
        f'<text x="{x:.1f}" y="{y - 6:.1f}" text-anchor="middle">{words}</text>'
    )


def _card(shown: Tree, where: Layout, node: int) -> Iterator[str]:
    x, y = _corner(where, node)
    title = html.escape(f"node {node}: {shown.condition(node, 8)}")
    yield f"<g><title>{title}</title>"
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{_WIDTH}" height="{_HEIGHT}" rx="7" fill="currentColor" '
        'fill-opacity=".05" stroke="currentColor" stroke-opacity=".3"/>'
    )
    answer = html.escape(shortened(answer_words(shown, node), 16))
    cases = figure_words(shown.cases[node])
    yield f'<text x="{x + 8:.1f}" y="{y + 17:.1f}" font-weight="600" font-size="12">{answer}</text>'
    right = x + _WIDTH - 8
    yield f'<text x="{right:.1f}" y="{y + 17:.1f}" text-anchor="end" fill-opacity=".65">{cases}</text>'
    yield from _bar(shown, node, x + 8, y + 25, _WIDTH - 16)
    if not shown.is_leaf[node]:
        folded = "" if node in where.open else " …"
        name = shortened(split_name(shown, node), 21) + folded
        yield f'<text x="{x + 8:.1f}" y="{y + 50:.1f}" fill-opacity=".75">{html.escape(name)}</text>'
    yield "</g>"


def _bar(shown: Tree, node: int, x: float, y: float, width: float) -> Iterator[str]:
    if shown.task == "regression":
        answers = shown.answers()
        low, high = float(answers.min()), float(answers.max())
        share = (float(answers[node]) - low) / (high - low) if high > low else 0.5
        yield f'<rect x="{x:.1f}" y="{y + 3:.1f}" width="{width:.1f}" height="3" rx="1.5" fill-opacity=".2"/>'
        yield f'<circle cx="{x + share * width:.1f}" cy="{y + 4.5:.1f}" r="4.5" fill="{PALETTE[0]}"/>'
        return
    weights = shown.class_weights()[node]
    total = float(weights.sum())
    left = x
    for code, weight in enumerate(weights.tolist()):
        part = width * weight / total
        if part > 0:
            colour = PALETTE[code] if code < len(PALETTE) else OTHER
            yield f'<rect x="{left:.1f}" y="{y:.1f}" width="{part:.1f}" height="9" fill="{colour}"/>'
        left += part
