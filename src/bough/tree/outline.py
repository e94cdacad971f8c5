"""The outline of a tree: a text with one line per node, indented by depth."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bough.data.formula import column_words
from bough.data.lines import Width, aligned, line_width, wrapped
from bough.data.schema import Level
from bough.data.words import (
    count_words,
    decimals_of,
    figure_column,
    figure_words,
    level_words,
    name_words,
    p_value_words,
    share_words,
)
from bough.errors import ParameterError
from bough.tree.answer import answers_of, node_answer
from bough.tree.costs import answer_costs, costs_text
from bough.tree.model_answers import model_lines
from bough.tree.nodes import Nodes
from bough.tree.one_target import answers_by_name
from bough.tree.root_only import root_only_text
from bough.tree.routing import column_values, learned_to_take_missing, route
from bough.tree.split import Intervals, Threshold, takes_only_missing
from bough.types import Floats, is_whole

if TYPE_CHECKING:
    from bough.data.table import Table

# Lines that exceed these limits are hard to read.
MOST_LEVELS = 8
"""The number of levels of a set that a print-out shows by default."""
ANSWER_DIGITS, ERROR_DIGITS = 6, 4
"""The digits of predictions and of errors in a print-out by default."""
_MOST_CLASSES = 6
_COST_DIGITS = 3
_MOST_TARGETS = 6
WIDEST_CONDITION = 88
_NARROWEST_CONDITION = 20
_MISSING_NOTE = (
    'Missing values take the branch that says "or missing", and elsewhere the branch of greatest weight.'
)
# Deeper nodes are not indented further, so that the text grows with the number of nodes alone.
_DEEPEST_INDENT = 60


def outline(
    tree: Nodes,
    max_depth: int | None = None,
    max_lines: int | None = 200,
    *,
    max_levels: int | None = MOST_LEVELS,
    digits: int | None = None,
    width: Width = "terminal",
) -> str:
    """Return the tree as text: for each node its condition, cases, prediction and class weights.

    `*` marks a leaf. Only the first `max_lines` nodes, and those down to `max_depth`, are shown, and at most
    `max_levels` levels of a condition; None sets no limit. Nodes below depth 60 are not indented further;
    their depth is given. Numbers have `digits` significant digits, by default six in predictions and four
    in errors. Conditions are wrapped so that lines are at most `width` characters long; "terminal" is the
    width of the terminal, and no limit where there is none.

    In a tree with `missing="learned"`, "or missing" marks a branch that takes missing values although another
    one has a greater weight; where no branch is marked, they take the one of greatest weight.

    >>> from bough.example_models import tennis_tree
    >>> print(outline(tennis_tree(), max_depth=1))
    Classification tree for PlayTennis: 5 leaves, depth 2, 14 cases
    <BLANKLINE>
    node  condition               cases  answer  No/Yes  (* leaf, ... more below)
       0  all                        14  Yes     5/9
       1    Outlook = Sunny           5  No      3/2  ...
       2    Outlook = Overcast        4  Yes     0/4  *
       3    Outlook = Rain            5  Yes     2/3  ...
    <BLANKLINE>
    4 of 8 nodes are not shown: tree.text(max_depth=2) shows one level more.
    """
    check_text_options(max_levels, digits)
    shown = _n_shown(tree, max_depth, max_lines)
    nodes = list(tree.walk(shown))
    details = _details(tree, nodes, digits or ERROR_DIGITS)
    answer, *answers = _answers(tree, nodes, digits or ANSWER_DIGITS)
    cases = figure_column((float(tree.cases[node]) for node in nodes), ERROR_DIGITS)
    rows = [
        _row(tree, node, shown, max_levels, figures)
        for node, figures in zip(nodes, zip(cases, answers, details[1:], strict=True), strict=True)
    ]
    lines = _table(tree, [("node", "condition", "cases", answer, details[0]), *rows], shown, width)
    note = ["", _hidden_words(tree, shown, max_depth)] if shown < tree.n_nodes else []
    note = _targets_note(tree) + note
    if any(learned_to_take_missing(tree, node) for node in nodes):
        note = ["", _MISSING_NOTE, *note]
    note = _models_note(tree, nodes, width) + note
    for text in (costs_text(tree), root_only_text(tree)):
        note += ["", text] if text else []
    return "\n".join(
        [
            *wrapped(headline(tree), width),
            "",
            *lines,
            *(line for text in note for line in wrapped(text, width)),
        ]
    )


def _table(tree: Nodes, rows: list[tuple[str, str, str, str, str]], shown: int, width: Width) -> list[str]:
    """Return the heading and the nodes as aligned lines, with what the marks of nodes mean.

    That stands at the end of the heading, or on a line of its own if the lines are too long otherwise.
    """
    legend = "(* leaf)" if shown == tree.n_nodes else "(* leaf, ... more below)"
    right = (0, 2, 3) if tree.task == "regression" and not tree.targets else (0, 2)
    heading, most = rows[0], line_width(width)
    whole = [(*heading[:-1], f"{heading[-1]}  {legend}".lstrip()), *rows[1:]]
    if most is None or max(map(len, aligned(whole))) <= most:
        return aligned(whole, right=right, wrap=[1], most=WIDEST_CONDITION, width=width)
    least = _NARROWEST_CONDITION
    return [*aligned(rows, right=right, wrap=[1], most=WIDEST_CONDITION, least=least, width=width), legend]


def headline(tree: Nodes) -> str:
    """Return a summary of the tree in one line: task, target, leaves, depth and cases.

    >>> from bough.example_models import iris_tree
    >>> headline(iris_tree())
    'Classification tree for Species: 3 leaves, depth 2, 150 cases'
    """
    target = targets_words(tree)
    leaves = count_words(tree.n_leaves, "leaf", "leaves")
    kind = "Survival" if _predicts_hazards(tree) else tree.task.capitalize()
    text = f"{kind} tree{target}: {leaves}, depth {tree.depth}, "
    text += count_words(tree.cases[0], "case")
    return text if tree.weight[0] == tree.cases[0] else f"{text}, weight {figure_words(tree.weight[0])}"


def _predicts_hazards(tree: Nodes) -> bool:
    return bool(tree.recipe.get("response") == "times")


def targets_words(tree: Nodes) -> str:
    """Return what the tree predicts as text: " for " and the names of up to six targets, or nothing.

    >>> from bough.example_models import iris_tree
    >>> targets_words(iris_tree())
    ' for Species'
    """
    names = [target.name for target in tree.targets] or ([tree.target_name] if tree.target_name else [])
    more = f" and {len(names) - _MOST_TARGETS} more" if len(names) > _MOST_TARGETS else ""
    return f" for {', '.join(map(name_words, names[:_MOST_TARGETS]))}{more}" if names else ""


def _n_shown(tree: Nodes, max_depth: int | None, max_lines: int | None) -> int:
    # Nodes are numbered level by level, so the first nodes are the top of the tree.
    _check_whole("max_depth", max_depth, 0)
    _check_whole("max_lines", max_lines, 1)
    shown = tree.n_nodes
    if max_depth is not None:
        shown = int(np.searchsorted(tree.node_depths, max_depth, side="right"))
    return shown if max_lines is None else min(shown, max_lines)


def check_text_options(max_levels: object, digits: object) -> None:
    """Raise `ParameterError` if these are no whole numbers of at least 1, or None.

    >>> check_text_options(8, 0)
    Traceback (most recent call last):
    bough.errors.ParameterError: digits is 0; it must be a whole number of at least 1, or None.
    """
    for name, value in (("max_levels", max_levels), ("digits", digits)):
        _check_whole(name, value, 1)


def _check_whole(name: str, value: object, least: int) -> None:
    if value is not None and not (is_whole(value) and value >= least):
        raise ParameterError.of(name, value, f"a whole number of at least {least}, or None")


def _row(
    tree: Nodes, node: int, shown: int, most: int | None, figures: tuple[str, str, str]
) -> tuple[str, str, str, str, str]:
    cases, answer, detail = figures
    depth = int(tree.node_depths[node])
    indent = "  " * min(depth, _DEEPEST_INDENT) + (f"[depth {depth}] " if depth > _DEEPEST_INDENT else "")
    condition = indent + tree.condition(node, most=most)
    condition += " or missing" if learned_to_take_missing(tree, node) else ""
    children = tree.children(node)
    mark = "  *" if not children else "  ..." if children[-1] >= shown else ""
    return str(node), condition, cases, answer, (detail + mark).strip()


def _answers(tree: Nodes, nodes: list[int], digits: int) -> list[str]:
    """Return the heading and the answer of each node; several targets have a column each, up to six."""

    def words(answers: list[Level]) -> list[str]:
        if tree.task == "regression":
            return figure_column(map(float, answers), digits)
        return [level_words(answer) for answer in answers]

    if not tree.targets:
        heading = "answer"
        if tree.task == "regression" and "method" not in tree.recipe:
            heading = "median" if tree.criterion == "absolute_error" else "mean"
            heading = "hazard" if _predicts_hazards(tree) else heading
        return [heading, *words([node_answer(tree, node) for node in nodes])]
    by_node = [answers_by_name(tree, node) or {} for node in nodes]
    columns = [
        [name_words(target.name), *words([each[target.name] for each in by_node])]
        for target in tree.targets[:_MOST_TARGETS]
    ]
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]


def _models_note(tree: Nodes, nodes: list[int], width: Width) -> list[str]:
    """Return the linear models of the leaves that are shown."""
    if tree.leaf_models is None:
        return []
    rows = [
        (str(node) if number == 0 else "", words)
        for node in nodes
        if tree.is_leaf[node]
        for number, words in enumerate(model_lines(tree, node, MOST_LEVELS))
    ]
    if not rows:
        return []
    # The numbers are as wide as those of all nodes that are shown.
    rows = [(f"{node:>{len(str(max(nodes)))}}", words) for node, words in rows]
    return ["", "Leaves predict by linear models:", *aligned(rows, wrap=[1], width=width)]


def _targets_note(tree: Nodes) -> list[str]:
    hidden = len(tree.targets) - _MOST_TARGETS
    return ["", f"{hidden} more targets are not shown: tree.target(name) shows one."] if hidden > 0 else []


def _details(tree: Nodes, nodes: list[int], digits: int) -> list[str]:
    """Return the heading and the entry of each node in the last column.

    That is the class weights, costs or deviation, and the smallest p-value if columns were tested.
    """
    if tree.targets:
        return ["", *(_detail(tree, node, digits, None) for node in nodes)]
    if tree.task == "regression":
        heading = "mean risk" if "method" in tree.recipe else "deviation"
        # A boosted tree is fitted to gradients, and its weights are hessians.
        heading = "hessian" if tree.criterion == "gradient" else heading
    else:
        few_classes = len(tree.classes) <= _MOST_CLASSES
        heading = "/".join(map(level_words, tree.classes)) if few_classes else "share"
    decimals = _decimals(tree, nodes, digits)
    details = [heading, *(_detail(tree, node, digits, decimals) for node in nodes)]
    if tree.p_value is not None:
        width = max(map(len, details))
        tests = ["p-value", *(_test(tree.p_value[node]) for node in nodes)]
        details = [f"{detail:<{width}}  {test}".rstrip() for detail, test in zip(details, tests, strict=True)]
    costs = answer_costs(tree)
    if costs is None or heading == "share":
        return details
    decimals = decimals_of(costs[nodes].ravel().tolist(), _COST_DIGITS)
    every = [f"cost as {heading}", *(_joined(costs[node], decimals) for node in nodes)]
    width = max(map(len, details))
    return [f"{detail:<{width}}  {cost}" for detail, cost in zip(details, every, strict=True)]


def _test(p_values: Floats) -> str:
    """Return the smallest adjusted p-value of a node as text; empty where no column was tested."""
    return "" if np.isnan(p_values).all() else p_value_words(min(float(np.nanmin(p_values)), 1.0))


def _joined(costs: Floats, decimals: int) -> str:
    return "/".join(figure_words(cost, decimals=decimals) for cost in costs.tolist())


def _decimals(tree: Nodes, nodes: list[int], digits: int) -> int:
    """Return the number of decimals of the numbers in the last column."""
    if tree.task == "regression":
        column = tree.weight if tree.criterion == "gradient" else answers_of(tree).deviation
        return decimals_of(column[nodes].tolist(), digits)
    # As those of the cases: the weight of a node, the sum over its classes, has this many digits.
    statistics = tree.statistics[nodes]
    return decimals_of([*statistics.ravel().tolist(), *statistics.sum(axis=1).tolist()], digits)


def _detail(tree: Nodes, node: int, digits: int, decimals: int | None) -> str:
    if tree.weight[node] == 0:
        return f"empty, answers as node {tree.answering[node]}"
    if tree.targets:
        return ""
    if tree.criterion == "gradient":
        return figure_words(tree.weight[node], digits, decimals)
    if tree.task == "regression":
        return figure_words(answers_of(tree).deviation[node], digits, decimals)
    weights = tree.statistics[node]
    if len(weights) > _MOST_CLASSES:
        return share_words(answers_of(tree).confidence[node])
    return "/".join(figure_words(weight, digits, decimals) for weight in weights)


def _hidden_words(tree: Nodes, shown: int, max_depth: int | None) -> str:
    hidden = f"{tree.n_nodes - shown} of {tree.n_nodes} nodes are not shown"
    if max_depth is not None and tree.node_depths[shown - 1] == max_depth < tree.node_depths[shown]:
        return f"{hidden}: tree.text(max_depth={max_depth + 1}) shows one level more."
    return f"{hidden}: tree.text(max_lines={tree.n_nodes}) shows all, tree.node(i) one."


def path_words(tree: Nodes, table: Table) -> list[str]:
    """Return the condition that the row of a table of one row meets at each split of its path, as text.

    >>> from bough.example_models import tennis_tree
    >>> from bough.data.table import Table
    >>> tree = tennis_tree()
    >>> row = np.array([["Rain", "Mild", "High", None]], dtype=object)
    >>> path_words(tree, Table.fit_to(row, tree.schema))
    ['Outlook = Rain', 'Wind is missing or new here, so the row stays']
    """
    path = tree.path(int(route(tree, table)[0]))
    conditions = []
    for node, child in itertools.zip_longest(path, path[1:]):
        split = tree.split(node)
        if split is None:
            break
        condition = "the row stays" if child is None else tree.condition(child)
        values = column_values(tree, table, split.column)
        branch = -1 if child is None else child - int(tree.first_child[node])
        only_missing = child is not None and takes_only_missing(split, branch)
        routed = split.branch(values)[0] >= 0
        if routed and isinstance(split, Threshold | Intervals) and values.dtype.kind == "f":
            condition = split.narrowed_to(float(values[0])).words(tree.wide_schema, branch)
        if not routed and not only_missing:
            as_if = "so as if" if tree.share is None else "so for the most part as if"
            so = "so" if child is None else as_if
            by = _surrogate_words(tree, node, table)
            name = column_words(tree.wide_schema.shown[split.column])
            condition = f"{name} is missing or new here{by}, {so} {condition}"
        conditions.append(condition)
    return conditions


def _surrogate_words(tree: Nodes, node: int, table: Table) -> str:
    for alternative in tree.surrogates_of(node) if tree.follows_surrogates else ():
        branch = int(alternative.branch(column_values(tree, table, alternative.split.column))[0])
        if branch >= 0:
            return f" but {alternative.words(tree.wide_schema, branch)}"
    return ""
