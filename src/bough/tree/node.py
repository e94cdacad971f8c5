"""The record of one node, for people to read: its condition, its split and the statistics of its cases."""

from __future__ import annotations

from dataclasses import dataclass, field

from bough.data.labels import Labels
from bough.data.schema import Level
from bough.data.views import html_view
from bough.data.words import figure_words, level_words, name_words, p_value_words, share_words
from bough.tree.answer import answers_of, node_answer
from bough.tree.costs import cost_words, node_costs
from bough.tree.model_answers import model_words
from bough.tree.nodes import Nodes
from bough.tree.one_target import answers_by_name
from bough.tree.split import Split

_MOST_TESTS = 5


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """One node of a tree, in words and numbers.

    `condition` is the condition under which a row comes from the parent ("all" at the root), and `question`
    is the node's own split. `missing_to` is the child that takes the rows that the split cannot route; it is
    None at a leaf, and where such rows stop at the node. `share` is the fraction of all cases.
    `class_weights` is empty in a regression tree. `costs` is the expected cost per case of each answer; it is
    None without a loss matrix. `deviation` is the root mean squared error, the mean absolute error or the
    mean deviance of the prediction, depending on the criterion; it is None in a classification tree and in an
    empty node. `answered_by` is the node whose statistics are used: itself or,
    for an empty node, its nearest non-empty ancestor. `surrogates` and `competitors` list, for each such
    split that the tree keeps, the condition of the first child and the agreement or the gain. `p_values` are
    the adjusted p-values of the columns, None where one was not tested; it is None itself if the tree keeps
    none. In a tree of several targets `answer` is that of the first, `answers` has those of all by name, and
    there are no class weights and no deviation: see `Tree.target`.

    >>> from bough.example_models import tennis_tree
    >>> node = tennis_tree().node(1)
    >>> node.condition, node.question, node.answer, node.class_weights
    ('Outlook = Sunny', 'Humidity?', 'No', {'No': 3.0, 'Yes': 2.0})
    >>> print(node)
    node 1, at depth 1 below node 0: Outlook = Sunny
      5 cases (35.7%), answer No: No 3, Yes 2
      asks Humidity? -> node 4 if Humidity = High, node 5 if Humidity = Normal; missing stays here
    """

    id: int
    depth: int
    parent: int | None
    condition: str
    split: Split | None
    question: str | None
    children: tuple[int, ...]
    branch_words: tuple[str, ...]
    missing_to: int | None
    cases: float
    share: float
    weight: float
    answer: Level
    answered_by: int
    class_weights: dict[Level, float]
    deviation: float | None
    risk: float
    gain: float | None
    surrogates: tuple[tuple[str, float], ...] = ()
    competitors: tuple[tuple[str, float], ...] = ()
    tests: tuple[tuple[str, float, float], ...] = ()
    costs: dict[Level, float] | None = None
    answers: dict[str, Level] | None = None
    p_values: dict[str, float | None] | None = None
    model: str | None = None
    labels: Labels | None = field(default=None, repr=False, compare=False)

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf.

        >>> from bough.example_models import tennis_tree
        >>> tennis_tree().node(4).is_leaf
        True
        """
        return not self.children

    def __repr__(self) -> str:
        return (
            f"<Node {self.id}: {self.condition}, {figure_words(self.cases)} cases, answer {self._answer()}>"
        )

    def _repr_html_(self) -> str:
        return html_view([str(self)])

    def __str__(self) -> str:
        place = "the root" if self.parent is None else f"at depth {self.depth} below node {self.parent}"
        cases = f"{figure_words(self.cases)} cases ({share_words(self.share)}), answer {self._answer()}"
        model = "" if self.model is None else f"\n  predicts {self.model}"
        return f"node {self.id}, {place}: {self.condition}\n  {cases}{model}\n  {self._below()}"

    def _answer(self) -> str:
        if self.answers is not None:
            return answers_words(self.answers)
        classes = self.class_weights.items()
        answer = level_words(self._label(self.answer)) if classes else figure_words(float(self.answer))
        answer = answer if self.model is None else f"{answer} on average"
        if self.answered_by != self.id:
            return f"{answer} as node {self.answered_by}"
        if self.deviation is not None:
            return f"{answer}, deviation {figure_words(self.deviation, digits=4)}"
        words = ", ".join(
            f"{level_words(self._label(label))} {figure_words(sum_)}" for label, sum_ in classes
        )
        return f"{answer}: {words}" + (
            f"; {cost_words(self._label_costs(), self._label(self.answer))}" if self.costs else ""
        )

    def _label(self, label: Level) -> Level:
        return label if self.labels is None else self.labels.class_words(label) or label

    def _label_costs(self) -> dict[Level, float]:
        return {self._label(label): cost for label, cost in (self.costs or {}).items()}

    def _below(self) -> str:
        tests = [f"p-values: {p_values_words(self.p_values)}"] if self.p_values else []
        if self.is_leaf:
            return "\n  ".join(["a leaf", *tests])
        ways = zip(self.children, self.branch_words, strict=True)
        asked = ", ".join(f"node {child} if {words}" for child, words in ways)
        missing = "stays here" if self.missing_to is None else f"goes to node {self.missing_to}"
        lines = [f"asks {self.question} -> {asked}; missing {missing}"]
        if self.surrogates:
            lines[0] += " if no surrogate can say"
            lines.append(f"surrogates for node {self.children[0]} (agreement): {_listed(self.surrogates)}")
        if self.competitors:
            lines.append(f"competitors (gain): {_listed(self.competitors)}")
        return "\n  ".join(lines + tests)


def p_values_words(p_values: dict[str, float | None]) -> str:
    """Return the p-values of the columns that were tested, the smallest first, as text.

    >>> p_values_words({"Sex": 2.3e-101, "Age": 1.7, "Class": None})
    'Sex 2.3e-101, Age 1.000'
    """
    tested = sorted((p, name) for name, p in p_values.items() if p is not None)
    return ", ".join(f"{name} {p_value_words(min(p, 1.0))}" for p, name in tested) or "no column was tested"


def answers_words(answers: dict[str, Level]) -> str:
    """Return the answers of several targets as text.

    >>> answers_words({"height": 1.8249999, "grown": True})
    'height = 1.825, grown = True'
    """
    return ", ".join(
        f"{name_words(name)} = {figure_words(answer) if type(answer) is float else level_words(answer)}"
        for name, answer in answers.items()
    )


def _listed(alternatives: tuple[tuple[str, float], ...]) -> str:
    return ", ".join(f"{words} ({figure_words(value, digits=4)})" for words, value in alternatives)


def _p_values(tree: Nodes, node: int) -> dict[str, float | None] | None:
    if tree.p_value is None:
        return None
    values = zip(tree.schema.shown.names, tree.p_value[node].tolist(), strict=True)
    return {name: None if value != value else value for name, value in values}


def view(tree: Nodes, node: int) -> Node:
    """Return the record of a node.

    >>> from bough.example_models import tennis_tree
    >>> view(tennis_tree(), 0).cases
    14.0
    """
    node = tree.known(node)
    split, children = tree.split(node), tuple(tree.children(node))
    missing, parent = int(tree.default_branch[node]), int(tree.parent[node])
    several = answers_by_name(tree, node)
    counted = tree.classes if several is None else ()
    classes = zip(counted, tree.statistics[node].tolist(), strict=True) if counted else ()
    gain, costs = float(tree.gain[node]), node_costs(tree, node)
    return Node(
        id=node,
        labels=tree.schema.labels,
        depth=int(tree.node_depths[node]),
        parent=parent if parent >= 0 else None,
        condition=tree.condition(node),
        split=split,
        question=split.question(tree.wide_schema) if split else None,
        children=children,
        branch_words=tuple(tree.condition(child) for child in children),
        missing_to=children[missing] if missing >= 0 else None,
        cases=float(tree.cases[node]),
        share=float(tree.cases[node] / tree.cases[0]),
        weight=float(tree.weight[node]),
        answer=node_answer(tree, node) if several is None else next(iter(several.values())),
        answers=several,
        answered_by=int(tree.answering[node]),
        class_weights=dict(classes),
        deviation=float(answers_of(tree).deviation[node])
        if tree.task == "regression" and tree.weight[node] > 0 and several is None
        else None,
        risk=float(tree.risk[node]),
        gain=gain if gain == gain else None,
        surrogates=tuple(
            (alternative.words(tree.wide_schema, 0), alternative.value)
            for alternative in tree.surrogates_of(node)
        ),
        competitors=tuple(
            (alternative.words(tree.wide_schema, 0), alternative.value)
            for alternative in tree.competitors_of(node)
        ),
        p_values=_p_values(tree, node),
        costs=costs,
        model=model_words(tree, node),
    )
