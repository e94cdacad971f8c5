"""Labels of a tree: texts for columns, levels and classes that its print-outs and pictures show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bough.data.schema import Level, Schema
from bough.data.words import level_words
from bough.errors import SchemaError


def shown_classes(schema: Schema, classes: tuple[Level, ...]) -> tuple[Level, ...]:
    """Return the classes as they are shown: their labels, or the classes themselves if there are none.

    >>> from bough.example_models import tennis_tree
    >>> tree = tennis_tree().words(levels={"PlayTennis": {"No": "called off"}})
    >>> shown_classes(tree.schema, tree.classes)
    ('called off', 'Yes')
    """
    if schema.labels is None or not schema.labels.classes:
        return classes
    texts = tuple([schema.labels.class_words(label) or level_words(label) for label in classes])
    if len(set(texts)) < len(texts):
        raise SchemaError(f"two classes have the same label among {', '.join(map(repr, texts))}.")
    return texts


def labelled(tree: Any) -> Any:
    """Return the tree with its labels as names, levels and classes; the tree itself if it has none.

    >>> from bough.example_models import tennis_tree
    >>> labelled(tennis_tree().words(labels={"Wind": "wind speed"})).schema.names
    ('Outlook', 'Temperature', 'Humidity', 'wind speed')
    """
    if tree.schema.labels is None:
        return tree
    target = tree.schema.labels.target or tree.target_name
    return replace(
        tree, schema=tree.schema.shown, classes=shown_classes(tree.schema, tree.classes), target_name=target
    )
