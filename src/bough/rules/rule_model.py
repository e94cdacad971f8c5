"""What rule sets and linear rules share: they are sequences of rules, which are compared and saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, overload

from bough.data.schema import Schema
from bough.models.saved import SavedModel
from bough.tree import compared_recipe

AnyRule = TypeVar("AnyRule")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RuleModel(SavedModel, Sequence[AnyRule]):
    """A model of rules; a subclass defines how they predict, and `document`."""

    model_kind: ClassVar[str]

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
