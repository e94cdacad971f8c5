"""Saving of models: a file holds the document of its model."""

from __future__ import annotations

from os import PathLike

from bough.models import format as files
from bough.models.encoding import Document


class SavedModel:
    """Base class of models; a subclass defines `document`."""

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
