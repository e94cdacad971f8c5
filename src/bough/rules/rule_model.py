"""Models of rules: what rule sets and linear rules share, as sequences of rules that print and are saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bough.data.lines import Width
from bough.data.schema import Schema
from bough.data.words import count_words, name_words
from bough.models.saved import SavedModel
from bough.rules.print_out import rule_lines, rules_html
from bough.rules.printed_rules import AnyRule, PrintedRules


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RuleModel(SavedModel, PrintedRules[AnyRule]):
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

    def _item(self, position: int) -> AnyRule:
        return self.rules[position]

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

    def _lines(
        self, rules: Sequence[AnyRule], max_levels: int | None, digits: int | None, width: Width
    ) -> list[str]:
        return rule_lines(
            rules,
            [self._conclusion_words(rule, max_levels) for rule in rules],
            self._supports(rules, digits),
            default=self._default_words(),
            max_levels=max_levels,
            width=width,
        )

    def _repr_html_(self) -> str:
        return rules_html(self._headline(), self.rules, self._default_words())

    def __repr__(self) -> str:
        return f"<{self._headline()}>"
