"""The rule of a leaf: the conditions of its path, its prediction and its statistics."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.views import html_view
from bough.data.words import figure_words, level_words, share_words
from bough.models.model import table_for
from bough.rules.condition import Condition, ConditionalStatement, condition_of, covering, merged
from bough.tree.costs import cost_words, node_costs
from bough.tree.model_answers import model_words
from bough.tree.node import answers_words
from bough.tree.one_target import answers_by_name
from bough.tree.routing import learned_to_take_missing
from bough.tree.split import Split

if TYPE_CHECKING:
    from bough.tree import Tree


@dataclass(frozen=True, slots=True)
class RuleSupport:
    """The support of a rule: the number of `cases` it covers, their `share` of all cases and their `weight`.

    `confidence` is the fraction of their weight for which the rule's class is right; `deviation` is the error
    of the rule's number, see `Tree.deviation`. Each is None if it does not apply or there are no cases.

    `right` is the weight of the cases for which the class is right; under priors its fraction is not the
    confidence.

    >>> print(RuleSupport(cases=4.0, share=0.25, weight=4.0, confidence=0.75, right=3.0))
    4 cases (25.0%), confidence 75.0% (3 of 4)
    """

    cases: float
    share: float
    weight: float
    confidence: float | None = None
    deviation: float | None = None
    right: float | None = None

    def words(self, decimals: int | None = None, case_decimals: int | None = None) -> str:
        """Return the support as text; `decimals` are those of the deviation, `case_decimals` of the cases.

        Cases are not whole numbers if rows with missing values were divided among branches.

        >>> RuleSupport(cases=11.0, share=0.34375, weight=11.0, deviation=4.3).words(decimals=3)
        '11 cases (34.4%), deviation 4.300'
        """
        if self.cases == 0:
            return "no cases"
        cases = figure_words(self.cases, 4, case_decimals) + (" case" if self.cases == 1 else " cases")
        text = f"{cases} ({share_words(self.share)})"
        if self.confidence is not None:
            return f"{text}, confidence {share_words(self.confidence)}{self._counts(case_decimals)}"
        if self.deviation is not None:
            return f"{text}, deviation {figure_words(self.deviation, 4, decimals)}"
        return text

    def _counts(self, decimals: int | None) -> str:
        """Return the weight of the cases that are right, and of all, as text."""
        if self.right is None or self.confidence is None:
            return ""
        # Fractions of rows add up to the cases but for rounding.
        how = "" if math.isclose(self.weight, self.cases, rel_tol=1e-6) else " by weight"
        places = None if how else decimals
        right, weight = (figure_words(each, 4, places) for each in (self.right, self.weight))
        counts = f" ({right} of {weight}{how})"
        is_share = math.isclose(self.right, self.confidence * self.weight, rel_tol=1e-6)
        return counts if is_share else f" under the priors{counts}"

    def __str__(self) -> str:
        return self.words()


@dataclass(frozen=True, slots=True, repr=False)
class Rule(ConditionalStatement):
    """A rule: if all conditions hold, the tree predicts `answer`.

    The support of the rule is its number of `cases`, and their `share` of all cases. In a classification tree
    `confidence` is the predicted class's fraction of the weight of these cases, under the tree's priors, and
    `right` is the weight of those for which it is right, and
    `costs` is the expected cost per case of each answer if there is a loss matrix. In a regression tree
    `deviation` is their error, see `Tree.deviation`. Each is None if it does not apply or there are no cases.
    These are the training cases; `measured` is the support on other rows, see `RuleList.measured`. In a tree
    of several targets `answer` is that of the first and `answers` has those of all by name. If the leaf has a
    linear model, `model` is that as text, and `answer` is the mean.

    >>> from bough.example_models import iris_tree
    >>> rule = iris_tree().rules()[1]
    >>> print(rule)
    Petal.Length >= 2.45 and Petal.Width < 1.75 -> versicolor
    >>> rule.cases, rule.share, round(rule.confidence, 3)
    (54.0, 0.36, 0.907)
    """

    schema: Schema
    task: Literal["classification", "regression"]
    leaf: int
    conditions: tuple[Condition, ...]
    answer: Level
    cases: float
    share: float
    weight: float
    confidence: float | None
    deviation: float | None
    measured: RuleSupport | None = None
    # The tree is kept if it has surrogates, because the conditions do not describe how these route rows.
    tree: Tree | None = field(default=None, repr=False, compare=False)
    costs: dict[Level, float] | None = None
    answers: dict[str, Level] | None = None
    model: str | None = None
    right: float | None = None

    def conclusion(self) -> str:
        """Return the prediction as text.

        >>> from bough.example_models import cars_tree
        >>> cars_tree().rules()[0].conclusion()
        '26.6636'
        """
        if self.answers is not None:
            return answers_words(self.answers)
        if self.model is not None:
            return self.model
        if self.task == "regression":
            return figure_words(float(self.answer))
        return level_words(self.schema.class_label(self.answer))

    @property
    def learned(self) -> RuleSupport:
        """The support of the rule among the training cases.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[1].learned.share
        0.36
        """
        return RuleSupport(self.cases, self.share, self.weight, self.confidence, self.deviation, self.right)

    def support(self) -> str:
        """Return the number of cases, and the confidence or the deviation among them, as text.

        The support on other rows follows, if it was measured.

        >>> from bough.example_models import cars_tree
        >>> cars_tree().rules()[0].support()
        '11 cases (34.4%), deviation 4.3'
        """
        return self.learned_words() + ("" if self.measured is None else f"; measured: {self.measured}")

    def learned_words(self, decimals: int | None = None, case_decimals: int | None = None) -> str:
        """Return the support among the training cases as text, with the costs of answers if there are any.

        `decimals` are those of the deviation, `case_decimals` of the cases.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[1].learned_words()
        '54 cases (36.0%), confidence 90.7% (49 of 54)'
        """
        costs = f", {self.cost_words()}" if self.costs and self.cases else ""
        return f"{self.learned.words(decimals, case_decimals)}{costs}"

    def cost_words(self) -> str:
        """Return the expected cost of each answer as text; "" without a loss matrix.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[1].cost_words()
        ''
        """
        if not self.costs:
            return ""
        label = self.schema.class_label
        return cost_words({label(each): cost for each, cost in self.costs.items()}, label(self.answer))

    def covers(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows that end in the rule's leaf, including rows with missing values.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[0].covers([[1.4, 0.2], [5.1, 1.9]])
        array([ True, False])
        """
        if self.tree is not None:
            return np.asarray(self.tree.apply(X) == self.leaf)
        return covering(self.conditions, table_for(X, self.schema))

    def __repr__(self) -> str:
        return f"<Rule: {self.premise(3)} -> {self.conclusion()}>"

    def _repr_html_(self) -> str:
        return html_view([str(self), self.support()])


