"""Doctests in docstrings become blocks of code; Markdown would take their prompts for quotations."""

from typing import Any

import griffe


class FencedDoctests(griffe.Extension):
    """Fences every doctest, from its first prompt to the blank line after its output."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of an object once griffe has read it."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    r"""Put fences around the doctests of a docstring.

    >>> fenced("Add.\n\n>>> 1 + 1\n2\n\nDone.").splitlines()
    ['Add.', '', '```python', '>>> 1 + 1', '2', '```', '', 'Done.']
    """
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith(">>>") and not inside:
            lines.append("```python")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append("" if line.strip() == "<BLANKLINE>" else line)
    return "\n".join([*lines, "```"] if inside else lines)
