"""Resolve rules that fire for the same row: all of them vote, or the first of them decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.data.schema import Level
from bough.rules.class_rule import ClassRule
from bough.types import Floats, Mask

ClassCodes: TypeAlias = npt.NDArray[np.intp]

_TIED = 1e-6


class Voters(Protocol):
    """Rules with the classes they vote for; `bough.rules.RuleSet` is one."""

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes."""

    @property
    def default(self) -> Level:
        """The class of a row for which no rule fires."""

    @property
    def priors(self) -> tuple[float, ...]:
        """The share of each class among the training cases."""

    @property
    def answer_codes(self) -> ClassCodes:
        """The code of the class of each rule."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int) -> ClassRule: ...

    def __iter__(self) -> Iterator[ClassRule]: ...


class Decision(NamedTuple):
    """The prediction of a rule set for some rows: class codes, confidences, and all class probabilities.

    >>> from bough.example_models import tennis_rules
    >>> tennis_rules().decide([["Rain", "Mild", "High", "Strong"]])
    Decision(codes=array([0]), confidence=array([0.75]), probabilities=array([[1., 0.]]))
    """

    codes: ClassCodes
    confidence: Floats
    probabilities: Floats


def by_vote(rules: Voters, fired: Mask) -> Decision:
    """Predict by vote as C5.0 does; `fired` is a mask of rows × rules.

    >>> from bough.example_models import tennis_rules
    >>> by_vote(tennis_rules(), np.array([[True, False, False, False, True]])).confidence
    array([0.8])
    """
    votes = np.array([rule.vote for rule in rules], dtype=np.float64)
    sums = fired @ (votes[:, None] * (rules.answer_codes[:, None] == np.arange(len(rules.classes))))
    total = 1000.0 * fired.sum(axis=1)
    silent = total == 0
    total[silent] = 1.0
    rows, default = np.arange(len(fired)), rules.classes.index(rules.default)
    codes = np.where(sums[:, default] >= sums.max(axis=1), default, sums.argmax(axis=1))
    share, specific = sums / total[:, None], _most_specific(rules, fired) / 1000.0
    probabilities = np.where(sums > 0, np.minimum(share, specific), 0.0)
    confidence = np.maximum(share[rows, codes], specific[rows, codes])
    probabilities[rows, codes] = confidence
    probabilities[silent] = 1.0
    confidence[silent] = 0.5
    # Rules whose votes are all 0 say no more than silence.
    probabilities[probabilities.sum(axis=1) == 0] = 1.0
    return Decision(codes, confidence, probabilities / probabilities.sum(axis=1, keepdims=True))


def _most_specific(rules: Voters, fired: Mask) -> Floats:
    """Return, for each class, the vote of the rule that fires and covers the fewest cases."""
    votes = np.zeros((len(fired), len(rules.classes)))
    # The most specific rules come last, so that their votes overwrite the others.
    for number in sorted(range(len(rules)), key=lambda r: (-rules[r].cover, rules[r].vote)):
        votes[fired[:, number], rules.answer_codes[number]] = rules[number].vote
    return votes


def by_first(rules: Voters, fired: Mask) -> Decision:
    """Predict by the first rule that fires, as C4.5rules does; `fired` is a mask of rows × rules.

    >>> from bough.example_models import tennis_rules
    >>> by_first(tennis_rules(), np.array([[False, True, False, False, True], [False] * 5])).codes
    array([0, 1])
    """
    any_fires, default = fired.any(axis=1), rules.classes.index(rules.default)
    first = fired.argmax(axis=1) if len(rules) else np.zeros(len(fired), dtype=np.intp)
    answers = rules.answer_codes if len(rules) else np.array([default])
    codes = np.where(any_fires, answers[first], default)
    priors = np.array(rules.priors, dtype=np.float64)
    confidences = np.array([rule.confidence for rule in rules] or [0.0])
    confidence = np.where(any_fires, confidences[first], priors[codes])
    rows = np.arange(len(fired))
    others = np.broadcast_to(priors, (len(fired), len(priors))).copy()
    others[rows, codes] = 0.0
    rest = others.sum(axis=1, keepdims=True)
    probabilities = others * (1 - confidence[:, None]) / np.where(rest > 0, rest, 1.0)
    probabilities[rows, codes] = np.where(rest[:, 0] > 0, confidence, 1.0)
    return Decision(codes, confidence, probabilities)


def by_distribution(
    rules: Voters, shares: Floats, default: tuple[float, ...] | None, tied: float = _TIED
) -> Decision:
    """Predict by the class weights of the first rule that fires; `shares` are the fractions that fire.

    A row of which a rule takes a fraction passes the rest on to the rules below, as in Weka's PART. What no
    rule takes goes to `default`, the class weights of the default class.

    >>> from dataclasses import replace
    >>> from bough.example_models import tennis_rules
    >>> some = [replace(rule, distribution=(1.0, 3.0)) for rule in tennis_rules()[:1]]
    >>> one = replace(tennis_rules(), rules=tuple(some))
    >>> by_distribution(one, np.array([[1.0], [0.5]]), (3.0, 1.0)).probabilities
    array([[0.25, 0.75], [0.5 , 0.5 ]])
    """
    n, k = len(shares), len(rules.classes)
    left, probabilities = np.ones(n), np.zeros((n, k))
    for number, rule in enumerate(rules):
        taken = left * shares[:, number]
        probabilities += taken[:, None] * _normalized(rule.distribution, k, int(rules.answer_codes[number]))
        left = left - taken
    probabilities += left[:, None] * _normalized(default, k, rules.classes.index(rules.default))
    # Weka takes the first of classes whose probabilities differ by less than this.
    codes = (probabilities >= probabilities.max(axis=1, keepdims=True) - tied).argmax(axis=1)
    return Decision(codes, probabilities[np.arange(n), codes], probabilities)


def _normalized(weights: tuple[float, ...] | None, n_classes: int, answer: int) -> Floats:
    """Return class weights as probabilities; without any, the class of the rule is certain."""
    if weights is None or not sum(weights) > 0:
        return np.asarray(np.arange(n_classes) == answer, dtype=np.float64)
    return np.asarray(np.array(weights) / sum(weights), dtype=np.float64)
