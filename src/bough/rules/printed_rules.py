"""Sequences of rules that print themselves: the rules of a tree, rule sets and linear rules."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeVar

from bough.data.lazy_sequence import LazySequence
from bough.data.lines import Width
from bough.rules.print_out import check_rule_options, hidden_words
from bough.tree.outline import MOST_LEVELS


class PrintedRule(Protocol):
    """A rule that has a premise, a conclusion and a support as text."""

    def premise(self, most: int | None = None) -> str:
        """Return the conditions as text; a set shows at most `most` levels."""

    def conclusion(self) -> str:
        """Return the answer as text."""

    def support(self) -> str:
        """Return the cases and the errors of the rule as text."""


AnyRule = TypeVar("AnyRule", bound=PrintedRule)


class PrintedRules(LazySequence[AnyRule]):
    """Base class of sequences of rules; a subclass defines their headline and their lines."""

    _plural: ClassVar[str] = "rules"

    @abstractmethod
    def _headline(self) -> str:
        """Return the number of rules, their target and their cases."""

    @abstractmethod
    def _lines(
        self, rules: Sequence[AnyRule], max_levels: int | None, digits: int | None, width: Width
    ) -> list[str]:
        """Return the lines of some of the rules."""

    def text(
        self,
        max_lines: int | None = 200,
        *,
        max_levels: int | None = MOST_LEVELS,
        digits: int | None = None,
        width: Width = "terminal",
    ) -> str:
        """Return the rules with their support as text, one per line.

        At most `max_lines` rules are shown, and `max_levels` levels of a condition; None sets no limit.
        Numbers have `digits` significant digits, by default six in predictions, four in deviations, and three
        in the confidence and lift of rule sets. Conditions are wrapped so that lines are at most `width`
        characters long; "terminal" is the width of the terminal, and no limit where there is none.

        >>> from bough.example_models import cars_tree, tennis_rules
        >>> print(cars_tree().rules().text(max_lines=1))
        3 rules for mpg from 32 cases
        <BLANKLINE>
        R1  cyl < 5  ->  26.6636  11 cases (34.4%), deviation 4.3
        <BLANKLINE>
        2 of 3 rules are not shown: rules.text(max_lines=3) shows all, rules[i] one.
        >>> print(tennis_rules().text(max_lines=1))
        5 rules for PlayTennis from 14 cases, by vote
        <BLANKLINE>
        R1  Outlook = Sunny and Humidity = High  ->  No   3 cases, 0 wrong, confidence 80.0%, lift 2.24
            default                              ->  Yes
        <BLANKLINE>
        4 of 5 rules are not shown: rules.text(max_lines=5) shows all, rules[i] one.
        """
        check_rule_options(max_lines, max_levels, digits)
        shown = self[:max_lines]
        lines = self._lines(shown, max_levels, digits, width)
        return "\n".join([self._headline(), "", *lines, *hidden_words(len(shown), len(self))])

    def __str__(self) -> str:
        return self.text()
