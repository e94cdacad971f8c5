"""The entry "targets" of the files of trees and forests that predict several targets."""

from __future__ import annotations

from typing import Any

from bough.data.schema import levels_from_json, levels_to_json, members
from bough.data.several_targets import Target
from bough.errors import FormatError


def targets_document(targets: tuple[Target, ...]) -> list[dict[str, Any]]:
    """Return the targets as a list of plain values.

    >>> targets_document((Target("a", ("no", "yes")), Target("b", (0, 1))))
    [{'name': 'a', 'classes': ['no', 'yes']}, {'name': 'b', 'classes': [0, 1]}]
    """
    return [{"name": name, "classes": levels_to_json(classes)} for name, classes in targets]


def read_targets(data: object) -> tuple[Target, ...]:
    """Return the targets of a document; raise `FormatError` if they are no list of names and classes.

    >>> read_targets([{"name": "a", "classes": []}])
    Traceback (most recent call last):
    bough.errors.FormatError: At targets: a list of two or more is wanted
    """
    if type(data) is not list or len(data) < 2:
        raise FormatError("targets", "a list of two or more is wanted")
    targets = []
    for number, each in enumerate(data):
        place = f"targets[{number}]"
        held = members(each, place, ("name", "classes"))
        if type(held["name"]) is not str:
            raise FormatError(f"{place}.name", f"{held['name']!r}; a name is wanted")
        targets.append(Target(held["name"], levels_from_json(held["classes"], f"{place}.classes")))
    return tuple(targets)
