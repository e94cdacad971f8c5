"""Rule sets: models of rules that may overlap and need not cover every row, with a default class.

A rule fires for a row that meets its conditions. The `order` of the set resolves several rules that fire:

- "vote" (C5.0): every rule that fires votes for its class with its confidence, and the class with the largest
  sum wins. A tie goes to the default class, then to the first class.
- "first" (C4.5rules): the first rule that fires decides. If the rules have class weights of their own (PART,
  RIPPER, OneR), these are the probabilities.

If no rule fires, the prediction is the default class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from bough.data.records import Records
from bough.data.schema import Level
from bough.data.table import Table
from bough.data.words import level_words
from bough.errors import ParameterError
from bough.models.model import table_for
from bough.rules.class_rule import ClassRule
from bough.rules.rule_model import RuleModel
from bough.rules.voting import ClassCodes, Decision, by_distribution, by_first, by_vote
from bough.tree.answer import label_array
from bough.tree.lazy_methods import TO_SQL, WORDS
from bough.types import Floats

if TYPE_CHECKING:
    from bough.tree import Tree

RuleOrder: TypeAlias = Literal["vote", "first"]

# Rows are processed in batches, because the mask of the rules that fire has a cell per row and rule.
_CHUNK = 1 << 14
# Digits of the confidence and the lift of a rule.
_DIGITS = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RuleSet(RuleModel[ClassRule], Records):
    """A classifier of rules with a default class; it predicts, prints, and is saved like a tree.

    `priors` are the class proportions of the training cases, and `cases` is the weight of those cases.
    `default_distribution` holds the class weights of the cases that no rule covers, if predictions use them.

    >>> from bough.example_models import tennis_rules
    >>> print(tennis_rules())
    5 rules for PlayTennis from 14 cases, by vote
    <BLANKLINE>
    R1  Outlook = Sunny and Humidity = High  ->  No   3 cases, 0 wrong, confidence 80.0%, lift 2.24
    R2  Outlook = Rain and Wind = Strong     ->  No   2 cases, 0 wrong, confidence 75.0%, lift 2.10
    R3  Outlook = Overcast                   ->  Yes  4 cases, 0 wrong, confidence 83.3%, lift 1.30
    R4  Outlook = Rain and Wind = Weak       ->  Yes  3 cases, 0 wrong, confidence 80.0%, lift 1.24
    R5  Humidity = Normal                    ->  Yes  7 cases, 1 wrong, confidence 77.8%, lift 1.21
    default                                  ->  Yes
    """

    model_kind: ClassVar[str] = "rules"
    _noun: ClassVar[str] = "rule"
    to_sql = TO_SQL
    words = WORDS

    classes: tuple[Level, ...]
    default: Level
    priors: tuple[float, ...]
    order: RuleOrder = "vote"
    default_distribution: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.order not in get_args(RuleOrder):
            raise ParameterError.of("order", self.order, "'vote' or 'first'")
        if len(self.priors) != len(self.classes):
            raise ParameterError.of(
                "priors", self.priors, f"one share for each of {len(self.classes)} classes"
            )
        self._check_distributions()
        for label in (self.default, *(rule.answer for rule in self.rules)):
            if label not in self.classes:
                known = ", ".join(map(repr, self.classes))
                raise ParameterError(f"The class {label!r} is not among those of the set: {known}.")

    def _check_distributions(self) -> None:
        given = [rule.distribution for rule in self.rules] + [self.default_distribution]
        for weights in given:
            if weights is not None and len(weights) != len(self.classes):
                raise ParameterError.of(
                    "distribution", weights, f"one weight for each of {len(self.classes)} classes"
                )
        for rule in self.rules:
            if len(rule.fractions) not in (0, len(rule.conditions)):
                raise ParameterError.of("fractions", rule.fractions, "one for each condition, or none")

    @classmethod
    def from_tree(
        cls,
        tree: Tree,
        X: Any,
        y: Any,
        *,
        method: Literal["c4.5", "c5.0"] = "c4.5",
        confidence: float = 0.25,
        sample_weight: Any = None,
    ) -> RuleSet:
        """Make a rule set from a tree: generalize the rules of its paths and select a subset of them.

        With method "c4.5" (C4.5rules), a condition is dropped if that does not raise the pessimistic error at
        `confidence`; for each class the subset of rules of least description length is kept; classes are
        ordered by their false positives, and the first rule that fires decides. With "c5.0", rules of all
        classes are selected together, and vote. X and y are the cases from which the errors are estimated,
        usually the training data of the tree.

        >>> from bough.example_models import tennis_cases, tennis_tree
        >>> RuleSet.from_tree(tennis_tree(), *tennis_cases(), method="c5.0").to_pandas()["premise"][4]
        'Humidity = Normal'
        """
        from bough.rules.from_tree import rules_from_tree

        return rules_from_tree(tree, X, y, method, confidence, sample_weight)

    def _order_words(self) -> str:
        return "by vote" if self.order == "vote" else "the first that fires"

    def _conclusion_words(self, rule: ClassRule, most: int | None) -> str:
        return rule.conclusion()

    def _supports(self, rules: Sequence[ClassRule], digits: int | None) -> list[str]:
        decimals = 0 if all(rule.is_whole() for rule in self.rules) else 1
        return [rule.support(digits or _DIGITS, decimals) for rule in rules]

    def _default_words(self) -> str:
        return level_words(self.schema.class_label(self.default))

    def fires(self, X: Any) -> npt.NDArray[np.bool_]:
        """Return a mask (rows × rules) of the rules that fire for each row.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().fires([["Rain", "Mild", "High", "Strong"]])
        array([[False,  True, False, False, False]])
        """
        table = table_for(X, self.schema)
        fired = np.zeros((table.n_rows, len(self)), dtype=np.bool_)
        for number, rule in enumerate(self.rules):
            fired[:, number] = rule.covers(table)
        return fired

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the predicted class of each row.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().predict([["Rain", "Mild", "High", "Strong"], ["Sunny", "Mild", "Normal", "Weak"]])
        array(['No', 'Yes'], dtype='<U3')
        """
        return label_array(self.classes)[self.decide(X).codes]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for each row.

        With order "vote", the winning class gets the greater of its mean vote and the confidence of its most
        specific rule, and any other class the lesser of the two; these are scaled to sum to 1. If no rule
        fires, all classes are equally probable. With order "first", the class of the rule gets the rule's
        confidence, and the other classes share the rest in proportion to their priors. If no rule fires, the
        priors are returned.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().predict_proba([["Sunny", "Mild", "Normal", "Weak"], [None] * 4])
        array([[0. , 1. ],
               [0.5, 0.5]])
        """
        return self.decide(X).probabilities

    def decide(self, X: Any) -> Decision:
        """Return the codes of the classes, the confidence in them and all probabilities.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().decide([["Rain", "Mild", "High", "Strong"]]).confidence
        array([0.75])
        """
        table = table_for(X, self.schema)
        starts = range(0, max(table.n_rows, 1), _CHUNK)
        parts = [
            self._decide(table.take(np.arange(start, min(start + _CHUNK, table.n_rows)))) for start in starts
        ]
        return Decision(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _decide(self, table: Table) -> Decision:
        if self.order == "vote":
            return by_vote(self, self.fires(table))
        has_distributions = any(rule.distribution is not None for rule in self.rules)
        if not has_distributions and self.default_distribution is None:
            return by_first(self, self.fires(table))
        shares = np.column_stack([rule.shares(table) for rule in self.rules] or [np.empty((table.n_rows, 0))])
        return by_distribution(self, shares, self.default_distribution)

    @property
    def task(self) -> Literal["classification"]:
        """The task, always classification.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().task
        'classification'
        """
        return "classification"

    def importance(self) -> Floats:
        """Return, for each column, the sum of the cover of the rules that have a condition on it.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().importance()
        array([12.,  0., 10.,  5.])
        """
        covered = np.zeros(len(self.schema))
        for rule in self.rules:
            covered[[*{condition.column for condition in rule.conditions}]] += rule.cover
        return covered

    @cached_property
    def answer_codes(self) -> ClassCodes:
        """The code of the class of each rule: its position in `classes`.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().answer_codes
        array([0, 0, 1, 1, 1])
        """
        return np.array([self.classes.index(rule.answer) for rule in self.rules], dtype=np.intp)

    def measured(self, X: Any, y: Any, sample_weight: Any = None) -> RuleSet:
        """Return the same rules with `cover`, `correct` and priors computed from other rows.

        >>> from bough.example_models import tennis_rules
        >>> rules = tennis_rules().measured([["Rain", "Mild", "High", "Strong"]] * 2, ["No", "Yes"])
        >>> rules[1].cover, rules[1].correct, rules.cases
        (2.0, 1.0, 2.0)
        """
        from bough.data.target import read_classes, read_weights

        table, target = table_for(X, self.schema), read_classes(y)
        unknown = [label for label in target.classes if label not in self.classes]
        if unknown:
            known = ", ".join(map(repr, self.classes))
            raise ParameterError(f"y holds {unknown[0]!r}, which is not a class of these rules: {known}.")
        weight = read_weights(sample_weight, table.n_rows).weight
        weight = np.ones(table.n_rows) if weight is None else weight
        codes = np.array([self.classes.index(label) for label in target.classes], dtype=np.intp)[target.codes]
        sums = np.bincount(codes, weight, minlength=len(self.classes))
        priors = tuple((sums / sums.sum()).tolist())
        rules = []
        for rule, answer in zip(self.rules, self.answer_codes, strict=True):
            covered = rule.covers(table)
            correct = float(weight[covered & (codes == answer)].sum())
            rules.append(
                replace(rule, cover=float(weight[covered].sum()), correct=correct, prior=priors[answer])
            )
        return replace(self, rules=tuple(rules), priors=priors, cases=float(sums.sum()))

    def for_class(self, label: Level) -> list[ClassRule]:
        """Return the rules that predict a class.

        >>> from bough.example_models import tennis_rules
        >>> [str(rule) for rule in tennis_rules().for_class("No")]
        ['Outlook = Sunny and Humidity = High -> No', 'Outlook = Rain and Wind = Strong -> No']
        """
        if label not in self.classes:
            raise ParameterError.of("label", label, f"one of {', '.join(map(repr, self.classes))}")
        return [rule for rule in self.rules if rule.answer == label]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rules as a list of dicts, one per rule.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().to_dicts()[1]
        {'rule': 2, 'premise': 'Outlook = Rain and Wind = Strong', 'class': 'No', 'conditions': 2,
         'cover': 2.0, 'correct': 2.0, 'confidence': 0.75, 'lift': 2.1}
        """
        return [
            {
                "rule": number,
                "premise": rule.premise(),
                "class": rule.answer,
                "conditions": len(rule.conditions),
                "cover": rule.cover,
                "correct": rule.correct,
                "confidence": rule.confidence,
                "lift": rule.lift,
            }
            for number, rule in enumerate(self.rules, start=1)
        ]

    def document(self) -> dict[str, Any]:
        """Return the content of the rule set's file: dicts, lists and plain values.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().document()["order"]
        'vote'
        """
        from bough.rules.format import document_of

        return document_of(self)

    def to_json(self) -> dict[str, Any]:
        """Return the rules as dicts and lists that JSON can represent.

        >>> from bough.example_models import tennis_rules
        >>> tennis_rules().to_json()["rules"][4]["conditions"]
        [{'column': 2, 'levels': [1], 'admitted': [1], 'excluded': [], 'missing': False}]
        """
        from bough.rules.format import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, document: object) -> RuleSet:
        """Return the rules that `to_json` wrote; raise `FormatError` if the document is invalid.

        >>> from bough.example_models import tennis_rules
        >>> RuleSet.from_json(tennis_rules().to_json()) == tennis_rules()
        True
        """
        from bough.rules.format import from_json

        return from_json(document)
