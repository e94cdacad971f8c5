"""The members of an ensemble, written and read as documents inside the document of the ensemble."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from bough.errors import FormatError, ParameterError
from bough.models.encoding import Document
from bough.models.model import Model

Read: TypeAlias = Callable[[object], Model]


def documents_of(members: Sequence[Any]) -> list[Document]:
    """Return the documents of some models; raise `ParameterError` for a model of another library.

    >>> from bough.example_models import iris_tree
    >>> documents_of([iris_tree()])[0]["kind"]
    'tree'
    >>> documents_of(["a tree"])
    Traceback (most recent call last):
    bough.errors.ParameterError: A str cannot be saved: only models of bough's own can be in a file.
    """
    for member in members:
        if not isinstance(member, Model):
            name = type(member).__name__
            raise ParameterError(f"A {name} cannot be saved: only models of bough's own can be in a file.")
    return [member.document() for member in members]


def read_members(documents: object, read: Read) -> tuple[Model, ...]:
    """Return the models of some documents; the place of an error includes the number of the member.

    >>> from bough.loading import from_document
    >>> read_members([{"kind": "shrub"}], from_document)
    Traceback (most recent call last):
    bough.errors.FormatError: At members[0].kind: 'shrub'; one of 'tree', 'rules', 'linear_rules', 'forest',
    'boosted', 'gradient_boosted', 'bagging' is wanted
    """
    if type(documents) is not list or not documents:
        raise FormatError("members", "a list of at least one model is wanted")
    members = []
    for number, document in enumerate(documents):
        try:
            members.append(read(document))
        except FormatError as error:
            raise FormatError(f"members[{number}].{error.place}", error.wrong) from None
    return tuple(members)
