"""The small version of a report for notebooks: a headline, the diagram and the first rules."""

from __future__ import annotations

import html
from typing import Any

from bough.data.views import html_view
from bough.data.words import level_words
from bough.models.importance import importance
from bough.reports.picture import OTHER, PALETTE, picture
from bough.reports.shown import shown_tree
from bough.tree import Tree
from bough.tree.outline import headline
from bough.tree.root_only import reason_words

# Of a tree of several targets the text is shown.
_MOST_LINES = 60
_MOST_RULES = 12


def small_page(tree: Tree) -> str:
    """Return an HTML fragment without scripts that shows a tree.

    >>> from bough.example_models import iris_tree
    >>> text = small_page(iris_tree())
    >>> "3 leaves" in text, "<svg" in text, "<script" in text
    (True, True, False)
    """
    if tree.targets:
        return f'<pre style="overflow:auto">{html.escape(tree.text(max_lines=_MOST_LINES))}</pre>'
    shown = shown_tree(tree)
    keys = "".join(_key(code, level_words(label)) for code, label in enumerate(shown.classes[:12]))
    drawn = picture(tree).replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
    rules = html.escape(shown.rules().text(max_lines=_MOST_RULES))
    reason = reason_words(shown)
    note = f'<div style="margin:.3em 0">{html.escape(reason)}</div>' if reason else ""
    return (
        '<div style="font-family:system-ui,sans-serif;max-width:1000px">'
        f'<div style="font-weight:600;margin:.3em 0">{html.escape(headline(shown))}</div>'
        f'<div style="font-size:.85em;margin:.3em 0">{keys}</div>'
        f"{note}{drawn}"
        f'<details><summary>Rules</summary><pre style="overflow:auto">{rules}</pre></details></div>'
    )


def small_model(model: Any) -> str:
    """Return an HTML fragment that shows a model of many trees: its size and the importance of its columns.

    >>> from bough.example_models import boosted_cars
    >>> "cyl" in small_model(boosted_cars())
    True
    """
    target = model.schema.target_label(model.target_name)
    title = f"{model!r}{f' for {target}' if target else ''}"
    return html_view([title, *importance(model).parts()])


def _key(code: int, label: str) -> str:
    colour = PALETTE[code] if code < len(PALETTE) else OTHER
    dot = f"display:inline-block;width:.8em;height:.8em;border-radius:3px;background:{colour}"
    words = html.escape(label)
    return f'<span style="margin-right:1em;white-space:nowrap"><span style="{dot}"></span> {words}</span>'
