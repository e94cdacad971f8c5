"""Groups of options that several verbs share.

A keyword of a verb whose type is one of these classes stands for an option for each of its fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from bough.cli.options import (
    AsJson,
    Digits,
    Drop,
    Event,
    Groups,
    MaxLevels,
    MissingTarget,
    MissingText,
    Nominal,
    Ordinal,
    OutText,
    SkipMissingTarget,
    Weights,
    Width,
)
from bough.cli.terminal import plain_errors
from bough.tree.outline import MOST_LEVELS


@dataclass(frozen=True)
class RowOptions:
    """The columns that say more about the rows of a table, and the rows to leave out."""

    missing_target: SkipMissingTarget = MissingTarget.refuse
    weights: Weights = None
    groups: Groups = None
    event: Event = None

    @property
    def skips_missing(self) -> bool:
        """Whether rows whose target is missing are left out.

        >>> RowOptions().skips_missing
        False
        """
        return self.missing_target is MissingTarget.skip


ALL_ROWS = RowOptions()
"""No column says more about the rows, and none may be left out."""


@dataclass(frozen=True)
class ColumnOptions:
    """How the columns of a table are read."""

    drop: Drop = None
    nominal: Nominal = None
    ordinal: Ordinal = None
    na: MissingText = None


@dataclass(frozen=True)
class OutputOptions:
    """Where a result is written, and whether as JSON."""

    out: OutText = None
    as_json: AsJson = False


@dataclass(frozen=True)
class PrintOptions(OutputOptions):
    """How a model is printed, and where."""

    max_lines: Annotated[int, typer.Option(min=1, help="The most lines to print.")] = 200
    max_levels: MaxLevels = MOST_LEVELS
    digits: Digits = None
    width: Width = None

    def of_text(self) -> dict[str, Any]:
        """Return the options of a print-out as the library takes them.

        >>> PrintOptions(max_levels=0, width=80).of_text()
        {'max_levels': None, 'digits': None, 'width': 80}
        """
        width = self.width or "terminal"
        return {"max_levels": self.max_levels or None, "digits": self.digits, "width": width}


def with_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that has an option for each field of a group, and prints its errors in one line.

    >>> def show(model: str, *, printed: PrintOptions) -> None:
    ...     print(model, printed.max_lines, printed.digits)
    >>> with_options(show)(model="tree.json", max_lines=7, digits=2)
    tree.json 7 2
    >>> list(inspect.signature(with_options(show)).parameters)[:4]
    ['model', 'out', 'as_json', 'max_lines']
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        given = _fields_of(groups[name]) if name in groups else {name: (hints[name], parameter.default)}
        parameters += [
            inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for each, (hint, default) in given.items()
        ]

    @wraps(verb)
    def called(**given: Any) -> None:
        made = {
            name: group(**{each: given.pop(each) for each in _fields_of(group) if each in given})
            for name, group in groups.items()
        }
        with plain_errors():
            verb(**given, **made)

    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _fields_of(group: Any) -> dict[str, tuple[Any, Any]]:
    """Return the type and the default of each field of a group."""
    hints = get_type_hints(group, include_extras=True)
    return {each.name: (hints[each.name], each.default) for each in fields(group)}