def rule_of(tree: Tree, leaf: int, measured: RuleSupport | None = None) -> Rule:
    """Return the rule of a leaf; the conditions of its path on the same column are merged.

    `measured` is its support on rows that the tree was not grown on.

    >>> from bough.example_models import tennis_tree
    >>> print(rule_of(tennis_tree(), 4))
    Outlook = Sunny and Humidity = High -> No
    """
    return _rule(tree, leaf, merged([_condition(tree, node) for node in tree.path(leaf)[1:]]), measured)


def rules_of(
    tree: Tree, leaves: Collection[int], support: Mapping[int, RuleSupport] | None = None
) -> Iterator[Rule]:
    """Yield the rules of some leaves, depth first; conditions that paths share are merged once.

    `support` is the support of leaves on rows that the tree was not grown on.

    >>> from bough.example_models import iris_tree
    >>> [rule.leaf for rule in rules_of(iris_tree(), {4, 1})]
    [1, 4]
    """
    left = len(leaves)
    pending: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
    while pending and left:
        node, conditions = pending.pop()
        if node:
            conditions = merged([*conditions, _condition(tree, node)])
        if node in leaves:
            left -= 1
            yield _rule(tree, node, conditions, None if support is None else support.get(node))
        pending += [(child, conditions) for child in reversed(tree.children(node))]


def _condition(tree: Tree, node: int) -> Condition:
    parent = int(tree.parent[node])
    split = cast("Split", tree.split(parent))
    branch = node - int(tree.first_child[parent])
    condition = condition_of(split, branch, int(tree.default_branch[parent]), tree.wide_schema)
    return replace(condition, says_missing=True) if learned_to_take_missing(tree, node) else condition


def _rule(tree: Tree, leaf: int, conditions: tuple[Condition, ...], measured: RuleSupport | None) -> Rule:
    weight = float(tree.weight[leaf])
    answers = answers_by_name(tree, leaf)
    classes, one = tree.task == "classification", weight > 0 and answers is None
    return Rule(
        schema=tree.wide_schema,
        task=tree.task,
        leaf=leaf,
        conditions=conditions,
        answer=tree.answer(leaf) if answers is None else next(iter(answers.values())),
        answers=answers,
        cases=float(tree.cases[leaf]),
        share=float(tree.cases[leaf] / tree.cases[0]),
        weight=weight,
        confidence=float(tree.confidence()[leaf]) if classes and one else None,
        deviation=float(tree.deviation()[leaf]) if one and not classes else None,
        measured=measured,
        tree=tree if tree.surrogates is not None and tree.follows_surrogates else None,
        costs=node_costs(tree, leaf),
        model=model_words(tree, leaf),
        right=_right(tree, leaf) if classes and one else None,
    )


def _right(tree: Tree, leaf: int) -> float:
    return float(tree.statistics[tree.answering[leaf], tree.answer_codes()[leaf]])
