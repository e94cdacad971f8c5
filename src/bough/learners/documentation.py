"""Docstrings of learners, completed with the parameters and attributes that they inherit.

A class describes the parameters that it declares. A learner inherits parameters from several classes, and its
docstring lists all of them: its own first, then those of each class that it inherits from.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import NamedTuple

SECTIONS = ("Parameters", "Attributes")
"""The sections that are completed, in their order."""


class SectionEntry(NamedTuple):
    """The description of one or more names in a section of a docstring."""

    names: tuple[str, ...]
    text: str


def entries_of(doc: str, section: str) -> list[SectionEntry]:
    r"""Return the entries of a section of a docstring without indentation.

    >>> entries_of("A tree.\n\nParameters\n----------\ncp, cv\n    Settings of pruning.", "Parameters")
    [SectionEntry(names=('cp', 'cv'), text='    Settings of pruning.')]
    """
    found = _section(section).search(doc)
    if found is None:
        return []
    blocks = [block.partition("\n") for block in re.split(r"\n(?=\S)", found.group(1).strip("\n"))]
    return [SectionEntry(tuple(re.findall(r"\w+", header)), text.rstrip()) for header, _, text in blocks]


def completed(doc: str, inherited: Iterable[str]) -> str:
    r"""Return a docstring with the entries of other docstrings for names that it does not describe itself.

    >>> completed("A tree.", ["Limits.\n\nParameters\n----------\nmax_depth\n    The depth."]).splitlines()
    ['A tree.', '', 'Parameters', '----------', 'max_depth', '    The depth.']
    """
    others = [*inherited]
    for section in SECTIONS:
        entries = entries_of(doc, section)
        described = {name for entry in entries for name in entry.names}
        for other in others:
            for entry in entries_of(other, section):
                names = tuple(name for name in entry.names if name not in described)
                if names:
                    entries.append(SectionEntry(names, entry.text))
                described.update(names)
        if entries:
            doc = _with_section(doc, section, entries)
    return doc


def complete(kind: type) -> None:
    """Complete the docstring of a class with those of the classes of this package that it inherits from."""
    bases = [base for base in kind.__mro__[1:] if base.__module__.partition(".")[0] == "bough"]
    own, *others = (inspect.cleandoc(vars(each).get("__doc__") or "") for each in (kind, *bases))
    if own:
        kind.__doc__ = completed(own, others)


def _section(name: str) -> re.Pattern[str]:
    return re.compile(rf"^{name}\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)


def _with_section(doc: str, section: str, entries: Iterable[SectionEntry]) -> str:
    lines = [f"{', '.join(names)}\n{text}" for names, text in entries]
    text = "\n".join([section, "-" * len(section), *lines])
    found = _section(section).search(doc)
    if found is None:
        # A new section stands before those that follow it in a docstring.
        earlier = SECTIONS[: SECTIONS.index(section)]
        headers = re.finditer(r"^(\w+)\n-+$", doc, re.MULTILINE)
        start = end = next((each.start() for each in headers if each.group(1) not in earlier), len(doc))
    else:
        start, end = found.span()
    return "\n\n".join(part for part in (doc[:start].rstrip(), text, doc[end:]) if part)
