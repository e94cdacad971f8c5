"""Docstrings of classes as they are at run time, where learners describe the parameters they inherit."""

import importlib
import inspect
from typing import Any

import griffe


class CompletedDocstrings(griffe.Extension):
    """Replaces the docstring of each class by the one that `help` shows."""

    def on_class_instance(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Change the docstring of a class once griffe has read it."""
        if cls.docstring is None or not cls.parent.is_module:
            return
        kind = vars(importlib.import_module(cls.parent.path)).get(cls.name)
        if inspect.isclass(kind) and kind.__doc__:
            cls.docstring.value = inspect.cleandoc(kind.__doc__)
