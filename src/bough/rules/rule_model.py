"""Models of rules: what rule sets and linear rules share, as sequences of rules that print and are saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar, overload

from bough.data.lines import Width
from bough.data.schema import Schema
from bough.data.words import count_words, name_words
from bough.models.saved import SavedModel
from bough.rules.print_out import check_rule_options, hidden_words, rule_lines, rules_html
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RuleModel(SavedModel, Sequence[AnyRule]):
    """A model of rules; a subclass defines how they predict, and `document`."""

    model_kind: ClassVar[str]
    _noun: ClassVar[str]

    schema: Schema
    rules: tuple[AnyRule, ...]
    cases: float
    target_name: str | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, index: int) -> AnyRule: ...
    @overload
    def __getitem__(self, index: slice) -> list[AnyRule]: ...
    def __getitem__(self, index: int | slice) -> AnyRule | list[AnyRule]:
        return list(self.rules[index]) if isinstance(index, slice) else self.rules[index]

    def __iter__(self) -> Iterator[AnyRule]:
        return iter(self.rules)

    def _order_words(self) -> str:
        """Return how the rules that fire for a row are combined."""
        raise NotImplementedError

    def _conclusion_words(self, rule: AnyRule, most: int | None) -> str:
        """Return the answer of a rule; sets show at most `most` levels."""
        raise NotImplementedError

    def _supports(self, rules: Sequence[AnyRule], digits: int | None) -> list[str]:
        """Return the support of each rule; numbers have so many digits."""
        raise NotImplementedError

    def _default_words(self) -> str | None:
        """Return the answer where no rule fires, if `text` shows it."""
        return None

    def _headline(self) -> str:
        name = self.schema.target_label(self.target_name)
        target = f" for {name_words(name)}" if name else ""
        count, cases = count_words(len(self), self._noun), count_words(self.cases, "case")
        return f"{count}{target} from {cases}, {self._order_words()}"

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
        `digits` are those of the confidence and lift of rules for classes, three by default, or of the
        deviation of linear rules, four by default. Conditions are wrapped so that lines are at most `width`
        characters long; "terminal" is the width of the terminal, and no limit where there is none.

        >>> from bough.example_models import tennis_rules
        >>> print(tennis_rules().text(max_lines=1))
        5 rules for PlayTennis from 14 cases, by vote
        <BLANKLINE>
        R1  Outlook = Sunny and Humidity = High  ->  No   3 cases, 0 wrong, confidence 0.800, lift 2.24
            default                              ->  Yes
        <BLANKLINE>
        4 of 5 rules are not shown: text(max_lines=5) shows all.
        """
        check_rule_options(max_lines, max_levels, digits)
        shown = self.rules[:max_lines]
        lines = rule_lines(
            shown,
            [self._conclusion_words(rule, max_levels) for rule in shown],
            self._supports(shown, digits),
            default=self._default_words(),
            max_levels=max_levels,
            width=width,
        )
        return "\n".join([self._headline(), "", *lines, *hidden_words(len(shown), len(self), "text")])

    def _repr_html_(self) -> str:
        return rules_html(self._headline(), self.rules, self._default_words())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self._headline()}>"
