"""Models of rules: what rule sets and linear rules share, as sequences of rules that print and are saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar, overload

from bough.data.schema import Schema
from bough.data.words import figure_words, name_words
from bough.errors import ParameterError
from bough.models.saved import SavedModel
from bough.tree import compared_recipe

# Lines that exceed these limits are hard to read.
MOST_LEVELS = 8
WIDEST_PREMISE = 88


class PrintedRule(Protocol):
    """A rule that has a premise and a support as text."""

    def premise(self, most: int | None = None) -> str:
        """Return the conditions as text; a set shows at most `most` levels."""

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

    def _compared(self) -> dict[str, Any]:
        return self.document() | {"provenance": {}, "recipe": compared_recipe(self)}

    def __eq__(self, other: object) -> bool:
        return self._compared() == other._compared() if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _order_words(self) -> str:
        """Return how the rules that fire for a row are combined."""
        raise NotImplementedError

    def _conclusion_words(self, rule: AnyRule) -> str:
        """Return the answer of a rule."""
        raise NotImplementedError

    def _default_words(self) -> str | None:
        """Return the answer where no rule fires, if `text` shows it."""
        return None

    def text(self, max_lines: int | None = 200) -> str:
        """Return the rules with their support as text, one per line.

        At most `max_lines` rules are shown; None sets no limit.

        >>> from bough.example_models import tennis_rules
        >>> print(tennis_rules().text(max_lines=1))
        5 rules for PlayTennis from 14 cases, by vote
        <BLANKLINE>
        R1  Outlook = Sunny and Humidity = High  ->  No   3 cases, 0 wrong, confidence 0.800, lift 2.24
        default                                  ->  Yes
        <BLANKLINE>
        4 of 5 rules are not shown: text(max_lines=5) shows all.
        """
        if max_lines is not None and max_lines < 1:
            raise ParameterError.of("max_lines", max_lines, "a whole number of at least 1, or None")
        shown = self.rules[:max_lines]
        target = f" for {name_words(self.target_name)}" if self.target_name else ""
        noun = self._noun if len(self) == 1 else f"{self._noun}s"
        cases = figure_words(self.cases)
        lines = [f"{len(self)} {noun}{target} from {cases} cases, {self._order_words()}", ""]
        lines += self._aligned(shown)
        if len(shown) < len(self):
            hidden = f"{len(self) - len(shown)} of {len(self)} rules are not shown"
            lines += ["", f"{hidden}: text(max_lines={len(self)}) shows all."]
        return "\n".join(lines)

    def _aligned(self, rules: Sequence[AnyRule]) -> list[str]:
        width = len(f"R{len(rules)}")
        cells = [
            (f"{f'R{i}':<{width}}  {rule.premise(MOST_LEVELS)}", self._conclusion_words(rule), rule.support())
            for i, rule in enumerate(rules, 1)
        ]
        if (default := self._default_words()) is not None:
            cells.append(("default", default, ""))
        left = min(max((len(premise) for premise, _, _ in cells), default=0), WIDEST_PREMISE)
        right = max((len(conclusion) for _, conclusion, _ in cells), default=0)
        return [
            f"{premise:<{left}}  ->  {conclusion:<{right}}  {support}".rstrip()
            for premise, conclusion, support in cells
        ]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.text(1).partition(chr(10))[0]}>"
