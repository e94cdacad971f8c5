"""Export of a tree to DOT, the language of Graphviz."""

from __future__ import annotations

from bough.data.words import figure_words
from bough.inspect.split_columns import split_schema
from bough.reports.node_facts import answer_words
from bough.reports.shown import edge_words, shown_tree
from bough.tree import Tree
from bough.tree.one_target import refuse_several


def to_dot(tree: Tree) -> str:
    r"""Return a tree as a Graphviz graph: nodes show the split, the prediction and the cases.

    >>> from bough.example_models import cars_tree
    >>> print(to_dot(cars_tree()).splitlines()[3])
      0 [label="cyl < 5?\n20.09\n32 cases"];
    """
    refuse_several(tree, "to_dot")
    shown = shown_tree(tree)
    lines = ["digraph tree {", "  node [shape=box, style=rounded, fontname=sans];", "  edge [fontname=sans];"]
    for node in range(tree.n_nodes):
        split = shown.split(node)
        words = [split.question(split_schema(shown))] if split else []
        words += [answer_words(shown, node), f"{figure_words(tree.cases[node])} cases"]
        lines.append(f"  {node} [label={_quoted(words)}];")
    edges = [
        f"  {tree.parent[node]} -> {node} [label={_quoted([edge_words(shown, node, 8)])}];"
        for node in range(1, tree.n_nodes)
    ]
    return "\n".join([*lines, *edges, "}"])


def _quoted(lines: list[str]) -> str:
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'
