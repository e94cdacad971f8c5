"""The facts of a report about nodes: how they are drawn, how rows are routed, and which rows reach them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bough.data.formula import column_words
from bough.data.table import Table
from bough.data.target import ClassTarget
from bough.data.words import figure_words, level_words, p_value_words
from bough.inspect.rivals import Rival
from bough.inspect.split_columns import split_schema
from bough.reports.shown import edge_words, split_name, surrogates_of
from bough.tree import Tree
from bough.tree.costs import answer_costs, expected_cost
from bough.tree.fractional import collected
from bough.tree.split import Intervals, Split, Threshold, takes_only_missing
from bough.types import Floats

N_BARS = 16
_MOST_RIVALS = 6
_MOST_TESTS = 12
_MOST_LEVELS = 12
# Levels of the question of a node, which can be unfolded.
_FEW_LEVELS = 6


def node_facts(tree: Tree, shown: Tree) -> dict[str, Any]:
    """Return the arrays of a tree as values that JSON can hold.

    `shown` is the tree with shortened names, see `shown_tree`.

    >>> from bough.example_models import iris_tree
    >>> facts = node_facts(iris_tree(), iris_tree())
    >>> facts["edge"], facts["answer"][3], facts["missing_to"]
    (['', '< 2.45', '>= 2.45', '< 1.75', '>= 1.75'], 'versicolor', [2, -1, 3, -1, -1])
    """
    nodes = range(tree.n_nodes)
    starts = np.where(tree.default_branch >= 0, tree.first_child + tree.default_branch, -1)
    return {
        "parent": tree.parent.tolist(),
        "first": tree.first_child.tolist(),
        "n": tree.n_children.tolist(),
        "column": tree.column.tolist(),
        "edge": [edge_words(shown, node) for node in nodes],
        "condition": [shown.condition(node, most=_MOST_LEVELS) for node in nodes],
        **_questions(shown),
        "split_on": [split_name(shown, node) for node in nodes],
        "cases": tree.cases.tolist(),
        "weight": tree.weight.tolist(),
        "stats": [plain(each) for each in tree.statistics],
        "answer": [answer_words(shown, node) for node in nodes],
        "value": plain(tree.answers()) if tree.task == "regression" else tree.answer_codes().tolist(),
        "answered_by": tree.answering.tolist(),
        "sure": plain(_certainty(tree)),
        "gain": plain(tree.gain),
        "missing_to": starts.tolist(),
    }


def walk_facts(tree: Tree) -> list[list[Any]] | None:
    """Return the splits that the page needs to route a row, or None if it cannot route rows of the tree.

    For each node there is a list of splits, the primary split first, then the surrogates; the first whose
    value is known routes the row. A split is the column, the threshold or the list of cuts,
    whether a value equal to the threshold goes to branch 0, the codes of the levels and their branches, and
    whether the branches are swapped.

    >>> from bough.example_models import iris_tree
    >>> walk_facts(iris_tree())[:2]
    [[[0, 2.45, False, [], [], False]], []]
    """
    if tree.share is not None:
        return None
    by_node = []
    for node in range(tree.n_nodes):
        split = tree.split(node)
        splits = [] if split is None else [(split, False)]
        splits += [(alternative.split, bool(alternative.turned)) for alternative in surrogates_of(tree, node)]
        facts = [_split_facts(each, turned) for each, turned in splits if 0 <= each.column < len(tree.schema)]
        if len(facts) < len(splits):
            return None
        by_node.append(facts)
    return by_node


def walk_words(shown: Tree) -> list[list[Any]]:
    """Return for each node the name of its split's column, and the words of each branch of the surrogates.

    With the conditions of the children they say how a row is routed, in the words of `Tree.path_of`.

    >>> from bough.example_models import iris_tree
    >>> walk_words(iris_tree())[:2]
    [['Petal.Length', []], []]
    """
    schema = split_schema(shown)
    words: list[list[Any]] = []
    for node in range(shown.n_nodes):
        split = shown.split(node)
        others = [
            [alternative.words(schema, branch, _MOST_LEVELS) for branch in range(2)]
            for alternative in surrogates_of(shown, node)
        ]
        words.append([] if split is None else [column_words(schema[split.column]), others])
    return words


def test_facts(shown: Tree) -> list[list[list[Any]]] | None:
    """Return the adjusted p-value of each column that was tested at each node, the smallest first.

    It is None if the tree keeps no p-values.

    >>> from bough.example_models import iris_tree
    >>> test_facts(iris_tree()) is None
    True
    """
    if shown.p_value is None:
        return None
    by_node = []
    for p_values in shown.p_value:
        tested = np.flatnonzero(~np.isnan(p_values))
        ranked = tested[np.argsort(p_values[tested], kind="stable")][:_MOST_TESTS].tolist()
        by_node.append([[column, p_value_words(min(float(p_values[column]), 1.0))] for column in ranked])
    return by_node


def cost_facts(shown: Tree) -> dict[str, Any] | None:
    """Return the loss matrix, the expected cost of each answer at each node, and that of the tree in words.

    It is None if the tree was grown without a loss matrix.

    >>> from bough.example_models import iris_tree
    >>> cost_facts(iris_tree()) is None
    True
    """
    costs, expected = answer_costs(shown), expected_cost(shown)
    if costs is None or expected is None or shown.loss_matrix is None:
        return None
    matrix, by_node = shown.loss_matrix.tolist(), [plain(each) for each in costs]
    return {"matrix": matrix, "by_node": by_node, "words": expected.words()}


def _split_facts(split: Split, turned: bool) -> list[Any]:
    if isinstance(split, Intervals):
        return [split.column, [_json_number(cut) for cut in split.cuts], False, [], [], turned]
    if isinstance(split, Threshold):
        below = bool(split.branch(np.array([split.cut]))[0] == 0)
        return [split.column, _json_number(split.cut), below, [], [], turned]
    return [split.column, None, False, list(split.codes), list(split.branches), turned]


def _json_number(cut: float) -> float | str:
    # JSON has no infinities, so they are written as text.
    return cut if math.isfinite(cut) else str(cut)


def alternative_facts(shown: Tree, name: str) -> dict[str, Any]:
    """Return the surrogates or competitors of each node: the condition, the value and the adjusted value.

    >>> from bough.example_models import iris_tree
    >>> alternative_facts(iris_tree(), "surrogates")
    {}
    """
    alternatives_of = getattr(shown, f"{name}_of", None)
    if alternatives_of is None:
        return {}
    kept = {node: alternatives_of(node) for node in np.flatnonzero(~shown.is_leaf).tolist()}
    schema = split_schema(shown)
    return {
        str(node): [
            [alternative.words(schema, 0, 4), *plain(np.array([alternative.value, alternative.adjusted]))]
            for alternative in alternatives
        ]
        for node, alternatives in kept.items()
        if alternatives
    }


def passing_facts(
    tree: Tree, table: Table, target: ClassTarget | Floats, weight: Floats | None
) -> dict[str, Any]:
    """Return the cases, class weights or means, and histograms of the rows of a table that reach each node.

    >>> from bough.example_models import cars_tree
    >>> tree = cars_tree()
    >>> rows = Table.fit_to([[4, 90], [8, 200]], tree.schema)
    >>> passing_facts(tree, rows, np.array([30.0, 12.0]), None)["stats"]
    [[21.0], [30.0], [12.0], [None], [12.0]]
    """
    own = np.ones(table.n_rows) if weight is None else weight
    cases = _summed(tree, collected(tree, table, np.ones((table.n_rows, 1))))[:, 0]
    if isinstance(target, ClassTarget):
        of_class = np.zeros((table.n_rows, len(target.classes)))
        of_class[np.arange(table.n_rows), target.codes] = own
        stats = _summed(tree, collected(tree, table, of_class))
        return {"cases": cases.tolist(), "stats": stats.tolist(), "bars": None}
    mass, total = _summed(tree, collected(tree, table, np.column_stack([own, own * target]))).T
    means = np.full(tree.n_nodes, np.nan)
    np.divide(total, mass, out=means, where=mass > 0)
    return {
        "cases": cases.tolist(),
        "stats": [[each] for each in plain(means)],
        "bars": _bars(tree, tree.apply(table), target).tolist(),
        "bounds": [float(target.min()), float(target.max())],
    }


def rival_facts(shown: Tree, found: dict[int, list[Rival]]) -> dict[str, Any]:
    """Return the best split of each column at the nodes.

    Each is given as the column, the condition, the value, whether the tree splits on the column, and whether
    it splits there as well: optimal trees seldom take the best split of their column.

    >>> from bough.example_models import iris_tree
    >>> from bough.tree.split import Threshold
    >>> rival_facts(iris_tree(), {0: [Rival(1, Threshold(1, 0.8), 1 / 3, chosen=False)]})
    {'0': [[1, 'Petal.Width < 0.8', 0.333333, False, False]]}
    """

    def words(rival: Rival) -> str:
        if rival.split.n_branches != 2:
            return rival.split.question(shown.schema)
        joined = rival.missing_branch == 0 and not takes_only_missing(rival.split, 0)
        return rival.split.words(shown.schema, 0, 4) + (" or missing" if joined else "")

    return {
        str(node): [
            [rival.column, words(rival), float(f"{rival.value:.6g}"), rival.chosen, rival.split == own]
            for own in (shown.split(node),)
            for rival in ranked[:_MOST_RIVALS]
        ]
        for node, ranked in sorted(found.items())
    }


def answer_words(shown: Tree, node: int) -> str:
    """Return the prediction of a node as text.

    >>> from bough.example_models import cars_tree
    >>> answer_words(cars_tree(), 0)
    '20.09'
    """
    answer = shown.answer(node)
    return figure_words(float(answer), 4) if shown.task == "regression" else level_words(answer)


def plain(values: npt.NDArray[Any]) -> list[Any]:
    """Return numbers as values that JSON can hold; those that are not finite become None.

    >>> plain(np.array([1.5, np.nan]))
    [1.5, None]
    """
    return [each if math.isfinite(each) else None for each in values.tolist()]


def _questions(shown: Tree) -> dict[str, Any]:
    """Return the questions of all nodes with few levels, and the whole question where levels are left out."""
    schema, short, whole = split_schema(shown), [], {}
    for node in range(shown.n_nodes):
        split = shown.split(node)
        question = split.question(schema) if split else ""
        few = f"{split.words(schema, 0, _FEW_LEVELS)}?" if split and split.n_branches == 2 else question
        if len(few) < len(question):
            whole[str(node)] = question
        short.append(few if len(few) < len(question) else question)
    return {"question": short, "whole_question": whole}


def _certainty(tree: Tree) -> Floats:
    """Return the share of the predicted class, or the standard deviation of y, at each node."""
    return tree.deviation() if tree.task == "regression" else tree.confidence()


def _summed(tree: Tree, at_ends: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sums over each node and its descendants."""
    sums = at_ends.copy()
    for node in range(tree.n_nodes - 1, 0, -1):
        sums[tree.parent[node]] += sums[node]
    return sums


def _bars(tree: Tree, ends: npt.NDArray[np.int32], target: Floats) -> npt.NDArray[Any]:
    low, high = float(target.min()), float(target.max())
    width = (high - low) or 1.0
    bins = np.minimum(((target - low) / width * N_BARS).astype(np.int64), N_BARS - 1)
    counts = np.bincount(ends * np.int64(N_BARS) + bins, minlength=tree.n_nodes * N_BARS)
    return _summed(tree, counts.reshape(tree.n_nodes, N_BARS))
