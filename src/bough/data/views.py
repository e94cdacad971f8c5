"""Views of results: paragraphs and tables, as text for print-outs and as HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeAlias

from bough.data.lines import aligned


@dataclass(frozen=True)
class TextTable:
    """A table of texts: a row of headings, or none, and rows of cells; some columns are numbers.

    >>> print(TextTable(("column", "share"), [("age", "75.0%"), ("pay", "5.0%")], numbers=(1,)).text())
    column  share
    age     75.0%
    pay      5.0%
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()

    def text(self) -> str:
        """Return the table as aligned lines.

        >>> TextTable((), [("a", "1")]).text()
        'a  1'
        """
        rows = [self.head, *self.rows] if self.head else self.rows
        return "\n".join(aligned(rows, right=self.numbers)) if rows else ""

    def html(self) -> str:
        """Return the table as HTML; texts are escaped.

        >>> TextTable((), [("<a>", "1")], numbers=(1,)).html()  # doctest: +ELLIPSIS
        '<table><tbody><tr><td style="text-align:left">&lt;a&gt;</td>...'
        """
        head = f"<thead>{self._row(self.head, 'th')}</thead>" if self.head else ""
        body = "".join(self._row(row, "td") for row in self.rows)
        return f"<table>{head}<tbody>{body}</tbody></table>"

    def _row(self, cells: Sequence[str], tag: str) -> str:
        sides = ["right" if place in self.numbers else "left" for place in range(len(cells))]
        made = (
            f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"


Part: TypeAlias = str | TextTable


class Viewed:
    """A result that is shown in parts: paragraphs and tables.

    A subclass defines `parts`, which `text`, `str` and the view in notebooks share.
    """

    __slots__ = ()

    def parts(self) -> list[Part]:
        """Return what is shown: paragraphs and tables, in their order."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the result as text."""
        return text_view(self.parts())

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_view(self.parts())


def text_view(parts: Sequence[Part]) -> str:
    r"""Return paragraphs and tables as text, with an empty line between them.

    >>> text_view(["3 rules", "1 default"])
    '3 rules\n\n1 default'
    """
    return "\n\n".join(part if isinstance(part, str) else part.text() for part in parts)


def html_view(parts: Sequence[Part]) -> str:
    """Return paragraphs and tables as an HTML fragment for notebooks; line breaks are kept.

    >>> html_view(["3 rules", TextTable((), [("R1", "yes")])])[:60]
    '<div style="font-family:system-ui,sans-serif;overflow-x:auto'
    """
    made = [_paragraph(part) if isinstance(part, str) else part.html() for part in parts]
    return f'<div style="font-family:system-ui,sans-serif;overflow-x:auto">{"".join(made)}</div>'


def _paragraph(text: str) -> str:
    return f'<p style="white-space:pre-line">{html.escape(text)}</p>'


def changed_fields(record: Any) -> str:
    """Return a dataclass as text, with the fields that differ from their defaults.

    >>> from bough.growing.limits import Limits
    >>> changed_fields(Limits(max_depth=3))
    'Limits(max_depth=3)'
    """
    shown = []
    for each in fields(record):
        value = getattr(record, each.name)
        default = each.default if each.default_factory is MISSING else each.default_factory()
        if repr(value) != repr(default):
            shown.append(f"{each.name}={value!r}")
    return f"{type(record).__name__}({', '.join(shown)})"
