"""Lines of text: columns that are aligned and fit a width."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal, TypeAlias

from bough.errors import ParameterError

Width: TypeAlias = "int | Literal['terminal'] | None"
"""The greatest number of characters in a line: a number, that of the terminal, or None for no limit."""

_LEAST_WIDTH = 20
# A wrapped column is at least this wide by default, even if lines are longer than the width then.
_LEAST_ROOM = 24
_INDENT = "    "
_GAP = "  "


def aligned(
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    wrap: Sequence[int] = (),
    most: int | None = None,
    least: int = _LEAST_ROOM,
    width: Width = None,
) -> list[str]:
    """Return rows of texts as lines with aligned columns, two spaces apart.

    The columns in `right` are aligned to the right. Those in `wrap` are broken into several lines where lines
    would be longer than `width`, the last one first, and the last one also where it is wider than `most`.
    They keep a width of `least`, even if lines are too long then. If `width` is None, nothing is wrapped.

    >>> aligned([("cyl", "wide"), ("hp", "7")], right=[1])
    ['cyl  wide', 'hp      7']
    >>> for line in aligned([("R1", "colour in {red, green, blue}", "->  yes")], wrap=[1], width=29):
    ...     print(line)
    R1  colour in {red, green,    ->  yes
            blue}
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    if most is not None and width is not None and wrap:
        widths[wrap[-1]] = min(widths[wrap[-1]], most)
    _narrow(widths, wrap, least, line_width(width))
    cells = [[_wrapped(text, widths[place]) for place, text in enumerate(row)] for row in rows]
    pads = [str.rjust if place in right else str.ljust for place in range(len(widths))]
    return [
        _GAP.join(pad(text, each) for pad, text, each in zip(pads, texts, widths, strict=True)).rstrip()
        for row in cells
        for texts in zip_longest(*row, fillvalue="")
    ]


def _narrow(widths: list[int], wrap: Sequence[int], least: int, limit: int | None) -> None:
    """Narrow the columns that may be wrapped until lines fit, the last of them first."""
    over = 0 if limit is None else sum(widths) + len(_GAP) * (len(widths) - 1) - limit
    for place in reversed(wrap):
        less = max(min(over, widths[place] - least), 0)
        widths[place] -= less
        over -= less


def _wrapped(text: str, room: int) -> list[str]:
    if len(text) <= room:
        return [text]
    # The indentation of a condition is kept, but it leaves room for words, and for the longest of them whole.
    most = max(room - max(map(len, text.split()), default=0), 0)
    indent = text[: min(len(text) - len(text.lstrip()), room // 2, most)]
    return textwrap.wrap(
        text.strip(),
        room,
        initial_indent=indent,
        subsequent_indent=(indent + _INDENT)[:most],
        break_on_hyphens=False,
    )


def wrapped(text: str, width: Width) -> list[str]:
    """Return a text of one line as lines of at most `width` characters; an empty one is an empty line.

    >>> wrapped("3 of 8 nodes are not shown.", 20)
    ['3 of 8 nodes are not', 'shown.']
    """
    limit = line_width(width)
    if limit is None or len(text) <= limit:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    further = indent + _INDENT if indent else ""
    return textwrap.wrap(text, limit, subsequent_indent=further, break_on_hyphens=False)


def line_width(width: Width) -> int | None:
    """Return the greatest number of characters in a line; None if there is no limit.

    The terminal has a width only if standard output is one.

    >>> line_width(80), line_width(None)
    (80, None)
    """
    if width is None:
        return None
    if width == "terminal":
        return shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None
    if isinstance(width, bool) or not isinstance(width, int) or width < _LEAST_WIDTH:
        raise ParameterError.of(
            "width", width, f"a whole number of at least {_LEAST_WIDTH}, 'terminal' or None"
        )
    return width
