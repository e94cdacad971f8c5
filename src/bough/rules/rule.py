"""The rule of a leaf: the conditions of its path, its prediction and its statistics."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level, Schema
from bough.data.table import Table
from bough.data.words import figure_words, level_words, share_words
from bough.rules.condition import Condition, condition_of, covering, merged, premise
from bough.tree.split import Split

if TYPE_CHECKING:
    from bough.tree import Tree


@dataclass(frozen=True, slots=True)
class RuleSupport:
    """The support of a rule: the number of `cases` it covers, their `share` of all cases and their `weight`.

    `confidence` is the fraction of their weight for which the rule's class is right; `deviation` is the error
    of the rule's number, see `Tree.deviation`. Each is None if it does not apply or there are no cases.

    >>> print(RuleSupport(cases=4.0, share=0.25, weight=4.0, confidence=0.75))
    4 cases (25.0%), confidence 75.0%
    """

    cases: float
    share: float
    weight: float
    confidence: float | None = None
    deviation: float | None = None

    def __str__(self) -> str:
        if self.cases == 0:
            return "no cases"
        noun = "case" if self.cases == 1 else "cases"
        text = f"{figure_words(self.cases)} {noun} ({share_words(self.share)})"
        if self.confidence is not None:
            return f"{text}, confidence {share_words(self.confidence)}"
        if self.deviation is not None:
            return f"{text}, deviation {figure_words(self.deviation, digits=4)}"
        return text


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: if all conditions hold, the tree predicts `answer`.

    The support of the rule is its number of `cases`, and their `share` of all cases. In a classification tree
    `confidence` is the predicted class's fraction of the weight of these cases. In a regression tree
    `deviation` is their error, see `Tree.deviation`. Each is None if it does not apply or there are no cases.
    These are the training cases; `measured` is the support on other rows, see `RuleList.measured`.

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

    def premise(self, most: int | None = None) -> str:
        """Return the conditions as text, joined by "and"; a set shows at most `most` levels.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[2].premise()
        'Petal.Length >= 2.45 and Petal.Width >= 1.75'
        """
        return premise(self.conditions, self.schema, most)

    def conclusion(self) -> str:
        """Return the prediction as text.

        >>> from bough.example_models import cars_tree
        >>> cars_tree().rules()[0].conclusion()
        '26.6636'
        """
        return figure_words(float(self.answer)) if self.task == "regression" else level_words(self.answer)

    @property
    def learned(self) -> RuleSupport:
        """The support of the rule among the training cases.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[1].learned.share
        0.36
        """
        return RuleSupport(self.cases, self.share, self.weight, self.confidence, self.deviation)

    def support(self) -> str:
        """Return the number of cases, and the confidence or the deviation among them, as text.

        The support on other rows follows, if it was measured.

        >>> from bough.example_models import cars_tree
        >>> cars_tree().rules()[0].support()
        '11 cases (34.4%), deviation 4.3'
        """
        return str(self.learned) if self.measured is None else f"{self.learned}; measured: {self.measured}"

    def covers(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows that end in the rule's leaf, including rows with missing values.

        >>> from bough.example_models import iris_tree
        >>> iris_tree().rules()[0].covers([[1.4, 0.2], [5.1, 1.9]])
        array([ True, False])
        """
        if self.tree is not None:
            return np.asarray(self.tree.apply(X) == self.leaf)
        fits = isinstance(X, Table) and (X.schema is self.schema or X.schema == self.schema)
        table = X if fits else Table.fit_to(X, self.schema)
        return covering(self.conditions, table)

    def __str__(self) -> str:
        return f"{self.premise()} -> {self.conclusion()}"


def rule_of(tree: Tree, leaf: int, measured: RuleSupport | None = None) -> Rule:
    """Return the rule of a leaf; the conditions of its path on the same column are merged.

    `measured` is its support on rows that the tree was not grown on.

    >>> from bough.example_models import tennis_tree
    >>> print(rule_of(tennis_tree(), 4))
    Outlook = Sunny and Humidity = High -> No
    """
    path, schema = tree.path(leaf), tree.wide_schema
    conditions = []
    for node, child in itertools.pairwise(path):
        split: Split | None = tree.split(node)
        if split is not None:
            branch = child - tree.children(node)[0]
            conditions.append(condition_of(split, branch, int(tree.default_branch[node]), schema))
    weight = float(tree.weight[leaf])
    classes = tree.task == "classification"
    return Rule(
        schema=schema,
        task=tree.task,
        leaf=leaf,
        conditions=merged(conditions),
        answer=tree.answer(leaf),
        cases=float(tree.cases[leaf]),
        share=float(tree.cases[leaf] / tree.cases[0]),
        weight=weight,
        confidence=_confidence(tree, leaf) if classes and weight > 0 else None,
        deviation=None if classes or weight == 0 else float(tree.deviation()[leaf]),
        measured=measured,
        tree=tree if tree.surrogates is not None and tree.follows_surrogates else None,
    )


def _confidence(tree: Tree, leaf: int) -> float:
    answered = tree.answer_codes()[leaf]
    return float(tree.statistics[leaf][answered]) / float(tree.weight[leaf])
