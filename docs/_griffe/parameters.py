"""Docstrings of classes as they are at run time: all parameters, each with its type and its default."""

import importlib
import inspect
import re
from typing import Any

import griffe


class CompletedDocstrings(griffe.Extension):
    """Replaces the docstring of each class by the one that `help` shows, with types and defaults."""

    def on_class_instance(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Change the docstring of a class once griffe has read it."""
        if cls.docstring is None or not cls.parent.is_module:
            return
        kind = vars(importlib.import_module(cls.parent.path)).get(cls.name)
        if inspect.isclass(kind) and kind.__doc__:
            cls.docstring.value = typed(inspect.cleandoc(kind.__doc__), kind)


def typed(doc: str, kind: type) -> str:
    r"""Return a docstring whose entries of parameters have the type and default of the signature.

    >>> class Tree:
    ...     def __init__(self, cp: "float | None" = None) -> None: ...
    >>> typed("A tree.\n\nParameters\n----------\ncp\n    How much.", Tree).splitlines()[4]
    'cp : float | None, default: None'
    """
    section = re.compile(r"(?<=^Parameters\n----------\n).*?(?=^\w[^\n]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
    if section.search(doc) is None:
        return doc
    parameters = inspect.signature(kind).parameters

    def header(found: re.Match[str]) -> str:
        name = found[0]
        if name not in parameters:
            return name
        annotation, default = parameters[name].annotation, parameters[name].default
        words = (
            annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
        )
        words = "Any" if annotation is inspect.Parameter.empty else words
        return f"{name} : {words}" + ("" if default is inspect.Parameter.empty else f", default: {default!r}")

    return section.sub(lambda found: re.sub(r"^\w+$", header, found[0], flags=re.MULTILINE), doc)
