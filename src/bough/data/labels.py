"""Labels: texts that are shown in place of the names of columns and of levels that are codes.

A schema keeps them with its columns, so that a model has them in its file. They change no prediction: rows
have the names and levels that the model was fitted with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bough.errors import FormatError


@dataclass(frozen=True)
class Labels:
    """The labels of columns by name, of their levels, of the target, and of its classes.

    >>> labels = Labels(columns={"sex": "Sex"}, levels={"sex": {0: "female"}}, classes={1: "survived"})
    >>> labels.class_words(1), labels.class_words(0)
    ('survived', None)
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    target: str | None = None
    classes: Mapping[Any, str] = field(default_factory=dict)

    def class_words(self, label: Any) -> str | None:
        """Return the label of a class, or None if it has none.

        >>> Labels(classes={"y": "yes"}).class_words("y")
        'yes'
        """
        return self.classes.get(label)

    def to_json(self) -> dict[str, Any]:
        """Return the labels as a dict that JSON can represent; parts that are empty are left out.

        >>> Labels(columns={"sex": "Sex"}, levels={"sex": {0: "female"}}).to_json()
        {'columns': {'sex': 'Sex'}, 'levels': {'sex': [[0, 'female']]}}
        """
        parts = {
            "columns": dict(self.columns),
            "levels": {name: _pairs(labels) for name, labels in self.levels.items()},
            "target": self.target,
            "classes": _pairs(self.classes),
        }
        return {name: part for name, part in parts.items() if part}

    @classmethod
    def from_json(cls, data: object, place: str = "labels") -> Labels:
        """Return the labels that `to_json` wrote; raise `FormatError` if the dict is invalid.

        >>> Labels.from_json({"classes": [[1, "survived"]]}).classes
        {1: 'survived'}
        """
        if not isinstance(data, dict) or {*data} - {"columns", "levels", "target", "classes"}:
            raise FormatError(place, "an object with columns, levels, target or classes is wanted")
        columns, levels, target = data.get("columns", {}), data.get("levels", {}), data.get("target")
        if not isinstance(columns, dict) or not all(type(text) is str for text in columns.values()):
            raise FormatError(f"{place}.columns", "an object of texts is wanted")
        if not isinstance(levels, dict):
            raise FormatError(f"{place}.levels", "an object is wanted")
        if target is not None and type(target) is not str:
            raise FormatError(f"{place}.target", "a text is wanted")
        by_column = {name: _labels(pairs, f"{place}.levels.{name}") for name, pairs in levels.items()}
        return cls(columns, by_column, target, _labels(data.get("classes", []), f"{place}.classes"))


def _pairs(labels: Mapping[Any, str]) -> list[list[Any]]:
    return [[level, text] for level, text in labels.items()]


def _labels(pairs: object, place: str) -> dict[Any, str]:
    if not isinstance(pairs, list):
        raise FormatError(place, "a list of pairs of a level and a text is wanted")
    for pair in pairs:
        of_two = isinstance(pair, list) and len(pair) == 2
        if not of_two or type(pair[0]) not in (str, bool, int, float) or type(pair[1]) is not str:
            raise FormatError(place, f"{pair!r}; a pair of a level and a text is wanted")
    return dict(pairs)
