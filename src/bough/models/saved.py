"""What all models but trees have in common: equality, copies, a short page, and files of their documents."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar

from bough.models import format as files
from bough.models.encoding import Document
from bough.tree.arrays import rebuilt
from bough.tree.equality import fields_of, same_models
from bough.tree.lazy_methods import EXPLAIN, MODEL_HTML


class SavedModel:
    """Base class of models, which are dataclasses; a subclass defines `document`."""

    model_kind: ClassVar[str]
    _repr_html_ = MODEL_HTML
    explain = EXPLAIN

    def __eq__(self, other: object) -> bool:
        return same_models(self, other) if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.model_kind, self.task, self.classes))  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling calls the constructor, so that the arrays are read-only again and nothing cached is kept.
        return rebuilt, (type(self), fields_of(self))

    def __getstate__(self) -> dict[str, Any]:
        # For skops and others, which read the state of an object and not how it is pickled.
        return fields_of(self)

    def document(self) -> Document:
        """Return the content of the model's file: dicts, lists, plain values and arrays."""
        raise NotImplementedError

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `bough.load` reads.

        >>> import tempfile, bough
        >>> from bough.example_models import tennis_rules
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tennis_rules().save(f"{folder}/tennis.json")
        ...     bough.load(f"{folder}/tennis.json") == tennis_rules()
        True
        """
        files.save(self.document(), path)
